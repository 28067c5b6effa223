"""Settings as a scene and as commands: each leads to the other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim.command import (
    Command,
    FollowPath,
    SetBackend,
    SetGain,
    SetIntegrator,
    SetJointTarget,
    SetSolver,
    SetStabilisation,
    SetStep,
    SetTarget,
)
from sim.files import load
from sim.simulation import Simulation
from sim.tuning import changes, tuned

COMMANDS: tuple[Command, ...] = (
    SetGain("reach", "kp", 123.456),
    SetGain("reach", "force_cap", 50.0),
    SetTarget("target", (0.3, -0.2, 0.7)),
    SetStep(2e-3),
)


def settings(world: Simulation):
    s = world.snapshot()
    gains = {name: dict(values) for name, values in s.gains.items()}
    engine = s.backend, s.integrator, s.solver, s.stabilise, s.dt, s.gravity
    return *engine, dict(s.controllers), gains, s.targets.tolist()


@pytest.mark.parametrize(
    "engine",
    [
        (),
        (SetSolver("dense"), SetStabilisation("feedback")),
        (SetSolver("dense"), SetBackend("tree"), SetIntegrator("gauss4")),
    ],
)
def test_a_tuned_scene_is_reached_by_its_commands_and_runs_the_same(engine: tuple[Command, ...]) -> None:
    world = Simulation(load("arm_reach"))
    for command in (*COMMANDS, *engine):
        world.apply(command)
    scene = tuned(world.scene, world.model, world.snapshot(), {"target": (0.3, -0.2, 0.7)})
    again, said = Simulation(load("arm_reach")), Simulation(scene)
    for command in changes(load("arm_reach"), scene):
        again.apply(command)
    assert settings(again) == settings(world) == settings(said)


def test_joint_targets_are_settings_too() -> None:
    for name, joint, q in (("arm_pd", "elbow", (0.7,)), ("arm_pd", "yaw", (-1.0,))):
        scene = load(name)
        spec = next(c for c in scene.controllers if c.kind == "joint_pd")
        world = Simulation(scene)
        world.apply(SetJointTarget(spec.name, joint, q))
        said = tuned(scene, world.model, world.snapshot(), {})
        assert changes(scene, said) == (SetJointTarget(spec.name, joint, q),)
        held = Simulation(said).snapshot().joint_targets[spec.name]
        assert (held == world.snapshot().joint_targets[spec.name]).all()


def test_nothing_set_is_nothing_changed() -> None:
    for name in ("arm_reach", "arm_pd", "free_bodies"):
        scene = load(name)
        world = Simulation(scene)
        world.step(5)
        assert tuned(scene, world.model, world.snapshot(), {}) == scene
        assert changes(scene, tuned(scene, world.model, world.snapshot(), {})) == ()


def test_what_is_set_back_is_no_change() -> None:
    scene = load("arm_reach")
    world = Simulation(scene)
    inverses = [world.apply(command) for command in COMMANDS]
    assert changes(scene, tuned(scene, world.model, world.snapshot(), {}))
    for inverse in reversed(inverses):
        assert inverse is not None
        world.apply(inverse)
    assert isinstance(inverses[2], FollowPath)
    assert changes(scene, tuned(scene, world.model, world.snapshot(), {})) == ()


def test_things_that_only_one_scene_has_are_left_alone() -> None:
    arm, other = load("arm_reach"), load("arm_pd")
    assert changes(replace(arm, controllers=(), targets=()), other) == ()
    assert not any(isinstance(c, SetTarget) for c in changes(arm, other))
