"""A scene file that an editor saves while the window shows it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.watching import SETTLE
from sim.command import SetGain, SetStep
from tests.app.test_window_files import CTRL, KEY, PATIENCE, SHIFT, opened, tune
from tests.app.window_bench import Bench

TEXT = 'extends = "arm_reach"\ntitle = "Mine"\ndt = 0.002 # coarse\n'


@pytest.fixture
def bench(qtbot, tmp_path):
    """A file of one's own on stage, and known to be watched."""
    bench = Bench(qtbot, tmp_path)
    mine = tmp_path / "mine.toml"
    mine.write_text(TEXT)
    bench.session.open(mine)
    opened(bench, mine)
    known(bench)
    yield bench
    bench.close()


def known(bench) -> None:
    mine = Path(bench.window.watching._path)
    bench.bot.waitUntil(lambda: bench.window.watching._known == mine.read_bytes(), timeout=PATIENCE)


def in_place(path, text) -> None:
    path.write_text(text)


def by_rename(path, text) -> None:
    (path.parent / "mine.toml~").write_text(text)
    os.replace(path.parent / "mine.toml~", path)


@pytest.mark.parametrize("save", [in_place, by_rename])
def test_what_an_editor_saves_runs_and_is_seen_from_the_same_place(bench, tmp_path, save):
    hand = bench.viewport.hand
    hand.camera = camera = hand.camera.orbit(40, 20)
    for dt in ("0.004", "0.005"):  # also the second time
        save(tmp_path / "mine.toml", TEXT.replace("0.002", dt))
        bench.bot.waitUntil(lambda dt=dt: bench.session.stage.scene.dt == float(dt), timeout=PATIENCE)
        bench.settle()
        known(bench)
    assert hand.camera == camera and bench.session.snapshot.dt == 0.005
    assert [m.level for m in bench.session.messages] == ["ok", "ok"]
    assert all("mine.toml" in m.text for m in bench.session.messages)


def test_a_broken_file_is_one_sentence_and_the_scene_goes_on_until_it_is_whole(bench, tmp_path):
    stage = bench.session.stage
    by_rename(tmp_path / "mine.toml", TEXT.replace("0.002", '"fast"'))
    bench.bot.waitUntil(lambda: bool(bench.session.messages), timeout=PATIENCE)
    [message] = bench.session.messages
    assert message.level == "error" and "mine.toml:3" in message.text and "\n" not in message.text
    assert bench.session.stage is stage
    by_rename(tmp_path / "mine.toml", TEXT.replace("0.002", "0.001"))
    bench.bot.waitUntil(lambda: bench.session.stage.scene.dt == 0.001, timeout=PATIENCE)
    assert bench.window.status.message.level == "ok"  # the complaint is over


def test_our_own_save_is_nothing_to_read_and_the_next_of_an_editor_is(bench, tmp_path):
    tune(bench, [SetStep(0.005)])
    bench.bot.keyClick(bench.viewport, KEY.Key_S, CTRL)
    bench.bot.waitUntil(lambda: not bench.window.files.is_changed, timeout=PATIENCE)
    saved = bench.session.stage
    bench.bot.wait(2 * SETTLE)
    assert bench.session.stage is saved
    known(bench)
    in_place(tmp_path / "mine.toml", TEXT.replace("Mine", "Yours"))
    bench.bot.waitUntil(lambda: bench.session.stage.scene.title == "Yours", timeout=PATIENCE)


def test_what_is_unsaved_here_is_not_thrown_away(bench, tmp_path):
    tune(bench, [SetGain("reach", "kp", 77.0)])
    stage = bench.session.stage
    in_place(tmp_path / "mine.toml", TEXT.replace("0.002", "0.004"))
    bench.bot.waitUntil(lambda: bool(bench.session.messages), timeout=PATIENCE)
    assert "Shift+R" in bench.session.messages[-1].text
    assert bench.session.stage is stage and bench.session.snapshot.gains["reach"]["kp"] == 77.0
    bench.bot.keyClick(bench.viewport, KEY.Key_R, SHIFT)
    bench.bot.waitUntil(lambda: bench.session.stage.scene.dt == 0.004, timeout=PATIENCE)


def test_somebodys_edit_is_not_replaced_by_the_first_save(bench, tmp_path):
    mine, theirs = tmp_path / "mine.toml", TEXT.replace("0.002", "0.004")
    tune(bench, [SetGain("reach", "kp", 77.0)])
    in_place(mine, theirs)
    bench.bot.waitUntil(lambda: len(bench.session.messages) == 1, timeout=PATIENCE)
    bench.bot.keyClick(bench.viewport, KEY.Key_S, CTRL)
    bench.session.finish_work()
    assert mine.read_text() == theirs and bench.window.files.is_changed
    assert "Save again" in bench.session.messages[-1].text
    bench.bot.keyClick(bench.viewport, KEY.Key_S, CTRL)
    bench.bot.waitUntil(lambda: not bench.window.files.is_changed, timeout=PATIENCE)
    assert "77" in mine.read_text()


def test_a_scene_that_comes_with_the_program_is_not_watched(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    assert bench.window.watching._watcher.files() == bench.window.watching._watcher.directories() == []
    bench.close()
