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
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from app.camera import fit
from app.picking import ray_distances
from app.render.view import View
from app.render.visuals import Visuals
from app.theme import KEY_DIRECTION
from sim.files import builtin_names, load
from sim.model import compile_model
from sim.rest import rest_snapshot
from sim.scene import Scene
from sim.state import Snapshot
from tests.app.painted import watching
from tests.app.spans import surface_points
from tests.app.studio import HEIGHT, WIDTH, Studio

ROOT = Path(__file__).parents[2]
WRAPS = Qt.TextFlag.TextWordWrap.value
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


@pytest.mark.parametrize(("size", "theme"), [(SIZES[0], "light"), (SIZES[1], "dark")])
def test_no_text_is_cut_whatever_the_window_shows(size: tuple[int, int, int], theme: str):
    assert_nothing_cut(size, theme, "ball_arm_reach+")


@pytest.mark.soak
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_text_is_cut_at_any_size_in_either_theme(size: tuple[int, int, int], theme: str):
    assert_nothing_cut(size, theme, "ball_arm_reach+", "long_chain+")


def assert_nothing_cut(size: tuple[int, int, int], theme: str, *names: str) -> None:
    states = looked_at(size, theme, *names)
    assert len(states) > 30 * len(names)
    assert [(one["scene"], one.get("state"), one["overfull"]) for one in states if one["overfull"]] == []


PAINTINGS = {
    "a word that fits": ((QRectF(0, 0, 100, 20), 0, "word"), True),
    "wider than its place": ((QRectF(0, 0, 20, 20), 0, "a longer word"), False),
    "lower than its place": ((QRectF(0, 0, 100, 5), 0, "word"), False),
    "more lines than there is room for": ((QRectF(0, 0, 60, 30), WRAPS, "many words in several lines"), False),
    "over the rim of its widget": ((QRectF(60, 0, 100, 20), 0, "a longer word"), False),
    "at a point, over the rim": ((QPointF(80, 15), "a longer word"), False),
    "over another": ((QRectF(20, 40, 100, 20), 0, "word"), False),
}


@pytest.mark.parametrize("name", PAINTINGS)
def test_text_that_is_cut_would_be_seen(qtbot: Any, name: str):
    arguments, fits = PAINTINGS[name]

    class Canvas(QWidget):
        def paintEvent(self, event: QPaintEvent) -> None:
            painter = QPainter(self)
            painter.drawText(QRectF(0, 40, 100, 20), 0, "another")
            painter.drawText(*arguments)

    canvas = Canvas()
    qtbot.addWidget(canvas)
    canvas.resize(120, 60)
    with watching() as painted:
        canvas.grab()
    assert (list(painted.problems()) == []) == fits


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
    visuals, rest = Visuals(scene, compile_model(scene)), rest_snapshot(scene)
    view = View(fit(*visuals.bounds(rest), scene.camera), theme)
    with_shadow = studio.draw(scene, view)
    with monkeypatch.context() as patch:
        patch.setattr("app.render.geometry.Geometry.draw_casters", lambda self: None)
        without = studio.draw(scene, view)
    assert (with_shadow <= without).all()
    seen = view.camera.project(surface_points(visuals, rest), WIDTH, HEIGHT)
    changed = np.argwhere((with_shadow < without - 2).any(axis=2))
    assert changed[:, 0].min() >= seen[:, 1].min() - 1
    some = np.random.default_rng(0).permutation(changed)[:60]
    assert all(in_the_way(visuals, rest, view, column, row) for row, column in some)
    return changed


def in_the_way(visuals: Visuals, rest: Snapshot, view: View, column: int, row: int) -> bool:
    """A body is in this pixel, or it or a target between the floor there and the light; a shadow's rim is soft."""
    origin, direction = view.camera.ray(column, row, WIDTH, HEIGHT)
    thick = Visuals(visuals.scene, visuals.model)
    thick.size = thick.size + 0.03 * visuals.bounds(rest)[1] * (thick.size > 0)
    floor = origin - direction * origin[2] / direction[2]
    light = np.array(KEY_DIRECTION) / np.linalg.norm(KEY_DIRECTION)
    ways = ((origin, direction), (floor, light))
    targets = rest.targets.reshape(-1, 3) - floor
    beside = np.linalg.norm(targets - np.outer(targets @ light, light), axis=1) <= 1.5 * visuals.target_radius
    return any(bool(np.isfinite(ray_distances(thick, rest, *way)).any()) for way in ways) or bool(beside.any())


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", builtin_names())
def test_edges_of_every_scene_hold_three_tones_between_both_sides(studio: Studio, name: str, theme: str):
    scene = load(name)
    visuals = Visuals(scene, compile_model(scene))
    picture = studio.draw(scene, View(fit(*visuals.bounds(rest_snapshot(scene)), scene.camera), theme)).astype(float)
    tones: set[float] = set()
    for grey in (picture.sum(axis=2), picture.sum(axis=2).T):  # edges across rows, and across columns
        before, left, middle, right, behind = (grey[:, n : n - 5 or None] for n in range(5))
        flat = (abs(before - left) < 6) & (abs(right - behind) < 6) & (abs(left - right) > 90)
        part = (middle - left)[flat] / (right - left)[flat]
        tones |= {float(t) for t in np.round(part[(part > 0.08) & (part < 0.92)], 1)}
    assert len(tones) >= 3


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("name", builtin_names())
def test_every_scene_throws_a_shadow_that_is_seen(
    studio: Studio, name: str, theme: str, monkeypatch: pytest.MonkeyPatch
):
    assert len(shadow(studio, load(name), theme, monkeypatch)) >= 0.003 * WIDTH * HEIGHT
