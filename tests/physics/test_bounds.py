"""Friction, stops and impacts: the same laws on both engines of ours."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sim.backend import create
from sim.model import compile_model
from sim.robot import Robot
from sim.scene import Body, Joint, Pose, Scene
from tests.worlds import energy, free_control, hanging, rod, run

ENGINES = ("impulse", "tree")
CLOSE = {"impulse": 1e-5, "tree": 1e-8}  # how closely a step of 1 ms follows a closed form with events in it

pytestmark = pytest.mark.parametrize("engine", ENGINES)


def sliding(axis: tuple[float, float, float] = (1.0, 0.0, 0.0), gravity: float = 0.0, **joint: Any) -> Scene:
    """A block of 2 kg on a slider."""
    body = Body("block", 2.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1, 0.0, 0.0, 0.0))
    slider = Joint(**{**vars(Joint("slide", "slider", "world", "block", axis=axis)), **joint})
    return Scene("block", "Block", bodies=(body,), joints=(slider,), gravity=(0.0, 0.0, -gravity))


def turning(**joint: Any) -> Scene:
    """A ball of inertia 0.5 about every axis, weightless."""
    body = Body("ball", 1.0, (0.0, 0.0, 0.0), (0.5, 0.5, 0.5, 0.0, 0.0, 0.0))
    ball = Joint(**{**vars(Joint("turn", "ball", "world", "ball")), **joint})
    return Scene("ball", "Ball", bodies=(body,), joints=(ball,), gravity=(0.0, 0.0, 0.0))


def test_a_sliding_block_stops_where_friction_says_and_stays(engine):
    """v²/(2 F/m) = 0.25 m after 0.5 s."""
    scene = sliding(friction=4.0, v=(1.0,))
    half = run(scene, 0.3, 1e-3, engine).read()
    assert half.v[0] == pytest.approx(1.0 - 2.0 * 0.3, abs=CLOSE[engine])
    there = run(scene, 0.6, 1e-3, engine).read()
    assert there.q[0] == pytest.approx(0.25, abs=CLOSE[engine])
    assert there.v[0] == pytest.approx(0.0, abs=1e-12)
    assert there.work == pytest.approx(-1.0, abs=4 * CLOSE[engine])
    assert run(scene, 2.0, 1e-3, engine).read().q[0] == pytest.approx(there.q[0], abs=1e-9)


@pytest.mark.parametrize(("force", "moves"), [(3.99, False), (-3.99, False), (4.01, True), (-4.01, True)])
def test_friction_holds_up_to_its_bound(engine, force, moves):
    model = compile_model(sliding(friction=4.0))
    backend = create(engine, model)
    control = free_control(model)
    control.tau[0] = force
    backend.advance(control, 1e-3, 1000)
    expected = 0.5 * (force - np.sign(force) * 4.0) / 2.0 if moves else 0.0
    assert backend.read().q[0] == pytest.approx(expected, abs=1e-9)


def test_a_rod_held_by_friction_does_not_creep(engine):
    scene = hanging(1.0, friction=1.0)
    r = run(scene, 5.0, 1e-3, engine).read()
    assert r.q[0] == pytest.approx(1.0, abs=1e-9) and abs(r.v[0]) < 1e-12


def test_a_bouncing_block_loses_its_speed_by_restitution(engine):
    """Dropped by 0.5 m onto its stop with e = ½: at 0.05 s after the second bounce it is where free flight has it."""
    g, e = 9.81, 0.5
    scene = sliding((0.0, 0.0, 1.0), g, limits=(0.0, 2.0), restitution=e, q=(0.5,))
    fall = np.sqrt(2 * 0.5 / g)
    first, second = e * g * fall, e * e * g * fall
    t = fall + 2 * first / g + 0.05
    h = t / round(t / 1e-3)
    r = run(scene, t, h, engine).read()
    assert r.q[0] == pytest.approx(second * 0.05 - 0.5 * g * 0.05**2, abs=CLOSE[engine])
    assert r.v[0] == pytest.approx(second - g * 0.05, abs=10 * CLOSE[engine])
    model = compile_model(scene)
    lost = energy(model, r) - energy(model, create(engine, model).read())
    assert lost == pytest.approx(r.work, abs=100 * CLOSE[engine])


def test_what_bounces_comes_to_rest_and_can_be_lifted_again(engine):
    scene = sliding((0.0, 0.0, 1.0), 9.81, limits=(0.0, 2.0), restitution=0.5, q=(0.1,))
    model = compile_model(scene)
    backend = create(engine, model)
    control = free_control(model)
    backend.advance(control, 1e-3, 2000)
    r = backend.read()
    assert abs(r.q[0]) < 1e-8 and abs(r.v[0]) < 1e-12
    control.tau[0] = 2.0 * 9.81 + 1.0
    backend.advance(control, 1e-3, 1000)
    assert backend.read().q[0] == pytest.approx(0.25, abs=1e-7)


def test_stops_hold_on_both_sides(engine):
    scene = sliding(limits=(-0.1, 0.2), restitution=1.0, v=(3.0,))
    model = compile_model(scene)
    backend = create(engine, model)
    for _ in range(1000):
        backend.advance(free_control(model), 1e-3, 1)
        r = backend.read()
        assert -0.1 - 1e-8 < r.q[0] < 0.2 + 1e-8
        assert abs(r.v[0]) == pytest.approx(3.0, abs=1e-9)


def test_a_ball_is_slowed_by_the_length_of_its_friction(engine):
    """|ω| falls by F/I = 0.4 rad/s² whatever the axis, then it stands."""
    v = (0.3, -0.6, 0.6)  # |v| = 0.9
    scene = turning(friction=0.2, v=v)
    r = run(scene, 1.0, 1e-3, engine).read()
    assert np.allclose(r.v, np.array(v) * 0.5 / 0.9, atol=1e-6)
    r = run(scene, 3.0, 1e-3, engine).read()
    assert np.abs(r.v).max() < 1e-9
    angle = 2 * np.arccos(min(1.0, r.q[0]))
    assert angle == pytest.approx(0.9**2 / (2 * 0.4), abs=1e-3 if engine == "impulse" else 1e-6)


@pytest.mark.parametrize(("torque", "moves"), [(0.19, False), (0.21, True)])
def test_the_friction_of_a_ball_holds_up_to_its_bound(engine, torque, moves):
    model = compile_model(turning(friction=0.2))
    backend = create(engine, model)
    control = free_control(model)
    control.tau[:] = torque * np.array([2.0, -1.0, 2.0]) / 3.0
    backend.advance(control, 1e-3, 1000)
    speed = (torque - 0.2) / 0.5 if moves else 0.0
    assert np.linalg.norm(backend.read().v) == pytest.approx(speed, abs=1e-5)


def ball_pendulum(**joint: Any) -> Scene:
    at = Pose((0.0, 0.0, 1.0))
    ball = Joint(**{**vars(Joint("ball", "ball", "world", "rod", at, axis=(0.0, 0.0, 1.0))), **joint})
    return Scene("pendulum", "Ball pendulum", bodies=(rod("rod"),), joints=(ball,))


def swing_of(R: np.ndarray) -> float:
    return float(np.arccos(np.clip(R[2, 2], -1.0, 1.0)))


def test_a_ball_stays_within_its_cone_and_loses_nothing_but_its_rebound(engine):
    scene = ball_pendulum(cone=0.5, restitution=1.0, v=(6.0, 0.5, 0.2))
    model = compile_model(scene)
    backend = create(engine, model)
    start = energy(model, backend.read())
    widest = 0.0
    for _ in range(1500):
        backend.advance(free_control(model), 1e-3, 1)
        r = backend.read()
        widest = max(widest, swing_of(r.rotation[0]))
    assert 0.499 < widest < 0.5 + 1e-6
    assert energy(model, r) == pytest.approx(start, abs=1e-3 * abs(start))


def test_a_ball_that_rests_on_its_cone_stays_there(engine):
    """Gravity pushes it sideways into a cone of 0.4 rad: it hangs at the cone's edge, still."""
    scene = replace(ball_pendulum(cone=0.4, damping=0.05), gravity=(9.81, 0.0, -1.0))
    backend = run(scene, 5.0, 1e-3, engine)
    r = backend.read()
    assert swing_of(r.rotation[0]) == pytest.approx(0.4, abs=1e-6)
    assert np.abs(r.v).max() < 1e-4


def test_twist_stops_a_ball(engine):
    scene = replace(turning(twist=(-0.3, 0.5), axis=(0.0, 0.0, 1.0), v=(0.0, 0.0, 2.0)))
    r = run(scene, 1.0, 1e-3, engine).read()
    assert 2 * np.arctan2(r.q[3], r.q[0]) == pytest.approx(0.5, abs=1e-6)
    assert abs(r.v[2]) < 1e-9


def test_an_impact_keeps_the_law_of_impulses_in_a_chain(engine):
    """Two rods, the elbow runs into its stop: its speed turns round, and no impulse acts at the shoulder."""
    upper = Joint("shoulder", "hinge", "world", "a", Pose((0.0, 0.0, 1.0)), axis=(0.0, 1.0, 0.0))
    lower = Joint(
        "elbow",
        "hinge",
        "a",
        "b",
        Pose((0.0, 0.0, -0.25)),
        axis=(0.0, 1.0, 0.0),
        v=(2.0,),
        limits=(-1.0, 0.3),
        restitution=0.5,
    )
    scene = Scene("arm", "Arm", bodies=(rod("a"), rod("b")), joints=(upper, lower), gravity=(0.0, 0.0, 0.0))
    model = compile_model(scene)
    backend = create(engine, model)
    before = backend.read()
    for _ in range(400):
        backend.advance(free_control(model), 1e-3, 1)
        after = backend.read()
        if after.v[1] < 0.0:
            break
        before = after
    M = Robot(scene).mass_matrix(after.q)
    change = M @ (after.v - before.v)
    assert after.v[1] == pytest.approx(-0.5 * before.v[1], rel=2e-2)
    assert abs(change[0]) < 2e-2 * abs(change[1])  # no impulse but at the elbow


@pytest.mark.parametrize("seed", range(4))
def test_the_ledger_closes_with_friction_and_stops(engine, seed):
    rng = np.random.default_rng(seed)
    bodies, joints = [], []
    for i in range(3):
        bodies.append(rod(f"r{i}"))
        at = Pose((0.0, 0.0, 1.0 if i == 0 else -0.25))
        axis = tuple(float(x) for x in rng.normal(size=3))
        parent = "world" if i == 0 else f"r{i - 1}"
        extra = {"friction": 0.01, "limits": (-0.8, 0.9), "restitution": 0.3, "v": (float(3 * rng.normal()),)}
        joints.append(Joint(f"j{i}", "hinge", parent, f"r{i}", at, axis=axis, **extra))
    scene = Scene("rubbing", "Rubbing", bodies=tuple(bodies), joints=tuple(joints))
    model = compile_model(scene)
    backend = create(engine, model)
    start = energy(model, backend.read())
    backend.advance(free_control(model), 2.5e-4, 8000)
    r = backend.read()
    assert (r.q > -0.8 - 1e-7).all() and (r.q < 0.9 + 1e-7).all()
    assert energy(model, r) - start == pytest.approx(r.work, abs=1e-4 if engine == "impulse" else 1e-8)
