"""Engines beside the runner's world, by commands and what is reported."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.command import (
    Applied,
    Compare,
    LoadScene,
    Refused,
    Reset,
    SetBackend,
    SetTolerance,
    StepBack,
    StepOnce,
    Told,
)
from sim.files import load
from sim.simulation import Simulation


def names(driver) -> list[str]:
    return [beside.name for beside in driver.runner.latest.beside]


def told(driver) -> list[str]:
    return [event.sentence for event in driver.events if isinstance(event, Told)]


def test_what_runs_beside_is_shown_with_its_figures_and_ends_when_asked(drive):
    driver = drive("double_pendulum")
    assert driver.ask(Compare(("tree", "pybullet"))).inverse == Compare(())
    driver.ask(StepOnce(100))
    seen = driver.runner.latest
    assert names(driver) == ["tree", "pybullet"] and seen.lead.backend == "impulse"
    for beside, other in zip(seen.beside, ("tree", "pybullet"), strict=True):
        world = Simulation(load("double_pendulum"), other)
        world.step(100)
        assert np.array_equal(beside.position, world.reading.position)
        assert np.array_equal(beside.rotation, world.reading.rotation)
        assert beside.figures.apart == float(np.abs(seen.q - world.q).max()) and beside.figures.cost > 0.0
    times, apart = driver.runner.course.read("apart", math.inf)
    assert len(times) == 101 and times[-1] == seen.time and (apart[:, 0] == 0.0).all()
    assert driver.ask(Compare(())).inverse == Compare(("tree", "pybullet"))
    assert names(driver) == [] and driver.runner.latest.lead is None and driver.runner.course is None


@pytest.mark.parametrize(
    ("scene", "beside", "words"),
    [
        ("arm_reach", ("nonsense",), 'There is no engine "nonsense"'),
        ("arm_reach", ("impulse",), "not with itself"),
        ("four_bar", ("reference", "tree"), "loop"),
    ],
)
def test_what_cannot_run_beside_is_refused_in_a_sentence_and_nothing_changes(drive, scene, beside, words):
    driver = drive(scene)
    driver.ask(Compare(("reference",)))
    refused = driver.ask(Compare(beside))
    assert isinstance(refused, Refused) and words in refused.sentence and refused.sentence.endswith(".")
    assert names(driver) == ["reference"] and isinstance(driver.ask(StepOnce()), Applied)


def test_an_engine_that_takes_the_lead_changes_places_there_and_back(drive):
    driver = drive("arm_reach")
    driver.ask(Compare(("tree", "reference")))
    driver.ask(StepOnce(50))
    back = driver.ask(SetBackend("tree")).inverse
    assert names(driver) == ["impulse", "reference"] and driver.runner.latest.lead.backend == "tree"
    assert driver.runner.latest.lead.apart < 1e-9  # from where it stands all begin anew
    driver.ask(back)
    assert names(driver) == ["tree", "reference"] and driver.runner.latest.lead.backend == "impulse"


def test_a_reset_and_a_moment_before_the_comparison_begin_it_anew(drive):
    driver = drive("ball_chain")
    driver.ask(StepOnce(100))
    driver.ask(Compare(("pybullet",)))
    driver.ask(StepOnce(100))
    driver.ask(StepBack(50))
    assert driver.runner.latest.beside[0].figures.apart_most > 0.0
    assert driver.runner.course.read("apart", math.inf)[0][0] == pytest.approx(0.1)
    driver.ask(StepBack(100))
    times, _ = driver.runner.course.read("apart", math.inf)
    assert times.tolist() == [driver.runner.latest.time] and driver.runner.latest.time == pytest.approx(0.05)
    driver.ask(StepOnce(10))
    driver.ask(Reset())
    assert driver.runner.course.read("apart", math.inf)[0].tolist() == [0.0]


def test_another_scene_keeps_those_that_can_run_it_and_says_who_cannot(drive):
    driver = drive("arm_reach")
    driver.ask(Compare(("tree", "reference")))
    driver.ask(LoadScene(load("double_pendulum")))
    assert names(driver) == ["tree", "reference"] and not told(driver)
    driver.ask(LoadScene(load("four_bar")))
    assert names(driver) == ["reference"]
    assert len(told(driver)) == 1 and "loop" in told(driver)[0]
    driver.ask(StepOnce(20))
    assert driver.runner.latest.beside[0].figures.backend == "impulse"


def test_the_tolerance_decides_who_is_apart_and_makes_sense(drive):
    driver = drive("double_pendulum")
    driver.ask(Compare(("pybullet",)))
    driver.ask(StepOnce(500))
    before = driver.runner.latest.beside[0].figures.apart_first
    assert driver.ask(SetTolerance(3e-3)).inverse == SetTolerance(1e-3)
    assert before < driver.runner.latest.beside[0].figures.apart_first
    for nonsense in (0.0, -1.0, math.nan, math.inf):
        assert isinstance(driver.ask(SetTolerance(nonsense)), Refused)
    assert driver.runner.latest.tolerance == 3e-3


def test_engines_beside_are_freed_with_the_comparison_and_with_the_runner(drive):
    pybullet = pytest.importorskip("pybullet")
    driver = drive("arm_reach")
    before = [c for c in range(64) if pybullet.isConnected(c)]
    driver.ask(Compare(("pybullet",)))
    assert len([c for c in range(64) if pybullet.isConnected(c)]) == len(before) + 1
    driver.ask(Compare(()))
    assert [c for c in range(64) if pybullet.isConnected(c)] == before
    driver.ask(Compare(("pybullet",)))
    driver.runner.close()
    assert [c for c in range(64) if pybullet.isConnected(c)] == before
