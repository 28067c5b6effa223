"""Scenes, Control, Physics and plots: what they show and what they ask of the runner."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDropEvent, QWheelEvent
from PyQt6.QtWidgets import QApplication, QLabel

from app.numbers import parse
from app.panels.scenes import NAME
from app.theme import PADDING, ROW_INSET
from app.widgets.number_field import NumberField
from sim.backend import BACKENDS
from sim.command import (
    FollowPath,
    LoadScene,
    SetBackend,
    SetGain,
    SetGravity,
    SetSolver,
    SetStabilisation,
    SetStep,
    SetSwitch,
    SetTarget,
)
from tests.app.window_bench import Bench

LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key


@pytest.fixture
def bench(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    yield bench
    bench.close()


def click_scene(bench, title):
    scenes = bench.window.scenes
    [item] = scenes.findItems(title, Qt.MatchFlag.MatchExactly)
    bench.bot.mouseClick(scenes.viewport(), LEFT, pos=scenes.visualItemRect(item).center())


# --- scenes ---------------------------------------------------------------------------------------------


def test_choosing_a_scene_loads_it_and_every_panel_follows(bench):
    click_scene(bench, "Joint PD")
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "arm_pd")
    assert isinstance(bench.runner.sent[-1], LoadScene)
    assert "Joint PD" in bench.window.windowTitle()
    assert set(bench.window.control.switches) == {c.name for c in bench.session.stage.scene.controllers}
    assert [plot.info.name for plot in bench.window.plots.plots] == list(bench.session.stage.scene.plots[:2])
    assert bench.window.scenes.currentItem().text() == "Joint PD"


def test_text_of_scene_rows_is_never_cut(bench):
    from PyQt6.QtGui import QFontMetrics

    from app.panels.scenes import SUMMARY, WRAPPED, _boxes
    from app.style import font
    from app.theme import CAPTION_PT

    scenes = bench.window.scenes
    for row in range(scenes.count()):
        item = scenes.item(row)
        if item.data(NAME) is not None:
            box = scenes.visualItemRect(item)
            _, summary = _boxes(box, scenes.indexFromItem(item))
            needed = QFontMetrics(font(CAPTION_PT)).boundingRect(summary, WRAPPED, item.data(SUMMARY))
            assert box.contains(summary) and summary.contains(needed)


def test_a_bad_file_is_a_sentence_and_the_old_scene_runs_on(bench, tmp_path):
    bad = tmp_path / "bad.toml"
    bad.write_text('title = "Bad"\n[body.stone]\nmass = -1\ninertia = [1, 1, 1]\n')
    before = bench.session.stage
    bench.session.open(bad)
    bench.bot.waitUntil(lambda: bool(bench.session.messages))
    message = bench.session.messages[-1]
    assert message.level == "error" and "bad.toml:3" in message.text
    assert bench.session.stage is before and not bench.runner.of(LoadScene)
    assert message.text in bench.window.status.text.toolTip()
    assert bench.viewport.overlay().line == message.text
    assert bench.window.scenes.currentItem().text() == before.scene.title


def test_a_dropped_file_is_loaded_and_listed(bench, tmp_path):
    source = Path(bench.session.stage.scene.path).with_name("free_body.toml").read_text(encoding="utf-8")
    mine = tmp_path / "mine.toml"
    mine.write_text(source.replace("Tumbling T-handle", "My own body"), encoding="utf-8")
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(mine))])
    copy, keys = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(bench.window, QDragEnterEvent(QPoint(500, 300), copy, data, LEFT, keys))
    QApplication.sendEvent(bench.window, QDropEvent(QPointF(500, 300), copy, data, LEFT, keys))
    bench.bot.waitUntil(lambda: bench.session.stage.scene.title == "My own body")
    assert bench.window.scenes.currentItem().text() == "My own body"


def test_of_several_dropped_files_the_first_is_opened_and_that_is_said(bench, tmp_path):
    source = Path(bench.session.stage.scene.path).with_name("free_body.toml").read_text(encoding="utf-8")
    files = [tmp_path / f"mine{n}.toml" for n in range(2)]
    for n, path in enumerate(files):
        path.write_text(source.replace("Tumbling T-handle", f"Mine {n}"), encoding="utf-8")
    data = QMimeData()
    data.setUrls([QUrl("https://example.org/far.toml"), *(QUrl.fromLocalFile(str(path)) for path in files)])
    copy, keys = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(bench.window, QDragEnterEvent(QPoint(500, 300), copy, data, LEFT, keys))
    QApplication.sendEvent(bench.window, QDropEvent(QPointF(500, 300), copy, data, LEFT, keys))
    bench.bot.waitUntil(lambda: bench.session.stage.scene.title == "Mine 0")
    [message] = bench.session.messages
    assert message.level == "warning" and "2 files only mine0.toml" in message.text


def test_a_scene_the_runner_refuses_leaves_everything_as_it_was(bench):
    bench.runner.refuse[LoadScene] = "This scene cannot run."
    before = bench.session.stage
    click_scene(bench, "Chain of hinges")
    bench.bot.waitUntil(lambda: bool(bench.session.messages))
    assert bench.session.stage is before
    assert bench.window.scenes.currentItem().text() == before.scene.title


# --- control --------------------------------------------------------------------------------------------


def test_the_whole_row_of_a_switch_is_its_button(bench):
    switch = bench.window.control.switches["gravity"]
    assert switch.height() >= 28
    assert switch.isChecked()
    for at in (QPoint(3, 3), QPoint(switch.width() - 3, switch.height() - 3)):
        bench.runner.sent.clear()
        wanted = not switch.isChecked()
        bench.bot.mouseClick(switch, LEFT, pos=at)
        bench.settle()
        assert bench.runner.sent == [SetSwitch("gravity", wanted)]
        assert switch.isChecked() is wanted


def test_signs_grow_with_the_text_and_come_back_with_it(bench):
    bar, actions = bench.window.menus.toolbar, bench.window.menus.actions

    def places():
        bench.bot.wait(50)
        return [bar.widgetForAction(action).geometry() for action in bar.actions()], bar.iconSize().width()

    usual = places()
    for _ in range(3):
        actions["text:larger"].trigger()
    boxes, side = places()
    assert side == round(1.4 * usual[1])
    assert all(box.left() >= 0 and box.bottom() < bar.height() for box in boxes)
    actions["text:usual"].trigger()
    assert places() == usual


def left_edges(content):
    """Where the texts of a panel begin, and where its numbers do [px]."""
    found = {QLabel: set(), NumberField: set()}
    for kind, edges in found.items():
        for part in content.findChildren(kind):
            if part.isVisible() and (kind is NumberField or part.property("role") != "muted"):
                edges.add(part.mapTo(content, QPoint()).x())
    return found[QLabel], found[NumberField]


@pytest.mark.parametrize("scene", ["Joint PD", "Joint PD on ball joints"])
def test_texts_and_numbers_of_the_control_panel_stand_in_columns(bench, scene):
    click_scene(bench, scene)
    bench.bot.waitUntil(lambda: bench.session.stage.scene.title == scene)
    bench.settle()
    control = bench.window.control
    content = control.layout().itemAt(0).widget().widget()
    bench.bot.waitUntil(content.isVisible)
    texts, numbers = left_edges(content)
    assert texts == {PADDING} and len(numbers) == 1
    for switch in control.switches.values():  # its ground reaches beyond the text on both sides
        assert switch.x() == PADDING - ROW_INSET
        assert content.width() - switch.geometry().right() - 1 == PADDING - ROW_INSET


def test_a_refused_switch_falls_back(bench):
    bench.runner.refuse[SetSwitch] = "Not on a loop."
    switch = bench.window.control.switches["gravity"]
    bench.bot.mouseClick(switch, LEFT)
    bench.settle()
    assert switch.isChecked()
    assert bench.session.messages[-1].text == "Not on a loop."


def test_dragging_a_slider_sets_the_gain_and_double_click_the_default(bench):
    row = bench.window.control.gains["reach", "kp"]
    slider, y = row.slider, row.slider.height() // 2
    bench.bot.mousePress(slider, LEFT, pos=QPoint(slider.width() // 2, y))
    bench.bot.mouseMove(slider, QPoint(slider.width() - 2, y))
    bench.bot.mouseRelease(slider, LEFT, pos=QPoint(slider.width() - 2, y))
    bench.settle()
    values = [c.value for c in bench.runner.of(SetGain)]
    assert len(values) >= 2 and values == sorted(values)
    assert values[-1] == pytest.approx(row.gain.high, rel=0.01)
    assert row.number.text() == f"{values[-1]:g}"
    assert row.reset.isVisible()
    bench.bot.mouseDClick(slider, LEFT)
    bench.settle()
    assert bench.runner.latest.gains["reach"]["kp"] == row.default
    assert not row.reset.isVisible()


def test_a_typed_gain_is_kept_in_range_and_nonsense_is_undone(bench):
    row = bench.window.control.gains["reach", "kp"]
    field = row.number
    field.setFocus()
    for typed, expected in (("123,5", 123.5), ("1e9", row.gain.high), ("abc", row.gain.high)):
        field.selectAll()
        bench.bot.keyClicks(field, typed)
        bench.bot.keyClick(field, KEY.Key_Return)
        bench.settle()
        assert bench.runner.latest.gains["reach"]["kp"] == expected
    bench.bot.mouseClick(row.reset, LEFT)
    bench.settle()
    assert bench.runner.latest.gains["reach"]["kp"] == row.default


def test_the_wheel_changes_a_gain_only_when_its_slider_is_focused(bench):
    slider = bench.window.control.gains["reach", "kp"].slider
    bench.viewport.setFocus()

    def turn():
        at, none = QPointF(20, 8), Qt.MouseButton.NoButton
        keys, phase = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase
        QApplication.sendEvent(slider, QWheelEvent(at, at, QPoint(), QPoint(0, 120), none, keys, phase, False))

    turn()
    assert not bench.runner.of(SetGain)
    slider.setFocus()
    turn()
    assert bench.runner.of(SetGain)[-1].value > slider.default


def test_every_gain_has_a_tooltip_with_symbol_and_unit(bench):
    for row in bench.window.control.gains.values():
        assert row.gain.symbol in row.slider.toolTip() and row.gain.unit in row.slider.toolTip()


def test_target_coordinates_are_live_and_can_be_typed(bench):
    fields = [bench.window.control.coordinates[0, axis] for axis in range(3)]
    assert [parse(f.text()) for f in fields] == pytest.approx(bench.session.snapshot.targets[0], abs=5e-4)
    fields[2].setFocus()
    fields[2].selectAll()
    bench.bot.keyClicks(fields[2], "0.25")
    bench.bot.keyClick(fields[2], KEY.Key_Return)
    [command] = bench.runner.of(SetTarget)
    assert command.position[2] == 0.25
    bench.settle()
    assert not bench.window.control.paths["target"].isChecked()


def test_the_circle_can_be_switched_off_and_on(bench):
    path = bench.window.control.paths["target"]
    assert path.isChecked()
    for wanted in (False, True):
        bench.bot.mouseClick(path, LEFT)
        bench.settle()
        assert bench.runner.sent[-1] == FollowPath("target", wanted)
        assert path.isChecked() is wanted


# --- physics --------------------------------------------------------------------------------------------


def test_engines_in_tab_and_menu(bench, monkeypatch):
    engine = bench.window.physics.choices["backend"]
    assert [engine.itemData(i) for i in range(engine.count())] == list(BACKENDS)
    bench.window.menus.actions["engine:pybullet"].trigger()
    bench.settle()
    assert bench.runner.sent == [SetBackend("pybullet")]
    assert engine.currentData() == "pybullet"
    assert bench.window.menus.actions["engine:pybullet"].isChecked()
    bench.runner.refuse[SetBackend] = "PyBullet cannot run this scene."
    bench.window.menus.actions["engine:impulse"].trigger()
    bench.settle()
    assert engine.currentData() == "pybullet"
    assert bench.session.messages[-1].level == "error"


def test_a_missing_engine_is_greyed_with_the_reason(qtbot, tmp_path, monkeypatch):
    reason = "PyBullet is not installed; `make pybullet` builds it."
    monkeypatch.setattr("sim.backend.unavailable", lambda name: reason if name == "pybullet" else "")
    bench = Bench(qtbot, tmp_path)
    action = bench.window.menus.actions["engine:pybullet"]
    assert not action.isEnabled() and action.toolTip() == reason
    model = bench.window.physics.choices["backend"].model()
    item = model.item(list(BACKENDS).index("pybullet"))
    assert not item.isEnabled() and item.toolTip() == reason
    bench.close()


@pytest.mark.parametrize(
    ("name", "shown", "key", "command"),
    [
        ("solver", "Sparse", KEY.Key_Down, SetSolver("dense")),
        ("stabilise", "RATTLE", KEY.Key_Down, SetStabilisation("feedback")),
        ("dt", "1", KEY.Key_Up, SetStep(5e-4)),
        ("gravity", "Earth 9.81", KEY.Key_Home, SetGravity((0.0, 0.0, -0.0))),
    ],
)
def test_settings_of_the_world_are_shown_and_chosen_with_the_keyboard(bench, name, shown, key, command):
    bench.window.tabs.setCurrentWidget(bench.window.physics)
    choice = bench.window.physics.choices[name]
    assert choice.currentText() == shown
    choice.setFocus()
    bench.bot.keyClick(choice, key)
    bench.settle()
    assert bench.runner.sent == [command]
    assert choice.itemData(choice.currentIndex()) == getattr(bench.session.snapshot, name)
    assert choice.currentText() != shown


def test_a_value_that_no_list_offers_is_shown_all_the_same(bench):
    for command in (SetStep(3e-4), SetGravity((1.0, 0.0, -2.5))):
        bench.session.send(command)
    bench.settle()
    assert bench.window.physics.choices["dt"].currentText() == "0.3"
    assert bench.window.physics.choices["gravity"].currentText() == "1, 0, −2.5"


def test_what_an_engine_does_not_have_is_greyed_with_the_reason(bench):
    for name in ("solver", "stabilise"):
        assert bench.window.physics.choices[name].isEnabled()
    bench.session.send(SetBackend("pybullet"))
    bench.settle()
    for name in ("solver", "stabilise"):
        choice = bench.window.physics.choices[name]
        assert not choice.isEnabled() and "Constraint impulses" in choice.toolTip()
    assert bench.window.physics.choices["dt"].isEnabled() and bench.window.physics.choices["gravity"].isEnabled()


# --- plots ----------------------------------------------------------------------------------------------


def test_plots_show_the_history_with_the_newest_value_at_the_end(bench):
    history = bench.runner.history
    history.rows[:3000, history.columns["time"]] = np.arange(3000)[:, None] * 1e-3
    history.rows[:3000, history.columns["error"]] = 0.05
    history.counter[0] = 3000
    bench.window.plots.refresh()
    plot = bench.window.plots.plots[0]
    x, y = plot.curves[0].getData()
    assert x[-1] <= 0.0 and x[0] == pytest.approx(-2.999, abs=0.03)
    assert np.allclose(y, 50.0)
    assert plot.ends._texts == ["50.00"]
    assert plot.range.low <= 0.0 and plot.range.high >= 50.0


def test_an_empty_history_and_another_scene_do_no_harm(bench):
    bench.window.plots.refresh()
    click_scene(bench, "Tumbling T-handle")
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "free_body")
    bench.window.plots.refresh()


# --- sizes ----------------------------------------------------------------------------------------------


def test_the_viewport_is_the_largest_thing_and_no_label_is_cut(bench):
    window, view = bench.window, bench.viewport
    assert view.width() * view.height() >= 0.38 * window.width() * window.height()
    for label in window.control.findChildren(QLabel):
        if label.isVisible() and not label.wordWrap():
            assert label.width() >= label.sizeHint().width(), label.text()
        elif label.isVisible():
            assert label.height() >= label.heightForWidth(label.width()), label.text()
