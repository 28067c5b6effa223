"""Save run in the window: the file leads to where the window was, and says how it is taken again."""

from __future__ import annotations

import json

import pytest

from app import run_saving
from app.cli import main
from sim import command as cmd
from sim.runner import Runner
from tests.app.test_window_files import KEY, PATIENCE, answer, drop
from tests.app.window_bench import Bench


@pytest.fixture
def bench(qtbot, tmp_path):
    """Paused after some steps, a target set on the way and a step back."""
    bench = Bench(qtbot, tmp_path, "arm_reach", Runner)
    bench.bot.waitUntil(lambda: bench.session.snapshot.step > 50, timeout=PATIENCE)
    bench.session.set_target(0, (0.4, 0.3, 0.5))
    bench.bot.keyClick(bench.viewport, KEY.Key_Space)
    bench.bot.waitUntil(lambda: not bench.session.snapshot.running, timeout=PATIENCE)
    bench.session.send(cmd.StepOnce(150))
    bench.session.send(cmd.StepBack(30))
    bench.settle()
    yield bench
    bench.close()


def saved(bench, monkeypatch, path):
    """What the window says then."""
    answer(monkeypatch, "getSaveFileName", path)
    count = len(bench.session.messages)
    bench.window.menus.actions["save_run"].trigger()
    bench.bot.waitUntil(lambda: len(bench.session.messages) > count, timeout=PATIENCE)
    return bench.session.messages[-1]


def test_a_run_that_was_saved_is_taken_again_to_where_the_window_is(bench, tmp_path, monkeypatch, capsys):
    said = saved(bench, monkeypatch, tmp_path / "mine")
    assert said.level == "ok" and said.path == tmp_path / "mine.run.json"
    assert main(["replay", str(said.path), "--json"]) == 0
    result = json.loads(capsys.readouterr().out)
    snapshot = bench.session.snapshot
    assert result["same_bits"] and result["steps"] == snapshot.step
    assert result["q"] == snapshot.q.tolist() and result["v"] == snapshot.v.tolist()


def test_a_place_that_cannot_be_written_is_one_sentence(bench, tmp_path, monkeypatch):
    before = sorted(tmp_path.iterdir())
    said = saved(bench, monkeypatch, tmp_path / "nowhere" / "mine")
    assert said.level == "error" and "there is no folder" in said.text and "\n" not in said.text
    assert sorted(tmp_path.iterdir()) == before


def test_a_run_that_is_dropped_says_how_to_take_it_again_and_nothing_happens(bench, tmp_path, monkeypatch):
    run = saved(bench, monkeypatch, tmp_path / "mine").path
    stage, at, count = bench.session.stage, bench.session.snapshot.step, len(bench.session.messages)
    drop(bench, run)
    bench.bot.waitUntil(lambda: len(bench.session.messages) > count, timeout=PATIENCE)
    assert f"main.py replay {run}" in bench.session.messages[-1].text
    bench.settle()
    assert bench.session.stage is stage and bench.session.snapshot.step == at


def test_runs_are_saved_one_after_the_other(bench, tmp_path):
    for name in ("a", "b"):
        run_saving.save(bench.session, tmp_path / f"{name}.run.json")
    bench.bot.waitUntil(lambda: len(list(tmp_path.glob("*.run.json"))) == 2, timeout=PATIENCE)
    assert (tmp_path / "a.run.json").read_bytes() == (tmp_path / "b.run.json").read_bytes()
