"""Controllers by what they do to a world, on both engines."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.command import PullBody, ReleaseBody, SetGain, SetSwitch, SetTarget
from sim.files import load
from sim.robot import Robot
from sim.scene import ControllerSpec, Scene
from sim.simulation import Simulation
from tests.worlds import ENGINES, hanging, random_tree


def posed(name: str, q: np.ndarray) -> Scene:
    """An arm scene started from q."""
    scene = load(name)
    joints = tuple(replace(j, q=(float(x),)) for j, x in zip(scene.joints, q, strict=True))
    return replace(scene, joints=joints)


@pytest.mark.parametrize("engine", ENGINES)
def test_gravity_compensation_holds_any_pose_and_letting_go_drops_it(engine):
    rng = np.random.default_rng(0)
    for _ in range(5):
        q = rng.uniform([-3.0, -1.8, -2.3], [3.0, 1.8, 2.3])
        world = Simulation(posed("arm_gravity", q), engine)
        world.advance(2.0)
        assert np.abs(world.v).max() < 1e-6
        assert np.allclose(world.q, q, atol=1e-6)
        world.apply(SetSwitch("gravity", False))
        world.advance(0.1)
        assert np.abs(world.v).max() > 0.1
        world.close()


def test_weight_is_carried_at_ball_joints_too():
    scene = replace(random_tree(3), controllers=(ControllerSpec("gravity", "gravity"),))
    scene = replace(scene, joints=tuple(replace(j, v=()) for j in scene.joints))
    world = Simulation(scene)
    world.advance(0.5)
    assert np.abs(world.v).max() < 1e-6


def test_pd_of_a_single_joint_follows_the_closed_form():
    """I q'' = kp (q_t − q) − kd q': an underdamped oscillator, torque held over each 1 ms step."""
    kp, kd, start, wanted = 2.0, 0.02, 0.3, 0.0
    pd = ControllerSpec("pd", "joint_pd", gains={"kp": kp, "kd": kd}, joint_target={"hinge": (wanted,)})
    scene = replace(hanging(start), gravity=(0.0, 0.0, 0.0), controllers=(pd,))
    fine = Simulation(scene, dt=1e-4)
    inertia = fine.model.body_inertia[0, 1, 1] + fine.model.body_mass[0] * 0.125**2
    rate, omega = kd / (2 * inertia), np.sqrt(kp / inertia - (kd / (2 * inertia)) ** 2)
    for t in (0.05, 0.1, 0.2):
        fine.advance(t - fine.time)
        exact = start * np.exp(-rate * t) * (np.cos(omega * t) + rate / omega * np.sin(omega * t))
        assert fine.q[0] == pytest.approx(exact, abs=2e-3 * start)


def test_pd_turns_a_ball_joint_the_short_way_to_its_target():
    half = np.sqrt(0.5)
    pd = ControllerSpec("pd", "joint_pd", gains={"kp": 20.0, "kd": 1.0}, joint_target={"ball": (half, 0.0, half, 0.0)})
    ball = replace(hanging(0.0).joints[0], name="ball", kind="ball", q=(), axis=(0.0, 0.0, 1.0))
    scene = replace(hanging(0.0), gravity=(0.0, 0.0, 0.0), joints=(ball,), controllers=(pd,))
    world = Simulation(scene)
    world.advance(3.0)
    assert np.allclose(world.q, [half, 0.0, half, 0.0], atol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_tool_reaches_where_the_target_is_put(engine):
    world = Simulation(load("arm_reach"), engine)
    for place in ((0.5, 0.3, 0.5), (0.2, -0.5, 0.8), (0.6, 0.1, 0.3)):
        world.apply(SetTarget("target", place))
        world.advance(3.0)
        assert np.linalg.norm(world.snapshot().frames[0] - place) < 1e-3
    world.close()


def test_the_pull_on_the_tool_is_never_stronger_than_its_cap():
    """Virtual work: the torques of a capped force f give τ·v ≤ |f| |ẋ| for every motion."""
    world = Simulation(load("arm_reach"))
    world.apply(SetTarget("target", (50.0, 0.0, 50.0)))
    world.apply(SetGain("reach", "force_cap", 20.0))
    rng = np.random.default_rng(1)
    robot = Robot(world.scene)
    for _ in range(200):
        world.step(4)
        before = world.q
        world.step()
        tau = world.snapshot().torques["reach"]
        jacobian = robot.jacobian("tool", before)[3:]
        v = rng.normal(size=len(before))
        assert tau @ v <= 20.0 * np.linalg.norm(jacobian @ v) * (1 + 1e-9) + 1e-9


def test_torque_limits_hold_for_the_sum_of_all_controllers():
    world = Simulation(load("arm_reach"))
    world.apply(SetTarget("target", (0.9, 0.9, 0.9)))
    world.apply(SetGain("reach", "kp", 3000.0))
    world.apply(SetGain("reach", "force_cap", 1000.0))
    world.advance(1.0)
    _, torque = world.history.read("torque", 1.0)
    assert np.abs(torque).max() == pytest.approx(60.0)


def test_a_target_on_its_circle_is_followed():
    world = Simulation(load("arm_reach"))
    world.advance(6.0)
    _, error = world.history.read("tool_error", 3.0)
    assert error.max() < 30.0
    first = world.snapshot().targets[0]
    world.advance(3.0)
    assert np.linalg.norm(world.snapshot().targets[0] - first) == pytest.approx(0.3, abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_the_mouse_pulls_a_free_body_with_the_force_it_shows(engine):
    """Impulse = change of momentum, and the shown force is capped."""
    world = Simulation(replace(load("free_body"), gravity=(0.0, 0.0, 0.0)), engine)
    name, mass = world.model.body_names[0], world.model.body_mass[0]
    before = mass * world.v[3:]
    world.apply(PullBody(name, (0.0, 0.0, 0.0), (0.2, 0.1, 0.6)))
    impulse = np.zeros(3)
    for _ in range(100):
        world.step()
        pull = world.snapshot().pull
        assert pull is not None
        impulse += pull.force * world.dt
        assert np.linalg.norm(pull.force) <= 25 * 9.81 * mass * (1 + 1e-12)
    world.apply(ReleaseBody())
    center = world.reading.twist[0, 3:] + np.cross(
        world.reading.twist[0, :3], world.reading.rotation[0] @ world.model.body_center[0]
    )
    start = before + mass * np.cross(world.model.v0[:3], world.model.body_center[0])
    assert np.allclose(mass * center - start, impulse, rtol=1e-6, atol=1e-9)
    world.close()


def test_our_engine_and_pybullet_come_closer_as_the_step_shrinks():
    """PyBullet is of first order: half the step, half the difference."""

    def difference(dt: float) -> float:
        ends = []
        for engine in ENGINES:
            world = Simulation(load("arm_pd"), engine, dt)
            world.advance(0.5)
            ends.append(world.q)
            world.close()
        return float(np.abs(ends[0] - ends[1]).max())

    coarse, fine = difference(2e-3), difference(1e-3)
    assert fine < 2e-3
    assert coarse / fine > 1.8
