"""The program as it is started: pictures, reports, and what it says where no window can be."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from PyQt6.QtGui import QImage

from app.display import display_problem
from app.startup import process_age

ROOT = Path(__file__).parents[2]


def start(tmp_path, *arguments, **environment):
    code = (
        "import sys; from app.application import run_window; import json;"
        "sys.exit(run_window(**json.loads(sys.argv[1])))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, json.dumps(arguments[0])],
        cwd=ROOT,
        env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def colour(image, x, y):
    return image.pixelColor(x, y).getRgb()[:3]


def test_shot_and_report(tmp_path):
    shot, report = tmp_path / "shot.png", tmp_path / "report.json"
    wanted = {"scene_name": "arm_pd", "shot": str(shot), "after": 0.3, "size": [1100, 700], "theme": "dark"}
    result = start(tmp_path, {**wanted, "report": str(report)})
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""
    image = QImage(str(shot))
    assert (image.width(), image.height()) == (1100, 700)
    sky, link = colour(image, 600, 90), [colour(image, x, 300) for x in range(200, 800, 2)]
    assert max(sky) < 90
    assert max(max(c) for c in link) > 150  # the arm stands in the picture
    told = json.loads(report.read_text())
    assert 0 < told["first_paint"] < told["first_motion"]
    assert told["gl_renderer"] and told["quality"] == "fine"
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


def test_ctrl_c_closes_the_window_politely(tmp_path):
    report = tmp_path / "report.json"
    code = f"from app.application import run_window; raise SystemExit(run_window('arm_pd', report={str(report)!r}))"
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment, stderr=subprocess.PIPE) as program:
        while not report.exists() and program.poll() is None:
            time.sleep(0.02)
        program.send_signal(signal.SIGINT)
        _, words = program.communicate(timeout=60)
    assert program.returncode == 0 and words == b""


def test_scale_doubles_the_pixels(tmp_path):
    shot = tmp_path / "shot.png"
    wanted = {"scene_name": "free_body", "shot": str(shot), "after": 0.1, "size": [1000, 640], "scale": 2}
    assert start(tmp_path, wanted).returncode == 0
    image = QImage(str(shot))
    assert (image.width(), image.height()) == (2000, 1280)


def test_displays_that_cannot_be_used_are_told(monkeypatch):
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert display_problem() == ""
    monkeypatch.setenv("DISPLAY", ":987")
    assert ":987" in display_problem()
    monkeypatch.delenv("DISPLAY")
    assert "DISPLAY" in display_problem()
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert "offscreen" in display_problem()


def test_the_age_of_the_process_grows():
    first = process_age()
    assert 0 < first <= process_age()
