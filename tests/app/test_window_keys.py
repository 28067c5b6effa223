"""Keys, menus, toolbar and help: all from one table, and bare keys only in the viewport."""

from __future__ import annotations

from math import isclose, pi

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QApplication

from app.actions import ACTIONS, TOOLBAR, is_bare
from app.widgets.help import help_rows, key_text
from sim.command import Play, Reset, SetSpeed, SetSwitch, StepOnce
from tests.app.window_bench import Bench

KEY, CTRL, SHIFT = Qt.Key, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def bench(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    yield bench
    bench.close()


def focused(bench, widget):
    widget.setFocus()
    bench.bot.waitUntil(widget.hasFocus)
    bench.runner.sent.clear()
    return widget


@pytest.mark.parametrize(
    ("key", "keys", "command"),
    [
        (KEY.Key_Space, NONE, Play(False)),
        (KEY.Key_Right, NONE, StepOnce(1)),
        (KEY.Key_Right, SHIFT, StepOnce(100)),
        (KEY.Key_R, NONE, Reset()),
        (KEY.Key_Backspace, NONE, Reset()),
        (KEY.Key_Minus, NONE, SetSpeed(0.5)),
        (KEY.Key_Plus, NONE, SetSpeed(2.0)),
        (KEY.Key_0, CTRL, SetSpeed(1.0)),
        (KEY.Key_1, CTRL, SetSwitch("gravity", False)),
    ],
)
def test_keys_in_the_viewport(bench, key, keys, command):
    bench.bot.keyClick(bench.viewport, key, keys)
    assert bench.runner.sent == [command]


def test_speed_keys_pressed_in_a_row_add_up(bench):
    for _ in range(3):
        bench.bot.keyClick(bench.viewport, KEY.Key_Minus)
    assert bench.runner.sent[-1] == SetSpeed(0.125)
    bench.settle()
    assert bench.window.menus.speed.text() == "0.125×"


def test_bare_keys_never_reach_the_world_from_a_focused_control(bench):
    window = bench.window
    controls = (
        next(iter(window.control.switches.values())),
        next(iter(window.control.gains.values())).slider,
        next(iter(window.control.gains.values())).number,
        window.scenes,
        window.tabs.tabBar(),
    )
    for widget in controls:
        focused(bench, widget)
        camera = bench.viewport.hand.camera
        for key in (KEY.Key_Right, KEY.Key_R, KEY.Key_1, KEY.Key_7, KEY.Key_Minus, KEY.Key_F, KEY.Key_P):
            bench.bot.keyClick(widget, key)
        kinds = {type(command) for command in bench.runner.sent}
        assert not kinds & {Play, StepOnce, Reset, SetSpeed}
        assert bench.viewport.hand.glide is None and bench.viewport.hand.camera == camera
        assert not bench.window.filming.unfinished


def test_space_works_the_focused_switch_and_not_the_world(bench):
    switch = focused(bench, bench.window.control.switches["gravity"])
    bench.bot.keyClick(switch, KEY.Key_Space)
    assert bench.runner.sent == [SetSwitch("gravity", False)]


def test_the_viewport_has_the_focus_at_start_after_a_click_and_after_choosing_a_scene(bench):
    assert bench.viewport.hasFocus()
    focused(bench, bench.window.control.switches["gravity"])
    bench.bot.mouseClick(bench.viewport, Qt.MouseButton.LeftButton, pos=QPoint(20, 20))
    assert bench.viewport.hasFocus()
    scenes = focused(bench, bench.window.scenes)
    scenes.setCurrentRow(1)
    bench.bot.keyClick(scenes, KEY.Key_Return)
    bench.bot.waitUntil(bench.viewport.hasFocus)


@pytest.mark.parametrize(
    ("key", "azimuth", "elevation"), [(KEY.Key_1, -pi / 2, 0.0), (KEY.Key_3, 0.0, 0.0), (KEY.Key_7, -pi / 2, pi / 2)]
)
def test_view_keys_and_the_opposite_side(bench, key, azimuth, elevation):
    hand = bench.viewport.hand
    start = hand.camera
    bench.bot.keyClick(bench.viewport, key)
    bench.bot.waitUntil(lambda: hand.glide is None)
    there = hand.camera.forward()
    assert isclose(hand.camera.elevation, elevation, abs_tol=0.02)
    assert isclose(hand.camera.azimuth, azimuth, abs_tol=1e-6)
    bench.bot.keyClick(bench.viewport, key)
    bench.bot.waitUntil(lambda: hand.glide is None)
    assert there @ hand.camera.forward() < -0.99
    bench.bot.keyClick(bench.viewport, KEY.Key_0)
    bench.bot.waitUntil(lambda: hand.glide is None)
    assert hand.camera == start


def test_orthographic_and_framing(bench):
    hand = bench.viewport.hand
    bench.bot.keyClick(bench.viewport, KEY.Key_5)
    assert hand.camera.orthographic
    bench.bot.keyClick(bench.viewport, KEY.Key_5)
    assert not hand.camera.orthographic
    home = hand.camera.distance
    hand.camera = hand.camera.zoom_to(10, 10, 10, *hand.size)
    bench.bot.keyClick(bench.viewport, KEY.Key_F)
    bench.bot.waitUntil(lambda: hand.glide is None)
    assert isclose(hand.camera.distance, home, rel_tol=0.05)


@pytest.mark.parametrize("back", [KEY.Key_F11, KEY.Key_Escape])
def test_f11_leaves_the_viewport_alone_and_comes_back(bench, back):
    bench.bot.keyClick(bench.viewport, KEY.Key_F11)
    assert not any(dock.isVisible() for dock in bench.window.docks.values())
    bench.bot.keyClick(bench.viewport, KEY.Key_Space)
    assert bench.runner.of(Play)
    bench.bot.keyClick(bench.viewport, back)
    bench.bot.waitUntil(lambda: all(dock.isVisible() for dock in bench.window.docks.values()))


@pytest.mark.parametrize("key", [KEY.Key_F1, KEY.Key_Question])
def test_help_opens_and_escape_closes_it(bench, key):
    bench.bot.keyClick(bench.viewport, key)
    card = bench.window.help
    assert card is not None and card.isVisible()
    assert bench.window.rect().contains(card.geometry())
    bench.bot.keyClick(QApplication.focusWidget(), KEY.Key_Escape)
    assert not card.isVisible()
    assert bench.viewport.hasFocus()


def test_the_table_has_no_key_twice_and_help_tells_every_key():
    keys = [key for row in ACTIONS for key in row.keys]
    assert len(keys) == len(set(keys))
    told = " ".join(keys for rows in help_rows().values() for keys, _ in rows)
    for row in ACTIONS:
        if row.keys and row.help != "-":
            assert any(key_text(k) in told or row.help_keys in told for k in row.keys), row.id
    assert all(words for rows in help_rows().values() for _, words in rows)


def test_every_action_is_in_a_menu_or_has_a_key_or_a_button(bench):
    for row in ACTIONS:
        assert row.menu or row.keys or row.id in TOOLBAR
    bare = [row for row in ACTIONS if row.keys and all(is_bare(k) for k in row.keys)]
    for row in bare:
        action = bench.window.menus.actions[row.id]
        assert action.shortcutContext() == Qt.ShortcutContext.WidgetShortcut
        assert not action.shortcut().isEmpty()  # so that the menu shows it


def test_toolbar_buttons_do_what_they_say(bench):
    bar, menus = bench.window.menus.toolbar, bench.window.menus
    bench.bot.mouseClick(bar.widgetForAction(menus.actions["play"]), Qt.MouseButton.LeftButton)
    assert bench.runner.sent == [Play(False)]
    bench.settle()
    assert menus.actions["play"].text() == "Play"
    bench.bot.mouseClick(bar.widgetForAction(menus.actions["theme"]), Qt.MouseButton.LeftButton)
    assert bench.viewport.theme == "dark" and bench.settings.text("theme", "") == "dark"


@pytest.mark.parametrize("name", ["scenes", "control", "plots"])
def test_a_handle_at_the_edge_folds_its_panel_by_mouse_and_by_key_and_it_is_remembered(bench, qtbot, tmp_path, name):
    window, dock = bench.window, bench.window.docks[name]
    handle = window.handles[name]
    assert bench.viewport.rect().contains(handle.geometry()) and "Fold away" in handle.accessibleName()
    room = bench.viewport.width() * bench.viewport.height()
    bench.bot.mouseClick(handle, Qt.MouseButton.LeftButton)
    bench.bot.waitUntil(lambda: bench.viewport.width() * bench.viewport.height() > room)
    assert dock.isHidden() and handle.isVisible() and "Show" in handle.accessibleName()
    assert bench.viewport.rect().contains(handle.geometry())
    window.close()
    again = Bench(qtbot, tmp_path)
    again.window.take_place()
    assert again.window.docks[name].isHidden()
    again.bot.keyClick(focused(again, again.window.handles[name]), KEY.Key_Space)
    assert not again.window.docks[name].isHidden() and not again.runner.of(Play)
    again.close()


def test_panels_fold_away_and_come_back(bench):
    action, dock = bench.window.menus.actions["panel:plots"], bench.window.docks["plots"]
    height = bench.viewport.height()
    action.trigger()
    assert not dock.isVisible() and not action.isChecked()
    bench.bot.waitUntil(lambda: bench.viewport.height() > height)
    action.trigger()
    assert dock.isVisible() and action.isChecked()


def test_f11_and_back_leaves_folded_panels_folded_and_a_maximised_window_maximised(bench):
    window = bench.window
    window.toggle_panel("plots")
    window.showMaximized()
    bench.bot.waitUntil(window.isMaximized)
    for _ in range(2):
        bench.bot.keyClick(bench.viewport, KEY.Key_F11)
        bench.bot.wait(50)
    bench.bot.waitUntil(lambda: not window.isFullScreen())
    assert [dock.isHidden() for dock in window.docks.values()] == [False, False, True]
    assert window.isMaximized() and window.menuBar().isVisible() and window.handles["plots"].isVisible()
