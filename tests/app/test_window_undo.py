"""Undo and redo, with the real physics thread: settings, targets, engine and scene come back, time never does."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtWidgets import QApplication

from sim.command import LoadScene, SetBackend, SetGain, SetGravity, SetSolver, SetStep, SetSwitch, SetTarget, StepOnce
from sim.files import load
from sim.runner import Runner
from tests.app.window_bench import Bench

LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
PATIENCE = 60_000


@pytest.fixture
def bench(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path, "arm_reach", lambda scene: Runner(scene, running=False))
    bench.bot.waitUntil(lambda: bench.session.snapshot.scene_id == 1, timeout=PATIENCE)
    yield bench
    bench.close()


def settings(bench):
    """All that undo is about, as the world has it."""
    s = bench.session.snapshot
    gains = {name: dict(values) for name, values in s.gains.items()}
    return s.backend, s.solver, s.stabilise, s.dt, s.gravity, dict(s.controllers), gains, s.targets.tolist()


def ask(bench, command) -> None:
    """As a gesture of its own."""
    bench.bot.keyClick(bench.viewport, KEY.Key_Control)
    bench.session.send(command)
    arrive(bench)


def arrive(bench) -> None:
    bench.bot.waitUntil(lambda: not bench.session.undo.on_the_way, timeout=PATIENCE)
    bench.settle()


def press(bench, key, modifiers=CTRL) -> None:
    bench.bot.keyClick(QApplication.focusWidget() or bench.viewport, key, modifiers)
    arrive(bench)


COMMANDS = (
    SetGain("reach", "kp", 123.0),
    SetSwitch("gravity", False),
    SetTarget("target", (0.3, -0.2, 0.7)),
    SetTarget("target", (0.1, -0.3, 0.6)),
    SetStep(2e-3),
    SetGravity((0.0, 0.0, -1.62)),
    SetSolver("dense"),
    SetBackend("tree"),
    SetGain("reach", "kp", 456.0),
)


def test_everything_set_is_undone_in_order_and_redone(bench):
    bench.window.session.follow_path("target", False)
    bench.bot.waitUntil(lambda: len(bench.session.undo.done) == 1, timeout=PATIENCE)
    states = [settings(bench)]
    for command in COMMANDS:
        ask(bench, command)
        states.append(settings(bench))
    assert all(a != b for a, b in pairwise(states))
    for state in reversed(states[:-1]):
        press(bench, KEY.Key_Z)
        assert settings(bench) == state
    for state in states[1:]:
        press(bench, KEY.Key_Z, CTRL | SHIFT)
        assert settings(bench) == state


def test_time_is_never_undone(bench):
    ask(bench, SetGain("reach", "kp", 123.0))
    bench.session.send(StepOnce(50))
    bench.bot.waitUntil(lambda: bench.session.snapshot.step == 50, timeout=PATIENCE)
    bench.settle()
    q = bench.session.snapshot.q.copy()
    press(bench, KEY.Key_Z)
    assert bench.session.snapshot.step == 50 and (bench.session.snapshot.q == q).all()


def test_a_drag_of_the_target_is_one_entry_and_gives_its_path_back(bench):
    assert bench.session.paths_on == {"target": True}
    x, y = bench.target_pixel()
    bench.bot.mousePress(bench.viewport, LEFT, pos=QPoint(x, y))
    for n in range(1, 15):
        bench.bot.mouseMove(bench.viewport, QPoint(x + 5 * n, y - 2 * n))
        bench.bot.wait(5)
    bench.bot.mouseRelease(bench.viewport, LEFT, pos=QPoint(x + 70, y - 28))
    bench.settle()
    assert [entry.text for entry in bench.session.undo.done] == ["moving target"]
    assert bench.session.paths_on == {"target": False}
    press(bench, KEY.Key_Z)
    assert bench.session.paths_on == {"target": True}
    assert bench.session.undo.done == [] and bench.session.changes() == ()


def test_a_drag_that_is_cancelled_leaves_nothing_to_undo(bench):
    bench.window.session.follow_path("target", False)
    bench.bot.waitUntil(lambda: len(bench.session.undo.done) == 1, timeout=PATIENCE)
    before = settings(bench)
    x, y = bench.target_pixel()
    bench.bot.mousePress(bench.viewport, LEFT, pos=QPoint(x, y))
    for n in range(1, 5):
        bench.bot.mouseMove(bench.viewport, QPoint(x + 9 * n, y))
    bench.bot.keyClick(bench.viewport, KEY.Key_Escape)
    bench.bot.mouseRelease(bench.viewport, LEFT, pos=QPoint(x, y))
    bench.settle()
    assert settings(bench) == before and len(bench.session.undo.done) == 1


def test_a_drag_of_a_slider_is_one_entry_and_two_are_two(bench):
    slider = bench.window.control.gains["reach", "kp"].slider
    kp = bench.session.snapshot.gains["reach"]["kp"]
    values = []
    for start, end in ((40, 90), (90, 140)):
        bench.bot.mousePress(slider, LEFT, pos=QPoint(start, 10))
        for x in range(start, end, 5):
            bench.bot.mouseMove(slider, QPoint(x, 10))
            bench.bot.wait(2)
        bench.bot.mouseRelease(slider, LEFT, pos=QPoint(end, 10))
        bench.settle()
        values.append(bench.session.snapshot.gains["reach"]["kp"])
    assert len(bench.session.undo.done) == 2
    press(bench, KEY.Key_Z)
    assert bench.session.snapshot.gains["reach"]["kp"] == values[0] != kp
    press(bench, KEY.Key_Z)
    assert bench.session.snapshot.gains["reach"]["kp"] == kp


def test_a_scene_comes_back_with_its_gains_and_the_way_forward_stays(bench):
    for command in COMMANDS:
        ask(bench, command)
    before, scene = settings(bench), bench.session.stage.scene
    bench.session.open("hinge_chain")
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "hinge_chain", timeout=PATIENCE)
    arrive(bench)
    ask(bench, SetGravity((0.0, 0.0, -3.71)))
    press(bench, KEY.Key_Z)
    press(bench, KEY.Key_Z)
    assert bench.session.stage.scene is scene
    assert settings(bench) == before
    assert bench.window.control.gains["reach", "kp"].default == 300.0  # of the file, not what was set
    press(bench, KEY.Key_Z)
    assert bench.session.snapshot.gains["reach"]["kp"] == 123.0
    for _ in range(3):
        press(bench, KEY.Key_Z, CTRL | SHIFT)
    assert bench.session.stage.scene.name == "hinge_chain"
    assert bench.session.snapshot.gravity == (0.0, 0.0, -3.71)


def test_the_menu_says_what_is_undone_and_a_new_change_ends_redoing(bench):
    undo, redo = (bench.window.menus.actions[name] for name in ("undo", "redo"))
    assert not undo.isEnabled() and not redo.isEnabled()
    ask(bench, SetSwitch("gravity", False))
    assert undo.text() == "Undo switching Gravity compensation off" and undo.isEnabled()
    undo.trigger()
    bench.bot.waitUntil(lambda: bench.session.snapshot.controllers["gravity"], timeout=PATIENCE)
    bench.settle()
    assert not undo.isEnabled() and redo.text() == "Redo switching Gravity compensation off"
    ask(bench, SetGain("reach", "kp", 123.0))
    assert not redo.isEnabled() and undo.text() == "Undo kp of Jacobian transpose"


def test_undo_pressed_while_the_runner_is_busy_undoes_the_last_thing_asked_for(bench):
    ask(bench, SetTarget("target", (0.3, -0.2, 0.7)))
    before, undo = settings(bench), bench.session.undo
    for command in (SetBackend("pybullet"), SetSwitch("gravity", False)):
        bench.bot.keyClick(bench.viewport, KEY.Key_Control)
        bench.session.send(command)
    assert undo.on_the_way
    undo.undo()
    undo.undo()
    arrive(bench)
    assert settings(bench) == before and [entry.text for entry in undo.done] == ["moving target"]
    undo.undo()
    undo.redo()
    undo.redo()
    arrive(bench)
    assert bench.session.snapshot.backend == "pybullet" and bench.session.snapshot.controllers["gravity"]


def test_a_change_that_overtakes_the_undo_of_a_scene_does_not_end_undoing(bench):
    bench.session.open("hinge_chain")
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "hinge_chain", timeout=PATIENCE)
    arrive(bench)
    bench.session.undo.undo()  # goes through a worker
    bench.session.send(SetGravity((0.0, 0.0, -3.71)))
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "arm_reach", timeout=PATIENCE)
    arrive(bench)


def test_what_was_refused_is_nothing_to_undo(bench):
    bench.session.send(SetGain("reach", "kp", -5.0))
    bench.bot.waitUntil(lambda: bool(bench.session.messages), timeout=PATIENCE)
    assert bench.session.undo.done == [] and not bench.session.undo.on_the_way


def test_ctrl_z_after_typing_a_gain_undoes_the_gain_and_while_typing_the_text(bench):
    field = bench.window.control.gains["reach", "kp"].number
    kp = bench.session.snapshot.gains["reach"]["kp"]
    field.setFocus()
    bench.bot.keyClicks(field, "77")
    bench.bot.keyClick(field, KEY.Key_Return)
    bench.bot.waitUntil(lambda: len(bench.session.undo.done) == 1, timeout=PATIENCE)
    assert bench.session.snapshot.gains["reach"]["kp"] == 77.0
    press(bench, KEY.Key_Z)
    assert bench.session.snapshot.gains["reach"]["kp"] == kp
    field.selectAll()
    bench.bot.keyClicks(field, "9")
    bench.bot.keyClick(field, KEY.Key_Z, CTRL)
    assert field.text() == "300" and bench.session.undo.done == []


def test_settings_are_there_from_the_first_step_of_a_loaded_scene(bench):
    """LoadScene with settings is the same world as the scene that says them."""
    scene = load("arm_reach")
    settings = (SetGain("reach", "kp", 77.0), SetSwitch("gravity", False), SetTarget("target", (0.3, 0.2, 0.5)))
    runner = Runner(scene, running=False)
    runner.start()
    runner.send(LoadScene(scene, settings))
    runner.send(StepOnce(100))
    bench.bot.waitUntil(lambda: runner.latest is not None and runner.latest.step == 100, timeout=PATIENCE)
    moved = runner.latest
    runner.stop()
    plain = Runner(scene, running=False)
    plain.start()
    for command in settings:
        plain.send(command)
    plain.send(StepOnce(100))
    bench.bot.waitUntil(lambda: plain.latest is not None and plain.latest.step == 100, timeout=PATIENCE)
    assert (plain.latest.q == moved.q).all() and (plain.latest.v == moved.v).all()
    plain.stop()


@pytest.mark.parametrize("other", ["free_body", "arm_gravity"])
def test_a_scene_that_comes_during_a_drag_ends_it_and_is_left_alone(bench, other):
    x, y = bench.target_pixel()
    bench.bot.mousePress(bench.viewport, LEFT, pos=QPoint(x, y))
    bench.bot.mouseMove(bench.viewport, QPoint(x + 30, y))
    bench.session.open(other)
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == other, timeout=PATIENCE)
    assert bench.viewport.hand.gesture is None
    bench.bot.mouseMove(bench.viewport, QPoint(x + 60, y))
    bench.bot.mouseRelease(bench.viewport, LEFT, pos=QPoint(x + 60, y))
    arrive(bench)
    assert bench.session.messages == [] and bench.session.changes() == ()
