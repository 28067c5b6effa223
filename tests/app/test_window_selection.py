"""Clicks, handles, the viewport's own menu, following, hiding, trackpads."""

from __future__ import annotations

import ast
from dataclasses import replace

import numpy as np
import pytest
from PyQt6.QtCore import QPoint, QPointF, Qt
from PyQt6.QtGui import QGuiApplication, QImage, QNativeGestureEvent, QPointingDevice, QWheelEvent
from PyQt6.QtWidgets import QApplication

from app.render.handles import handle_ends
from app.selection import Selection
from app.theme import THEMES, rgb
from sim.command import SetTarget
from sim.spatial.rotation import quat_to_matrix
from tests.app.window_bench import Bench

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
NONE = Qt.KeyboardModifier.NoModifier
FOREARM = 2


@pytest.fixture
def bench(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    yield bench
    bench.close()


def click(bench, at, button=LEFT):
    bench.bot.mouseClick(bench.viewport, button, NONE, QPoint(*at))


def picture(bench):
    """The viewport as painted, (h, w, 3) floats from 0 to 255."""
    bench.viewport.tick()
    image = bench.viewport.grabFramebuffer().convertToFormat(QImage.Format.Format_RGB888)
    data = np.frombuffer(image.constBits().asstring(image.sizeInBytes()), np.uint8)
    return (
        data.reshape(image.height(), image.bytesPerLine())[:, : 3 * image.width()]
        .reshape(image.height(), image.width(), 3)
        .astype(float)
    )


def pixels_of(image, color):
    return np.argwhere(np.abs(image - 255 * np.array(rgb(color))).max(axis=2) < 30)


# --- selecting ------------------------------------------------------------------------------------------


def test_a_click_selects_a_drag_turns_the_view(bench):
    at, shown = bench.body_pixel(FOREARM), bench.session.shown
    before = bench.viewport.hand.camera
    bench.bot.mousePress(bench.viewport, LEFT, NONE, QPoint(*at))
    bench.bot.mouseMove(bench.viewport, QPoint(at[0] + 3, at[1]))
    assert bench.viewport.hand.camera == before
    bench.bot.mouseRelease(bench.viewport, LEFT, NONE, QPoint(at[0] + 3, at[1]))
    assert shown.selection == Selection(body=FOREARM)
    assert bench.viewport.hand.camera == before
    bench.bot.mousePress(bench.viewport, LEFT, NONE, QPoint(40, 80))
    bench.bot.mouseMove(bench.viewport, QPoint(45, 80))
    assert bench.viewport.hand.camera != before
    bench.bot.mouseRelease(bench.viewport, LEFT, NONE, QPoint(45, 80))
    assert shown.selection == Selection(body=FOREARM)
    click(bench, (40, 80))
    assert shown.selection == Selection()


def test_escape_cancels_first_and_then_deselects(bench):
    shown, hand = bench.session.shown, bench.viewport.hand
    shown.select(Selection(body=1))
    camera = hand.camera
    bench.bot.mousePress(bench.viewport, LEFT, NONE, QPoint(40, 80))
    bench.bot.mouseMove(bench.viewport, QPoint(90, 90))
    bench.bot.keyClick(bench.viewport, Qt.Key.Key_Escape)
    assert hand.camera == camera and shown.selection == Selection(body=1)
    bench.bot.keyClick(bench.viewport, Qt.Key.Key_Escape)
    assert shown.selection == Selection()
    bench.bot.mouseRelease(bench.viewport, LEFT, NONE, QPoint(90, 90))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_selected_body_is_outlined_around_its_silhouette(bench, theme):
    bench.window.choose_theme(theme)
    plain = picture(bench)
    bench.session.shown.select(Selection(body=FOREARM))
    outlined = picture(bench)
    changed = np.abs(outlined - plain).max(axis=2) > 60
    accent = [(y, x) for y, x in pixels_of(outlined, THEMES[theme].accent) if changed[y, x]]
    assert len(accent) > 300 and np.count_nonzero(changed) < 2 * len(accent)  # the rim, its soft edges, nothing else
    on_it = [hit for y, x in accent[::7] if (hit := bench.viewport.hand._body_at(x, y)) and hit[0] == FOREARM]
    assert len(on_it) < 0.2 * len(accent[::7])  # it lies outside of the body


def test_another_scene_has_nothing_selected(bench):
    bench.session.shown.select(Selection(body=2))
    bench.viewport.hand.toggle_hidden(1)
    bench.session.open("free_body")
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "free_body")
    assert bench.session.shown.selection == Selection() and not bench.viewport.hand.hidden


def test_cursors_and_highlights_say_what_a_press_would_do(bench):
    view, hand = bench.viewport, bench.viewport.hand
    shapes = Qt.CursorShape
    body, target = bench.body_pixel(FOREARM), bench.target_pixel()
    for at, keys, shape in (
        ((30, 90), NONE, shapes.ArrowCursor),
        (body, NONE, shapes.PointingHandCursor),
        (target, NONE, shapes.OpenHandCursor),
        (body, Qt.KeyboardModifier.ControlModifier, shapes.CrossCursor),
    ):
        hand.move(*at, keys != NONE)
        view._show_cursor()
        assert view.cursor().shape() == shape
    assert view.view().hover_body == FOREARM
    hand.leave()
    assert view.view().hover_body == -1


def test_hover_follows_what_moves_beneath_a_resting_cursor(bench):
    hand = bench.viewport.hand
    hand.move(*bench.target_pixel())
    assert hand.hover_target == 0
    bench.session.set_target(0, (0.2, 0.5, 0.9))
    bench.bot.waitUntil(lambda: hand.hover_target == -1)


# --- handles ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("axis", range(3))
def test_a_handle_moves_the_target_along_its_axis_alone(bench, axis):
    hand = bench.viewport.hand
    hand.camera = replace(hand.camera, azimuth=-0.9, elevation=0.5)
    click(bench, bench.target_pixel())
    bench.settle()
    target = bench.session.snapshot.targets[0].copy()
    radius = bench.session.stage.visuals.target_radius
    tip = hand.camera.project(handle_ends(hand.camera, target, radius, hand.size[1]), *hand.size)[axis]
    start = hand.camera.project(target, *hand.size)[0]
    grab = start + 0.8 * (tip - start)
    end = grab + 60 * (tip - start) / np.linalg.norm(tip - start)
    at, to = (QPoint(*(round(float(c)) for c in p)) for p in (grab, end))
    hand.move(at.x(), at.y())
    assert hand.hover_handle == axis and hand.cursor == "open"
    bench.bot.mousePress(bench.viewport, LEFT, NONE, at)
    bench.bot.mouseMove(bench.viewport, to)
    assert bench.viewport.view().drag is not None
    bench.bot.mouseRelease(bench.viewport, LEFT, NONE, to)
    bench.settle()
    moved = bench.session.snapshot.targets[0] - target
    assert abs(moved[axis]) > 0.02
    assert np.abs(np.delete(moved, axis)).max() < 1e-12
    reach = np.linspace(0.0, 0.5, 5001)[:, None] * np.eye(3)[axis]  # places along the handle
    gaps = np.linalg.norm(hand.camera.project(target + reach, *hand.size) - grab, axis=1)
    held = bench.session.snapshot.targets[0] + reach[int(np.argmin(gaps))]
    assert np.allclose(hand.camera.project(held, *hand.size)[0], end, atol=1.5)  # what was grabbed is under the cursor


def test_handles_are_drawn_in_the_colours_of_their_axes_with_letters(bench):
    plain = picture(bench)
    click(bench, bench.target_pixel())
    bench.settle()
    drawn = picture(bench)
    for color in THEMES["light"].axes:
        assert len(pixels_of(drawn, color)) > len(pixels_of(plain, color)) + 30
    assert [letter.text for letter in bench.viewport.overlay().letters] == ["x", "y", "z"]


# --- the viewport's own menu ------------------------------------------------------------------------------


def test_right_click_offers_what_can_be_done_and_right_drag_pans(bench):
    click(bench, bench.body_pixel(FOREARM), RIGHT)
    menu = bench.window.menus.context
    assert menu is not None and menu.isVisible()
    texts = [action.text() for action in menu.actions()]
    assert {"Follow", "Plot", "Copy pose", "Hide"} <= set(texts) and "Show hidden bodies" not in texts
    assert bench.session.shown.selection == Selection(body=FOREARM)
    menu.close()
    bench.window.menus.context = None
    bench.bot.mousePress(bench.viewport, RIGHT, NONE, QPoint(60, 90))
    bench.bot.mouseMove(bench.viewport, QPoint(100, 90))
    bench.bot.mouseRelease(bench.viewport, RIGHT, NONE, QPoint(100, 90))
    assert bench.window.menus.context is None


def test_hidden_bodies_are_neither_drawn_nor_picked_until_shown_again(bench):
    at = bench.body_pixel(FOREARM)
    before = picture(bench)
    bench.session.shown.select(Selection(body=FOREARM))
    bench.window.menus.actions["hide"].trigger()
    without = picture(bench)
    assert np.abs(before - without).max(axis=2)[at[1], at[0]] > 20
    click(bench, at)
    assert bench.session.shown.selection.body != FOREARM
    bench.session.shown.select(Selection())
    bench.viewport.hand.leave()
    bench.window.menus.refresh()
    bench.window.menus.actions["show_all"].trigger()
    assert np.abs(before - picture(bench)).mean() < 0.5


def test_following_keeps_the_body_where_it_is_on_the_screen(bench):
    hand = bench.viewport.hand
    bench.session.shown.select(Selection(body=FOREARM))
    bench.window.menus.actions["follow"].trigger()
    bench.viewport.tick()
    before = hand.camera.project(bench.session.snapshot.position[FOREARM], *hand.size)[0]
    moved = bench.runner.latest.position.copy()
    moved[FOREARM] += (0.3, -0.1, 0.2)
    bench.runner.latest = replace(bench.runner.latest, position=moved)
    bench.settle()
    bench.viewport.tick()
    assert np.allclose(hand.camera.project(moved[FOREARM], *hand.size)[0], before, atol=0.01)
    assert bench.window.menus.actions["follow"].isChecked()
    bench.window.menus.actions["follow"].trigger()
    assert hand.followed == -1


def test_copied_poses_have_all_digits(bench):
    bench.session.shown.select(Selection(body=FOREARM))
    bench.bot.keyClick(bench.viewport, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    x, y, z, *quat = ast.literal_eval(QGuiApplication.clipboard().text())
    assert (x, y, z) == tuple(bench.session.snapshot.position[FOREARM])
    assert quat_to_matrix(np.array(quat)) == pytest.approx(bench.session.snapshot.rotation[FOREARM], abs=1e-15)


def test_a_plot_is_shown_and_put_away(bench):
    action = bench.window.menus.actions["plot:energy"]
    assert [p.info.name for p in bench.window.plots.plots] == ["tool_error", "torque"] and not action.isChecked()
    action.trigger()
    assert [p.info.name for p in bench.window.plots.plots] == ["tool_error", "torque", "energy"]
    assert action.isChecked()
    action.trigger()
    assert [p.info.name for p in bench.window.plots.plots] == ["tool_error", "torque"]
    assert not bench.window.menus.actions["plot:slide"].isVisible()  # nothing slides here


def test_f_frames_the_selection_and_home_everything(bench):
    hand = bench.viewport.hand
    bench.session.shown.select(Selection(body=FOREARM))
    for key, wanted in ((Qt.Key.Key_F, bench.session.shown.selection), (Qt.Key.Key_Home, Selection())):
        expected = hand.framing(wanted)
        bench.bot.keyClick(bench.viewport, key)
        bench.bot.waitUntil(lambda: hand.glide is None)
        assert np.allclose(hand.camera.look_at, expected.look_at)
        assert hand.camera.distance == pytest.approx(expected.distance)
    visuals, snapshot = bench.session.stage.visuals, bench.session.snapshot
    center, radius = visuals.body_sphere(snapshot, FOREARM)
    assert hand.framing(Selection(body=FOREARM)).look_at == pytest.approx(tuple(center))
    assert 0.1 < radius < visuals.radius


# --- trackpads --------------------------------------------------------------------------------------------


def gesture(bench, kind, value, at):
    device = QPointingDevice.primaryPointingDevice()
    point = QPointF(*at)
    event = QNativeGestureEvent(kind, device, 2, point, point, point, value, QPointF())
    QApplication.sendEvent(bench.viewport, event)


def test_pinching_zooms_turning_turns_and_a_tap_looks_there(bench):
    hand, kinds = bench.viewport.hand, Qt.NativeGestureType
    before = hand.camera
    gesture(bench, kinds.ZoomNativeGesture, 0.2, (200, 200))
    assert hand.camera.distance < before.distance
    turned = hand.camera.azimuth
    gesture(bench, kinds.RotateNativeGesture, 10.0, (200, 200))
    assert hand.camera.azimuth - turned == pytest.approx(np.radians(10.0))
    gesture(bench, kinds.SmartZoomNativeGesture, 0.0, bench.body_pixel(FOREARM))
    assert hand.glide is not None


def test_nothing_moves_on_after_the_fingers_have_let_go(bench):
    at, keys = QPointF(200, 150), NONE
    for phase, moves in ((Qt.ScrollPhase.ScrollUpdate, True), (Qt.ScrollPhase.ScrollMomentum, False)):
        before = bench.viewport.hand.camera
        none = Qt.MouseButton.NoButton
        event = QWheelEvent(at, at, QPoint(0, 10), QPoint(0, 40), none, keys, phase, False)
        QApplication.sendEvent(bench.viewport, event)
        assert (bench.viewport.hand.camera != before) is moves


def test_selecting_a_target_does_not_move_it(bench):
    before = bench.session.snapshot.targets[0].copy()
    click(bench, bench.target_pixel())
    bench.settle()
    assert bench.session.shown.selection == Selection(target=0)
    assert np.array_equal(bench.runner.latest.targets[0], before)
    assert all(c.position == tuple(before) for c in bench.runner.of(SetTarget))
