"""Scene files in the window: opened, saved, dropped, recent; and changes that outlive the program."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from PyQt6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PyQt6.QtGui import QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QApplication, QFileDialog

from app.kept import Shelf
from app.panels.scenes import NAME
from app.scene_files import absolute
from app.settings import Settings
from app.stage import load_stage
from sim.command import (
    SetBackend,
    SetGain,
    SetGravity,
    SetIntegrator,
    SetJointTarget,
    SetSolver,
    SetStabilisation,
    SetStep,
    SetSwitch,
    SetTarget,
)
from sim.files import builtin_names, load, scene_path
from sim.files.scene_data import scene_data
from sim.runner import Runner
from sim.tuning import changes
from tests.app.window_bench import Bench

ROOT = Path(__file__).parents[2]
KEY, LEFT = Qt.Key, Qt.MouseButton.LeftButton
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
PATIENCE = 60_000

TUNING = (
    SetGain("reach", "kp", 123.456789012345),
    SetGain("reach", "kd", 1.0 / 3.0),
    SetSwitch("gravity", False),
    SetTarget("target", (0.3, -0.2, 0.7)),
    SetStep(2e-3),
    SetGravity((0.0, 0.0, -1.62)),
    SetBackend("tree"),
)


@pytest.fixture
def bench(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    yield bench
    if bench.window.isVisible():
        bench.close()


def tune(bench, commands=TUNING) -> None:
    for command in commands:
        bench.session.send(command)
    bench.bot.waitUntil(lambda: not bench.session.undo.on_the_way, timeout=PATIENCE)
    bench.settle()


def drop(bench, path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path))])
    at = QPointF(bench.viewport.mapTo(bench.window, bench.viewport.rect().center()))
    move, none = Qt.DropAction.CopyAction, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(bench.window, QDragEnterEvent(at.toPoint(), move, data, LEFT, none))
    QApplication.sendEvent(bench.window, QDropEvent(at, move, data, LEFT, none))


def opened(bench, path) -> None:
    bench.bot.waitUntil(lambda: bench.session.stage.scene.path == str(path), timeout=PATIENCE)
    bench.settle()


def answer(monkeypatch, name: str, path) -> list[str]:
    """The file dialog's answer; returns what it was asked with."""
    asked: list[str] = []
    monkeypatch.setattr(QFileDialog, name, lambda _, title, start, kinds: (asked.append(start), (str(path), kinds))[1])
    return asked


def save_as(bench, monkeypatch, path) -> None:
    answer(monkeypatch, "getSaveFileName", path)
    bench.bot.keyClick(bench.viewport, KEY.Key_S, CTRL | SHIFT)
    bench.bot.waitUntil(lambda: bench.session.stage.scene.path == str(path), timeout=PATIENCE)
    bench.settle()


def own_rows(bench) -> list[str]:
    rows = [bench.window.scenes.item(r) for r in range(bench.window.scenes.count())]
    names = [row.data(NAME) for row in rows if row.data(NAME)]
    return [name for name in names if name not in {str(scene_path(b)) for b in builtin_names()}]


# --- saving -----------------------------------------------------------------------------------------------


def test_tune_save_reopen_is_equal(bench, tmp_path, monkeypatch):
    tune(bench)
    hand = bench.viewport.hand
    hand.camera = hand.camera.orbit(40, 20).zoom_to(2.0, 10, 10, *hand.size)
    bench.session.shown.toggle_plot("energy")
    camera, plots, wanted = hand.camera, bench.session.shown.plots, bench.session.tuned()
    mine = tmp_path / "my_arm.toml"
    save_as(bench, monkeypatch, mine)
    assert bench.window.windowTitle() == "my arm – Impulse"
    saved = load(mine)
    assert changes(wanted, saved) == () and changes(saved, wanted) == ()
    for key in ("body", "joint", "controller", "target", "gravity", "dt", "backend", "try"):
        assert scene_data(saved).get(key) == scene_data(wanted).get(key), key

    bench.session.open("free_body")
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "free_body")
    bench.session.open(mine)
    opened(bench, mine)
    assert hand.camera == camera
    assert bench.session.shown.plots == plots == ("tool_error", "torque", "energy")
    snapshot = bench.session.snapshot
    assert snapshot.gains["reach"] == {"kp": 123.456789012345, "kd": 1.0 / 3.0, "force_cap": 100.0}
    assert not snapshot.controllers["gravity"] and snapshot.backend == "tree" and snapshot.dt == 2e-3
    assert snapshot.targets.tolist() == [[0.3, -0.2, 0.7]] and snapshot.gravity == (0.0, 0.0, -1.62)
    assert bench.session.changes() == () and not bench.window.files.is_changed


OTHER_SETTINGS = (
    SetJointTarget("pd", "shoulder", (0.1 + 0.2,)),
    SetSwitch("pd", False),
    SetSolver("dense"),
    SetStabilisation("feedback"),
    SetBackend("tree"),
    SetIntegrator("gauss4"),
    SetGravity((0.1, -0.2, -9.0)),
)


def test_every_other_setting_is_saved_and_reopened_too(qtbot, tmp_path, monkeypatch):
    bench = Bench(qtbot, tmp_path, "arm_pd")
    tune(bench, OTHER_SETTINGS)
    wanted, mine = bench.session.tuned(), tmp_path / "mine.toml"
    save_as(bench, monkeypatch, mine)
    saved = load(mine)
    assert changes(wanted, saved) == () and changes(saved, wanted) == ()
    bench.session.open("free_body")
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "free_body")
    bench.session.open(mine)
    opened(bench, mine)
    scene = bench.session.stage.scene
    assert scene.controllers[1].joint_target["shoulder"] == (0.1 + 0.2,) and not scene.controllers[1].enabled
    assert (scene.solver, scene.stabilise, scene.integrator) == ("dense", "feedback", "gauss4")
    assert scene.gravity == (0.1, -0.2, -9.0) and bench.session.changes() == ()
    bench.close()


def test_saving_goes_on_with_the_running_world(qtbot, tmp_path, monkeypatch):
    bench = Bench(qtbot, tmp_path, "arm_reach", Runner)
    bench.bot.waitUntil(lambda: bench.session.snapshot.step > 20, timeout=PATIENCE)
    tune(bench, [SetGain("reach", "kp", 77.0)])
    before = bench.session.snapshot
    answer(monkeypatch, "getSaveFileName", tmp_path / "mine")  # the end of the name is added
    bench.bot.keyClick(bench.viewport, KEY.Key_S, CTRL)
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "mine", timeout=PATIENCE)
    bench.bot.waitUntil(lambda: bench.session.snapshot.step > before.step, timeout=PATIENCE)
    assert bench.session.snapshot.scene_id == before.scene_id
    tune(bench, [SetGain("reach", "kp", 88.0)])
    assert bench.window.windowTitle() == "*mine – Impulse"
    bench.session.undo.undo()
    bench.bot.waitUntil(lambda: bench.window.windowTitle() == "mine – Impulse", timeout=PATIENCE)
    bench.close()


def test_save_of_a_built_in_scene_asks_for_a_name_and_never_writes_over_one(bench, tmp_path, monkeypatch):
    text = scene_path("arm_reach").read_text()
    tune(bench)
    asked = answer(monkeypatch, "getSaveFileName", scene_path("arm_reach"))
    bench.bot.keyClick(bench.viewport, KEY.Key_S, CTRL)
    assert Path(asked[0]).name == "arm_reach.toml"
    assert bench.session.messages[-1].level == "error" and "built-in" in bench.session.messages[-1].text
    assert scene_path("arm_reach").read_text() == text


def test_save_keeps_the_comments_of_an_own_file_and_asks_nothing(bench, tmp_path, monkeypatch):
    mine = tmp_path / "mine.toml"
    text = '# by hand\nextends = "arm_reach"\ntitle = "Mine" # all mine\ndt = 0.002 # coarse\n'
    mine.write_text(text)
    bench.session.open(mine)
    opened(bench, mine)
    asked = answer(monkeypatch, "getSaveFileName", "")
    tune(bench, [SetStep(0.005)])
    bench.bot.keyClick(bench.viewport, KEY.Key_S, CTRL)
    bench.bot.waitUntil(lambda: not bench.window.files.is_changed, timeout=PATIENCE)
    assert asked == [] and mine.read_text() == text.replace("0.002", "0.005")


def test_a_folder_that_cannot_be_written_is_a_sentence_and_the_star_stays(bench, tmp_path, monkeypatch):
    tune(bench, TUNING[:1])
    answer(monkeypatch, "getSaveFileName", tmp_path / "nowhere" / "mine.toml")
    bench.bot.keyClick(bench.viewport, KEY.Key_S, CTRL)
    bench.bot.waitUntil(lambda: bool(bench.session.messages), timeout=PATIENCE)
    assert "nowhere" in bench.session.messages[-1].text and bench.session.messages[-1].level == "error"
    assert bench.window.windowTitle().startswith("*")


def test_the_star_comes_with_a_change_and_goes_when_it_is_taken_back(bench):
    assert bench.window.windowTitle() == "Reach the target – Impulse"
    tune(bench, [SetGain("reach", "kp", 250.0)])
    assert bench.window.windowTitle() == "*Reach the target – Impulse"
    tune(bench, [SetGain("reach", "kp", 300.0)])
    assert bench.window.windowTitle() == "Reach the target – Impulse"


def test_looking_around_is_nothing_to_save(bench):
    bench.bot.mousePress(bench.viewport, LEFT, pos=QPoint(30, 200))
    bench.bot.mouseMove(bench.viewport, QPoint(90, 220))
    bench.bot.mouseRelease(bench.viewport, LEFT, pos=QPoint(90, 220))
    bench.settle()
    assert not bench.window.files.is_changed


# --- recent files and the gallery ----------------------------------------------------------------------------


def test_recent_files_are_in_the_menu_and_in_the_gallery_of_the_next_start(qtbot, tmp_path):
    paths = []
    bench = Bench(qtbot, tmp_path)
    for name in ("one", "two"):
        paths.append(tmp_path / f"{name}.toml")
        paths[-1].write_text(f'extends = "free_body"\ntitle = "{name}"\n')
        bench.session.open(paths[-1])
        opened(bench, paths[-1])
    bench.close()

    again = Bench(qtbot, tmp_path)
    menus = again.window.menus
    assert menus.menus["File/Recent"].menuAction().isVisible()
    assert [menus.actions[f"recent:{n}"].text() for n in range(3)] == ["two.toml", "one.toml", ""]
    again.bot.waitUntil(lambda: own_rows(again) == [str(paths[1]), str(paths[0])])
    menus.actions["recent:1"].trigger()
    opened(again, paths[0])
    assert [menus.actions[f"recent:{n}"].text() for n in range(2)] == ["one.toml", "two.toml"]
    assert again.settings.text("scene", "") == str(paths[0])
    again.close()


# --- files that do not open --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[body.a]\nmass = "much"\n', "bad.toml:2"),
        ("= [", "bad.toml:1"),
        ("", "empty"),
    ],
)
def test_a_broken_file_that_is_dropped_is_one_sentence_and_the_scene_runs_on(qtbot, tmp_path, text, words):
    bench = Bench(qtbot, tmp_path, "arm_reach", Runner)
    bad = tmp_path / "bad.toml"
    bad.write_text(text)
    stage = bench.session.stage
    drop(bench, bad)
    bench.bot.waitUntil(lambda: bool(bench.session.messages), timeout=PATIENCE)
    [message] = bench.session.messages
    assert message.level == "error" and words in message.text and "\n" not in message.text
    step = bench.session.snapshot.step
    bench.bot.waitUntil(lambda: bench.session.snapshot.step > step, timeout=PATIENCE)
    assert bench.session.stage is stage and bench.window.files.recent == []
    bench.close()


def test_a_scene_whose_engine_is_missing_is_one_sentence_and_the_old_one_runs_on(qtbot, tmp_path, monkeypatch):
    bench = Bench(qtbot, tmp_path, "arm_reach", Runner)
    bench.bot.waitUntil(lambda: bench.session.snapshot.step > 0, timeout=PATIENCE)
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "free_body"\nbackend = "pybullet"\n')
    monkeypatch.setitem(sys.modules, "pybullet", None)
    monkeypatch.setattr("sim.backend.unavailable", lambda name: "PyBullet is not installed." * (name == "pybullet"))
    drop(bench, mine)
    bench.bot.waitUntil(lambda: bool(bench.session.messages), timeout=PATIENCE)
    [message] = bench.session.messages
    assert message.level == "error" and message.text == "PyBullet is not installed."
    step = bench.session.snapshot.step
    bench.bot.waitUntil(lambda: bench.session.snapshot.step > step, timeout=PATIENCE)
    assert bench.session.stage.scene.name == "arm_reach"
    bench.close()


def test_a_scene_that_diverges_at_once_is_one_sentence_and_the_old_one_runs_on(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path, "arm_reach", Runner)
    bench.bot.waitUntil(lambda: bench.session.snapshot.step > 0, timeout=PATIENCE)
    wild, stage = tmp_path / "wild.toml", bench.session.stage
    wild.write_text('extends = "free_body"\n[input.motor]\nbody = "handle"\ntorque = [1e9, 0, 0]\n')
    drop(bench, wild)
    bench.bot.waitUntil(lambda: bool(bench.session.messages), timeout=PATIENCE)
    [message] = bench.session.messages
    assert message.level == "error" and "more than 1 rad in one step" in message.text
    step = bench.session.snapshot.step
    bench.bot.waitUntil(lambda: bench.session.snapshot.step > step, timeout=PATIENCE)
    assert bench.session.stage is stage and not bench.session.stopped and bench.session.undo.done == []
    bench.close()


def test_a_scene_that_diverges_says_so_stays_and_makes_room_for_the_next(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path, "arm_reach", Runner)
    wild = tmp_path / "wild.toml"
    wild.write_text('extends = "free_body"\n[input.motor]\nbody = "handle"\ntorque = ["1e9*step(t - 0.2)", 0, 0]\n')
    drop(bench, wild)
    bench.bot.waitUntil(lambda: bool(bench.session.stopped), timeout=PATIENCE)
    assert bench.session.stage.scene.path == str(wild)
    assert "more than 1 rad in one step" in bench.session.stopped and not bench.session.snapshot.running
    assert [m.text for m in bench.session.messages] == [bench.session.stopped]
    bench.session.undo.undo()
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "arm_reach", timeout=PATIENCE)
    bench.bot.waitUntil(lambda: not bench.session.stopped)
    bench.close()


# --- unsaved changes ------------------------------------------------------------------------------------------------


def kept(tmp_path, name="arm_reach"):
    return Shelf(tmp_path / "unsaved").find(absolute(load(name)))


def test_unsaved_changes_are_offered_at_the_next_start_and_restored(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    tune(bench)
    wanted = bench.session.tuned()
    bench.close()

    again = Bench(qtbot, tmp_path)
    card = again.window.offer
    again.bot.waitUntil(card.isVisible)
    assert again.session.changes() == () and again.viewport.rect().contains(card.geometry())
    again.bot.mouseClick(card.restore, LEFT)
    again.bot.waitUntil(lambda: not again.session.undo.on_the_way)
    again.settle()
    assert not card.isVisible() and changes(again.session.tuned(), wanted) == ()
    assert again.window.windowTitle().startswith("*")
    again.close()

    third = Bench(qtbot, tmp_path)  # restored is not saved
    third.bot.waitUntil(third.window.offer.isVisible)
    third.bot.mouseClick(third.window.offer.discard, LEFT)
    assert not third.window.offer.isVisible()
    third.close()
    assert kept(tmp_path) is None


def test_an_offer_that_nobody_answered_is_made_again(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    tune(bench)
    bench.close()
    for _ in range(2):
        again = Bench(qtbot, tmp_path)
        again.bot.waitUntil(again.window.offer.isVisible)
        tune(again, [SetGain("reach", "kp", 5.0)])
        tune(again, [SetGain("reach", "kp", 300.0)])
        again.close()
    found = kept(tmp_path)
    assert found is not None and found.scene.controllers[1].gains["kp"] == 123.456789012345


def test_each_scene_keeps_its_own_changes_and_saving_clears_them(bench, tmp_path, monkeypatch):
    tune(bench)
    bench.session.open("arm_pd")
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "arm_pd")
    bench.settle()
    assert not bench.window.files.is_changed and not bench.window.offer.isVisible()
    bench.bot.waitUntil(lambda: kept(tmp_path) is not None)
    bench.session.open("arm_reach")
    bench.bot.waitUntil(bench.window.offer.isVisible)
    bench.bot.mouseClick(bench.window.offer.restore, LEFT)
    bench.bot.waitUntil(lambda: bench.window.files.is_changed)
    save_as(bench, monkeypatch, tmp_path / "mine.toml")
    bench.bot.waitUntil(lambda: kept(tmp_path) is None)


PROGRAM = """
import sys
from pathlib import Path
from PyQt6.QtCore import QTimer
from app.stage import load_stage
from app.program import Program
from sim.command import SetGain
program = Program(sys.argv[:1], load_stage("arm_pd"), "light", None, False)
send = lambda: program.session.runner and program.session.send(SetGain("pd", "kp", 12.5))
timer = QTimer(interval=200)
timer.timeout.connect(send)
timer.start()
program.run()
"""


def test_changes_survive_a_kill_and_are_offered_again(qtbot, tmp_path):
    """kill -9 while there are unsaved changes: the next start of the same user offers them."""
    home = tmp_path / "Impulse"
    program = PROGRAM.replace('"pd"', repr(load("arm_pd").controllers[-1].name))
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, env=environment) as child:
        end = time.monotonic() + 60
        while not list((home / "unsaved").glob("*.toml")) and child.poll() is None and time.monotonic() < end:
            time.sleep(0.05)
        child.send_signal(signal.SIGKILL)
    assert [p.suffix for p in (home / "unsaved").iterdir()] == [".toml"]  # nothing half-written beside it
    assert Settings(home / "Impulse.ini").text("scene", "") == str(scene_path("arm_pd"))
    bench = Bench(qtbot, home, load_stage("arm_pd"))
    bench.bot.waitUntil(bench.window.offer.isVisible)
    bench.bot.mouseClick(bench.window.offer.restore, LEFT)
    bench.bot.waitUntil(lambda: bench.window.files.is_changed)
    assert 12.5 in bench.session.snapshot.gains[load("arm_pd").controllers[-1].name].values()
    bench.close()
