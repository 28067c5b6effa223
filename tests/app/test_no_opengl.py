"""Machines without OpenGL 3.3: one sentence with what still works, no traceback, an exit code that tells."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

MAIN = str(Path(__file__).parents[2] / "main.py")
REFUSALS = {
    "an old driver": ({"MESA_GL_VERSION_OVERRIDE": "2.1"}, "offers 2.1"),
    "no driver": ({"QT_XCB_GL_INTEGRATION": "none"}, "there is none"),
}


def start(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, MAIN, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize("case", REFUSALS)
def test_the_window_says_what_is_missing_and_what_works_without(case: str, tmp_path: Path):
    environment, words = REFUSALS[case]
    shot = tmp_path / "window.png"
    done = start("four_bar", "--shot", str(shot), "--after", "0", **environment)
    assert done.returncode == 2 and not shot.exists()
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
    assert "OpenGL 3.3" in done.stderr and words in done.stderr and "main.py run four_bar" in done.stderr


def test_pictures_without_a_screen_say_the_same(tmp_path: Path):
    out = tmp_path / "bar.png"
    done = start("record", "four_bar", str(out), "--duration", "0", MESA_GL_VERSION_OVERRIDE="2.1")
    assert done.returncode == 1 and not out.exists() and list(tmp_path.iterdir()) == []
    assert done.stderr.strip().splitlines()[-1].startswith("impulse: ") and "OpenGL 3.3" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_context_of_qt_draws_the_same_picture_as_surfaceless_egl(tmp_path: Path):
    """Where there is no EGL; here both can be had, each in a process of its own."""
    script = (
        "import sys, numpy as np\n"
        "from app.render import offscreen\n"
        "from app.render.qt_context import QtContext\n"
        "from app.render.view import View\n"
        "from app.camera import fit\n"
        "from sim.rest import rest_snapshot\n"
        "from tests.app.small_scenes import small_arm\n"
        "def by_qt():\n"
        "    context = QtContext()\n"
        "    context.make_current()\n"
        "    return context\n"
        "if sys.argv[1] == 'qt': offscreen.offscreen_context = by_qt\n"
        "renderer = offscreen.OffscreenRenderer(small_arm(), 320, 240)\n"
        "view = View(fit(renderer.visuals.center, renderer.visuals.radius))\n"
        "np.save(sys.argv[2], renderer.render(rest_snapshot(small_arm()), view))\n"
        "renderer.close()\n"
    )
    pictures = []
    for way in ("egl", "qt"):
        path = tmp_path / f"{way}.npy"
        command = [sys.executable, "-c", script, way, str(path)]
        done = subprocess.run(command, cwd=Path(MAIN).parent, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        pictures.append(np.load(path).astype(int))
    assert pictures[0].std() > 10
    assert np.abs(pictures[0] - pictures[1]).max() <= 2
