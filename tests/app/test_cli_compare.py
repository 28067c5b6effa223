"""`main.py compare`: the same numbers as runs one after the other, and one sentence for what cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from app.cli import main
from sim.files import load
from sim.simulation import Simulation


def compared(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, dict[str, object]]:
    assert main(["compare", *words, "--json"]) == 0
    return {row["engine"]: row for row in json.loads(capsys.readouterr().out)["engines"]}


def test_figures_are_those_of_runs_one_after_the_other(capsys):
    rows = compared(capsys, "hinge_chain", "--with", "tree,pybullet", "--duration", "0.5", "--tolerance", "1e-4")
    worlds = {name: Simulation(load("hinge_chain"), name) for name in ("impulse", "tree", "pybullet")}
    differences: dict[str, list[float]] = {name: [0.0] for name in worlds}
    for _ in range(500):
        for world in worlds.values():
            world.step(1)
        for name, world in worlds.items():
            differences[name].append(float(np.abs(world.q - worlds["impulse"].q).max()))
    for title, name in (("Articulated tree", "tree"), ("PyBullet", "pybullet")):
        row, apart = rows[title], differences[name]
        first = next((1e-3 * k for k, distance in enumerate(apart) if distance > 1e-4), None)
        assert row["apart_end"] == apart[-1] and row["apart_most"] == max(apart)
        assert row["apart_first"] == pytest.approx(first)
        assert row["energy_drift"] == worlds[name].ledger.energy_drift
    assert rows["Constraint impulses"]["apart_end"] is None


def test_the_reference_knows_the_pendulum_to_nine_digits_and_fourth_order_is_nearer_than_second(capsys):
    rows = compared(capsys, "double_pendulum:b", "--duration", "4")
    far = [rows[name]["apart_end"] for name in ("Constraint impulses", "Articulated tree", "PyBullet")]
    assert far[0] == pytest.approx(0.0445, abs=1e-4) and far[1] < 1e-5 and far[2] > 1.0
    assert rows["Reference"]["integrator"] == "gauss4" and rows["Reference"]["step"] == 1e-3 / 8


def test_text_has_a_line_an_engine_and_tables_are_written(capsys, tmp_path: Path):
    assert main(["compare", "four_bar", "--duration", "0.1", "--table", str(tmp_path / "t.csv")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[0] for line in lines[-2:]] == ["Constraint impulses", "Reference"]
    assert max(map(len, lines)) <= 140
    assert len((tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["four_bar", "--with", "tree"], 'joint "rocker" closes a loop'),
        (["arm_reach", "--with", "impulse"], "which leads"),
        (["arm_reach", "--with", "imulse"], 'did you mean "impulse"?'),
        (["arm_reach", "--with", ""], "nobody to compare with"),
        (["arm_reach", "--tolerance", "0"], "a distance above 0"),
        (["arm_reach", "--table", "t.txt"], "ends in .html or .csv"),
        (["arm_reach", "--table", "/nowhere/t.csv"], 'there is no folder "/nowhere"'),
    ],
)
def test_mistakes_are_one_sentence(capsys, words, sentence):
    assert main(["compare", *words]) == 2
    said = capsys.readouterr()
    assert sentence in said.err and said.err.count("\n") == 1 and not said.out


def test_an_engine_that_cannot_go_on_is_told_and_the_rest_is_compared(capsys):
    words = ["double_pendulum:c", "--dt", "0.01", "--with", "tree", "--duration", "3"]
    rows = compared(capsys, *words, "--set", "integrator=explicit_euler")
    assert "stopped at t = " in str(rows["Articulated tree"]["stopped"])
    assert rows["Constraint impulses"]["stopped"] is None


def test_a_leader_that_cannot_go_on_ends_the_run_and_what_was_compared_is_told(capsys, tmp_path: Path):
    words = ["double_pendulum:c", "--backend", "tree", "--dt", "0.01", "--set", "integrator=explicit_euler"]
    assert main(["compare", *words, "--with", "impulse", "--table", str(tmp_path / "t.csv")]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("impulse: Stopped at t = ") and said.err.count("\n") == 1
    assert "Constraint impulses" in said.out and (tmp_path / "t.csv").exists()


def test_the_reference_measures_engines_and_not_how_often_controllers_decide(capsys):
    """Both engines are as near to it as to each other; sampled eight times as often it was a thousand times farther."""
    rows = compared(capsys, "arm_reach", "--with", "tree,reference", "--duration", "1")
    assert max(float(str(rows[name]["apart_most"])) for name in ("Constraint impulses", "Articulated tree")) < 1e-6
