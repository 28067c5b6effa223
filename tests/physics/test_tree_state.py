"""The tree engine's state to the bit, what it refuses, and how it stops."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sim.backend import INTEGRATORS, BackendError, Diverged, create
from sim.files import load
from sim.model import compile_model
from sim.scene import Body, Joint, Pose, Scene
from sim.simulation import Simulation
from tests.worlds import free_control, hanging, random_forest, rod

METHODS = INTEGRATORS["tree"]


def scene_with_everything(integrator: str) -> Scene:
    """Balls, hinges and sliders with friction, damping, rotors and stops, and one body flying by itself."""
    scene = random_forest(3)
    limits = {"hinge": (-1.2, 1.3), "slider": (-1.2, 1.3)}
    joints = tuple(
        j if j.kind == "fixed" else replace(j, damping=0.01, friction=0.02, limits=limits.get(j.kind), restitution=0.0)
        for j in scene.joints
    )
    stone = Body(
        "stone", 1.0, (0.1, 0.0, 0.0), (0.1, 0.2, 0.25, 0.0, 0.0, 0.0), velocity=(1.0, 2.0, 0.0, 1.0, 0.0, 0.0)
    )
    return replace(scene, bodies=(*scene.bodies, stone), joints=joints, integrator=integrator)


def bits(backend) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in backend.save().items()}


@pytest.mark.parametrize("scene", ["everything", "smooth"])
@pytest.mark.parametrize("integrator", METHODS)
def test_saved_and_restored_it_goes_on_to_the_bit(integrator, scene):
    smooth = replace(random_forest(5), integrator=integrator)
    model = compile_model(smooth if scene == "smooth" else scene_with_everything(integrator))
    first, second = create("tree", model), create("tree", model)
    control = free_control(model)
    control.tau[:] = 0.01
    first.advance(control, 1e-3, 17)
    second.load(first.save())
    assert bits(first) == bits(second)
    for backend in (first, second):
        backend.advance(control, 1e-3, 40)
    assert bits(first) == bits(second)


@pytest.mark.parametrize("integrator", METHODS)
def test_steps_in_one_call_are_the_steps_one_by_one(integrator):
    model = compile_model(scene_with_everything(integrator))
    control = free_control(model)
    together, single = create("tree", model), create("tree", model)
    together.advance(control, 1e-3, 50)
    for k in range(50):
        control.time = 0.0 + k * 1e-3
        single.advance(control, 1e-3, 1)
    assert bits(together) == bits(single)


def test_ab4_looks_back_only_on_what_was():
    """One evaluation a step after three; it begins again after a jump of the torque, another step or a new state."""
    model = compile_model(replace(load("double_pendulum:c"), integrator="ab4"))
    rk4 = compile_model(load("double_pendulum:c"))
    backend, other = create("tree", model), create("tree", rk4)
    control = free_control(model)

    def same(steps: int, h: float) -> bool:
        """Does it go like rk4 from here?"""
        other.set(*(getattr(backend.read(), name) for name in "qv"))
        for engine in (backend, other):
            engine.advance(control, h, steps)
        return np.array_equal(backend.read().q, other.read().q)

    assert same(3, 1e-3)
    assert not same(1, 1e-3)
    control.tau[0] = 0.1
    assert same(3, 1e-3)
    assert not same(1, 1e-3)
    assert same(3, 5e-4)
    assert not same(1, 5e-4)
    backend.set(model.q0, model.v0)
    assert same(3, 5e-4)


@pytest.mark.parametrize("integrator", ["rk4", "ab4"])
def test_a_simulation_comes_back_to_a_state_exactly(integrator):
    world = Simulation(replace(load("ball_arm"), integrator=integrator), backend="tree")
    world.step(20)
    state = world.state.copy()
    world.step(30)
    digest = world.state.digest()
    world.state = state
    world.step(30)
    assert world.state.digest() == digest
    assert world.integrator == integrator


def test_a_loop_is_refused():
    with pytest.raises(BackendError) as caught:
        create("tree", compile_model(load("four_bar")))
    assert 'The tree engine cannot run this scene: joint "' in str(caught.value)
    assert str(caught.value).endswith('" closes a loop.')


def test_a_massless_last_link_is_refused():
    """A point mass on the axis of the last hinge: nothing resists its turning."""
    point = Body("point", 1.0, (0.0, 0.0, 0.0), (0.0,) * 6)
    hinge = Joint("wrist", "hinge", "rod", "point", Pose((0.0, 0.0, -0.25)), axis=(0.0, 1.0, 0.0))
    scene = hanging(0.3)
    scene = replace(scene, bodies=(*scene.bodies, point), joints=(*scene.joints, hinge))
    with pytest.raises(BackendError, match='nothing resists joint "wrist"'):
        create("tree", compile_model(scene))
    geared = replace(hinge, rotor_inertia=1e-5, gear=10.0)
    create("tree", compile_model(replace(scene, joints=(scene.joints[0], geared))))


def test_divergence_names_the_body_and_keeps_the_last_good_state():
    model = compile_model(hanging(0.0))
    backend = create("tree", model)
    control = free_control(model)
    backend.advance(control, 1e-3, 10)
    control.tau[0] = 1e5
    with pytest.raises(Diverged, match='body "rod" turned'):
        for _ in range(100):
            good = bits(backend)
            control.time += 1e-3
            backend.advance(control, 1e-3, 1)
    kept = bits(backend)
    assert all(kept[name] == good[name] for name in ("q", "v", "ledger", "mode"))


@pytest.mark.parametrize("integrator", METHODS)
def test_a_nan_torque_is_divergence(integrator):
    model = compile_model(replace(hanging(0.3), integrator=integrator))
    backend = create("tree", model)
    control = free_control(model)
    control.tau[0] = np.nan
    with pytest.raises(Diverged, match='body "rod" became infinite'):
        backend.advance(control, 1e-3, 1)
    assert np.array_equal(backend.read().q, model.q0)


def test_energy_from_nowhere_is_divergence():
    """Explicit Euler pumps a fast pendulum up at a large step."""
    scene = replace(hanging(2.5), integrator="explicit_euler")
    model = compile_model(scene)
    backend = create("tree", model)
    with pytest.raises(Diverged, match="energy came from nowhere"):
        backend.advance(free_control(model), 2e-2, 1000)


def test_stages_that_do_not_converge_are_divergence():
    """gauss4 iterates only while √3/6 ω h < 1; a rod of 5 cm swings at ω = 17 rad/s."""
    at = Pose((0.0, 0.0, 1.0))
    hinge = Joint("pivot", "hinge", "world", "rod", at, axis=(0.0, 1.0, 0.0), q=(0.01,))
    scene = Scene("short", "Short rod", bodies=(rod("rod", 0.05),), joints=(hinge,), integrator="gauss4")
    model = compile_model(scene)
    with pytest.raises(Diverged, match='the stages of a step did not converge at joint "pivot"'):
        create("tree", model).advance(free_control(model), 0.4, 1)


def test_a_locked_joint_stands_where_it_is_put():
    scene = replace(
        load("double_pendulum"), joints=tuple(replace(j, locked=True) for j in load("double_pendulum").joints)
    )
    model = compile_model(scene)
    backend = create("tree", model)
    backend.set(np.array([0.4, -0.2]), np.array([1.0, 2.0]))
    backend.advance(free_control(model), 1e-3, 100)
    r = backend.read()
    assert np.array_equal(r.q, [0.4, -0.2]) and not r.v.any()
