"""Engines in lockstep: the leading world notices nothing, the others do what they would do alone."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from sim.apart import Apart
from sim.command import (
    Command,
    PullBody,
    ReleaseBody,
    SetGain,
    SetGravity,
    SetIntegrator,
    SetStep,
    SetSwitch,
    SetTarget,
)
from sim.comparison import Comparison
from sim.files import load
from sim.lane import FINER
from sim.rewind import Rewind
from sim.scene import Scene
from sim.simulation import Simulation
from sim.spatial.rotation import quat_to_matrix

# step -> what somebody does before it
EVENTS: dict[int, Command] = {
    40: SetTarget("target", (0.4, 0.3, 0.5)),
    90: SetGain("reach", "kp", 600.0),
    130: SetSwitch("gravity", False),
    150: PullBody("forearm", (0.0, 0.0, 0.1), (0.5, 0.5, 0.9)),
    190: ReleaseBody(),
    260: SetGravity((0.0, 0.0, -3.7)),
    310: SetStep(5e-4),
}
PENDULUM_B = (2.313101526686, -5.101177799781)  # at 4 s, to 34 digits extrapolated


class Run:
    """A leading world with others beside it, and keyframes to go back to."""

    def __init__(self, scene: str | Scene, *names: str, lead: str = "impulse") -> None:
        self.lead = Simulation(load(scene) if isinstance(scene, str) else scene, lead)
        self.rewind = Rewind(self.lead)
        self.comparison = Comparison(self.lead, names)
        self.news: list[str] = []

    def apply(self, command: Command) -> None:
        self.lead.apply(command)
        self.rewind.change(command)
        self.news += self.comparison.obey(command)

    def steps(self, n: int, at_once: int = 7, events: dict[int, Command] | None = None) -> None:
        events, goal = events or {}, self.lead.step_count + n
        while (now := self.lead.step_count) < goal:
            if command := events.get(now):
                self.apply(command)
            nearest = min((step for step in events if step > now), default=goal)
            self.rewind.note()
            self.lead.step(min(at_once, goal - now, nearest - now))
            self.news += self.comparison.follow(0.0)

    def go_to(self, time: float) -> bool:
        self.rewind.go_to(time)
        return self.comparison.jump()

    def lane(self, name: str) -> Simulation:
        return next(lane.world for lane in self.comparison.lanes if lane.name == name)

    def read(self, column: str) -> tuple[np.ndarray, np.ndarray]:
        return self.comparison.course.read(column, math.inf)

    def figures(self, name: str):
        return self.comparison.figures()[(*self.comparison.course.names,).index(name)]


def alone(scene: str, backend: str, n: int, events: dict[int, Command] | None = None) -> Simulation:
    """The same on one engine, with nothing beside it."""
    world = Simulation(load(scene), backend)
    for _ in range(n):
        if events and (command := events.get(world.step_count)):
            world.apply(command)
        world.step(1)
    return world


def test_the_leading_world_notices_nothing_and_the_others_do_as_they_would_alone():
    run = Run("arm_reach", "tree", "pybullet", "reference")
    run.steps(400, events=EVENTS)
    assert run.lead.state.digest() == alone("arm_reach", "impulse", 400, EVENTS).state.digest()
    for name in ("tree", "pybullet"):
        assert run.lane(name).state.digest() == alone("arm_reach", name, 400, EVENTS).state.digest(), name
    assert not run.news


def test_all_see_the_same_time_to_the_bit_so_inputs_are_the_same():
    run = Run("rp_robot:forced", "reference", "tree")
    for _ in range(50):
        run.steps(3, 3)
        assert run.lane("reference").time == run.lead.time == run.lane("tree").time
    assert run.lane("reference").step_count == FINER * run.lead.step_count


@pytest.mark.parametrize("lead", ["impulse", "tree"])
def test_the_reference_is_right_and_is_the_yardstick(lead):
    run = Run("double_pendulum:b", "reference", lead=lead)
    run.steps(4000, 100)
    assert run.lane("reference").q == pytest.approx(PENDULUM_B, abs=1e-9)
    truth = float(np.abs(run.lead.q - PENDULUM_B).max())
    assert run.figures(lead).apart == pytest.approx(truth, abs=1e-9)
    assert run.figures("reference").apart_most == 0.0


def test_the_reference_of_a_loop_is_the_impulse_engine_in_finer_steps():
    """A method of the second order is 64 times as precise in steps an eighth as long."""
    run = Run("four_bar", "reference")
    run.steps(500, 50)
    finer = Simulation(load("four_bar"), "impulse", 1e-3 / 64)
    finer.step(500 * 64)
    error, reference = (np.abs(q - finer.q).max() for q in (run.lead.q, run.lane("reference").q))
    assert 48.0 < error / reference < 80.0


def test_who_was_apart_first_and_when_as_two_runs_one_after_the_other_tell():
    run = Run("double_pendulum:a", "pybullet")
    run.steps(1000, 13)
    worlds = Simulation(load("double_pendulum:a"), "impulse"), Simulation(load("double_pendulum:a"), "pybullet")
    differences, energies, times = [0.0], [0.0], [0.0]
    for _ in range(1000):
        for world in worlds:
            world.step(1)
        (a, b), (e, f) = ([w.q for w in worlds], [w.ledger.energy_end for w in worlds])
        differences.append(float(np.abs(a - b).max()))
        energies.append(f - e)
        times.append(worlds[0].time)
    seen, apart = run.read("apart")
    assert seen.tolist() == times and apart[:, 1] == pytest.approx(differences, abs=1e-15)
    assert run.read("energy")[1][:, 1] == pytest.approx(energies, abs=1e-12)
    over = next(t for t, d in zip(times, differences, strict=True) if d > 1e-3)
    figures = run.figures("pybullet")
    assert figures.apart_first == over and figures.apart_most == max(differences) and figures.apart == differences[-1]
    assert figures.energy_drift == worlds[1].ledger.energy_drift
    assert math.isnan(run.figures("impulse").apart_first)
    run.comparison.set_tolerance(1e-2)
    assert run.figures("pybullet").apart_first == next(t for t, d in zip(times, differences, strict=True) if d > 1e-2)


def test_gaps_are_those_of_each_engine():
    run = Run("ball_chain", "tree")
    run.steps(300)
    gaps = run.read("gap")[1]
    assert gaps[:, 0].max() == run.lead.ledger.joint_gap > 0.0
    assert gaps[:, 1].max() == run.lane("tree").ledger.joint_gap


def test_going_back_and_forward_changes_nothing_that_was_compared():
    there = Run("arm_reach", "tree", "reference")
    there.steps(700, events=EVENTS)
    back = Run("arm_reach", "tree", "reference")
    back.steps(700, events=EVENTS)
    end = back.lead.time
    assert back.go_to(0.2) and back.figures("tree").apart == there.read("apart")[1][200, 1]
    assert back.lane("tree").time == back.lead.time == pytest.approx(0.2)
    assert back.go_to(end)
    for column in ("apart", "energy", "gap"):
        for known, seen in zip(there.read(column), back.read(column), strict=True):
            assert len(seen) >= 390 and known[-len(seen) :].tobytes() == seen.tobytes()
    assert back.lane("tree").state.digest() == there.lane("tree").state.digest()


def test_a_comparison_begins_where_the_world_is_and_ends_before_that():
    world = alone("arm_reach", "impulse", 300)
    world.apply(PullBody("forearm", (0.0, 0.0, 0.1), (0.5, 0.5, 0.9)))
    rewind = Rewind(world)
    comparison = Comparison(world, ("tree",))
    start = comparison.lanes[0].world
    assert start.time == world.time and start.q == pytest.approx(world.q, abs=1e-9)
    assert start.v == pytest.approx(world.v, abs=1e-8)
    rewind.note()
    world.step(20)
    comparison.follow(0.0)
    assert comparison.lanes[0].world.snapshot().pull is not None
    times, apart = comparison.course.read("apart", 10.0)
    assert times[0] == pytest.approx(0.3) and len(times) == 21 and apart[-1, 1] < 1e-4
    world.state = alone("arm_reach", "impulse", 200).state
    assert comparison.jump() and comparison.is_before  # it waits, and its ghosts lie where the bodies are
    lead, [ghost] = comparison.shown()
    assert (ghost.position == world.reading.position).all() and ghost.stopped == f"begins at t = {lead.since:.3f} s"


def test_an_engine_that_cannot_go_on_is_told_once_and_the_others_go_on_and_going_back_revives_it():
    run = Run(replace(load("double_pendulum:c"), integrator="explicit_euler", dt=1e-2), "tree")
    run.steps(300)
    lane = run.comparison.lanes[0]
    assert len(run.news) == 1 and "Articulated tree stopped at t = " in run.news[0]
    assert run.lead.step_count == 300 and lane.stopped and lane.behind > 0
    apart = run.read("apart")[1][:, 1]
    assert np.isnan(apart[-lane.behind :]).all() and np.isfinite(apart[: -lane.behind]).all()
    known = lane.world.time
    run.apply(SetGravity((0.0, 0.0, -1.6)))
    run.apply(SetStep(5e-3))
    assert run.go_to(known - 0.01) and not lane.stopped and lane.behind == 0
    assert lane.world.time == run.lead.time and lane.world.dt == 5e-3 and lane.world.scene.gravity[2] == -1.6


def test_an_engine_that_stopped_is_stopped_again_where_one_goes_forward_again():
    run = Run(replace(load("double_pendulum:c"), integrator="explicit_euler", dt=1e-2), "tree")
    run.steps(300)
    lane, end = run.comparison.lanes[0], run.lead.time
    why, rows = lane.stopped, run.read("apart")[1].tobytes()
    assert run.go_to(0.1) and not lane.stopped
    assert run.go_to(end) and lane.stopped == why and lane.behind > 0
    assert run.read("apart")[1].tobytes() == rows


def test_an_engine_that_stops_within_a_step_has_the_rows_of_the_steps_before():
    run = Run("double_pendulum:b", "reference")
    run.steps(50)
    known = run.comparison.lanes[0].rows(50)
    run.lane("reference").step(3)  # of eight
    assert run.comparison.lanes[0].rows(50).tobytes() == known.tobytes()


def test_drift_and_gap_are_the_largest_since_it_began_whatever_is_done_meanwhile():
    run = Run("double_pendulum:b", "pybullet")
    run.steps(1500)
    before = run.figures("pybullet").energy_drift, run.figures("impulse").gap
    assert before[0] > 1e-3
    run.go_to(1.2)
    run.apply(SetStep(5e-4))
    run.steps(10)
    assert (run.figures("pybullet").energy_drift, run.figures("impulse").gap) == before


def test_when_it_was_first_apart_stays_known_after_its_row_is_gone(monkeypatch):
    monkeypatch.setattr("sim.comparison.LENGTH", 200)
    run = Run("double_pendulum:b", "pybullet")
    run.steps(1000)
    first = run.figures("pybullet").apart_first
    assert 0.0 < first < 0.8
    run.go_to(0.95)
    run.comparison.set_tolerance(1e-3)
    assert run.figures("pybullet").apart_first == first


@pytest.mark.parametrize(("engine", "order"), [("impulse", 2), ("tree", 4)])
def test_under_control_too_an_engine_nears_the_reference_with_its_own_order(engine, order):
    """Controllers decide at the same moments everywhere, so only the engine is measured. In one step of control."""
    scene = replace(load("arm_pd"), backend=engine, integrator="rk4")
    joints = tuple(replace(j, limits=None) for j in scene.joints)

    def error(dt: float) -> float:
        run = Run(replace(scene, joints=joints, dt=dt), "reference", lead=engine)
        run.steps(1)
        return run.figures(engine).apart

    coarse, fine = error(4e-3), error(2e-3)
    assert 0.8 * 2 ** (order + 1) < coarse / fine < 1.25 * 2 ** (order + 1)


def test_an_integrator_is_for_those_that_have_it_and_the_reference_keeps_its_own():
    run = Run("double_pendulum", "impulse", "reference", lead="tree")
    run.apply(SetIntegrator("euler"))
    run.steps(10)
    assert [f.integrator for f in run.comparison.figures()] == ["euler", "rattle", "gauss4"]
    assert not run.news


@pytest.mark.parametrize("names", [("impulse",), ("tree", "tree"), ("nonsense",)])
def test_names_that_make_no_sense_are_refused_in_a_sentence(names):
    with pytest.raises(ValueError, match=r"\.$"):
        Run("arm_reach", *names)


def test_distances_of_joints_are_angles_between_attitudes_and_ways_between_places():
    scene = load("ball_chain")
    model = Simulation(scene, "impulse").model
    random = np.random.default_rng(3)
    a, b = (random.normal(size=(20, model.nq)) for _ in range(2))
    expected = np.zeros(20)
    for q in (a, b):
        for j in range(len(model.joint_names)):
            part = q[:, model.joint_q[j] : model.joint_q[j + 1]]
            part /= np.linalg.norm(part, axis=1, keepdims=True)
    for row in range(20):
        for j in range(len(model.joint_names)):
            own = slice(model.joint_q[j], model.joint_q[j + 1])
            turn = quat_to_matrix(a[row, own]).T @ quat_to_matrix(b[row, own])
            expected[row] = max(expected[row], math.acos(np.clip((np.trace(turn) - 1) / 2, -1.0, 1.0)))
    assert Apart(model)(a, b) == pytest.approx(expected, abs=1e-7)
    assert (Apart(model)(a, -a) == 0.0).all()


def test_free_bodies_are_apart_by_their_way_or_their_turn():
    model = Simulation(load("free_body"), "impulse").model
    q = model.q0[None].copy()
    moved, turned = q.copy(), q.copy()
    moved[0, :3] += (0.3, -0.4, 1.2)
    turned[0, 3:] = [math.cos(0.05), 0.0, math.sin(0.05), 0.0]
    q[0, 3:] = [1.0, 0.0, 0.0, 0.0]
    moved[0, 3:] = q[0, 3:]
    assert Apart(model)(q, moved)[0] == pytest.approx(1.3)
    assert Apart(model)(q, turned)[0] == pytest.approx(0.1)
