"""Solver, stabilisation, step and gravity of a running world, and engines that refuse a scene beforehand."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from sim.backend import BACKENDS, BackendError, create, refusal, unavailable
from sim.command import (
    SetBackend,
    SetGravity,
    SetIntegrator,
    SetJointTarget,
    SetSolver,
    SetStabilisation,
    SetStep,
)
from sim.files import builtin_names, load
from sim.model import compile_model
from sim.scene import SceneError
from sim.simulation import Simulation

ENGINE_CHANGES = (
    (SetStabilisation("feedback"), SetStabilisation("rattle")),
    (SetSolver("dense"), SetSolver("sparse")),
)


def drift(world: Simulation) -> np.ndarray:
    return world.history.read("drift", 10.0)[1][:, 0]


@pytest.mark.parametrize("name", ["four_bar", "slider_crank", "ball_chain", "arm_pd", "free_bodies"])
@pytest.mark.parametrize(("change", "back"), ENGINE_CHANGES)
def test_the_engine_goes_on_another_way_from_the_same_q_and_v(name, change, back):
    world = Simulation(load(name))
    world.step(250)
    q, v, time = world.q.copy(), world.v.copy(), world.time
    for command, inverse in ((change, back), (back, change)):
        assert world.apply(command) == inverse
        np.testing.assert_allclose(world.q, q, rtol=0, atol=1e-9)
        np.testing.assert_allclose(world.v, v, rtol=0, atol=1e-9)
        assert world.time == time
    world.step(10)
    assert world.time == pytest.approx(time + 0.01)


def test_a_changed_world_steps_as_one_that_was_made_so():
    scene = load("hinge_chain", {"stabilise": "feedback", "solver": "dense"})
    made, changed = Simulation(scene), Simulation(load("hinge_chain"))
    changed.apply(SetStabilisation("feedback"))
    changed.apply(SetSolver("dense"))
    for world in (made, changed):
        world.step(200)
    assert np.array_equal(made.q, changed.q) and np.array_equal(made.v, changed.v)
    assert changed.snapshot().solver == "dense" and changed.snapshot().stabilise == "feedback"


@pytest.mark.parametrize("command", [SetSolver("dense"), SetStabilisation("feedback")])
def test_an_engine_without_the_choice_refuses_it_in_a_sentence(command):
    world = Simulation(load("hinge_chain"))
    world.apply(SetBackend("pybullet"))
    before = world.state.digest()
    with pytest.raises(ValueError, match=r"PyBullet .* there is a choice with Constraint impulses\."):
        world.apply(command)
    assert world.state.digest() == before


@pytest.mark.parametrize(
    "command", [SetSolver("magic"), SetStabilisation(""), SetStep(0.0), SetStep(1.0), SetGravity((0.0, 0.0, np.nan))]
)
def test_nonsense_is_refused_and_nothing_has_changed(command):
    world = Simulation(load("hinge_chain"))
    world.step(5)
    before, scene = world.state.digest(), world.scene
    with pytest.raises(SceneError):
        world.apply(command)
    assert world.state.digest() == before and world.scene is scene


def test_the_step_changes_where_time_stands_and_comes_back():
    world = Simulation(load("hinge_chain"))
    world.step(100)
    q = world.q.copy()
    assert world.apply(SetStep(2.5e-4)) == SetStep(1e-3)
    assert world.time == pytest.approx(0.1) and np.array_equal(world.q, q)
    world.step(400)
    assert world.time == pytest.approx(0.2)
    assert world.apply(SetStep(1e-3)) == SetStep(2.5e-4)
    world.step(100)
    assert world.time == pytest.approx(0.3)
    times = world.history.read("energy", 10.0)[0]
    assert len(times) == 1 + 100 + 400 + 100 and (np.diff(times) > 0).all()


def test_a_state_saved_after_another_step_size_gives_the_same_bits():
    world = Simulation(load("double_pendulum"))
    world.step(70)
    world.apply(SetStep(7e-4))
    world.step(33)
    saved = world.state.copy()
    world.step(41)
    end = world.state.digest()
    world.state = saved
    world.step(41)
    assert world.state.digest() == end


def test_the_history_keeps_as_much_time_with_a_shorter_step():
    world = Simulation(load("free_body"))
    world.step(10)
    world.apply(SetStep(2.5e-4))
    assert len(world.history.rows) * world.dt == pytest.approx(60.0)


@pytest.mark.parametrize("engine", BACKENDS)
def test_bodies_fall_as_the_new_gravity_says(engine):
    world = Simulation(load("free_bodies", {"body.brick.velocity": [0, 0, 0, 0, 0, 0]}), engine)
    brick = world.model.body_names.index("brick")
    world.step(50)
    start = world.reading.position[brick].copy()
    pull = np.array([0.3, -0.2, -1.62])
    assert world.apply(SetGravity(tuple(pull))) == SetGravity((0.0, 0.0, 0.0))
    assert world.snapshot().gravity == tuple(pull)
    world.advance(0.5)
    fallen = world.reading.position[brick] - start
    np.testing.assert_allclose(fallen, pull * 0.5**2 / 2, rtol=5e-3)


def test_drift_counts_energy_from_where_gravity_changed():
    world = Simulation(load("hinge_chain"))
    world.step(300)
    before = drift(world).copy()
    world.apply(SetGravity((0.0, 0.0, -1.62)))
    world.step(300)
    assert np.array_equal(drift(world)[: len(before)], before)
    assert np.abs(drift(world)).max() < 1e-3
    assert np.ptp(world.history.read("energy", 10.0)[1][:, 2]) > 1.0


def test_gravity_compensation_carries_the_new_weight():
    world = Simulation(load("arm_gravity", {"joint.shoulder.damping": 1.0}))
    world.apply(SetGravity((0.0, 0.0, -24.8)))
    world.step(1)
    q = world.q.copy()
    world.advance(0.3)
    assert np.abs(world.q - q).max() < 1e-3


# --- engines that refuse ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize("engine", BACKENDS)
def test_an_engine_says_beforehand_what_it_would_say_when_made(name, engine):
    model = compile_model(load(name))
    said = refusal(engine, model)
    try:
        create(engine, model).close()
    except BackendError as error:
        assert said == str(error)
    else:
        assert said == ""


def test_a_missing_engine_refuses_everything():
    model = compile_model(load("free_body"))
    assert refusal("magic", model) == unavailable("magic") != ""


def test_asking_imports_neither_pybullet_nor_numba():
    code = (
        "import sys; from sim.backend import refusal; from sim.files import load; from sim.model import compile_model\n"
        "print(refusal('pybullet', compile_model(load('four_bar'))), {'pybullet', 'numba'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out == 'PyBullet cannot run this scene: joint "rocker" closes a loop. set()\n'


def test_another_integrator_steps_as_a_world_that_was_made_with_it():
    made = Simulation(load("double_pendulum", {"backend": "tree", "integrator": "gauss4"}))
    changed = Simulation(load("double_pendulum", {"backend": "tree"}))
    assert changed.snapshot().integrator == "rk4"
    assert changed.apply(SetIntegrator("gauss4")) == SetIntegrator("rk4")
    for world in (made, changed):
        world.step(200)
    assert np.array_equal(made.q, changed.q) and changed.snapshot().integrator == "gauss4"


@pytest.mark.parametrize(
    ("backend", "name", "words"),
    [("impulse", "rk4", "there is a choice with Articulated tree"), ("tree", "magic", "there are rk4, euler")],
)
def test_integrators_that_are_not_there_are_refused_in_a_sentence(backend, name, words):
    world = Simulation(load("double_pendulum"), backend)
    before = world.state.digest()
    with pytest.raises(ValueError, match=words):
        world.apply(SetIntegrator(name))
    assert world.state.digest() == before


def test_a_joint_is_held_where_it_is_asked_to_be():
    world = Simulation(load("arm_pd"))
    undo = world.apply(SetJointTarget("pd", "elbow", (0.4,)))
    world.advance(4.0)
    elbow = int(world.model.joint_q[world.model.joint_names.index("elbow")])
    assert world.q[elbow] == pytest.approx(0.4, abs=1e-3)
    assert world.snapshot().joint_targets["pd"][elbow] == 0.4
    assert world.apply(undo) == SetJointTarget("pd", "elbow", (0.4,))


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (SetJointTarget("gravity", "elbow", (0.1,)), "no controller of joints"),
        (SetJointTarget("pd", "knee", (0.1,)), 'no joint "knee"'),
        (SetJointTarget("pd", "elbow", (0.1, 0.2)), "needs one finite number"),
        (SetJointTarget("pd", "elbow", (float("nan"),)), "needs one finite number"),
    ],
)
def test_impossible_joint_targets_are_refused_in_a_sentence(command, words):
    world = Simulation(load("arm_pd"))
    with pytest.raises(ValueError, match=words):
        world.apply(command)
