"""Settings as a scene and as commands: each leads to the other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sim.command import Command, FollowPath, SetBackend, SetGain, SetSolver, SetStabilisation, SetStep, SetTarget
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
    return s.backend, s.solver, s.stabilise, s.dt, s.gravity, dict(s.controllers), gains, s.targets.tolist()


@pytest.mark.parametrize(
    "engine",
    [
        (),
        (SetSolver("dense"), SetStabilisation("feedback")),
        (SetSolver("dense"), SetBackend("tree")),
    ],
)
def test_a_tuned_scene_is_reached_by_its_commands_and_runs_the_same(engine: tuple[Command, ...]) -> None:
    world = Simulation(load("arm_reach"))
    for command in (*COMMANDS, *engine):
        world.apply(command)
    scene = tuned(world.scene, world.snapshot(), {"target": (0.3, -0.2, 0.7)})
    again, said = Simulation(load("arm_reach")), Simulation(scene)
    for command in changes(load("arm_reach"), scene):
        again.apply(command)
    assert settings(again) == settings(world) == settings(said)


def test_nothing_set_is_nothing_changed() -> None:
    for name in ("arm_reach", "arm_pd", "free_bodies"):
        scene = load(name)
        world = Simulation(scene)
        world.step(5)
        assert tuned(scene, world.snapshot(), {}) == scene
        assert changes(scene, tuned(scene, world.snapshot(), {})) == ()


def test_what_is_set_back_is_no_change() -> None:
    scene = load("arm_reach")
    world = Simulation(scene)
    inverses = [world.apply(command) for command in COMMANDS]
    assert changes(scene, tuned(scene, world.snapshot(), {}))
    for inverse in reversed(inverses):
        assert inverse is not None
        world.apply(inverse)
    assert isinstance(inverses[2], FollowPath)
    assert changes(scene, tuned(scene, world.snapshot(), {})) == ()


def test_things_that_only_one_scene_has_are_left_alone() -> None:
    arm, other = load("arm_reach"), load("arm_pd")
    assert changes(replace(arm, controllers=(), targets=()), other) == ()
    assert not any(isinstance(c, SetTarget) for c in changes(arm, other))
