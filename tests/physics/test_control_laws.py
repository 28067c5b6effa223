"""What controllers promise, as laws: on every engine, at every corner of the sliders, from anywhere."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from benchmarks.reaching import anywhere, failures
from sim.command import SetGain, SetSwitch, SetTarget
from sim.control import CONTROLLERS
from sim.files import load
from sim.robot import Robot
from sim.scene import ControllerSpec, FormulaPath, LinePath, Scene, Target, WaypointPath
from sim.simulation import Simulation
from sim.start import with_start
from sim.target_path import position
from tests.worlds import ENGINES, hanging

OURS = ("impulse", "tree")
FLOATING = ("arm_gravity", "ball_arm_gravity", "arm_6r")


def undamped(scene: Scene) -> Scene:
    return replace(scene, joints=tuple(replace(j, damping=0.0) for j in scene.joints))


def controlled(scene: Scene, *specs: ControllerSpec) -> Scene:
    return replace(scene, controllers=specs)


def fastest(world: Simulation) -> float:
    return float(np.abs(world.history.last_rows(60.0)[:, world.history.columns["v"]]).max())


# --- gravity compensation -----------------------------------------------------------------------------


@pytest.mark.parametrize("engine", OURS)
@pytest.mark.parametrize("name", FLOATING)
@pytest.mark.parametrize(("damped", "poses"), [(False, 100), (True, 10)])
def test_an_arm_at_rest_stays_at_rest_in_any_pose(name, engine, damped, poses):
    scene, rng = load(name) if damped else undamped(load(name)), np.random.default_rng(0)
    with closing(Simulation(scene, engine)) as world:
        state, model = world.state, world.model
        for _ in range(poses):
            q = anywhere(model, rng)
            with closing(Simulation(with_start(scene, q), engine)) as posed:
                world.state = replace(posed.state, desk=state.desk)
            world.advance(10.0)
            assert np.abs(world.v).max() <= 1e-6


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", FLOATING[:2])
def test_switched_off_it_falls(name, engine):
    with closing(Simulation(load(name), engine)) as world:
        world.apply(SetSwitch("gravity", False))
        world.advance(0.1)
        assert np.abs(world.v).max() > 0.1
        before = world.history.last_rows(0.0)[-1, world.history.columns["potential"]]
        world.advance(0.2)
        assert world.history.last_rows(0.0)[-1, world.history.columns["potential"]] < before - 0.1


# --- PD -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["joint_pd", "stable_pd", "implicit_pd"])
def test_a_step_of_a_single_joint_follows_the_closed_form(kind, engine):
    """I q'' = −kp q − kd q', underdamped; the torque is held over steps of 0.1 ms."""
    kp, kd, start = 2.0, 0.02, 0.3
    pd = ControllerSpec("pd", kind, gains={"kp": kp, "kd": kd}, joint_target={"hinge": (0.0,)})
    scene = controlled(replace(hanging(start), gravity=(0.0, 0.0, 0.0)), pd)
    with closing(Simulation(scene, engine, dt=1e-4)) as world:
        inertia = world.model.body_inertia[0, 1, 1] + world.model.body_mass[0] * 0.125**2
        rate = kd / (2 * inertia)
        omega = np.sqrt(kp / inertia - rate**2)
        for t in (0.05, 0.1, 0.2):
            world.advance(t - world.time)
            exact = start * np.exp(-rate * t) * (np.cos(omega * t) + rate / omega * np.sin(omega * t))
            assert world.q[0] == pytest.approx(exact, abs=6e-3 * start)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("kind", ["stable_pd", "implicit_pd"])
@pytest.mark.parametrize("name", ["arm_pd", "ball_arm_pd"])
def test_a_hundred_times_the_usual_gains_stay_calm(name, kind, engine):
    scene = load(name)
    gains = {gain.name: 100 * gain.default for gain in CONTROLLERS[kind].gains}
    gravity, pd = scene.controllers
    with closing(Simulation(controlled(scene, gravity, replace(pd, kind=kind, gains=gains)), engine)) as world:
        world.advance(3.0)
        assert np.abs(world.v).max() < 1e-6
        for joint, q in pd.joint_target.items():
            places = world.desk._places(joint)
            assert np.abs(world.q[places] - np.array(q)).max() < 1e-6
        assert fastest(world) < 45.0


@pytest.mark.parametrize("kind", ["stable_pd", "implicit_pd"])
def test_foreseeing_controllers_become_plain_pd_as_the_step_shrinks(kind):
    def difference(dt: float) -> float:
        ends = []
        for k in ("joint_pd", kind):
            gravity, pd = load("arm_pd").controllers
            world = Simulation(controlled(load("arm_pd"), gravity, replace(pd, kind=k)), "tree", dt)
            world.advance(0.4)
            ends.append(world.q)
        return float(np.abs(ends[0] - ends[1]).max())

    coarse, fine = difference(1e-3), difference(5e-4)
    assert fine < 5e-3 and coarse / fine > 1.8


@pytest.mark.parametrize("engine", ENGINES)
def test_with_computed_torque_every_joint_is_alone(engine):
    """e'' + kd e' + kp e = 0 with kp = ω², kd = 2ω: e = e₀ (1 + ω t) e^(−ω t), whatever the others do."""
    omega, goal = 6.0, {"yaw": (0.4,), "shoulder": (0.2,), "elbow": (1.2,)}
    spec = ControllerSpec("ct", "computed_torque", gains={"kp": omega**2, "kd": 2 * omega}, joint_target=goal)
    with closing(Simulation(controlled(load("arm_pd"), spec), engine, 2.5e-4)) as world:
        start, wanted = world.q, np.array([q[0] for q in goal.values()])
        for t in (0.1, 0.3, 0.6):
            world.advance(t - world.time)
            exact = (wanted - start) * (1 + omega * t) * np.exp(-omega * t)
            assert np.allclose(wanted - world.q, exact, atol=2e-3)


@pytest.mark.parametrize("engine", ENGINES)
def test_at_every_corner_of_the_sliders_no_joint_runs_away(engine):
    """The target jumps 0.9 m every second for 10 s."""
    gains = CONTROLLERS["jacobian_transpose"].gains
    for corner in product(*((gain.low, gain.high) for gain in gains)):
        with closing(Simulation(load("arm_reach"), engine)) as world:
            for gain, value in zip(gains, corner, strict=True):
                world.apply(SetGain("reach", gain.name, value))
            for second in range(10):
                world.apply(SetTarget("target", (0.5, 0.45 if second % 2 else -0.45, 0.6)))
                world.advance(1.0)
            assert fastest(world) < 45.0, corner


# --- reaching -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("engine", "count"), [("impulse", 200), ("tree", 200), ("pybullet", 8)])
@pytest.mark.parametrize("name", ["arm_reach", "ball_arm_reach"])
def test_the_tool_reaches_targets_from_anywhere(name, engine, count):
    assert failures(name, engine, count) == []


@pytest.mark.soak
@pytest.mark.parametrize("name", ["arm_reach", "ball_arm_reach"])
def test_the_tool_reaches_all_targets_on_pybullet(name):
    assert failures(name, "pybullet", 200) == []


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["arm_reach", "ball_arm_reach"])
def test_an_arm_stretches_calmly_towards_what_it_cannot_reach(name, engine):
    with closing(Simulation(load(name), engine)) as world:
        base = world.model.joint_position[-3 if name == "ball_arm_reach" else 1] + np.array(
            [0.0, 0.0, 0.0 if name == "ball_arm_reach" else 0.3]
        )
        reach = 1.15 if name == "ball_arm_reach" else 0.95
        goal = base + np.array([1.2, 0.6, 0.4])
        world.apply(SetTarget("target", tuple(float(x) for x in goal)))
        world.advance(8.0)
        tool = world.snapshot().frames[0]
        along = (goal - base) / np.linalg.norm(goal - base)
        assert np.abs(world.v).max() < 0.05
        assert np.linalg.norm(tool - base - reach * along) < 0.02


@pytest.mark.parametrize("engine", OURS)
@pytest.mark.parametrize("period", [2.0, 1.0])
def test_in_operational_space_the_lag_on_a_circle_is_that_of_a_lone_mass(engine, period):
    """e'' + kd e' + kp e = x_t'': amplitude ω² r / √((kp − ω²)² + (kd ω)²)."""
    kp, kd, radius = 150.0, 20.0, 0.1
    scene = load("arm_reach")
    target = replace(scene.targets[0], path=replace(scene.targets[0].path, radius=radius, period=period))
    spec = ControllerSpec("os", "operational_space", gains={"kp": kp, "kd": kd}, target="target")
    free = tuple(replace(j, torque_limit=None) for j in scene.joints)
    with closing(Simulation(controlled(replace(scene, targets=(target,), joints=free), spec), engine)) as world:
        world.advance(3.0 + period)
        _, error = world.history.read("tool_error", period)
        omega = 2 * np.pi / period
        expected = 1e3 * omega**2 * radius / np.hypot(kp - omega**2, kd * omega)
        assert error.max() == pytest.approx(expected, rel=0.05)
        assert error.min() == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pose_is_reached_with_its_attitude(engine):
    """Nine axes are enough for six."""
    half = np.sqrt(0.5)
    scene = load("ball_arm_reach")
    target = Target("target", (0.5, 0.3, 1.0), "tool", rotation=(half, 0.0, half, 0.0))
    gravity, reach = scene.controllers
    pose = replace(reach, kind="pose_transpose", gains={"kr": 60.0, "kw": 6.0})
    # A turning damper on a slender link is stiff: 6 N·m·s/rad over 3e-4 kg·m² wants short steps.
    hand = replace(scene.bodies[2], inertia=(0.02, 0.02, 0.02, 0.0, 0.0, 0.0))
    scene = replace(scene, targets=(target,), bodies=(*scene.bodies[:2], hand))
    with closing(Simulation(controlled(scene, gravity, pose), engine)) as world:
        world.advance(6.0)
        tool = Robot(world.scene).pose("tool", world.q)
        assert np.linalg.norm(tool[:3, 3] - target.position) < 1e-3
        assert np.allclose(tool[:3, :3], [[0, 0, 1], [0, 1, 0], [-1, 0, 0]], atol=2e-3)


# --- engines against each other -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["arm_pd", "arm_reach", "ball_arm_pd", "ball_arm_reach", "arm_6r_reach"])
def test_the_same_controller_moves_our_engines_alike(name):
    ends = []
    for engine in OURS:
        with closing(Simulation(load(name), engine)) as world:
            world.advance(2.0)
            ends.append(world.q)
    assert np.abs(ends[0] - ends[1]).max() < 1e-4


@pytest.mark.parametrize("name", ["arm_pd", "arm_reach", "ball_arm_reach"])
def test_pybullet_comes_closer_in_proportion_to_the_step(name):
    def difference(dt: float) -> float:
        ends = []
        for engine in ("impulse", "pybullet"):
            with closing(Simulation(load(name), engine, dt)) as world:
                world.advance(0.5)
                ends.append(world.q)
        return float(np.abs(ends[0] - ends[1]).max())

    coarse, fine = difference(2e-3), difference(1e-3)
    assert coarse / fine >= 1.8


# --- what is given, and where it goes -----------------------------------------------------------------


@pytest.mark.parametrize("engine", ENGINES)
def test_shares_add_up_to_what_acts_and_stay_within_the_limits(engine):
    with closing(Simulation(load("arm_reach"), engine)) as world:
        for gain, value in (("kp", 3000.0), ("force_cap", 1000.0)):
            world.apply(SetGain("reach", gain, value))
        world.apply(SetTarget("target", (0.3, 0.8, 0.9)))
        most = 0.0
        for _ in range(300):
            world.step()
            applied = world.history.last_rows(0.0)[-1, world.history.columns["tau"]]
            assert np.allclose(sum(world.snapshot().torques.values()), applied, atol=1e-9)
            most = max(most, np.abs(applied).max())
        assert most == pytest.approx(60.0, abs=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_given_torque_turns_a_weightless_joint_as_newton_says(engine):
    """I q'' = τ + a t: q = τ t²/2I + a t³/6I; the torque is that of the start of every step."""
    spec = ControllerSpec("push", "torque", torque={"hinge": ("0.01 + 0.04*t",)})
    scene = controlled(replace(hanging(0.0), gravity=(0.0, 0.0, 0.0)), spec)
    with closing(Simulation(scene, engine, dt=2e-4)) as world:
        inertia = world.model.body_inertia[0, 1, 1] + world.model.body_mass[0] * 0.125**2
        world.advance(0.5)
        exact = (0.01 * 0.5**2 / 2 + 0.04 * 0.5**3 / 6) / inertia
        assert world.q[0] == pytest.approx(exact, rel=2e-3)


def test_targets_move_where_their_paths_say():
    paths = {
        "circle": load("arm_reach").targets[0].path,
        "line": LinePath((0.3, 0.4, 0.9), 2.0),
        "waypoints": WaypointPath(((0.5, 0.3, 0.6), (0.5, -0.3, 0.4)), 3.0),
        "formula": FormulaPath(("0.5 + 0.1*sin(3*t)", 0.25, "0.6 + 0.05*max(cos(2*t), 0)*exp(-t/4)")),
    }
    for path in paths.values():
        target = replace(load("arm_reach").targets[0], path=path)
        world = Simulation(replace(load("arm_reach"), targets=(target,)), "tree")
        for _ in range(40):
            world.step(83)
            assert np.allclose(world.snapshot().targets[0], position(target, world.time), atol=1e-12)
            h = 1e-5
            speed = (position(target, world.time + h) - position(target, world.time - h)) / (2 * h)
            assert np.allclose(world.desk.controls.velocity[0], speed, atol=1e-6)
