"""What hands do in the viewport, with real mouse and key events."""

from __future__ import annotations

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtWidgets import QApplication

from app.camera import Camera
from sim.command import FollowPath, PullBody, ReleaseBody, SetTarget
from tests.app.window_bench import Bench

LEFT, MIDDLE, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton
NONE, SHIFT, CTRL = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)


@pytest.fixture
def bench(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    yield bench
    bench.close()


def drag(bench, start, end, button=LEFT, keys=NONE, release=True):
    view = bench.viewport
    bench.bot.mousePress(view, button, keys, QPoint(*start))
    for part in (0.3, 0.7, 1.0):
        x, y = (round(a + part * (b - a)) for a, b in zip(start, end, strict=True))
        bench.bot.mouseMove(view, QPoint(x, y))
    if release:
        bench.bot.mouseRelease(view, button, keys, QPoint(*end))


def test_the_target_follows_the_cursor_in_the_screen_plane(bench):
    x, y = bench.target_pixel()
    forward = bench.viewport.hand.camera.forward()
    before = bench.session.snapshot.targets[0].copy()
    drag(bench, (x, y), (x + 80, y - 60))
    bench.settle()
    assert np.allclose(bench.target_pixel(), (x + 80, y - 60), atol=1)
    moved = bench.session.snapshot.targets[0] - before
    assert np.linalg.norm(moved) > 0.05
    assert abs(moved @ forward) < 1e-9


def test_a_press_near_the_rim_takes_the_target_without_a_jump(bench):
    x, y = bench.target_pixel()
    hand, visuals = bench.viewport.hand, bench.session.stage.visuals
    target = bench.session.snapshot.targets[0].copy()
    rim = visuals.target_radius / hand.camera.pixel_size(target, hand.size[1])
    bench.bot.mousePress(bench.viewport, LEFT, NONE, QPoint(round(x + rim + 6), y))
    bench.bot.mouseRelease(bench.viewport, LEFT, NONE, QPoint(round(x + rim + 6), y))
    bench.settle()
    assert bench.runner.of(SetTarget)
    assert np.allclose(bench.session.snapshot.targets[0], target)
    bench.bot.keyClick(bench.viewport, Qt.Key.Key_Escape)  # it is selected now, and its handles reach further out
    bench.runner.sent.clear()
    bench.bot.mouseClick(bench.viewport, LEFT, NONE, QPoint(round(x + rim + 12), y))
    assert not bench.runner.of(SetTarget)


def test_the_dragged_target_is_drawn_from_the_drag_with_its_coordinates(bench):
    x, y = bench.target_pixel()
    drag(bench, (x, y), (x + 40, y - 50), release=False)
    view, overlay = bench.viewport.view(), bench.viewport.overlay()
    assert view.drag is not None and view.drag[0] == 0
    numbers = [f"{c:.3f}".replace("-", "−") for c in view.drag[1]]
    assert overlay.caption is not None and all(n in overlay.caption.text for n in numbers)
    bench.bot.mouseRelease(bench.viewport, LEFT, NONE, QPoint(x + 40, y - 50))
    assert bench.viewport.view().drag is None


def test_escape_puts_a_dragged_target_back(bench):
    x, y = bench.target_pixel()
    before = bench.session.snapshot.targets[0].copy()
    drag(bench, (x, y), (x + 90, y), release=False)
    bench.bot.keyClick(bench.viewport, Qt.Key.Key_Escape)
    bench.settle()
    assert np.allclose(bench.session.snapshot.targets[0], before)
    assert bench.viewport.view().drag is None
    bench.bot.mouseRelease(bench.viewport, LEFT, NONE, QPoint(x + 90, y))
    assert np.allclose(bench.runner.latest.targets[0], before)


def test_the_first_press_ends_hint_and_circle_for_good(bench, qtbot, tmp_path):
    assert bench.viewport.show_pill
    bench.bot.mouseClick(bench.viewport, LEFT, NONE, QPoint(*bench.target_pixel()))
    assert not bench.viewport.show_pill
    assert bench.session.paths_on == {"target": False}
    bench.session.reset()
    assert bench.runner.sent[-1] == FollowPath("target", False)
    again = Bench(qtbot, tmp_path)
    assert not again.viewport.show_pill
    assert not again.session.paths_on["target"]
    again.close()


def test_a_file_of_ones_own_moves_its_target_although_a_hand_has_pressed_one_before(bench, qtbot, tmp_path):
    bench.bot.mouseClick(bench.viewport, LEFT, NONE, QPoint(*bench.target_pixel()))
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "arm_reach"\n', encoding="utf-8")
    again = Bench(qtbot, tmp_path, str(mine))
    assert again.session.hands_on and again.session.paths_on["target"]
    again.close()


def test_a_paused_drag_says_how_to_go_on(bench):
    bench.bot.keyClick(bench.viewport, Qt.Key.Key_Space)
    bench.settle()
    x, y = bench.target_pixel()
    drag(bench, (x, y), (x + 20, y), release=False)
    assert "Space" in bench.viewport.overlay().line
    bench.bot.mouseRelease(bench.viewport, LEFT, NONE, QPoint(x + 20, y))


@pytest.mark.parametrize("button", [LEFT, RIGHT])
def test_ctrl_drag_pulls_a_body_and_release_lets_go(bench, button):
    hand, snapshot = bench.viewport.hand, bench.session.snapshot
    middle = hand.camera.project(snapshot.frames[:1] * 0.5 + snapshot.position[-1:] * 0.5, *hand.size)[0]
    start = (round(float(middle[0])), round(float(middle[1])))
    drag(bench, start, (start[0] - 70, start[1] - 40), button, CTRL, release=False)
    bench.settle()
    first, last = bench.runner.of(PullBody)[0], bench.runner.of(PullBody)[-1]
    assert first.body == last.body and first.point == last.point and first.anchor != last.anchor
    assert np.allclose(hand.camera.project([last.anchor], *hand.size)[0], (start[0] - 70, start[1] - 40), atol=0.01)
    caption = bench.viewport.overlay().caption
    assert caption is not None and caption.text.endswith(" N")
    assert caption.leftwards  # away from the body
    bench.bot.mouseRelease(bench.viewport, button, CTRL, QPoint(start[0] - 70, start[1] - 40))
    assert bench.window.menus.context is None  # a pull with the right button is no click
    assert isinstance(bench.runner.sent[-1], ReleaseBody)


@pytest.mark.parametrize(("button", "keys"), [(RIGHT, NONE), (MIDDLE, NONE), (LEFT, SHIFT)])
def test_panning_keeps_what_is_looked_at_under_the_cursor(bench, button, keys):
    hand = bench.viewport.hand
    point, before = np.array([hand.camera.look_at]), hand.camera
    x, y = hand.camera.project(point, *hand.size)[0]
    drag(bench, (60, 60), (130, 100), button, keys)
    assert np.allclose(hand.camera.project(point, *hand.size)[0], (x + 70, y + 40), atol=0.01)
    assert (hand.camera.azimuth, hand.camera.elevation) == (before.azimuth, before.elevation)


def test_orbit_turns_around_the_same_point(bench):
    before: Camera = bench.viewport.hand.camera
    drag(bench, (60, 60), (160, 100))
    after = bench.viewport.hand.camera
    assert after.look_at == before.look_at and after.distance == before.distance
    assert after.azimuth < before.azimuth and after.elevation > before.elevation
    assert not bench.runner.of(SetTarget)


def test_the_wheel_zooms_to_the_cursor(bench):
    hand = bench.viewport.hand
    origin, direction = hand.camera.ray(200, 150, *hand.size)
    depth = (np.array(hand.camera.look_at) - origin) @ hand.camera.forward() / (direction @ hand.camera.forward())
    point = origin + depth * direction
    before = hand.camera.distance
    at, none = QPointF(200, 150), Qt.MouseButton.NoButton
    event = QWheelEvent(at, at, QPoint(), QPoint(0, 240), none, NONE, Qt.ScrollPhase.NoScrollPhase, False)
    QApplication.sendEvent(bench.viewport, event)
    assert hand.camera.distance < before
    assert np.allclose(hand.camera.project([point], *hand.size)[0], (200, 150), atol=0.01)


def test_double_click_centres_the_view_there(bench):
    hand, size = bench.viewport.hand, bench.viewport.hand.size
    at = (size[0] // 4, size[1] - 60)
    origin, direction = hand.camera.ray(*at, *size)
    floor = origin - direction * origin[2] / direction[2]
    bench.bot.mouseDClick(bench.viewport, LEFT, NONE, QPoint(*at))
    bench.bot.waitUntil(lambda: hand.glide is None)
    assert np.allclose(hand.camera.look_at, floor)


def test_cursors_tell_what_a_press_would_do(bench):
    view = bench.viewport
    x, y = bench.target_pixel()
    bench.bot.mouseMove(view, QPoint(20, 20))
    assert view.cursor().shape() == Qt.CursorShape.ArrowCursor
    bench.bot.mouseMove(view, QPoint(x, y))
    assert view.cursor().shape() == Qt.CursorShape.OpenHandCursor
    assert view.view().hover_target == 0
    bench.bot.mousePress(view, LEFT, NONE, QPoint(x, y))
    assert view.cursor().shape() == Qt.CursorShape.ClosedHandCursor
    bench.bot.mouseRelease(view, LEFT, NONE, QPoint(x, y))
