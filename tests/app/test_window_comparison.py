"""Engines compared in the window: switched by mouse, key and menu, told in figures, curves, marks and tables."""

from __future__ import annotations

import csv
import math
import re

import numpy as np
import pytest
from PyQt6.QtCore import Qt

from app.bottom import COMPARISON
from app.numbers import brief
from app.theme import LIGHT
from sim.command import Compare, Play, Reset, SetBackend, SetTolerance, StepOnce
from sim.files import load
from sim.lane_names import LANES
from sim.runner import Runner
from sim.simulation import Simulation
from tests.app.test_window_files import CTRL, KEY, PATIENCE, answer
from tests.app.window_bench import Bench

LEFT, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def bench(qtbot, tmp_path):
    """The double pendulum, held at its start."""
    bench = Bench(qtbot, tmp_path, "double_pendulum:b", Runner)
    for command in (Play(False), Reset()):
        do(bench, command)
    yield bench
    bench.close()


@pytest.fixture
def still(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    yield bench
    bench.close()


def do(bench, command) -> None:
    """Until the runner has answered this very command."""
    answered = []
    bench.session.reported.connect(lambda event: answered.append(getattr(event, "command", None)))
    bench.session.send(command)
    bench.bot.waitUntil(lambda: any(seen is command for seen in answered), timeout=PATIENCE)
    bench.settle()


def beside(bench) -> list[str]:
    return [lane.name for lane in bench.session.snapshot.beside]


def switch(bench, name: str, on: bool = True) -> None:
    """By the mouse, on the row of the tab."""
    bench.window.bottom.tabs.setCurrentIndex(COMPARISON)
    row = bench.window.comparison.rows[name].switch
    bench.bot.mouseClick(row, LEFT)
    bench.bot.waitUntil(lambda: (name in beside(bench)) == on, timeout=PATIENCE)
    bench.settle()
    assert row.isChecked() == on


def texts(bench, name: str) -> list[str]:
    return [cell.text() for cell in bench.window.comparison.rows[name].values]


def test_a_switch_lets_an_engine_run_beside_and_undo_takes_it_back(bench):
    switch(bench, "pybullet")
    switch(bench, "tree")
    assert beside(bench) == ["tree", "pybullet"]  # in the order of the table, as their colours
    bench.bot.keyClick(bench.viewport, KEY.Key_Z, CTRL)
    bench.bot.waitUntil(lambda: beside(bench) == ["pybullet"], timeout=PATIENCE)
    bench.bot.keyClick(bench.viewport, KEY.Key_Z, CTRL | SHIFT)
    bench.bot.waitUntil(lambda: beside(bench) == ["tree", "pybullet"], timeout=PATIENCE)
    switch(bench, "tree", on=False)
    switch(bench, "pybullet", on=False)
    assert bench.session.runner.course is None and not bench.window.comparison.plots


def test_figures_curves_and_marks_tell_what_two_runs_would(bench):
    switch(bench, "pybullet")
    do(bench, StepOnce(1500))
    worlds = Simulation(load("double_pendulum:b"), "impulse"), Simulation(load("double_pendulum:b"), "pybullet")
    apart = [0.0]
    for _ in range(1500):
        for world in worlds:
            world.step(1)
        apart.append(float(np.abs(worlds[0].q - worlds[1].q).max()))
    first = next(k for k, distance in enumerate(apart) if distance > 1e-3) * 1e-3
    told = texts(bench, "pybullet")
    assert told[:3] == [brief(v, 7) for v in (apart[-1], first, worlds[1].ledger.energy_drift)]
    assert texts(bench, "impulse")[:2] == ["–", "–"] and texts(bench, "tree") == [""] * 5
    bench.bot.waitUntil(lambda: bool(bench.window.comparison.plots), timeout=PATIENCE)
    plot = bench.window.comparison.plots[0]
    bench.bot.waitUntil(lambda: len(plot._times) == 1501, timeout=PATIENCE)
    assert plot._values[:, 0].tolist() == apart and plot.info.unit == "rad" and plot.info.labels == ("pybullet",)
    [mark] = plot.marks
    assert mark.isVisible() and mark.value() == pytest.approx(first - 1.5)
    assert bench.window.timeline.marks == ((pytest.approx(first), "pybullet"),)


def test_the_reference_is_what_all_are_measured_by(bench):
    switch(bench, "reference")
    do(bench, StepOnce(100))
    assert texts(bench, "reference")[:2] == ["–", "–"]
    assert float(texts(bench, "impulse")[0].replace("−", "-")) > 0.0
    assert "reference" in bench.window.comparison.heads[0].toolTip()


def test_another_leader_has_no_switch_and_the_one_before_has(bench):
    rows = bench.window.comparison.rows
    switch(bench, "tree")
    do(bench, SetBackend("tree"))
    assert beside(bench) == ["impulse"]
    assert rows["tree"].switch.isHidden() and not rows["impulse"].switch.isHidden()
    assert rows["tree"].dot.color == LIGHT.text and rows["impulse"].dot.color == LIGHT.ghosts[LANES.index("impulse")]


def test_before_anything_runs_all_switches_and_the_usual_tolerance_are_in_view(still):
    still.bot.mouseClick(still.window.bottom.tabs, LEFT, pos=still.window.bottom.tabs.tabRect(COMPARISON).center())
    panel = still.window.comparison
    assert panel.isVisible() and panel.hint.isVisible() and panel.tolerance.value == 1e-3
    for name in ("tree", "pybullet", "reference"):
        row = panel.rows[name].switch
        assert row.visibleRegion().boundingRect() == row.rect(), name
    assert all(not head.isVisible() or head.visibleRegion().boundingRect() == head.rect() for head in panel.heads)


def test_menu_and_keys_reach_it_too(still):
    window = still.window
    window.menus.actions["beside:tree"].trigger()
    still.settle()
    assert beside(still) == ["tree"] and window.menus.actions["beside:tree"].isChecked()
    assert window.bottom.pages.currentWidget() is window.comparison  # shown at once
    refused = window.menus.actions["beside:impulse"]
    assert not refused.isEnabled() and "leads" in refused.toolTip()
    row = window.comparison.rows["pybullet"].switch
    row.setFocus()
    still.bot.waitUntil(row.hasFocus)
    still.bot.keyClick(row, KEY.Key_Space)
    still.settle()
    assert beside(still) == ["tree", "pybullet"]
    window.menus.actions["beside_again"].trigger()
    assert still.runner.of(Compare)[-1] == Compare(("tree", "pybullet"))


def test_degrees_are_for_the_whole_tab_and_never_for_commands(still):
    window, panel = still.window, still.window.comparison
    window.menus.actions["beside:tree"].trigger()
    window.menus.actions["angles:degrees"].trigger()
    still.settle()
    assert panel.heads[0].text() == "Apart [°]" and panel.tolerance.value == pytest.approx(math.degrees(1e-3))
    panel.tolerance.setFocus()
    still.bot.waitUntil(panel.tolerance.hasFocus)
    panel.tolerance.selectAll()
    still.bot.keyClicks(panel.tolerance, "1")
    still.bot.keyClick(panel.tolerance, KEY.Key_Return)
    assert still.runner.of(SetTolerance)[-1].tolerance == pytest.approx(math.pi / 180)


def test_an_engine_about_to_lead_is_not_asked_to_run_beside(still):
    still.session._waiting.note(SetBackend("tree"))
    still.session.toggle_beside("pybullet")
    still.session.toggle_beside("tree")
    assert [command.beside for command in still.runner.of(Compare)] == [("pybullet",), ("pybullet",)]


def test_who_asks_for_a_plot_sees_the_plots(still):
    still.window.bottom.show_comparison()
    still.window.menus.actions["plot:energy"].trigger()
    assert still.window.plots.isVisible() and "Energy" in [plot.info.title for plot in still.window.plots.plots]


def test_what_cannot_run_the_scene_is_grey_with_the_reason(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path, "four_bar")
    rows = bench.window.comparison.rows
    assert not rows["tree"].switch.isEnabled() and "loop" in rows["tree"].switch.toolTip()
    assert rows["reference"].switch.isEnabled()
    bench.close()


def test_the_tolerance_is_typed_and_only_numbers_count(still):
    field = still.window.comparison.tolerance
    still.window.bottom.show_comparison()
    field.setFocus()
    still.bot.waitUntil(field.hasFocus)
    for text, sent in (("0.05", 1), ("nonsense", 1)):
        field.selectAll()
        still.bot.keyClicks(field, text)
        still.bot.keyClick(field, KEY.Key_Return)
        assert still.runner.of(SetTolerance) == [SetTolerance(0.05)] * sent


def save(bench, monkeypatch, path) -> str:
    answer(monkeypatch, "getSaveFileName", path)
    count = len(bench.session.messages)
    bench.window.menus.actions["save_comparison"].trigger()
    bench.bot.waitUntil(lambda: len(bench.session.messages) > count, timeout=PATIENCE)
    return bench.session.messages[-1].text


def test_the_table_is_saved_with_all_digits_and_as_a_page(bench, tmp_path, monkeypatch):
    for name in ("tree", "pybullet"):
        switch(bench, name)
    do(bench, StepOnce(800))
    figures = [bench.session.snapshot.lead, *(lane.figures for lane in bench.session.snapshot.beside)]
    assert str(tmp_path / "mine.csv") in save(bench, monkeypatch, tmp_path / "mine.csv")
    with open(tmp_path / "mine.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["engine"] for row in rows] == ["Constraint impulses", "Articulated tree", "PyBullet"]
    for row, f in zip(rows[1:], figures[1:], strict=True):
        assert float(row["apart at the end [rad]"]) == f.apart and float(row["energy drift"]) == f.energy_drift
        first = row["first apart by more than 0.001 [s]"]
        assert float(first) == f.apart_first if math.isfinite(f.apart_first) else first == ""
        assert float(row["speed [× real time]"]) == pytest.approx(f.speed) and f.speed > 0.0
    save(bench, monkeypatch, tmp_path / "mine.html")
    page = (tmp_path / "mine.html").read_text(encoding="utf-8")
    assert page.count("<tr>") == 4 and bench.session.stage.scene.title in page and "PyBullet" in page
    assert not re.search(r"https?:", page)  # nothing is fetched from elsewhere


def test_a_table_that_cannot_be_written_is_one_sentence(bench, tmp_path, monkeypatch):
    switch(bench, "tree")
    assert save(bench, monkeypatch, tmp_path / "mine.txt").endswith('not "mine.txt".')
    said = save(bench, monkeypatch, tmp_path / "nowhere" / "mine.html")
    assert "there is no folder" in said and bench.session.messages[-1].level == "error"
    assert list(tmp_path.glob("mine*")) == []
