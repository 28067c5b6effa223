"""A run taken again: the same steps and the same commands before them."""

from __future__ import annotations

import math

import numpy as np

from sim.backend import BackendError, Diverged
from sim.command import Command, SetBackend
from sim.holding import is_heeded, start, state_on, stay
from sim.past import Fail, Hold, Run
from sim.scene import SceneError
from sim.simulation import Simulation


class Replay:
    """A world at the beginning of a run; `obey` before every `step`. Another engine leaves out what is not for it."""

    def __init__(self, run: Run, backend: str | None = None) -> None:
        self.run = run
        self._same_engine = backend is None
        if backend and run.begin.state.step:
            raise SceneError("it begins on its way, in a state that is known to its own engine alone.")
        self.world = Simulation(run.scene, backend or run.begin.state.backend)
        state = run.begin.state if self._same_engine else state_on(self.world, run.begin.state)
        try:
            start(self.world, run.begin.settings, state, run.begin.since)
        except ValueError as problem:
            raise SceneError(f"its beginning does not fit its scene: {problem}") from problem
        self._next = 0

    @property
    def is_over(self) -> bool:
        return self.world.step_count >= self.run.end.step and self._next == len(self.run.entries)

    def obey(self) -> None:
        """What was asked for at this step."""
        while self._next < len(self.run.entries) and self.run.entries[self._next].step <= self.world.step_count:
            command = self.run.entries[self._next].command
            self._next += 1
            try:
                self._obey(command)
            except (ValueError, BackendError) as problem:
                raise SceneError(f"its entry {self._next} ({type(command).__name__}): {problem}") from problem

    def step(self, most: int) -> None:
        """At most so many steps, no further than the next entry or the end."""
        ahead = self.run.entries[self._next].step if self._next < len(self.run.entries) else self.run.end.step
        self.world.step(max(min(most, ahead - self.world.step_count), 0))

    def go_to(self, time: float) -> None:
        """On to the step nearest to a moment, or to the end."""
        while (left := math.ceil((time - self.world.time) / self.world.dt - 0.5 - 1e-9)) > 0 and not self.is_over:
            self.obey()
            self.step(left)
        if self.world.step_count >= self.run.end.step:
            self.obey()

    @property
    def is_same(self) -> bool:
        """Whether it has come to the state of then, to the bit."""
        return self.world.state.digest() == self.run.end.digest

    @property
    def distance(self) -> float:
        """The largest difference of a coordinate from what it was at the end then [rad, m]."""
        then = np.array(self.run.end.q)
        return float(np.max(np.abs(self.world.q - then), initial=0.0)) if then.shape == self.world.q.shape else math.nan

    def _obey(self, command: Command) -> None:
        if isinstance(command, Fail):
            self._fail()
        elif isinstance(command, Hold):
            stay(self.world, command)
        elif self._same_engine or (is_heeded(self.world.backend_name, command) and not isinstance(command, SetBackend)):
            self.world.apply(command)

    def _fail(self) -> None:
        """A step that fails; where it does not, it did not happen either."""
        if not self._same_engine:
            return
        state = self.world.state
        try:
            self.world.step(1)
        except Diverged:
            return
        self.world.state = state
