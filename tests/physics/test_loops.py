"""Closed loops: how well they hold, whether they keep their energy, and what they do at their dead points.

Of an equal-length crank, a parallelogram and a rhombus the dead point is one where two motions branch: the
rod unfolds or turns on with the crank, the coupler stays level or folds over.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sim.backend import create
from sim.files import load
from sim.model import compile_model
from sim.scene import Scene
from tests.mechanisms import four_bar, slider_crank, with_joint
from tests.worlds import energy, free_control, run

TURN = 2 * np.pi
SOLVERS = ("sparse", "dense")


def equal_crank(crank: float) -> Scene:
    return slider_crank(crank, (-2 * crank, crank), 0.3, 0.3)


def parallelogram(crank: float) -> Scene:
    return four_bar(crank, (-crank, crank - np.pi), (0.5, 0.2, 0.5, 0.2))


def rhombus(crank: float) -> Scene:
    return four_bar(crank, (-crank, crank - np.pi), (0.3, 0.3, 0.3, 0.3))


MECHANISMS = {
    "four_bar": lambda: load("four_bar"),
    "parallelogram": lambda: load("parallelogram"),
    "slider_crank": lambda: load("slider_crank"),
    "equal_crank": lambda: equal_crank(0.3),
    "rhombus": lambda: rhombus(0.3),
}
BRANCHING = {"equal_crank": (equal_crank, np.pi / 2), "parallelogram": (parallelogram, 0.0), "rhombus": (rhombus, 0.0)}


def turning(scene: Scene, speed: float, gravity: float = 0.0, **scene_keys: Any) -> Scene:
    """The crank, listed first, turns freely at `speed`; the others follow."""
    crank, *others = scene.joints
    crank = replace(crank, v=(speed,), damping=0.0)
    joints = (crank, *(replace(j, v=()) for j in others))
    return replace(scene, joints=joints, inputs=(), gravity=(0.0, 0.0, -gravity), **scene_keys)


class Watched:
    """An engine whose joints are looked at after every step, and its energy after every fifth."""

    def __init__(self, scene: Scene, torque: float = 0.0) -> None:
        self.model = compile_model(scene)
        self.engine = create("impulse", self.model)
        self.control = free_control(self.model)
        self.control.tau[0] = torque
        self.reading = self.engine.read()
        self.start = energy(self.model, self.reading)
        self.gap = self.angle = self.drift = 0.0
        self.highest, self.lowest = self.start, self.potential()

    def potential(self) -> float:
        c = self.reading.position + np.einsum("nij,nj->ni", self.reading.rotation, self.model.body_center)
        return -float(self.model.body_mass @ (c @ self.model.gravity))

    def step(self, n: int) -> None:
        for k in range(n):
            self.engine.advance(self.control, 1e-3, 1)
            r = self.reading = self.engine.read()
            self.gap, self.angle = max(self.gap, r.joint_gap), max(self.angle, r.joint_angle_error)
            if k % 5 == 4 or k == n - 1:
                now = energy(self.model, r)
                self.drift = max(self.drift, abs(now - self.start - r.work))
                self.highest, self.lowest = max(self.highest, now), min(self.lowest, self.potential())

    @property
    def in_play(self) -> float:
        """max (T + V − V_min)."""
        return self.highest - self.lowest


@pytest.mark.parametrize("gravity", [0.0, 9.81])
@pytest.mark.parametrize("name", MECHANISMS)
def test_loops_hold_for_fifty_turns(name, gravity):
    """25 s from 2 turns a second; the energy oscillates by the square of the 12 mrad a step."""
    world = Watched(turning(MECHANISMS[name](), 2 * TURN, gravity))
    world.step(25_000)
    assert world.gap <= 1e-9
    assert world.angle <= 1e-9
    assert world.drift < 4e-4 * world.in_play
    assert world.reading.q[0] - world.model.q0[0] > 29 * TURN


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_dense_solver_holds_them_as_well(name):
    """Also the forces: of redundant rows those of least norm, which do not grow."""
    world = Watched(turning(MECHANISMS[name](), 2 * TURN, solver="dense"))
    world.step(500)
    first = np.abs(world.engine.save()["mu"]).max()
    world.step(4500)
    assert np.abs(world.engine.save()["mu"]).max() < 10 * first
    assert world.gap <= 1e-9
    assert world.drift < 4e-4 * world.in_play


@pytest.mark.parametrize("name", MECHANISMS)
def test_loops_converge_at_second_order(name):
    """Until the rhombus comes to its dead point, soon after 0.15 s: through one the motion is not smooth."""
    scene = turning(MECHANISMS[name](), 1.0, 9.81)

    def state(h: float) -> np.ndarray:
        r = run(scene, 0.15, h).read()
        return np.concatenate([r.position.ravel(), r.rotation.ravel()])

    exact = state(2.5e-5)
    coarse, fine = (np.abs(state(h) - exact).max() for h in (1e-3, 5e-4))
    assert 1.9 < np.log2(coarse / fine) < 2.1


def test_a_crank_turns_its_rocker_as_the_law_of_cosines_says():
    """At every step of a turn, from the crank's angle alone."""
    world = Watched(turning(load("four_bar"), 2 * TURN))
    for _ in range(500):
        world.step(1)
        B = 0.2 * np.array([np.cos(world.reading.q[0]), np.sin(world.reading.q[0])])
        d = np.array([0.5, 0.0]) - B
        along = (0.45**2 - 0.4**2 + d @ d) / (2 * np.linalg.norm(d))
        across = np.sqrt(0.45**2 - along**2)
        tip = B + (along * d + across * np.array([-d[1], d[0]])) / np.linalg.norm(d)
        rocker = world.reading.q[3]
        assert np.array([0.5 + 0.4 * np.cos(rocker), 0.4 * np.sin(rocker)]) == pytest.approx(tip, abs=2e-9)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("speed", [10.0, 1.0, 0.1, 1e-2, 1e-3])
@pytest.mark.parametrize("name", BRANCHING)
def test_dead_points_are_passed_at_any_speed(name, speed, solver):
    """Through the very dead point, without gravity: steps end on it where 20 mrad is a number of them."""
    build, dead = BRANCHING[name]
    world = Watched(turning(build(dead - (0.02 if speed > 5e-3 else 2e-3)), speed, solver=solver))
    world.step(round(min(4.0, 0.06 / speed) * 1000))
    assert world.gap <= 1e-9
    assert world.drift < 2e-3 * world.start + 2e-6
    assert world.reading.q[0] > dead + 1e-3


def crank_at(
    name: str, angle: float, speed: float = 0.0, gravity: tuple[float, float, float] = (0.0, 0.0, 0.0)
) -> Scene:
    """Built-in, with its crank elsewhere, or one of those that branch."""
    scene = BRANCHING[name][0](angle) if name in BRANCHING else load(name)
    return replace(with_joint(turning(scene, speed), scene.joints[0].name, q=(angle,)), gravity=gravity)


def center(scene: Scene) -> tuple[np.ndarray, np.ndarray]:
    """Place and velocity of the common centre of mass."""
    model = compile_model(scene)
    r = create("impulse", model).read()
    arms = np.einsum("nij,nj->ni", r.rotation, model.body_center)
    weights = model.body_mass / model.body_mass.sum()
    return weights @ (r.position + arms), weights @ (r.twist[:, 3:] + np.cross(r.twist[:, :3], arms))


# Where crank and coupler, or crank and rod, lie in line.
IN_LINE = {
    "four_bar": np.arccos((0.65**2 + 0.5**2 - 0.4**2) / (2 * 0.65 * 0.5)),
    "slider_crank": 0.0,
    **{name: dead for name, (_, dead) in BRANCHING.items()},
}


@pytest.mark.parametrize("name", IN_LINE)
def test_a_mechanism_that_runs_out_of_speed_at_its_dead_point(name):
    """Thrown uphill with just the energy to get there, a little less or more: gravity points so that it is the top."""
    dead = IN_LINE[name]
    before, along = dead - 0.4, center(crank_at(name, dead - 1e-4, 1.0))[1]
    down = 9.81 * np.array([along[2], 0.0, -along[0]]) / np.linalg.norm(along)
    lift = -down @ (center(crank_at(name, dead - 1e-6))[0] - center(crank_at(name, before))[0])
    if lift < 0.0:
        down, lift = -down, -lift
    gravity = (float(down[0]), 0.0, float(down[2]))
    model = compile_model(crank_at(name, before, 1.0))
    kinetic = energy(model, create("impulse", model).read())
    for part in (0.99, 0.999999, 1.0, 1.000001, 1.01):
        speed = float(np.sqrt(part * model.body_mass.sum() * lift / kinetic))
        world = Watched(crank_at(name, before, speed, gravity))
        world.step(2500)
        assert world.gap <= 1e-9
        assert world.drift < 1e-3 * world.in_play


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", BRANCHING)
def test_what_rests_at_a_dead_point_stays_until_it_is_pushed(name, solver):
    build, dead = BRANCHING[name]
    world = Watched(turning(build(dead), 0.0, solver=solver))
    world.step(200)
    assert world.reading.q[0] == pytest.approx(dead, abs=1e-12)
    assert not world.reading.v.any()
    for torque in (0.01, -0.01, 1.0):
        world = Watched(turning(build(dead), 0.0, solver=solver), torque)
        world.step(600)
        assert world.gap <= 1e-9
        assert world.drift < 2e-3 * world.reading.work + 2e-6
        assert np.sign(torque) * (world.reading.q[0] - dead) > 5e-3


@pytest.mark.parametrize("name", BRANCHING)
def test_a_speed_that_fits_no_branch_becomes_one_that_does(name):
    """An impact of the loop with itself: it takes energy, never gives any, and only at once."""
    build, dead = BRANCHING[name]
    world = Watched(turning(build(dead), 5.0))
    world.step(1)
    after = energy(world.model, world.reading)
    assert 0.2 * world.start < after <= world.start * (1 + 1e-9)
    world.start, world.drift = after, 0.0
    world.step(300)
    assert world.gap <= 1e-9
    assert world.drift < 1e-3 * after


@pytest.mark.parametrize("name", BRANCHING)
def test_the_way_taken_at_a_branch_is_always_the_same(name):
    build, dead = BRANCHING[name]

    def bits(torque: float) -> bytes:
        world = Watched(turning(build(dead), 0.0, 9.81), torque)
        world.step(300)
        return world.reading.q.tobytes() + world.reading.v.tobytes()

    assert bits(0.01) == bits(0.01)
    assert bits(-0.01) == bits(-0.01)


@pytest.mark.parametrize("name", ["equal_crank", "rhombus"])
def test_a_mirrored_push_gives_the_mirrored_motion(name):
    build, dead = BRANCHING[name]
    ends = []
    for side in (1.0, -1.0):
        world = Watched(turning(build(dead), 0.0), 0.01 * side)
        world.step(600)
        ends.append(side * (world.reading.q - world.model.q0))
    assert ends[0] == pytest.approx(ends[1], abs=1e-3 * np.abs(ends[0]).max())
