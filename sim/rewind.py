"""Going back in time exactly: a keyframe now and then, and the steps after it taken again.

A keyframe is a State with the settings that held. One is kept every SPACING steps and before the first step
under changed settings, so the steps that follow a keyframe depend on nothing but it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Any

from sim.command import ReleaseBody, SetBackend, SetStep
from sim.scene import Scene
from sim.simulation import Simulation
from sim.state import Array, State

SPACING = 100  # steps
MOST_BYTES = 64_000_000
SCENE_SETTINGS = ("gravity", "solver", "stabilise", "integrator")  # of a scene, that change while it runs
CONTROLLER_SETTINGS = ("gains", "q_target")  # of a controller, where it has them


@dataclass(frozen=True)
class Settings:
    """What people chose, as far as the next steps depend on it and the State does not hold it."""

    scene: Scene
    dt: float
    since: tuple[int, float]
    enabled: dict[str, bool]
    arrays: dict[tuple[str, str], Array]  # by controller and attribute
    grip: Any  # of the mouse, or None


@dataclass(frozen=True)
class Keyframe:
    state: State
    settings: Settings


class Rewind:
    """The keyframes of one world; `note` before every step, `change` after every command."""

    def __init__(self, world: Simulation) -> None:
        self.world = world
        self._frames: deque[Keyframe] = deque()
        self._bytes = 0
        self._changed = False

    def change(self) -> None:
        """A setting changed, or time was reset: the next step needs a keyframe before it."""
        self._changed = True

    def note(self) -> None:
        """Before a step: keep a keyframe if this is the place for one."""
        world = self.world
        if self._changed or not self._frames or world.step_count % SPACING == 0:
            self._changed = False
            self._forget_from(world.step_count)
            self._frames.append(Keyframe(world.state, _settings(world)))
            self._bytes += _size(self._frames[-1])
            while self._bytes > MOST_BYTES and len(self._frames) > 1:
                self._bytes -= _size(self._frames.popleft())

    def back(self, count: int) -> None:
        """To the state `count` steps ago, or the oldest that is known; settings stay as they are now.

        Raises ValueError where nothing earlier is known.
        """
        world = self.world
        step = world.step_count
        earlier = [f for f in self._frames if f.state.step < step]
        if not earlier:
            raise ValueError("Nothing before this moment is known.")
        goal = max(step - count, earlier[0].state.step)
        frame = next(f for f in reversed(earlier) if f.state.step <= goal)
        now, paths = _settings(world), world.state.paths
        _hold(world, frame.settings, frame.state)
        world.history.cut(world.time)
        world.step(goal - frame.state.step)
        _hold(world, now, replace(world.state, paths=paths))
        self._forget_from(goal + 1)
        self._changed = True

    def _forget_from(self, step: int) -> None:
        while self._frames and self._frames[-1].state.step >= step:
            self._bytes -= _size(self._frames.pop())


def _settings(world: Simulation) -> Settings:
    arrays = {
        (name, attribute): getattr(controller, attribute).copy()
        for name, controller in world.controllers.items()
        for attribute in CONTROLLER_SETTINGS
        if hasattr(controller, attribute)
    }
    return Settings(world.scene, world.dt, world._since, dict(world.enabled), arrays, world._grip)


def _hold(world: Simulation, settings: Settings, state: State) -> None:
    """The world in a state under settings; the engine is the state's own."""
    world.apply(ReleaseBody())
    if world.backend_name != state.backend:
        world.apply(SetBackend(state.backend))
    changes: dict[str, Any] = {
        name: getattr(settings.scene, name)
        for name in SCENE_SETTINGS
        if getattr(settings.scene, name) != getattr(world.scene, name)
    }
    if changes:
        world._change_scene(**changes)
    if settings.dt != world.dt:
        world.apply(SetStep(settings.dt))
    world._since = settings.since
    world.enabled.update(settings.enabled)
    for (name, attribute), values in settings.arrays.items():
        getattr(world.controllers[name], attribute)[:] = values
    world._grip = settings.grip
    world.state = state


def _size(frame: Keyframe) -> int:
    return sum(a.nbytes for a in (*frame.state.engine.values(), *frame.settings.arrays.values())) + 1000
