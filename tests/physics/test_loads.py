"""What the joints carry: closed forms, balances, and the two solvers against each other."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.backend import BackendError, create
from sim.files import load
from sim.model import compile_model
from sim.scene import Scene
from sim.simulation import Simulation
from tests.worlds import free_control, hanging, random_tree, rod

G = 9.81


@pytest.mark.parametrize("solver", ["sparse", "dense"])
def test_a_swinging_rod_pulls_with_its_weight_and_its_swing(solver):
    """F = m (a_c − g), a_c of a rigid pendulum: α = −m g l sin θ / I and centripetal l ω²."""
    model = compile_model(replace(hanging(1.0), solver=solver))
    backend = create("impulse", model)
    backend.advance(free_control(model), 1e-3, 300)
    r = backend.read()
    m, arm = model.body_mass[0], 0.125
    inertia = model.body_inertia[0, 1, 1] + m * arm**2
    alpha = -m * G * arm * np.sin(r.q[0]) / inertia
    along = np.array([-np.sin(r.q[0]), 0.0, -np.cos(r.q[0])])  # from the hinge to the centre of mass
    across = np.array([-np.cos(r.q[0]), 0.0, np.sin(r.q[0])])
    force = m * (arm * alpha * across - arm * r.v[0] ** 2 * along + np.array([0.0, 0.0, G]))
    load = backend.joint_loads(free_control(model))[0]
    assert load[3:] == pytest.approx(force, abs=1e-12)
    assert load[1] == pytest.approx(0.0, abs=1e-12)  # a hinge carries no torque about its axis


def test_each_joint_of_a_hanging_chain_carries_what_hangs_from_it():
    scene = load("long_chain")
    model = compile_model(replace(scene, joints=tuple(replace(j, q=(), v=()) for j in scene.joints)))
    # The links lie along x at q = 0: gravity along x lets them hang.
    model = compile_model(replace(model.scene, gravity=(G, 0.0, 0.0)))
    loads = create("impulse", model).joint_loads(free_control(model))
    below = np.cumsum(model.body_mass[::-1])[::-1]
    assert loads[:, 3] == pytest.approx(-G * below, rel=1e-9)
    assert np.abs(loads[:, 4:]).max() < 1e-7


LOADED = ["four_bar", "parallelogram", "slider_crank", "hinge_chain", "ball_chain", "arm_reach"]


@pytest.mark.parametrize("name", LOADED)
def test_both_solvers_find_the_same_loads_also_where_joints_are_redundant(name):
    found = []
    for solver in ("sparse", "dense"):
        model = compile_model(replace(load(name), solver=solver))
        backend = create("impulse", model)
        if not found:
            backend.advance(free_control(model), 1e-3, 237)
            q, v = backend.read().q, backend.read().v
        backend.set(q, v)
        found.append(backend.joint_loads(free_control(model)))
    assert np.abs(found[0] - found[1]).max() < 1e-10 * np.abs(found[1]).max()


@pytest.mark.parametrize("seed", range(4))
def test_loads_and_weights_accelerate_the_bodies(seed):
    """d/dt of the whole momentum, by differences of a run, is the weight and what the world's joint gives."""
    scene = random_tree(seed)
    model = compile_model(scene)
    backend = create("impulse", model)
    control = free_control(model)

    def momentum() -> np.ndarray:
        r = backend.read()
        arms = np.einsum("nij,nj->ni", r.rotation, model.body_center)
        return model.body_mass @ (r.twist[:, 3:] + np.cross(r.twist[:, :3], arms))

    h = 1e-5
    before = momentum()
    backend.advance(control, h, 1)
    loads = backend.joint_loads(control)
    backend.advance(control, h, 1)
    force = (momentum() - before) / (2 * h)
    at_world = loads[model.joint_parent < 0, 3:].sum(axis=0)
    assert at_world == pytest.approx(force - model.body_mass.sum() * model.gravity, abs=1e-4 * np.abs(force).max())


def test_looking_at_the_loads_changes_nothing():
    model = compile_model(load("four_bar"))
    backend = create("impulse", model)
    backend.advance(free_control(model), 1e-3, 50)
    before = backend.save()
    backend.joint_loads(free_control(model))
    assert all(np.array_equal(a, before[name]) for name, a in backend.save().items())


def test_what_rests_on_a_stop_or_in_friction_is_held_by_it():
    """A level rod held by a torque m g l at its hinge hangs there with its whole weight."""
    at_rest = hanging(-np.pi / 2, limits=(-3.0, -np.pi / 2))
    stuck = hanging(-np.pi / 2, friction=2.0)
    for scene in (at_rest, stuck):
        model = compile_model(scene)
        backend = create("impulse", model)
        backend.advance(free_control(model), 1e-3, 20)
        load = backend.joint_loads(free_control(model))[0]
        assert load[5] == pytest.approx(model.body_mass[0] * G, rel=1e-9)
        assert abs(load[1]) == pytest.approx(model.body_mass[0] * G * 0.125, rel=1e-9)


def test_the_simulation_gives_them_and_other_engines_say_that_they_cannot():
    scene = Scene("rod", "Rod", bodies=(rod("rod"),), joints=hanging(0.0).joints)
    assert Simulation(scene).joint_loads()[0, 5] == pytest.approx(0.25 * G)
    with pytest.raises(BackendError, match="does not tell what its joints carry"):
        Simulation(scene, "pybullet").joint_loads()
