"""The account of work: E(t) − E(0) = W(t), whatever acts; and viscous damping by its closed forms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim import Simulation, load
from sim.command import PullBody, ReleaseBody
from sim.scene import Body, Input, Joint, Pose, Scene
from tests.mechanisms import four_bar
from tests.watch import OURS, SOLVERS, Watched, weightless
from tests.worlds import hanging, random_tree, rod

ROD = 0.25 * (0.25**2 + 0.03**2) / 12 + 0.25 * 0.125**2
ARM = (
    Joint("ball", "ball", "world", "r0", q=(0.8, 0.6, 0.0, 0.0), v=(1.0, -2.0, 3.0)),
    Joint("hinge", "hinge", "r0", "r1", Pose((0.0, 0.0, -0.25)), axis=(1.0, 0.0, 0.0), q=(0.4,), v=(4.0,)),
    Joint("slide", "slider", "r1", "r2", Pose((0.0, 0.0, -0.25)), axis=(0.0, 0.6, 0.8), q=(0.05,), v=(0.3,)),
)


def arm(*changes: dict, inputs: tuple[Input, ...] = ()) -> Scene:
    """A ball, a hinge and a slider in a row."""
    joints = tuple(replace(j, **c) for j, c in zip(ARM, changes or ({},) * 3, strict=True))
    return Scene("arm", "Arm", bodies=tuple(rod(f"r{i}") for i in range(3)), joints=joints, inputs=inputs)


DRIVES = (
    Input("a", joint="ball", torque=("0.3*sin(9*t)", 0.1, "0.2*cos(5*t)")),
    Input("b", joint="hinge", torque=("0.2*sin(7*t)",)),
    Input("c", joint="slide", torque=("cos(6*t)",)),
    Input("d", body="r2", force=("2*sin(4*t)", 0.5, "t"), at=(0.05, 0.02, -0.1), torque=(0.0, "0.05*t", 0.0)),
)
SMOOTH = {
    "damping": arm({"damping": 0.01}, {"damping": 0.02}, {"damping": 1.0}),
    "friction": arm({"friction": 0.05}, {"friction": 0.01}, {"friction": 0.05}),
    "inputs": arm(inputs=DRIVES),
    "a loop": replace(
        four_bar(0.7, v=(6.0,), damping=0.05, friction=0.1, rotor_inertia=0.01),
        inputs=(Input("motor", joint="ground", torque=("0.3*sin(5*t)",)),),
    ),
    "all together": arm(
        {"damping": 0.01, "friction": 0.02},
        {"damping": 0.02, "friction": 0.01, "rotor_inertia": 0.01},
        {"damping": 1.0, "friction": 0.05, "rotor_inertia": 0.5},
        inputs=DRIVES,
    ),
}  # fmt: skip


def driven(scene: Scene, solver: str, h: float) -> float:
    """The imbalance after 0.15 s, with torques and wrenches held on top of what the scene has."""
    world = Watched(scene, solver, h)
    rng = np.random.default_rng(1)
    world.control.tau[:] = 0.1 * rng.normal(size=world.model.nv)
    world.control.wrench[:] = 0.1 * rng.normal(size=world.control.wrench.shape)
    return world.track(0.15).imbalance


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", SMOOTH)
def test_energy_changes_by_the_work_done_to_second_order(name, solver):
    coarse, fine = (driven(SMOOTH[name], solver, h) for h in (1e-3, 5e-4))
    assert 1.7 < np.log2(coarse / fine) < 2.3
    assert coarse < 1e-3


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 1.0])
def test_impacts_account_for_what_they_take(restitution, solver):
    stops = {"limits": (-0.2, 0.6), "restitution": restitution, "rotor_inertia": 0.003}
    scene = arm({"cone": 1.5, "restitution": restitution}, stops, {"limits": (0.0, 0.06), "restitution": restitution})
    track = Watched(scene, solver).track(1.0)
    assert np.abs(track.work).max() > (0.1 if restitution < 1.0 else -1.0)
    assert track.imbalance < 2e-4


def test_free_bodies_account_for_forces_at_their_points_and_on_their_joint():
    body = Body(
        "body", 2.0, (0.1, -0.05, 0.2), (0.02, 0.03, 0.04, 0.001, 0.002, 0.0), velocity=(2.0, -1.0, 3.0, 1.0, 0.0, 0.0)
    )
    push = Input("push", body="body", force=("3*sin(2*t)", 1.0, "t"), at=(0.3, 0.0, -0.1))
    scene = Scene("free", "Free", bodies=(body,), inputs=(push,))

    def imbalance(h: float) -> float:
        world = Watched(scene, dt=h)
        world.control.tau[:] = (0.05, 0.1, -0.02, 0.5, 1.0, -0.3)
        return world.track(0.5).imbalance

    assert 1.8 < np.log2(imbalance(2e-3) / imbalance(1e-3)) < 2.2


@pytest.mark.parametrize("name", ["arm_reach", "arm_pd", "arm_gravity"])
def test_the_ledger_balances_on_arms_with_everything_on(name):
    """Controllers, friction, rotors, stops, a timed input and the mouse at once: energy_drift ≤ 1e-3."""
    scene = load(name)
    joints = tuple(
        replace(j, friction=0.3, rotor_inertia=1e-5, gear=50.0, limits=(-1.2, 1.9), restitution=0.4)
        for j in scene.joints
    )
    tip = scene.bodies[-1].name
    inputs = (Input("gust", body=tip, force=(0.0, "5*sin(3*t)", 0.0), at=(0.1, 0.0, 0.0)),)
    world = Simulation(replace(scene, joints=joints, inputs=inputs))
    world.advance(1.0)
    world.apply(PullBody(tip, (0.2, 0.0, 0.0), (0.2, 0.5, 0.9)))
    world.advance(1.0)
    world.apply(ReleaseBody())
    world.advance(1.0)
    assert abs(world.ledger.energy_work) > 0.1
    assert world.ledger.energy_drift <= 1e-3
    assert world.ledger.joint_gap <= 1e-8


def test_the_pull_of_the_mouse_is_accounted_for_alone():
    world = Simulation(load("hinge_chain"))
    world.apply(PullBody(world.scene.bodies[-1].name, (0.1, 0.0, 0.0), (0.3, 0.2, 0.9)))
    world.advance(2.0)
    assert abs(world.ledger.energy_work) > 0.1 and world.ledger.energy_drift <= 1e-3


# Damping by closed forms


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("axis", range(3))
def test_a_damped_ball_decays_exponentially(axis, solver):
    """About a principal axis through the centre: ω = ω₀ exp(−d t/I)."""
    moments, v = (0.01, 0.012, 0.02), [0.0, 0.0, 0.0]
    v[axis] = 3.0
    body = Body("body", 1.0, (0.0, 0.0, 0.0), (*moments, 0.0, 0.0, 0.0))
    joint = Joint("ball", "ball", "world", "body", v=tuple(v), damping=0.05)
    r = Watched(weightless(Scene("ball", "Ball", bodies=(body,), joints=(joint,))), solver).step(400)
    assert r.v[axis] == pytest.approx(3.0 * np.exp(-0.05 / moments[axis] * 0.4), rel=1e-5)
    assert np.abs(np.delete(r.v, axis)).max() < 1e-12


@pytest.mark.parametrize("solver", OURS)
def test_a_damped_fall_reaches_its_terminal_rate(solver):
    """m v̇ = −m g − d v: v = −(m g/d)(1 − exp(−d t/m))."""
    body = Body("block", 2.0, (0.0, 0.0, 0.0), (0.01, 0.01, 0.01, 0.0, 0.0, 0.0))
    joint = Joint("slide", "slider", "world", "block", damping=30.0)
    track = Watched(Scene("fall", "Fall", bodies=(body,), joints=(joint,)), solver).track(1.0)
    terminal = 2 * 9.81 / 30.0
    assert np.abs(track.v[:, 0] + terminal * (1 - np.exp(-15.0 * track.t))).max() < 1e-4 * terminal
    assert track.v[-1, 0] == pytest.approx(-terminal, rel=1e-6)


@pytest.mark.parametrize("solver", OURS)
@pytest.mark.parametrize("damping", [1e2, 1e4, 1e6])
def test_overwhelming_damping_neither_overshoots_nor_gains(damping, solver):
    """Every joint of a mixed tree, decay times down to nanoseconds."""
    scene = random_tree(3)
    world = Watched(replace(scene, joints=tuple(replace(j, damping=damping) for j in scene.joints)), solver)
    track = world.track(0.05)
    # The tree's positions go on with the mean of both ends' velocities: of 60 J.
    assert track.rise < (5e-5 if solver == "tree" else 1e-9) and track.gap.max() <= 1e-8
    pairs = Watched(weightless(hanging(0.0, damping, v=(5.0,))), solver).track(0.01)
    assert pairs.v.min() >= -1e-12 and pairs.v[-1, 0] < 1e-3
