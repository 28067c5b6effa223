"""What people have set in a world, as the commands that set it; and a world in a state under such settings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from sim.backend import INTEGRATORS, SETTINGS
from sim.command import (
    Command,
    SetBackend,
    SetGain,
    SetGravity,
    SetIntegrator,
    SetJointTarget,
    SetSolver,
    SetStabilisation,
    SetStep,
    SetSwitch,
)
from sim.past import Hold
from sim.simulation import Simulation
from sim.state import State

OF_ENGINES: dict[Any, str] = {  # settings that only some engines heed
    SetSolver: "solver",
    SetStabilisation: "stabilise",
    SetIntegrator: "integrator",
}


def is_heeded(backend: str, command: Command) -> bool:
    """Whether the engine can obey; everything but OF_ENGINES concerns every one."""
    setting = OF_ENGINES.get(type(command), "")
    if not setting:
        return True
    known = setting != "integrator" or getattr(command, setting) in INTEGRATORS[backend]
    return known and setting in SETTINGS[backend]


def settings_of(world: Simulation) -> tuple[Command, ...]:
    """What people chose, as the commands that choose it; the engine apart, which a State names."""
    return (*_of_the_world(world), *_of_controllers(world), world.desk.grip())


def hold(world: Simulation, settings: tuple[Command, ...], state: State) -> None:
    """The world in a state under settings; the engine is the state's own.

    Another solver has other variables than the state, of the same q and v.
    """
    if world.backend_name != state.backend:
        world.apply(SetBackend(state.backend))
    _obey(world, settings)
    now = world.state
    world.state = state if state.fits(now) else replace(state, engine=now.engine)
    _obey(world, settings)  # the state has its own joint targets


def held(world: Simulation, settings: tuple[Command, ...]) -> Hold:
    """What `stay` needs to bring another world to where this one is now, after it came from another moment."""
    return Hold(settings, world.scene.solver, world.scene.stabilise, world.scene.integrator)


def stay(world: Simulation, command: Hold) -> None:
    hold(world, command.settings, world.state)
    unheeded = {name: getattr(command, name) for name in OF_ENGINES.values()}
    if any(getattr(world.scene, name) != value for name, value in unheeded.items()):
        state = world.state
        world.change_scene(**unheeded)
        world.state = state


def start(world: Simulation, settings: tuple[Command, ...], state: State, since: tuple[int, float]) -> None:
    """A world that begins here, its history and its accounts too; raises ValueError where the state does not fit."""
    hold(world, settings, state)
    if not state.fits(world.state):
        raise ValueError("This state is of another scene.")
    world.begin_history(since)


def state_on(world: Simulation, state: State) -> State:
    """A beginning on whatever engine the world has: where the scene starts, with the targets of the state."""
    return replace(world.state, desk=state.desk)


def _obey(world: Simulation, settings: tuple[Command, ...]) -> None:
    now = settings_of(world)
    for command in settings:
        if command not in now and is_heeded(world.backend_name, command):
            world.apply(command)


def _of_the_world(world: Simulation) -> Iterator[Command]:
    now = world.snapshot()
    yield SetStep(now.dt)
    yield SetGravity(now.gravity)
    for command, setting in OF_ENGINES.items():
        if setting in SETTINGS[world.backend_name]:
            yield command(getattr(now, setting))


def _of_controllers(world: Simulation) -> Iterator[Command]:
    now, model = world.snapshot(), world.model
    yield from (SetSwitch(name, on) for name, on in now.controllers.items())
    yield from (SetGain(name, gain, value) for name, gains in now.gains.items() for gain, value in gains.items())
    for name, q in now.joint_targets.items():
        for j, joint in enumerate(model.joint_names):
            own = q[model.joint_q[j] : model.joint_q[j + 1]].tolist()
            if own:
                yield SetJointTarget(name, joint, tuple(own))
