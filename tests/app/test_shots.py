"""The window and its pictures at the sizes people have: room for the viewport, for every text and for the scene."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.camera import fit
from app.render.view import View
from app.render.visuals import Visuals
from sim.files import builtin_names, load
from sim.model import compile_model
from sim.rest import rest_snapshot
from sim.scene import Scene
from tests.app.spans import surface_points
from tests.app.studio import HEIGHT, WIDTH, Studio

ROOT = Path(__file__).parents[2]
SIZES = ((960, 600, 1), (1280, 800, 1), (1920, 1080, 1), (1280, 720, 2))  # the last: 2560 × 1440 pixels
LEAST_SHARE = {(1280, 800): 0.38, (1920, 1080): 0.50}


def looked_at(size: tuple[int, int, int], theme: str, *scenes: str) -> list[dict[str, Any]]:
    command = [sys.executable, "-m", "tests.app.window_measures", *map(str, size), theme, *scenes]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def check(found: dict[str, Any], size: tuple[int, int, int]) -> None:
    width, height, scale = size
    assert found["pixels"] == [width * scale, height * scale, scale]
    assert found["overfull"] == [], found["scene"]
    assert found["share"] >= LEAST_SHARE.get((width, height), 0.0)
    assert 0.55 <= found["span"] <= 0.75, found["scene"]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_default_scene_at_every_size(size: tuple[int, int, int], theme: str):
    (found,) = looked_at(size, theme, "arm_reach")
    check(found, size)


def test_every_scene_at_the_usual_size():
    size = (1280, 800, 1)
    found = looked_at(size, "light", *builtin_names())
    assert [f["scene"] for f in found] == list(builtin_names())
    for one in found:
        check(one, size)


@pytest.mark.soak
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_scene_at_every_size(size: tuple[int, int, int], theme: str):
    for one in looked_at(size, theme, *builtin_names()):
        check(one, size)


# --- shadows ---


@pytest.fixture(scope="module")
def studio() -> Iterator[Studio]:
    studio = Studio()
    yield studio
    studio.close()


def shadow(studio: Studio, scene: Scene, theme: str, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    """Rows and columns of the pixels that are darker for the shadow."""
    visuals = Visuals(scene, compile_model(scene))
    view = View(fit(*visuals.bounds(rest_snapshot(scene)), scene.camera), theme)
    with_shadow = studio.draw(scene, view)
    with monkeypatch.context() as patch:
        patch.setattr("app.render.geometry.Geometry.draw_casters", lambda self: None)
        without = studio.draw(scene, view)
    assert (with_shadow <= without).all()
    seen = view.camera.project(surface_points(visuals, rest_snapshot(scene)), WIDTH, HEIGHT)
    changed = np.argwhere((with_shadow < without - 2).any(axis=2))
    assert changed[:, 0].min() >= seen[:, 1].min() - 1  # on the bodies or below them
    return changed


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", builtin_names())
def test_every_scene_throws_a_shadow_that_is_seen(
    studio: Studio, name: str, theme: str, monkeypatch: pytest.MonkeyPatch
):
    assert len(shadow(studio, load(name), theme, monkeypatch)) >= 0.003 * WIDTH * HEIGHT
