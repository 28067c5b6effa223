"""Torques by cause: each is what its own law says, and together they are what accelerates the joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sim
from sim.cause_names import CORIOLIS, GRAVITY, MOUSE, cause_names, held_name
from sim.command import PullBody, Reset, SetBackend, SetSwitch
from sim.scene import Input
from sim.simulation import Simulation
from tests.worlds import ENGINES, hanging, random_tree


def explained(scene, backend="impulse", dt=1e-3, seconds=0.5):
    """A world after some time, and a function that gives a cause at the last step by name (nv,)."""
    world = Simulation(scene, backend, dt)
    world.explain(True)
    world.advance(seconds)

    def cause(name: str, row: int = -1) -> np.ndarray:
        at = (world.history.count + row) % len(world.history.causes)
        return world.history.causes[at, cause_names(world.model).index(name)]

    return world, cause


def middle(world):
    """q, v and acceleration in the middle of the last step, from the history; of worlds without quaternions."""
    rows, columns = world.history.last_rows(3 * world.dt)[-2:], world.history.columns
    q, v = rows[:, columns["q"]], rows[:, columns["v"]]
    return q.mean(0), v.mean(0), (v[1] - v[0]) / world.dt


@pytest.mark.parametrize("backend", ENGINES)
def test_gravity_coriolis_and_their_sum_are_those_of_the_equation_of_motion(backend):
    """M, C and g come from other algorithms: CRBA, the Coriolis matrix, and the weights."""
    scene = sim.load("three_link_arm" if backend == "pybullet" else "arm_6r")
    world, cause = explained(scene, backend)
    q, v, a = middle(world)
    robot = sim.Robot(scene)
    assert cause(GRAVITY) == pytest.approx(-robot.gravity_torques(q), abs=1e-11)
    assert cause(CORIOLIS) == pytest.approx(-robot.coriolis_matrix(q, v) @ v, abs=1e-11)
    total = sum(cause(name) for name in cause_names(world.model))
    assert total == pytest.approx(robot.mass_matrix(q) @ a, abs=1e-11 * np.abs(total).max() + 1e-11)
    world.close()


@pytest.mark.parametrize("backend", ["impulse", "tree"])
@pytest.mark.parametrize("seed", range(4))
def test_joints_without_friction_hold_nothing_to_second_order(backend, seed):
    """Balls, sliders and flying bases too: what is left over falls by 4 with half the step.

    Joints are held to 1e-10 m, so accelerations are off by up to that over h²: of some trees as much as what is left
    over at 0.5 ms, but far less at 2 ms.
    """
    scene = random_tree(seed, 6, floating=seed % 2 == 1)

    def left_over(dt):
        world, cause = explained(scene, backend, dt, 0.2)
        size = max(np.abs(cause(name)).max() for name in (GRAVITY, CORIOLIS))
        return np.abs(cause(held_name(world.model))).max() / size

    coarse, fine = left_over(4e-3), left_over(2e-3)
    assert coarse < 1e-4
    assert fine == pytest.approx(coarse / 4, rel=0.1)


@pytest.mark.parametrize("backend", ENGINES)
def test_damping_is_what_the_joints_hold(backend):
    world, cause = explained(hanging(1.0, damping=0.02), backend, 1e-4)
    _, v, _ = middle(world)
    assert abs(v[0]) > 0.5
    assert cause("friction") == pytest.approx(-0.02 * v, rel=2e-3)
    world.close()


@pytest.mark.parametrize("backend", ["impulse", "tree"])
def test_sliding_friction_is_its_bound_and_sticking_friction_carries_the_weight(backend):
    world, cause = explained(hanging(1.5, friction=0.05), backend, 1e-4, 0.1)
    assert world.v[0] < -0.1
    assert cause("friction") == pytest.approx(0.05, rel=1e-4)
    world, cause = explained(hanging(0.1, friction=0.05), backend, 1e-4, 0.1)
    assert world.v[0] == pytest.approx(0.0, abs=1e-12)
    assert cause("friction") == pytest.approx(-cause(GRAVITY), abs=1e-10)
    assert abs(cause(GRAVITY)[0]) > 0.01


@pytest.mark.parametrize("backend", ["impulse", "tree"])
def test_a_stop_carries_what_rests_on_it(backend):
    scene = hanging(1.0, limits=(0.5, 2.0))
    world, cause = explained(scene, backend, 1e-3, 3.0)
    assert world.q[0] == pytest.approx(0.5, abs=1e-8)
    assert cause("stops") == pytest.approx(-cause(GRAVITY), rel=1e-6)
    assert cause("stops")[0] > 0.1


@pytest.mark.parametrize("backend", ENGINES)
def test_the_mouse_turns_joints_by_its_jacobian(backend):
    world, cause = explained(sim.load("arm_gravity"), backend, seconds=0.05)
    body, point = world.model.body_names[-1], (0.1, 0.0, 0.05)
    world.apply(PullBody(body, point, (0.3, 0.6, 0.9)))
    world.step(20)
    robot, force = sim.Robot(world.scene), world.snapshot().pull.force
    q, _, _ = middle(world)
    pose, jacobian = robot.pose(body, q), robot.jacobian(body, q)
    arm = pose[:3, :3] @ point
    torque = jacobian[:3].T @ np.cross(arm, force) + jacobian[3:].T @ force
    assert np.abs(torque).max() > 1.0
    # The force is held where it was at the step's start, and turns about the centre of mass: second order in h.
    assert cause(MOUSE) == pytest.approx(torque, rel=1e-2, abs=1e-2 * np.abs(torque).max())
    world.close()


def test_controllers_have_the_shares_that_snapshots_tell():
    world, cause = explained(sim.load("arm_reach"))
    torques = world.snapshot().torques
    assert set(torques) == {"gravity", "reach"}
    for name, torque in torques.items():
        assert (cause(f"{name} control") == torque).all()
    world.apply(SetSwitch("reach", False))
    world.step()
    assert not cause("reach control").any()


def test_inputs_on_joints_and_bodies_are_causes_at_the_middle_of_the_step():
    turn = Input("turn", joint="hinge", torque=("3*t",))
    push = Input("push", body="rod", force=(2.0, 0.0, 0.0), at=(0.0, 0.0, -0.25))
    world, cause = explained(replace(hanging(0.3), inputs=(turn, push)), dt=2e-4, seconds=0.4)
    q, _, _ = middle(world)
    t = world.time - 0.5 * world.dt
    lever = -0.25 * np.cos(q[0])  # of a force along x about y, 0.25 m below the hinge
    assert cause("inputs")[0] == pytest.approx(3 * t + 2.0 * lever, abs=1e-9)
    assert cause("friction") == pytest.approx(0.0, abs=1e-5)


def test_watching_changes_no_bit_of_the_run():
    plain, watched = (Simulation(sim.load("arm_reach")) for _ in range(2))
    plain.advance(0.3)
    watched.advance(0.1)
    watched.explain(True)
    watched.advance(0.1)
    watched.explain(False)
    watched.advance(0.1)
    assert watched.state.digest() == plain.state.digest()


def test_causes_begin_when_somebody_watches_and_go_on_with_another_engine_and_from_the_start():
    world = Simulation(sim.load("arm_gravity"))
    world.step(50)
    world.explain(True)
    world.step(50)
    times, values = world.history.read("causes", 10.0)
    known = np.isfinite(values).all(1)
    assert len(times) == 101 and known.tolist() == [False] * 51 + [True] * 50
    world.apply(SetBackend("tree"))
    world.step(20)
    _, values = world.history.read("causes", 10.0)
    assert np.isfinite(values[-20:]).all()
    world.apply(Reset())
    world.step(5)
    times, values = world.history.read("causes", 10.0)
    assert np.isfinite(values).all(1).tolist() == [False] + [True] * 5


def test_a_jump_of_the_state_is_nobody_s_torque():
    world = Simulation(sim.load("double_pendulum:b"))
    world.explain(True)
    start = world.state
    world.step(50)
    world.state = start
    world.step(2)
    _, values = world.history.read("causes", 10.0)
    assert np.isnan(values[-2]).all() and np.isfinite(values[-1]).all()
