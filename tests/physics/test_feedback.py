"""Stabilisation by feedback of the velocities, J v⁺ = −α J v with α = 0.25, as the documents have it: it drifts.

The documents' scheme is written out below in NumPy for a planar double pendulum. Constraint and reaction are taken
at one point, the child's anchor, also where the joint has come apart.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.backend import create
from sim.files import load
from sim.model import compile_model
from sim.scene import Scene
from tests.worlds import energy, free_control, hanging

ALPHA, G = 0.25, 9.81
LENGTHS, PIVOT = (0.7, 0.4), np.array([0.0, 1.3])


def up(angle: float) -> np.ndarray:
    """(y, z) of a unit vector that points up at 0 and turns about +x."""
    return np.array([-np.sin(angle), np.cos(angle)])


def left(r: np.ndarray) -> np.ndarray:
    """Velocity of r at a unit of angular velocity."""
    return np.array([-r[1], r[0]])


def textbook(q: tuple[float, float], h: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """Centres (2, 2) and angles (2,) of the double pendulum: A λ = −α J v − J v₀, v⁺ = v₀ + M⁻¹ Jᵀ λ, x⁺ = x + h v⁺."""
    angle = np.array([q[0], q[0] + q[1]])
    half = 0.5 * np.array(LENGTHS)
    x = np.array([PIVOT + half[0] * up(angle[0]), PIVOT + 2 * half[0] * up(angle[0]) + half[1] * up(angle[1])])
    inertia = [(0.08**2 + length**2) / 12 for length in LENGTHS]
    W = np.diag([1.0, 1.0, 1 / inertia[0], 1.0, 1.0, 1 / inertia[1]])
    v = np.zeros(6)  # velocity and angular velocity of each
    for _ in range(steps):
        first, second = -half[0] * up(angle[0]), -half[1] * up(angle[1])  # the anchors, from the centres
        J = np.zeros((4, 6))
        J[:2, :2], J[:2, 2] = np.eye(2), left(first)
        J[2:, 3:5], J[2:, 5] = np.eye(2), left(second)
        J[2:, :2], J[2:, 2] = -np.eye(2), -left(x[1] + second - x[0])
        v0 = v + h * np.array([0.0, -G, 0.0, 0.0, -G, 0.0])
        v = v0 + W @ J.T @ np.linalg.solve(J @ W @ J.T, -ALPHA * J @ v - J @ v0)
        x += h * v[[[0, 1], [3, 4]]]
        angle += h * v[[2, 5]]
    return x, angle


@pytest.mark.parametrize("solver", ["sparse", "dense"])
@pytest.mark.parametrize("variant", ["a", "b", "c"])
def test_it_is_the_textbooks_scheme(variant, solver):
    scene = replace(load(f"double_pendulum:{variant}"), stabilise="feedback", solver=solver)
    model = compile_model(scene)
    backend = create("impulse", model)
    backend.advance(free_control(model), 1e-3, 1000)
    r = backend.read()
    centers = r.position + np.einsum("nij,nj->ni", r.rotation, model.body_center)
    x, angle = textbook(tuple(model.q0), 1e-3, 1000)
    assert centers[:, 1:] == pytest.approx(x, abs=1e-9)
    assert np.cumsum(r.q) == pytest.approx(angle, abs=1e-9)


def run_watched(scene: Scene, seconds: float, h: float) -> tuple[float, float, float]:
    """Largest gap, largest and final loss of energy."""
    model = compile_model(scene)
    backend = create("impulse", model)
    start = energy(model, backend.read())
    gap = most = 0.0
    for _ in range(round(seconds / h) // 10):
        backend.advance(free_control(model), h, 10)
        r = backend.read()
        gap, most = max(gap, r.joint_gap), max(most, abs(energy(model, r) - start))
    return gap, most, start - energy(model, r)


@pytest.mark.parametrize("variant", ["a", "b", "c"])
def test_its_joints_come_apart_visibly_and_energy_is_lost_where_rattle_keeps_both(variant):
    """Over 10 s at 1 ms: centimetres and joules, against 1e-10 m and millijoules."""
    scene = load(f"double_pendulum:{variant}")
    gap, _, loss = run_watched(replace(scene, stabilise="feedback"), 10.0, 1e-3)
    assert 1e-3 < gap < 0.1
    assert 0.5 < loss < 15.0
    gap, most, _ = run_watched(scene, 10.0, 1e-3)
    assert gap < 1e-9
    assert most < 5e-3


def test_its_drift_is_of_first_order():
    scene = replace(load("double_pendulum:c"), stabilise="feedback")
    gaps = [run_watched(scene, 1.0, h)[0] for h in (1e-3, 5e-4, 2.5e-4)]
    assert gaps[0] / gaps[1] == pytest.approx(2.0, rel=0.15)
    assert gaps[1] / gaps[2] == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize("name", ["four_bar", "parallelogram", "slider_crank", "ball_chain", "hinge_chain"])
def test_scenes_run_on_it(name):
    gap, _, _ = run_watched(replace(load(name), stabilise="feedback"), 5.0, 1e-3)
    assert 1e-6 < gap < 0.1


@pytest.mark.parametrize("friction", [0.0, 0.5])
def test_a_damped_and_limited_arm_falls_onto_its_stops_and_stays_there(friction):
    scene = replace(load("three_link_arm"), stabilise="feedback")
    scene = replace(scene, joints=tuple(replace(j, friction=friction) for j in scene.joints))
    model = compile_model(scene)
    backend = create("impulse", model)
    for _ in range(800):
        backend.advance(free_control(model), 1e-3, 10)
        r = backend.read()
        assert (r.q > model.joint_limits[:, 0] - 1e-6).all() and (r.q < model.joint_limits[:, 1] + 1e-6).all()
    assert np.abs(r.v).max() < 1e-6
    assert abs(r.q[1]) == pytest.approx(1.9, abs=1e-6)


@pytest.mark.parametrize("kind", ["hinge", "slider"])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_friction_takes_a_joint_to_its_stop_not_beyond(kind, side):
    """It slides against friction all the way, and arrives."""
    scene = hanging(0.0, friction=0.05, v=(3.0 * side,), limits=(-0.2, 0.2), kind=kind)
    scene = replace(scene, stabilise="feedback", gravity=(0.0, 0.0, 0.0))
    model = compile_model(scene)
    backend = create("impulse", model)
    furthest = 0.0
    for _ in range(300):
        backend.advance(free_control(model), 1e-3, 1)
        furthest = max(furthest, side * backend.read().q[0])
    assert furthest == pytest.approx(0.2, abs=1e-9)
    assert backend.read().v[0] == pytest.approx(0.0, abs=1e-9)
