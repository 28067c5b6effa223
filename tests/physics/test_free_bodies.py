"""Bodies without joints: what torque-free motion keeps, and when it returns."""

from __future__ import annotations

import numpy as np
import pytest

from sim.backend import create
from sim.files import load
from sim.model import compile_model
from sim.scene import Body, Pose, Scene
from sim.spatial.rotation import quat_to_matrix
from tests.worlds import ENGINES, elliptic_period, energy, free_control

MOMENTS = np.array([0.02, 0.03, 0.045])


def tumbling(spin: tuple[float, float, float]) -> Scene:
    body = Body("body", 1.0, (0.0, 0.0, 0.0), (*MOMENTS, 0.0, 0.0, 0.0), velocity=(*spin, 0.0, 0.0, 0.0))
    return Scene("tumble", "Tumble", gravity=(0.0, 0.0, 0.0), bodies=(body,))


def flip_period(spin: np.ndarray) -> float:
    """Period of the angular velocity in body axes: 4 K(k)/λ (Landau & Lifshitz, Mechanics, §37)."""
    i1, i2, i3 = MOMENTS
    two_e, l2 = MOMENTS @ spin**2, (MOMENTS * spin) @ (MOMENTS * spin)
    if l2 > two_e * i2:
        rate = np.sqrt((i3 - i2) * (l2 - two_e * i1) / (i1 * i2 * i3))
        k2 = (i2 - i1) * (two_e * i3 - l2) / ((i3 - i2) * (l2 - two_e * i1))
    else:
        rate = np.sqrt((i2 - i1) * (two_e * i3 - l2) / (i1 * i2 * i3))
        k2 = (i3 - i2) * (l2 - two_e * i1) / ((i2 - i1) * (two_e * i3 - l2))
    return elliptic_period(np.sqrt(k2)) / rate


def test_middle_axis_tumble_keeps_energy_and_angular_momentum_for_a_minute():
    scene = tumbling((1e-2, 6.0, 1e-2))
    model = compile_model(scene)
    backend = create("impulse", model)
    control = free_control(model)

    def kept() -> tuple[float, np.ndarray]:
        r = backend.read()
        omega, R = r.twist[0, :3], r.rotation[0]
        return energy(model, r), R @ (MOMENTS * (R.T @ omega))

    e0, l0 = kept()
    for _ in range(60):
        backend.advance(control, 1e-3, 1000)
        e, momentum = kept()
        assert abs(e / e0 - 1) < 1e-13
        assert np.abs(momentum - l0).max() < 1e-13 * np.linalg.norm(l0)


@pytest.mark.parametrize("spin", [(0.3, 6.0, 0.2), (1.0, 2.0, 5.0), (5.0, 1.0, 0.5)])
def test_angular_velocity_returns_after_the_elliptic_period(spin):
    period = flip_period(np.array(spin))
    model = compile_model(tumbling(spin))
    backend = create("impulse", model)
    steps = round(period / 1e-3)
    backend.advance(free_control(model), period / steps, steps)
    r = backend.read()
    assert np.abs(r.rotation[0].T @ r.twist[0, :3] - spin).max() < 1e-9


def taylor(spin: np.ndarray, seconds: float, steps: int, order: int = 24) -> np.ndarray:
    """Attitude after Euler's equations ω̇ = I⁻¹(Iω × ω) and q̇ = ½ q ω, both by their power series in time."""
    h = seconds / steps
    i1, i2, i3 = MOMENTS
    ratio = np.array([(i2 - i3) / i1, (i3 - i1) / i2, (i1 - i2) / i3])
    powers = h ** np.arange(order + 1)
    omega, q = np.array(spin, dtype=float), np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(steps):
        w, p = np.zeros((order + 1, 3)), np.zeros((order + 1, 4))
        w[0], p[0] = omega, q
        for k in range(order):
            back = w[k::-1]
            w[k + 1] = ratio * [w[: k + 1, 1] @ back[:, 2], w[: k + 1, 2] @ back[:, 0], w[: k + 1, 0] @ back[:, 1]]
            M = p[: k + 1].T @ back  # Σ p_i w_(k−i), all pairs of components
            product = [
                -M[1, 0] - M[2, 1] - M[3, 2],
                M[0, 0] + M[2, 2] - M[3, 1],
                M[0, 1] + M[3, 0] - M[1, 2],
                M[0, 2] + M[1, 1] - M[2, 0],
            ]
            w[k + 1] /= k + 1
            p[k + 1] = 0.5 * np.array(product) / (k + 1)
        omega, q = powers @ w, powers @ p
        q /= np.linalg.norm(q)
    return quat_to_matrix(q)


@pytest.mark.parametrize("spin", [(1e-2, 6.0, 1e-2), (1.0, 6.0, 3.0)])
def test_attitude_after_a_minute_is_that_of_a_power_series(spin):
    model = compile_model(tumbling(spin))
    backend = create("impulse", model)
    backend.advance(free_control(model), 1e-3, 60_000)
    exact = taylor(np.array(spin), 60.0, 1200)
    assert np.abs(exact - taylor(np.array(spin), 60.0, 1600)).max() < 1e-10
    between = exact.T @ backend.read().rotation[0]
    angle = 0.5 * np.linalg.norm(between - between.T) / np.sqrt(2.0)
    assert np.trace(between) > 2.9
    assert angle < 1e-8


def test_flips_of_a_minute_come_when_the_elliptic_integral_says():
    """From ω₃ = 0 the middle component is largest and crosses zero at odd quarters of the period."""
    spin = (1e-2, 6.0, 0.0)
    period = flip_period(np.array(spin))
    quarters = int(60.0 / period * 4) // 2 * 2 - 1
    time = quarters * period / 4
    model = compile_model(tumbling(spin))
    backend = create("impulse", model)
    steps = round(time / 1e-3)
    backend.advance(free_control(model), time / steps, steps)
    r = backend.read()
    omega = r.rotation[0].T @ r.twist[0, :3]
    rate = (MOMENTS[2] - MOMENTS[0]) / MOMENTS[1] * omega[2] * omega[0]
    assert quarters > 10
    assert abs(omega[1] / rate) < 1e-9 * time


def test_attitude_converges_at_sixth_order():
    def attitude(steps: int) -> np.ndarray:
        model = compile_model(tumbling((1.0, 6.0, 3.0)))
        backend = create("impulse", model)
        backend.advance(free_control(model), 2.0 / steps, steps)
        return backend.read().rotation[0]

    exact = attitude(1600)
    coarse, fine = (np.abs(attitude(n) - exact).max() for n in (100, 200))
    assert 5.8 < np.log2(coarse / fine) < 6.4


@pytest.mark.parametrize(("engine", "tolerance"), [(e, 1e-12 if e == "impulse" else 6e-3) for e in ENGINES])
def test_a_thrown_body_follows_the_parabola(engine, tolerance):
    """Semi-implicit Euler is off by g h t / 2, the splitting is exact for constant forces."""
    start, thrown = Pose((0.0, 0.0, 1.0)), (0.0, 0.0, 0.0, 1.0, 2.0, 3.0)
    body = Body("ball", 2.0, (0.1, 0.0, 0.0), (0.02, 0.03, 0.04, 0.0, 0.0, 0.0), (), start, thrown)
    model = compile_model(Scene("throw", "Throw", bodies=(body,)))
    backend = create(engine, model)
    backend.advance(free_control(model), 1e-3, 1000)
    r = backend.read()
    backend.close()
    assert np.allclose(r.position[0], [1.0, 2.0, 1.0 + 3.0 - 4.905], atol=tolerance)
    assert np.allclose(r.twist[0, 3:], [1.0, 2.0, 3.0 - 9.81], atol=1e-9)


def test_a_held_wrench_accelerates_about_the_centre_of_mass():
    body = Body("body", 2.0, (0.3, 0.0, 0.0), (0.02, 0.03, 0.04, 0.0, 0.0, 0.0))
    model = compile_model(Scene("push", "Push", gravity=(0.0, 0.0, 0.0), bodies=(body,)))
    backend = create("impulse", model)
    control = free_control(model)
    control.wrench[0] = (0.0, 0.0, 0.08, 4.0, 0.0, 0.0)
    backend.advance(control, 1e-3, 500)
    r = backend.read()
    center_velocity = r.twist[0, 3:] + np.cross(r.twist[0, :3], r.rotation[0] @ model.body_center[0])
    assert np.allclose(center_velocity, [1.0, 0.0, 0.0], atol=1e-12)
    assert np.allclose(r.twist[0, :3], [0.0, 0.0, 1.0], atol=1e-12)


def test_the_scene_shows_the_tennis_racket_effect():
    """Its middle axis turns over again and again, while energy and momentum stand still."""
    scene = load("free_body")
    model = compile_model(scene)
    backend = create("impulse", model)
    control = free_control(model)
    middle = model.body_axes[0][:, 1]
    spins = []
    for _ in range(2000):
        backend.advance(control, 1e-3, 10)
        r = backend.read()
        spins.append(middle @ (r.rotation[0].T @ r.twist[0, :3]))
    flips = np.count_nonzero(np.diff(np.sign(spins)))
    assert flips >= 4
    assert max(spins) > 0.9 * np.abs(spins).max() and min(spins) < -0.9 * np.abs(spins).max()
