"""What chains and pendulums must do, whatever the engine's insides."""

from __future__ import annotations

import numpy as np
import pytest

from sim.backend import Diverged, create
from sim.model import compile_model
from sim.rest import body_poses
from sim.scene import Scene
from tests.worlds import elliptic_period, energy, free_control, hanging, random_tree, run

ENGINES = ("impulse", "tree")


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pendulum_swings_with_the_elliptic_period(engine):
    """T = 4 K(sin(θ₀/2)) √(I/(m g l)); a second-order step of 1 ms is off by some (ωh)²."""
    model = compile_model(hanging(1.0))
    m, length = model.body_mass[0], 0.125
    inertia = model.body_inertia[0, 1, 1] + m * length**2
    period = elliptic_period(np.sin(0.5)) * np.sqrt(inertia / (m * 9.81 * length))
    steps = round(period / 1e-3)
    backend = create(engine, model)
    backend.advance(free_control(model), period / steps, 3 * steps)
    r = backend.read()
    assert abs(r.q[0] - 1.0) < 1e-8
    assert abs(r.v[0]) / np.sqrt(m * 9.81 * length / inertia) < 1e-4


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_mixed_trees_converge_at_second_order(seed):
    """Ball, hinge, slider and fixed joints with turned frames and tensors."""
    scene = random_tree(seed)

    def state(h: float) -> np.ndarray:
        r = run(scene, 0.3, h).read()
        return np.concatenate([r.position.ravel(), r.rotation.ravel()])

    exact = state(1e-4 / 2)
    coarse, fine = (np.abs(state(h) - exact).max() for h in (2e-3, 1e-3))
    assert 1.8 < np.log2(coarse / fine) < 2.2


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("engine", ENGINES)
def test_mixed_trees_keep_their_energy(engine, seed):
    scene = random_tree(seed)
    model = compile_model(scene)
    start = energy(model, create(engine, model).read())
    drifts = [abs(energy(model, run(scene, 1.0, h, engine).read()) - start) for h in (1e-3, 2.5e-4)]
    kinetic = max(1.0, abs(start))
    assert drifts[0] < 1e-3 * kinetic
    assert drifts[1] < 0.2 * drifts[0] + 1e-9


@pytest.mark.parametrize("engine", ENGINES)
def test_a_floating_tree_keeps_its_momenta(engine):
    scene = random_tree(5, floating=True)
    scene = Scene(**{**vars(scene), "gravity": (0.0, 0.0, 0.0)})
    model = compile_model(scene)
    backend = create(engine, model)

    def momenta() -> np.ndarray:
        r = backend.read()
        linear, angular = np.zeros(3), np.zeros(3)
        for b, m in enumerate(model.body_mass):
            R, omega = r.rotation[b], r.twist[b, :3]
            arm = R @ model.body_center[b]
            v = r.twist[b, 3:] + np.cross(omega, arm)
            linear += m * v
            angular += np.cross(r.position[b] + arm, m * v) + R @ model.body_inertia[b] @ R.T @ omega
        return np.concatenate([linear, angular])

    before = momenta()
    backend.advance(free_control(model), 1e-3, 2000)
    assert np.abs(momenta() - before).max() < 1e-11 * np.abs(before).max() * 100


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("engine", ENGINES)
def test_joint_coordinates_go_in_and_come_out(engine, seed):
    scene = random_tree(seed, floating=seed % 2 == 0)
    model = compile_model(scene)
    backend = create(engine, model)
    r = backend.read()
    for j, kind in enumerate(model.joint_type):
        q, q0 = (a[model.joint_q[j] : model.joint_q[j + 1]] for a in (r.q, model.q0))
        sign = np.sign(q[-4:] @ q0[-4:]) if kind in (0, 1) else 1.0
        assert np.allclose(q[-4:] * sign, q0[-4:], atol=1e-12)
    assert np.allclose(r.v, model.v0, atol=1e-12)
    position, rotation = body_poses(model, model.q0)
    assert np.allclose(r.position, position, atol=1e-12)
    assert np.allclose(r.rotation, rotation, atol=1e-12)
    assert r.joint_gap < 1e-12 and r.joint_angle_error < 1e-12


@pytest.mark.parametrize("engine", ENGINES)
def test_reported_velocities_are_the_rates_of_the_reported_poses(engine):
    model = compile_model(random_tree(7))
    backend = create(engine, model)
    control = free_control(model)
    h = 1e-5
    backend.advance(control, h, 100)
    before = backend.read()
    backend.advance(control, h, 1)
    middle = backend.read()
    backend.advance(control, h, 1)
    after = backend.read()
    rate = (after.position - before.position) / (2 * h)
    assert np.allclose(rate, middle.twist[:, 3:], atol=1e-6)
    for b in range(len(model.body_names)):
        spin = (after.rotation[b] - before.rotation[b]) / (2 * h) @ middle.rotation[b].T
        assert np.allclose([spin[2, 1], spin[0, 2], spin[1, 0]], middle.twist[b, :3], atol=1e-5)
    hinges = np.flatnonzero(model.joint_type == 2)
    for j in hinges:
        rate = (after.q[model.joint_q[j]] - before.q[model.joint_q[j]]) / (2 * h)
        assert rate == pytest.approx(middle.v[model.joint_v[j]], abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_hinge_angles_count_their_turns(engine):
    scene = hanging(0.0, v=(20.0,))
    scene = Scene(**{**vars(scene), "gravity": (0.0, 0.0, 0.0)})
    r = run(scene, 3.0, 1e-3, engine).read()
    assert r.q[0] == pytest.approx(60.0, abs=60.0 * 0.02**2)  # second order in the 0.02 rad a step


@pytest.mark.parametrize("damping", [0.001, 0.02])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_damped_hinge_decays_exponentially(engine, damping):
    scene = Scene(**{**vars(hanging(0.0, damping, v=(5.0,))), "gravity": (0.0, 0.0, 0.0)})
    model = compile_model(scene)
    inertia = model.body_inertia[0, 1, 1] + model.body_mass[0] * 0.125**2
    r = run(scene, 0.1, 1e-3, engine).read()
    assert r.v[0] == pytest.approx(5.0 * np.exp(-damping / inertia * 0.1), rel=1e-5)


@pytest.mark.parametrize("engine", ENGINES)
def test_overwhelming_damping_stops_without_overshooting(engine):
    scene = Scene(**{**vars(hanging(0.0, 1e4, v=(5.0,))), "gravity": (0.0, 0.0, 0.0)})
    model = compile_model(scene)
    backend = create(engine, model)
    for _ in range(5):
        backend.advance(free_control(model), 1e-3, 1)
        assert 0.0 <= backend.read().v[0] < 1e-2


@pytest.mark.parametrize("engine", ENGINES)
def test_a_falling_rod_comes_to_rest_on_its_stop(engine):
    scene = hanging(2.0, limits=(-0.5, 2.5))
    model = compile_model(scene)
    backend = create(engine, model)
    control = free_control(model)
    last = energy(model, backend.read())
    for _ in range(300):
        backend.advance(control, 1e-3, 10)
        r = backend.read()
        assert -0.5 - 1e-4 < r.q[0] < 2.5 + 1e-4
        assert r.joint_gap < 1e-8
        now = energy(model, r)
        assert now < last + 1e-4
        last = now
    assert r.q[0] < -0.4 or abs(r.v[0]) < 10.0


@pytest.mark.parametrize("engine", ENGINES)
def test_a_joint_torque_equal_to_the_weight_holds_the_rod_level(engine):
    scene = hanging(-np.pi / 2)
    model = compile_model(scene)
    backend = create(engine, model)
    control = free_control(model)
    control.tau[0] = -model.body_mass[0] * 9.81 * 0.125
    backend.advance(control, 1e-3, 1000)
    assert abs(backend.read().v[0]) < 1e-9


@pytest.mark.parametrize("engine", ENGINES)
def test_divergence_names_the_body_and_keeps_the_last_good_state(engine):
    model = compile_model(hanging(0.0))
    backend = create(engine, model)
    control = free_control(model)
    backend.advance(control, 1e-3, 10)
    control.tau[0] = 1e5
    with pytest.raises(Diverged, match='body "rod" turned'):
        for _ in range(100):
            good = backend.read()
            backend.advance(control, 1e-3, 1)
    r = backend.read()
    assert np.array_equal(r.q, good.q) and np.array_equal(r.v, good.v)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_nan_torque_is_divergence(engine):
    model = compile_model(hanging(0.3))
    backend = create(engine, model)
    control = free_control(model)
    control.tau[0] = np.nan
    with pytest.raises(Diverged):
        backend.advance(control, 1e-3, 1)
    assert np.isfinite(backend.read().q).all()
