"""The tree engine on smooth scenes: references, orders of the integrators, power balance, agreement with the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.backend import INTEGRATORS, create
from sim.files import load
from sim.model import BALL, FREE, compile_model
from sim.robot import Robot
from sim.scene import Body, Input, Scene
from sim.simulation import Simulation
from sim.spatial.rotation import quat_to_matrix, rotation_vector
from tests.worlds import energy, free_control, random_forest, run

ORDERS = {"euler": 1, "explicit_euler": 1, "rk4": 4, "ab4": 4, "gauss4": 4}

# physics.md B at t = 4 s, from 34-digit extrapolation.
DOUBLE_PENDULUM = {
    "a": (18.258280778478, 8.850180755529, 4.567801104512, 4.120047018448),
    "b": (2.313101526686, -5.101177799781, 7.313378358916, -4.294554344625),
    "c": (3.449166380392, -7.857784683046, -2.491613155966, 8.830939391850),
}


def after(scene: Scene, seconds: float, h: float, integrator: str | None = None):
    return run(replace(scene, integrator=integrator), seconds, h, "tree").read()


def apart(model, a, b) -> float:
    """The largest difference of two readings: angles between rotations, whatever sign their quaternions have."""
    worst = float(np.abs(a.v - b.v).max())
    for j, kind in enumerate(model.joint_type):
        qa, qb = (r.q[model.joint_q[j] : model.joint_q[j + 1]] for r in (a, b))
        if kind in (BALL, FREE):
            turn = quat_to_matrix(qa[-4:]).T @ quat_to_matrix(qb[-4:])
            worst = max(worst, float(np.linalg.norm(rotation_vector(turn))))
            qa, qb = qa[:-4], qb[:-4]
        worst = max(worst, float(np.abs(qa - qb).max(initial=0.0)))
    return worst


def test_every_integrator_has_an_order():
    assert set(ORDERS) == set(INTEGRATORS["tree"])


@pytest.mark.parametrize("variant", "bc")
@pytest.mark.parametrize(("integrator", "bound"), [("gauss4", 1e-6), ("rk4", 1e-4)])
def test_the_double_pendulum_meets_its_reference_at_a_millisecond(variant, integrator, bound):
    r = after(load(f"double_pendulum:{variant}"), 4.0, 1e-3, integrator)
    assert np.abs(np.concatenate([r.q, r.v]) - DOUBLE_PENDULUM[variant]).max() < bound


@pytest.mark.parametrize("variant", "abc")
@pytest.mark.parametrize("integrator", ["gauss4", "rk4", "ab4"])
def test_the_double_pendulum_comes_to_its_reference_as_the_step_shrinks(variant, integrator):
    r = after(load(f"double_pendulum:{variant}"), 4.0, 1e-4, integrator)
    assert np.abs(np.concatenate([r.q, r.v]) - DOUBLE_PENDULUM[variant]).max() < 5e-7


def tumbling(speed: float = 2.0) -> Scene:
    """A free body without weight whose origin is not its centre of mass, turning mostly about its middle axis."""
    body = Body(
        "stone", 1.5, (0.1, -0.05, 0.2), (0.4, 0.7, 1.0, 0.02, 0.0, 0.01), velocity=(0.3, speed, 0.4, 0.5, 0.0, 0.1)
    )
    return Scene("stone", "Stone", bodies=(body,), gravity=(0.0, 0.0, 0.0))


def swinging() -> Scene:
    """ball_arm thrown about, with a tenth of its damping, so that at 1 ms ab4 can follow it too."""
    scene = load("ball_arm")
    joints = tuple(replace(j, v=(4.0, -5.0, 3.0), damping=0.1 * j.damping) for j in scene.joints)
    return replace(scene, joints=joints)


# scene, time and number of steps at which the order shows: enough for the leading term, errors well above rounding.
SMOOTH = {
    "double pendulum": (lambda: load("double_pendulum:c"), 0.4, 400),
    "torque-free body": (tumbling, 1.0, 100),
    "ball_arm": (swinging, 0.3, 400),
}


@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("integrator", ORDERS)
def test_integrators_have_their_order(integrator, name):
    make, seconds, count = SMOOTH[name]
    scene = make()
    model = compile_model(scene)
    exact = after(scene, seconds, seconds / (8 * count), "gauss4")
    errors = [apart(model, after(scene, seconds, seconds / n, integrator), exact) for n in (count, 2 * count)]
    assert abs(np.log2(errors[0] / errors[1]) - ORDERS[integrator]) < 0.2, errors


@pytest.mark.parametrize("integrator", ["rk4", "ab4", "gauss4"])
def test_a_forced_robot_comes_to_its_reference(integrator):
    """physics.md E at t = 5 s: inputs count at the stages' own times."""
    r = after(load("rp_robot:forced"), 5.0, 1e-3, integrator)
    assert np.abs(r.q - [-1.271324213, 149.0448021]).max() < 1e-6
    assert np.abs(r.v - [-0.03722191166, 64.70869544]).max() < 1e-6


def test_a_hanging_robot_falls_freely():
    r = after(load("rp_robot:hanging"), 5.0, 1e-3)
    assert np.abs(r.q - [-np.pi / 2, 122.625]).max() < 1e-9


@pytest.mark.parametrize(("variant", "ramp"), [("locked", 0.0), ("locked_ramp", 1.0)])
def test_a_locked_slider_leaves_a_pendulum(variant, ramp):
    """3.08 q'' = ramp t − 3.924 cos q, by hand with a fine classical Runge–Kutta."""

    def rate(t, y):
        return np.array([y[1], (ramp * t - 19.62 * 0.2 * np.cos(y[0])) / 3.08])

    y, h = np.zeros(2), 2.5e-4
    for k in range(20000):
        t = k * h
        k1 = rate(t, y)
        k2 = rate(t + h / 2, y + h / 2 * k1)
        k3 = rate(t + h / 2, y + h / 2 * k2)
        k4 = rate(t + h, y + h * k3)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    r = after(load(f"rp_robot:{variant}"), 5.0, 1e-3)
    assert np.abs(np.array([r.q[0], r.v[0]]) - y).max() < 1e-9
    assert r.q[1] == 0.0 and r.v[1] == 0.0


def test_point_masses_come_to_their_reference():
    """physics.md D at t = 2 s; as the document integrates it, it is off by a tenth of a radian."""
    scene = load("planar_2r")
    assert scene.backend == "tree"
    r = after(scene, 2.0, 1e-3)
    assert np.abs(r.q - [-0.3729877292, 1.1032983242]).max() < 1e-9
    assert np.abs(r.v - [0.7756336363, 0.9238636163]).max() < 1e-8
    assert np.abs(after(scene, 2.0, 1e-3, "explicit_euler").q - [-0.388, 1.221]).max() < 1e-3


def test_a_pushed_body_moves_as_forward_dynamics_says():
    """A wrench on a body, and a force at a point of another as an input: a = ABA with the same wrenches."""
    scene = load("arm_6r")
    scene = replace(scene, joints=tuple(replace(j, damping=0.0, limits=None) for j in scene.joints))
    names = [b.name for b in scene.bodies]
    at, force = (0.05, 0.1, -0.02), (1.0, -2.0, 3.0)
    scene = replace(scene, inputs=(Input("push", body=names[3], force=force, at=at),))
    robot = Robot(scene)
    model = robot.model
    q = 0.3 * np.arange(1.0, 7.0) % 1.0
    backend = create("tree", model)
    backend.set(q, np.zeros(6))
    control = free_control(model)
    control.wrench[5] = [0.1, 0.2, 0.3, 4.0, 5.0, -6.0]
    h = 1e-6
    backend.advance(control, h, 1)
    X = robot.pose(names[3], q)
    arm = X[:3, :3] @ np.array(at)
    wrenches = {names[3]: [*np.cross(arm, force), *force], f"{names[5]}.com": control.wrench[5]}
    expected = robot.forward_dynamics(q, np.zeros(6), np.zeros(6), wrenches)
    assert np.allclose(backend.read().v / h, expected, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("seed", range(8))
def test_work_accounts_for_the_energy(seed):
    """Damping, joint torques, a wrench and inputs on random trees: E − E(0) = W to the integrator's order."""
    scene = random_forest(seed)
    joints = tuple(replace(j, damping=0.02 if j.kind != "fixed" else 0.0) for j in scene.joints)
    force = ("sin(3*t)", 0.2, "t")
    scene = replace(scene, joints=joints, inputs=(Input("wind", body=scene.bodies[-1].name, force=force),))
    model = compile_model(scene)
    rng = np.random.default_rng(seed)
    control = free_control(model)
    control.tau[:] = 0.1 * rng.normal(size=model.nv)
    control.wrench[0] = 0.1 * rng.normal(size=6)
    backend = create("tree", model)

    def total() -> float:
        r = backend.read()
        return energy(model, r) + 0.5 * float(model.dof_rotor @ (r.v * r.v))

    start = total()
    misses = []
    for h in (2e-3, 1e-3):
        backend.set(model.q0, model.v0)
        backend.advance(control, h, round(0.1 / h))
        misses.append(abs(total() - start - backend.read().work))
    assert misses[1] < 1e-6 * max(1.0, abs(backend.read().work))
    assert misses[1] < misses[0] / 8 + 1e-10


RP = ("rp_robot", *(f"rp_robot:{variant}" for variant in ("forced", "hanging", "locked", "locked_ramp")))
ARMS = ("arm_6r", "three_link_arm", "ball_arm", *RP)


def angles(model, engine: str, h: float):
    """Where the arm is at 2 s, without controllers."""
    backend = create(engine, model)
    backend.advance(free_control(model), h, round(2.0 / h))
    return backend.read()


@pytest.mark.parametrize("name", ARMS)
def test_both_engines_of_ours_agree(name):
    """At 1 ms: joint angles within 1e-4 rad."""
    model = compile_model(load(name))
    a, b = (angles(model, engine, 1e-3) for engine in ("impulse", "tree"))
    assert apart(model, replace(a, v=b.v), b) < 1e-4


def test_both_engines_of_ours_agree_on_fast_rods():
    """The outer one reaches 17 rad/s: there a second-order step of 1 ms is off by 1.94e-4 rad, that is 194 h² (Heun's
    by 100 h², the implicit midpoint rule by 47 h²); half the step is within 1e-4, and its limit is the same motion."""
    model = compile_model(load("planar_2r:rods"))
    exact = angles(model, "tree", 1e-3).q
    coarse, fine = (angles(model, "impulse", h).q for h in (1e-3, 5e-4))
    assert np.abs(fine - exact).max() < 1e-4
    assert np.abs(coarse - exact).max() == pytest.approx(194 * 1e-6, rel=0.01)
    assert np.abs((4 * fine - coarse) / 3 - exact).max() < 1e-7


@pytest.mark.parametrize("name", ["arm_gravity", "arm_pd", "arm_reach"])
def test_both_engines_of_ours_agree_under_control(name):
    worlds = [Simulation(load(name), backend=engine) for engine in ("impulse", "tree")]
    for world in worlds:
        world.advance(2.0)
    assert np.abs(worlds[0].q - worlds[1].q).max() < 1e-4


@pytest.mark.parametrize("seed", range(6))
def test_there_and_back_through_the_other_engine_keeps_q_and_v(seed):
    model = compile_model(random_forest(seed))
    tree, impulse = create("tree", model), create("impulse", model)
    tree.advance(free_control(model), 1e-3, 50)
    before = tree.read()
    impulse.set(before.q, before.v)
    between = impulse.read()
    tree.set(between.q, between.v)
    assert apart(model, before, tree.read()) < 1e-9
    assert np.abs(between.position - before.position).max() < 1e-9


def test_stiff_damping_is_followed_without_overshooting():
    """h · rate of 1e4: every integrator stops what moves, and creeps at the speed that gravity and damping balance."""
    scene = load("double_pendulum:c")
    scene = replace(scene, joints=tuple(replace(j, damping=1e4, v=(3.0,)) for j in scene.joints))
    for integrator in ORDERS:
        model = compile_model(replace(scene, integrator=integrator))
        backend = create("tree", model)
        backend.advance(free_control(model), 1e-3, 20)
        r = backend.read()
        gravity = Robot(scene).gravity_torques(r.q)
        assert np.allclose(r.v, -gravity / 1e4, rtol=1e-3), integrator
