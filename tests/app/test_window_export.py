"""Export data in the window: the same numbers as the log of a headless run, or one sentence."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from PyQt6.QtCore import Qt

from app.cli import main
from sim.runner import Runner
from tests.app.test_window_files import CTRL, KEY, PATIENCE, answer
from tests.app.window_bench import Bench


@pytest.fixture
def bench(qtbot, tmp_path):
    """Paused after some steps."""
    bench = Bench(qtbot, tmp_path, "arm_reach", Runner)
    bench.bot.waitUntil(lambda: bench.session.snapshot.step > 50, timeout=PATIENCE)
    bench.bot.keyClick(bench.viewport, KEY.Key_Space)
    bench.bot.waitUntil(lambda: not bench.session.snapshot.running, timeout=PATIENCE)
    yield bench
    bench.close()


def export(bench, monkeypatch, path) -> str:
    """Ctrl+E, answered with a path; what the window says then."""
    answer(monkeypatch, "getSaveFileName", path)
    count = len(bench.session.messages)
    bench.bot.keyClick(bench.viewport, KEY.Key_E, CTRL)
    bench.bot.waitUntil(lambda: len(bench.session.messages) > count, timeout=PATIENCE)
    return bench.session.messages[-1].text


def test_what_is_exported_is_what_a_log_of_the_run_says(bench, tmp_path, monkeypatch):
    snapshot = bench.session.snapshot
    said = export(bench, monkeypatch, tmp_path / "mine.npz")
    assert str(tmp_path / "mine.npz") in said and f"{snapshot.step + 1} steps" in said
    duration = repr(snapshot.step * snapshot.dt)
    assert main(["run", "arm_reach", "--duration", duration, "--log", str(tmp_path / "log.npz")]) == 0
    with np.load(tmp_path / "mine.npz") as mine, np.load(tmp_path / "log.npz") as log:
        assert mine.files == log.files and "q.elbow [rad]" in mine.files
        for name in log.files:
            assert mine[name].tobytes() == log[name].tobytes(), name


def test_the_table_holds_the_same_numbers_and_the_message_leads_to_it(bench, tmp_path, monkeypatch):
    export(bench, monkeypatch, tmp_path / "mine.npz")
    export(bench, monkeypatch, tmp_path / "mine")  # the end of the name is added
    status = bench.window.status
    assert status.copy.isVisible()
    bench.bot.mouseClick(status.copy, Qt.MouseButton.LeftButton)
    with open(tmp_path / "mine.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with np.load(tmp_path / "mine.npz") as arrays:
        for name in arrays.files:
            assert [float(row[name]) for row in rows] == arrays[name].tolist()


@pytest.mark.parametrize(("name", "words"), [("nowhere/mine.csv", "there is no folder"), ("mine.txt", ".csv or .npz")])
def test_a_place_that_cannot_be_written_is_one_sentence_and_leaves_nothing(bench, tmp_path, monkeypatch, name, words):
    before = sorted(tmp_path.iterdir())
    said = export(bench, monkeypatch, tmp_path / name)
    assert words in said and "\n" not in said and bench.session.messages[-1].level == "error"
    assert sorted(tmp_path.iterdir()) == before
