"""Timed inputs act inside of the step: at its ends, where its integrator wants them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.backend import Diverged
from sim.scene import Body, Input, Scene
from tests.mechanisms import four_bar
from tests.watch import ORDER, OURS, SOLVERS, Watched, weightless
from tests.worlds import hanging, random_tree

ROD = 0.25 * (0.25**2 + 0.03**2) / 12 + 0.25 * 0.125**2


@pytest.mark.parametrize("solver", OURS)
def test_a_swinging_torque_on_a_hinge_without_weight(solver):
    """I q̈ = a sin(ω t): q̇ = (a/Iω)(1 − cos ω t). The trapezoidal rule is off by (ω h)²/12."""
    a, w = 0.02, 5.0
    scene = replace(weightless(hanging(0.0)), inputs=(Input("motor", joint="hinge", torque=(f"{a}*sin({w}*t)",)),))
    track = Watched(scene, solver).track(2.0)
    exact = a / (ROD * w) * (1 - np.cos(w * track.t))
    assert np.abs(track.v[:, 0] - exact).max() < (w * 1e-3) ** 2 / 6 * np.abs(exact).max()


@pytest.mark.parametrize("solver", OURS)
def test_a_driven_pendulum_converges_to_its_equation(solver):
    """I q̈ = −m g l sin q + sin t + t², by Runge and Kutta with the torque at its stage times."""
    weight = 0.25 * 9.81 * 0.125
    y, n = np.array([0.4, 0.0]), 8000
    h = 1.0 / n

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        return np.array([y[1], (0.1 * np.sin(8 * t) + 0.2 * t * t - weight * np.sin(y[0])) / ROD])

    for k in range(n):
        t = k * h
        k1 = rate(t, y)
        k2 = rate(t + h / 2, y + h / 2 * k1)
        k3 = rate(t + h / 2, y + h / 2 * k2)
        y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + rate(t + h, y + h * k3))

    scene = replace(hanging(0.4), inputs=(Input("motor", joint="hinge", torque=("0.1*sin(8*t) + 0.2*t*t",)),))

    def miss(h: float) -> float:
        r = Watched(scene, solver, h).step(round(1.0 / h))
        return float(max(abs(r.q[0] - y[0]), abs(r.v[0] - y[1])))

    coarse, fine = miss(2e-3), miss(1e-3)
    assert abs(np.log2(coarse / fine) - ORDER[solver]) < 0.1 and fine < 1e-4


def momenta(world: Watched) -> tuple[np.ndarray, np.ndarray]:
    """Linear, and angular about the centre of mass, of a single body."""
    model, r = world.model, world.backend.read()
    R, omega = r.rotation[0], r.twist[0, :3]
    v = r.twist[0, 3:] + np.cross(omega, R @ model.body_center[0])
    return model.body_mass[0] * v, R @ model.body_inertia[0] @ R.T @ omega


BODY = Body(
    "body", 2.0, (0.1, -0.05, 0.2), (0.02, 0.03, 0.04, 0.001, 0.002, 0.0), velocity=(2.0, -1.0, 3.0, 1.0, 0.0, 0.0)
)


def test_momentum_is_the_integral_of_the_force():
    """Exactly for forces that grow with time: those are what the trapezoidal rule integrates."""
    force, torque = ("1 + 2*t", "-3*t", 0.5), (0.02, "0.1*t", "-0.05 + 0.03*t")
    scene = Scene("push", "Push", gravity=(0.0, 0.0, 0.0), bodies=(BODY,),
                  inputs=(Input("push", body="body", force=force, at=BODY.center, torque=torque),))  # fmt: skip
    world = Watched(scene)
    before = momenta(world)
    world.step(800)
    t = 0.8
    given = np.array([t + t * t, -1.5 * t * t, 0.5 * t]), np.array([0.02 * t, 0.05 * t * t, -0.05 * t + 0.015 * t * t])
    for start, end, integral in zip(before, momenta(world), given, strict=True):
        assert np.abs(end - start - integral).max() < 1e-13


def test_a_force_at_a_point_turns_the_body_about_its_centre():
    """dL/dt = (p − c) × f: the change of L is the integral along the motion that was seen, to second order."""
    at = np.array([0.4, 0.1, -0.2])
    force = np.array([0.5, -1.0, 2.0])
    inputs = (Input("push", body="body", force=tuple(float(f) for f in force), at=tuple(float(a) for a in at)),)
    scene = Scene("push", "Push", bodies=(BODY,), inputs=inputs)

    def miss(h: float) -> float:
        world = Watched(scene, dt=h)
        start, arms = momenta(world)[1], []
        for k in range(round(0.5 / h) + 1):
            arms.append(world.backend.read().rotation[0] @ (at - BODY.center))
            if k < round(0.5 / h):
                world.step()
        arm = h * (np.sum(arms, axis=0) - 0.5 * (arms[0] + arms[-1]))
        return float(np.abs(momenta(world)[1] - start - np.cross(arm, force)).max())

    assert miss(1e-3) < 1e-12  # the very sum that the step makes: nothing else touches L


def busy() -> Scene:
    """Friction, damping, rotors, stops and inputs on every kind of joint."""
    scene = random_tree(8, n=6)
    joints = []
    for i, j in enumerate(scene.joints):
        more = {} if j.kind == "fixed" else {"damping": 0.05, "friction": 0.05}
        if j.kind in ("hinge", "slider"):
            more |= {"rotor_inertia": 0.01 * i, "limits": (j.q[0] - 0.05, j.q[0] + 0.3), "restitution": 0.5}
        joints.append(replace(j, **more))
    driven = next(j for j in joints if j.kind == "hinge")
    inputs = (
        Input("motor", joint=driven.name, torque=("sin(30*t)",)),
        Input("gust", body="b3", force=(0.0, "cos(20*t)", "t"), at=(0.1, 0.0, 0.0)),
    )
    return replace(scene, joints=tuple(joints), inputs=inputs)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("scene", [busy(), replace(
    four_bar(0.7, v=(6.0,), friction=0.1, damping=0.02, rotor_inertia=0.01, limits=(-2.0, 2.0)),
    inputs=(Input("motor", joint="ground", torque=("sin(30*t)",)),),
)], ids=["tree", "loop"])  # fmt: skip
def test_batches_of_steps_are_single_steps_to_the_bit(scene, solver):
    single, batches = Watched(scene, solver), Watched(scene, solver)
    for batch in (1, 7, 60, 32, 100):
        for _ in range(batch):
            single.step()
        batches.step(batch)
        a, b = single.backend.save(), batches.backend.save()
        assert all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("solver", OURS)
def test_a_saved_world_goes_on_to_the_bit(solver):
    world, other = Watched(busy(), solver), Watched(busy(), solver)
    world.step(123)
    other.backend.load(world.backend.save())
    other.steps = world.steps
    for w in (world, other):
        w.step(77)
    a, b = world.backend.save(), other.backend.save()
    assert all(np.array_equal(a[name], b[name]) for name in a)


@pytest.mark.parametrize("torque", ["1/(t - 0.05)", "log(0.05 - t)", "sqrt(0.0505 - t)"])
@pytest.mark.parametrize("on", ["joint", "free body"])
def test_where_a_function_has_no_value_the_run_stops_at_the_last_good_state(on, torque):
    if on == "joint":
        scene = replace(hanging(0.3), inputs=(Input("motor", joint="hinge", torque=(torque,)),))
    else:
        scene = Scene("free", "Free", bodies=(BODY,), inputs=(Input("push", body="body", force=(torque, 0.0, 0.0)),))
    world = Watched(scene)
    with pytest.raises(Diverged):
        for _ in range(100):
            good = world.step().q
    assert np.isfinite(world.backend.read().q).all() and np.array_equal(world.backend.read().q, good)


@pytest.mark.parametrize("solver", OURS)
def test_forces_on_a_floating_tree_change_its_momentum_by_their_sum(solver):
    """On the joint that makes the base free, [torque; force] at its origin, and on every body about its centre."""
    world = Watched(weightless(random_tree(5, floating=True)), solver)
    model, rng = world.model, np.random.default_rng(2)
    world.control.tau[:6] = rng.normal(size=6)
    world.control.wrench[:] = 0.3 * rng.normal(size=world.control.wrench.shape)

    def linear() -> np.ndarray:
        r = world.backend.read()
        arms = np.einsum("nij,nj->ni", r.rotation, model.body_center)
        return model.body_mass @ (r.twist[:, 3:] + np.cross(r.twist[:, :3], arms))

    before = linear()
    world.step(400)
    given = 0.4 * (world.control.tau[3:6] + world.control.wrench[:, 3:].sum(axis=0))
    assert np.abs(linear() - before - given).max() < 1e-11


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_force_on_a_free_joint_acts_at_the_origin_of_its_body(solver):
    """dL/dt = τ − (R c) × f about the centre of mass, summed along the motion as the step sums it."""
    world = Watched(Scene("free", "Free", bodies=(BODY,)), solver)
    torque, force = np.array([0.1, 0.2, -0.3]), np.array([0.5, -1.0, 2.0])
    world.control.tau[:] = (*torque, *force)
    start, rates = momenta(world)[1], []
    for k in range(501):
        rates.append(torque - np.cross(world.backend.read().rotation[0] @ BODY.center, force))
        if k < 500:
            world.step()
    given = 1e-3 * (np.sum(rates, axis=0) - 0.5 * (rates[0] + rates[-1]))
    assert np.abs(momenta(world)[1] - start - given).max() < 1e-12
