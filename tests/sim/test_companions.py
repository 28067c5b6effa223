"""Engines beside the runner's world, by commands and what is reported."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.command import (
    Applied,
    Compare,
    GoTo,
    LoadScene,
    PullBody,
    Refused,
    ReleaseBody,
    Reset,
    SetBackend,
    SetGain,
    SetGravity,
    SetSolver,
    SetStep,
    SetTarget,
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
    assert driver.runner.latest.beside[0].stopped == "begins at t = 0.100 s" and not told(driver)
    driver.ask(StepOnce(10))
    assert "begins anew at t = 0.060 s" in told(driver)[0] and driver.runner.latest.lead.since == pytest.approx(0.06)
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


def test_a_look_back_before_the_comparison_and_forward_again_leaves_it_as_it_was(drive):
    driver = drive("double_pendulum:b")
    driver.ask(StepOnce(100))
    driver.ask(Compare(("pybullet",)))
    driver.ask(StepOnce(400))
    known, figures = driver.runner.course.read("apart", math.inf), driver.runner.latest.beside[0].figures
    for time in (0.05, 0.3, 0.02, 0.5):
        driver.ask(GoTo(time))
    seen = driver.runner.course.read("apart", math.inf)
    assert [a.tobytes() for a in seen] == [a.tobytes() for a in known]
    assert driver.runner.latest.beside[0].figures == figures and not told(driver)


def test_going_back_over_a_change_of_engine_changes_places_and_the_world_goes_on(drive):
    driver = drive("arm_reach")
    driver.ask(Compare(("tree",)))
    driver.ask(StepOnce(100))
    driver.ask(SetBackend("tree"))
    driver.ask(StepOnce(69))
    assert isinstance(driver.ask(StepBack(139)), Applied)
    assert driver.runner.latest.lead.backend == driver.runner.latest.backend not in names(driver)
    driver.ask(StepOnce(50))
    now = driver.runner.latest
    assert now.step == 80 and driver.runner.course.read("apart", 1.0)[0][-1] == now.time


def test_switching_one_off_leaves_the_others_as_they_are_and_with_a_new_one_all_begin_together(drive):
    driver = drive("double_pendulum:b")
    driver.ask(Compare(("tree", "pybullet")))
    driver.ask(StepOnce(300))
    before = driver.runner.latest.beside[1].figures
    driver.ask(Compare(("pybullet",)))
    assert driver.runner.latest.beside[0].figures == before
    times, apart = driver.runner.course.read("apart", math.inf)
    assert len(times) == 301 and apart[-1, 1] == before.apart
    driver.ask(Compare(("tree", "pybullet")))
    driver.ask(StepOnce(100))
    tree, pybullet = (lane.figures for lane in driver.runner.latest.beside)
    assert tree.since == pybullet.since == pytest.approx(0.3) and tree.apart_first != tree.apart_first  # nan
    assert len(driver.runner.course.read("apart", math.inf)[0]) == 101


def test_engines_that_a_scene_cannot_have_come_back_with_the_next(drive):
    driver = drive("double_pendulum")
    driver.ask(Compare(("tree", "pybullet")))
    driver.ask(LoadScene(load("four_bar")))
    assert names(driver) == []
    driver.ask(LoadScene(load("double_pendulum")))
    assert names(driver) == ["tree", "pybullet"]


def test_whatever_is_done_all_worlds_stand_at_the_same_moment_under_the_same_settings(drive):
    """A seeded list of commands, jumps and changes of engines: after each, everybody is where the leader is."""
    random = np.random.default_rng(7)
    driver = drive("arm_reach")
    for _ in range(120):
        command = random_command(random)
        driver.ask(command)
        beside, now = driver.runner._beside, driver.runner.latest
        if (comparison := beside._comparison) is None or comparison.is_before:
            continue
        lead = comparison.lead
        assert comparison.leader == lead.backend_name not in names(driver), command
        assert driver.runner.course.read("apart", 1.0)[0][-1] == now.time, command
        for lane in comparison.lanes:
            world = lane.world
            assert not lane.stopped and world.time == lead.time and world.dt * lane.finer == lead.dt, command
            assert world.scene.gravity == lead.scene.gravity and world.desk.grip() == lead.desk.grip(), command
            assert world.desk.gain_values() == lead.desk.gain_values(), command
            assert world.desk.controls.point.tobytes() == lead.desk.controls.point.tobytes(), command
    assert isinstance(driver.ask(StepOnce()), Applied)


def random_command(random: np.random.Generator):
    engines = ("impulse", "tree", "pybullet", "reference")
    return [
        lambda: StepOnce(int(random.integers(1, 150))),
        lambda: StepOnce(int(random.integers(1, 150))),
        lambda: StepBack(int(random.integers(1, 200))),
        lambda: GoTo(float(random.uniform(0.0, 2.0))),
        lambda: Compare(tuple(name for name in engines if random.random() < 0.5)),
        lambda: SetBackend(str(random.choice(engines[:3]))),
        lambda: SetGain("reach", "kp", float(random.uniform(100.0, 500.0))),
        lambda: SetTarget("target", tuple(random.uniform(0.2, 0.5, 3).tolist())),
        lambda: SetGravity((0.0, 0.0, float(random.uniform(-10.0, -5.0)))),
        lambda: SetStep(float(random.choice([1e-3, 5e-4]))),
        lambda: SetSolver(str(random.choice(["dense", "sparse"]))),
        lambda: PullBody("forearm", (0.0, 0.0, 0.1), tuple(random.uniform(0.3, 0.6, 3).tolist())),
        lambda: ReleaseBody(),
        lambda: SetTolerance(float(random.uniform(1e-6, 1e-2))),
        lambda: Reset(),
    ][random.integers(15)]()


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
