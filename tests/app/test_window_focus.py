"""Keys belong to what has the focus; everything can be reached by Tab and says its name."""

from __future__ import annotations

import ast
import math
from dataclasses import replace

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QGuiApplication, QKeySequence
from PyQt6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QScrollBar, QToolButton, QWidget

from app.actions import ACTIONS, is_bare
from app.selection import Selection
from app.theme import THEMES
from app.widgets.messages import MessageList
from sim.command import GoTo, Play, Reset, SetGain, SetJointTarget, SetSpeed, SetSwitch, StepBack, StepOnce
from sim.runner import Runner
from tests.app.window_bench import Bench

KEY, NONE, CTRL = Qt.Key, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier
COPY = (KEY.Key_C, CTRL)
WORLD = (Play, StepOnce, StepBack, Reset, SetSpeed)
BARE = sorted({QKeySequence(key)[0].key() for row in ACTIONS for key in row.keys if is_bare(key)} - {KEY.Key_Escape})


@pytest.fixture
def bench(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path, "arm_pd")
    yield bench
    bench.close()


def focused(bench, widget):
    widget.setFocus()
    bench.bot.waitUntil(widget.hasFocus)
    bench.runner.sent.clear()
    return widget


# name -> the control, and what keys do there: pressed one after the other, each with what must hold then
CONTROLS = {
    "switch": (
        lambda w: w.control.switches["gravity"],
        [(KEY.Key_Space, lambda b, c: b.runner.of(SetSwitch) == [SetSwitch("gravity", False)])],
    ),
    "gain slider": (
        lambda w: w.control.gains["pd", "kp"].slider,
        [
            (KEY.Key_Right, lambda b, c: b.runner.of(SetGain)[-1].value > c.default),
            (KEY.Key_Left, lambda b, c: b.runner.of(SetGain)[-1].value == pytest.approx(c.default, rel=1e-2)),
            (KEY.Key_Up, lambda b, c: b.runner.of(SetGain)[-1].value > 1.001 * c.default),
            (KEY.Key_Home, lambda b, c: b.runner.of(SetGain)[-1].value == 0.0),
        ],
    ),
    "joint slider": (
        lambda w: w.control.joint_targets["pd"].rows[1].slider,
        [(KEY.Key_Left, lambda b, c: b.runner.of(SetJointTarget)[-1].q[0] < c.default)],
    ),
    "number": (
        lambda w: w.control.gains["pd", "kp"].number,
        [
            (KEY.Key_1, lambda b, c: c.text() == "1"),
            (KEY.Key_7, lambda b, c: c.text() == "17"),
            (KEY.Key_Left, lambda b, c: c.cursorPosition() == 1),
            (KEY.Key_Space, lambda b, c: c.text() == "1 7"),
            (KEY.Key_Backspace, lambda b, c: c.text() == "17"),
            (KEY.Key_Return, lambda b, c: b.runner.of(SetGain)[-1].value == 17.0),
            (KEY.Key_Up, lambda b, c: b.runner.of(SetGain)[-1].value == pytest.approx(17.85)),
            (KEY.Key_R, lambda b, c: c.text() == "17.85r"),
        ],
    ),
    "list of scenes": (
        lambda w: w.scenes,
        [
            (KEY.Key_F, lambda b, c: c.currentItem().text().startswith(("F", "f"))),
            (KEY.Key_Home, lambda b, c: c.currentRow() <= 1),
            (KEY.Key_Down, lambda b, c: c.currentRow() == 2),
            (KEY.Key_Space, lambda b, c: b.session.stage.scene.title == c.item(2).text()),
        ],
    ),
    "tabs": (
        lambda w: w.tabs.tabBar(),
        [
            (KEY.Key_Right, lambda b, c: b.window.tabs.currentWidget() is b.window.physics),
            (KEY.Key_Left, lambda b, c: b.window.tabs.currentWidget() is b.window.control),
        ],
    ),
    "choice": (
        lambda w: w.physics.choices["solver"],
        [
            (KEY.Key_D, lambda b, c: c.currentText() == "Dense"),
            (KEY.Key_Up, lambda b, c: c.currentText() == "Sparse"),
            (KEY.Key_Down, lambda b, c: c.currentText() == "Dense"),
            (KEY.Key_Space, lambda b, c: c.view().isVisible()),
        ],
    ),
    "button of the toolbar": (
        lambda w: w.menus.toolbar.widgetForAction(w.menus.actions["theme"]),
        [(KEY.Key_Space, lambda b, c: b.viewport.theme == "dark")],
    ),
    "row of the Inspector": (
        lambda w: w.inspector.rows[0],
        [(COPY, lambda b, c: len(ast.literal_eval(QGuiApplication.clipboard().text())) == 3)],
    ),
    "timeline": (
        lambda w: w.timeline,
        [
            (KEY.Key_Left, lambda b, c: b.runner.of(GoTo)[-1].time == pytest.approx(1.999)),
            (KEY.Key_Right, lambda b, c: b.runner.of(GoTo)[-1].time == pytest.approx(2.001)),
            (KEY.Key_Home, lambda b, c: b.runner.of(GoTo)[-1].time == 0.0),
            (KEY.Key_End, lambda b, c: b.runner.of(GoTo)[-1].time == 3.0),
        ],
    ),
    "handle at the edge": (
        lambda w: w.handles["plots"],
        [(KEY.Key_Space, lambda b, c: b.window.docks["plots"].isHidden())],
    ),
    "text": (
        lambda w: show_messages(w).text,
        [((KEY.Key_A, CTRL), lambda b, c: c.textCursor().selectedText().endswith("Something."))],
    ),
}


def show_messages(window):
    window.session.say("info", "Something.")
    messages = MessageList(window.session, window)
    messages.show()
    return messages


def until(bench, condition, what) -> None:
    def check() -> None:
        assert condition(), what

    bench.bot.waitUntil(check, timeout=10_000)


def press(bench, control, key) -> None:
    bench.bot.keyClick(control, *key) if isinstance(key, tuple) else bench.bot.keyClick(control, key)
    bench.settle()


@pytest.mark.parametrize("kind", CONTROLS)
def test_keys_act_on_the_focused_control_and_never_on_the_world(bench, kind):
    find, presses = CONTROLS[kind]
    window, hand = bench.window, bench.viewport.hand
    bench.session.shown.select(Selection(body=1))
    bench.runner.latest = replace(bench.runner.latest, time=2.0, step=2000, reach=(0.0, 3.0))
    bench.settle()
    control = find(window)
    for panel in (window.control, window.physics, window.inspector):
        if panel.isAncestorOf(control):
            window.tabs.setCurrentWidget(panel)
    control.window().activateWindow()
    camera, visible = hand.camera, [dock.isHidden() for dock in window.docks.values()]
    focused(bench, control)
    for n, (key, happened) in enumerate(presses):
        press(bench, control, key)
        until(bench, lambda happened=happened: happened(bench, control), f"press {n}")
        assert not [c for c in bench.runner.sent if isinstance(c, WORLD)], (n, key)
    if QApplication.activePopupWidget():
        control.hidePopup()
    if kind == "list of scenes":
        camera = hand.camera  # of the scene that was chosen
    elif kind != "handle at the edge":
        assert [dock.isHidden() for dock in window.docks.values()] == visible
    for key in BARE:
        focused(bench, control)  # a chosen scene gives it to the viewport
        press(bench, control, key)
        if popup := QApplication.activePopupWidget():
            popup.close()
        if bench.session.stage.scene.title != "Joint PD" and kind == "list of scenes":
            bench.bot.wait(50)
            camera = hand.camera
        assert not [c for c in bench.runner.sent if isinstance(c, WORLD)], key
        assert hand.glide is None and hand.camera == camera, key
    assert not window.filming.unfinished
    if control.window() is not window:
        control.window().close()


def reachable(window):
    """What can have the focus by Tab and is on the screen."""
    wanted = Qt.FocusPolicy.TabFocus.value
    return {
        widget
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy().value & wanted and widget.isVisible() and widget.isEnabled()
        if not isinstance(widget, QScrollBar) and not widget.focusProxy()
    }


@pytest.mark.parametrize("tab", ["control", "physics", "inspector"])
def test_tab_goes_everywhere_and_back_to_the_viewport(bench, tab):
    window = bench.window
    bench.session.shown.select(Selection(body=1))
    bench.settle()
    window.tabs.setCurrentWidget(getattr(window, tab))
    expected = reachable(window)
    visited: set[QWidget] = set()
    for _ in range(2 * len(expected) + 10):
        bench.bot.keyClick(QApplication.focusWidget(), KEY.Key_Tab)
        visited.add(QApplication.focusWidget())
    assert bench.viewport in visited
    assert not {w for w in expected - visited}, [w.objectName() or type(w).__name__ for w in expected - visited]


@pytest.mark.parametrize("tab", ["control", "physics", "inspector"])
def test_everything_that_takes_the_focus_has_a_name_and_a_tooltip(bench, tab):
    window = bench.window
    bench.session.shown.select(Selection(body=1))
    bench.settle()
    window.tabs.setCurrentWidget(getattr(window, tab))
    for widget in reachable(window):
        name = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
        assert name, (type(widget).__name__, widget.objectName())
    for widget in getattr(window, tab).findChildren(QWidget):
        if isinstance(widget, QLineEdit | QToolButton) and widget.isVisible():
            assert widget.toolTip(), widget.objectName()


def test_the_focus_is_seen(bench):
    """A focused control looks different from the same one without the focus."""
    window = bench.window
    for control in (
        window.control.switches["gravity"],
        window.control.gains["pd", "kp"].slider,
        window.control.gains["pd", "kp"].number,
        window.menus.toolbar.widgetForAction(window.menus.actions["help"]),
    ):
        bench.viewport.setFocus()
        plain = control.grab().toImage()
        focused(bench, control)
        if isinstance(control, QLineEdit):
            control.deselect()
        assert control.grab().toImage() != plain, type(control).__name__
    bench.bot.keyClick(window, KEY.Key_Tab)
    while QApplication.focusWidget() is not bench.viewport:
        bench.bot.keyClick(QApplication.focusWidget(), KEY.Key_Tab)
    assert bench.viewport.overlay().ring
    bench.bot.mouseClick(bench.viewport, Qt.MouseButton.LeftButton)
    assert not bench.viewport.overlay().ring


def test_what_closes_gives_the_view_the_focus_without_a_ring(bench):
    """The ring is for those who came with the Tab key."""
    window = bench.window
    for close in (
        lambda: bench.bot.keyClick(window.help, KEY.Key_Escape),
        lambda: bench.bot.mouseClick(window.help, Qt.MouseButton.LeftButton),
        window.toggle_help,
    ):
        window.toggle_help()
        bench.bot.waitUntil(window.help.hasFocus)
        close()
        assert bench.viewport.hasFocus() and not bench.viewport.overlay().ring
    focused(bench, window.control.switches["gravity"])
    window.toggle_panel("control")
    assert bench.viewport.hasFocus() and not bench.viewport.overlay().ring


# --- joint targets ----------------------------------------------------------------------------------------


def test_joint_sliders_are_two_way_and_show_where_the_joint_is(bench):
    rows = bench.window.control.joint_targets["pd"].rows
    model = bench.session.stage.model
    assert [row.degree.title for row in rows] == list(model.joint_names)
    row = rows[1]
    row.slider.setFocus()
    bench.bot.keyClick(row.slider, KEY.Key_PageUp)
    bench.settle()
    [command] = bench.runner.of(SetJointTarget)
    assert command.joint == model.joint_names[1] and row.value == pytest.approx(command.q[0])
    bench.session.send(SetJointTarget("pd", model.joint_names[1], (-0.25,)))
    bench.settle()
    assert row.number.text() == "−0.25"
    assert row.slider.value() == pytest.approx(row.slider.scale.position(-0.25) * 1000, abs=1)
    position, color = row.slider._measured
    measured = float(bench.session.snapshot.q[1])
    assert position == pytest.approx(row.slider.scale.position(measured) * 1000, abs=1)
    assert color.name().upper() == "#D55E00"  # of the second joint, as in plots and on its pin


def test_degrees_are_for_the_eye_and_commands_are_in_radians(bench):
    window = bench.window
    window.menus.actions["angles:degrees"].trigger()
    row = window.control.joint_targets["pd"].rows[0]
    assert row.unit.text() == "°"
    row.number.setFocus()
    row.number.selectAll()
    bench.bot.keyClicks(row.number, "90")
    bench.bot.keyClick(row.number, KEY.Key_Return)
    [command] = bench.runner.of(SetJointTarget)
    assert command.q == (pytest.approx(math.pi / 2),)
    assert [plot.info.unit for plot in window.plots.plots if plot.info.name == "joint_angle"] == ["°"]
    assert bench.settings.text("angles", "") == "degrees"
    window.menus.actions["angles:radians"].trigger()
    assert row.unit.text() == "rad" and row.number.text() == "1.571"


# --- inspector --------------------------------------------------------------------------------------------


def test_the_inspector_follows_the_selection_and_the_world(bench):
    window, model = bench.window, bench.session.stage.model
    window.tabs.setCurrentWidget(window.inspector)
    assert not window.inspector.rows
    bench.session.shown.select(Selection(body=2))
    named = {row.row.name: row for row in window.inspector.rows}
    assert {"Position", "Quaternion", "Velocity", "Spin", "Angle", "Limits", "Speed", "Mass", "Inertia"} <= set(named)
    assert named["Mass"].row.values == (float(model.body_mass[2]),)
    before = named["Position"].words
    moved = bench.runner.latest.position + 0.1
    bench.runner.latest = replace(bench.runner.latest, position=moved)
    bench.bot.waitUntil(lambda: named["Position"].words != before)  # by itself, ten times a second
    assert named["Position"].row.values == tuple(moved[2])


def test_what_joints_carry_is_asked_of_the_physics_while_it_is_shown(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path, "arm_pd", Runner)
    window, shown = bench.window, bench.session.shown
    window.tabs.setCurrentWidget(window.inspector)
    shown.select(Selection(body=0))
    named = lambda: {row.row.name: row.row for row in window.inspector.rows}  # noqa: E731
    qtbot.waitUntil(lambda: "Carries, force" in named(), timeout=60000)
    qtbot.waitUntil(lambda: np.abs(bench.session.snapshot.v).max() < 1e-4, timeout=60000)
    bench.session.send(Play(False))
    bench.settle()
    weight = bench.session.stage.model.body_mass.sum() * 9.81  # at rest the first joint carries all of it
    assert named()["Carries, force"].values == pytest.approx((0.0, 0.0, weight), rel=1e-3, abs=1e-3 * weight)
    window.tabs.setCurrentWidget(window.control)
    bench.session.send(Play(True))
    qtbot.waitUntil(lambda: bench.session.snapshot.acting is None, timeout=60000)
    bench.close()


def test_ctrl_c_copies_the_focused_row_as_a_python_list(bench):
    bench.session.shown.select(Selection(body=2))
    bench.window.tabs.setCurrentWidget(bench.window.inspector)
    [row] = [row for row in bench.window.inspector.rows if row.row.name == "Inertia"]
    focused(bench, row)
    bench.bot.keyClick(row, KEY.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = ast.literal_eval(QGuiApplication.clipboard().text())
    tensor = bench.session.stage.model.body_inertia[2]
    assert copied == [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]


def test_no_row_of_the_inspector_is_too_narrow_for_its_numbers(bench):
    bench.window.tabs.setCurrentWidget(bench.window.inspector)
    for body in range(len(bench.session.stage.scene.bodies)):
        bench.session.shown.select(Selection(body=body))
        bench.settle()
        bench.bot.wait(50)
        for row in bench.window.inspector.rows:
            metrics = row.fontMetrics()
            columns = row.columns(row.width()) if len(row.words) > 2 else 1
            text = max((metrics.horizontalAdvance(w) for w in row.words), default=0)
            if columns == 1:
                text = metrics.horizontalAdvance(row.row.name + "  " + " ".join(row.words) + " kg·m²")
            assert text <= (row.width() - 8) / columns, row.row.name
            assert row.height() >= row.sizeHint().height()


def test_text_grows_and_shrinks_and_is_remembered(bench, qtbot, tmp_path):
    from app import style

    window = bench.window
    height = window.control.switches["gravity"].fontMetrics().height()
    for _ in range(3):
        bench.bot.keyClick(bench.viewport, KEY.Key_Equal, Qt.KeyboardModifier.ControlModifier)
    assert window.control.switches["gravity"].fontMetrics().height() > 1.2 * height
    assert bench.settings.text("text", "") == "1.4"
    again = Bench(qtbot, tmp_path, "arm_pd")
    assert style.text_scale() == 1.4
    again.close()
    window.menus.actions["text:usual"].trigger()
    assert window.control.switches["gravity"].fontMetrics().height() == height
    assert np.isclose(style.text_scale(), 1.0)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_focused_buttons_and_tabs_have_a_ring_of_two_pixels(bench, theme):
    bench.window.choose_theme(theme)
    button = bench.window.menus.toolbar.widgetForAction(bench.window.menus.actions["help"])
    tabs = bench.window.tabs.tabBar()
    for control, area in ((button, button.rect()), (tabs, tabs.tabRect(0).adjusted(9, 0, -9, 0))):
        focused(bench, control)
        image = control.grab(area).toImage()
        colors = [image.pixelColor(image.width() // 2, y).name() for y in range(image.height())]
        accent = QColor(THEMES[theme].accent).name()
        first = colors.index(accent)
        assert colors[first : first + 3] == [accent, accent, colors[first + 2]] and colors[first + 2] != accent
        assert colors[-3:].count(accent) >= 1 and colors.count(accent) >= 4
