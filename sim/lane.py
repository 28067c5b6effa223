"""One engine that takes every step of a leading world beside it."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from sim.backend import INTEGRATORS, BackendError, Diverged
from sim.command import Command, SetGravity, SetStep
from sim.control.desk import COMMANDS
from sim.holding import OF_ENGINES, is_heeded
from sim.lane_names import REFERENCE, engine_of, lane_title
from sim.rewind import SPACING, Rewind
from sim.scene import SceneError
from sim.simulation import Simulation
from sim.state import Array

FINER = 8  # its steps a step; a power of two, so that its times are those of the others to the bit
PRECISE = "gauss4"


class Lane:
    """A world of the same scene, begun in the leading world's state. `stopped` says why it could not go on."""

    def __init__(self, name: str, lead: Simulation) -> None:
        self.name, self.lead = name, lead
        self.finer = FINER if name == REFERENCE else 1
        engine = engine_of(name, lead.model)
        scene = replace(lead.scene, dt=lead.dt / self.finer)
        if name == REFERENCE and PRECISE in INTEGRATORS[engine]:
            scene = replace(scene, integrator=PRECISE)
        self.world = Simulation(scene, engine)
        self.world.begin_beside(lead, self.finer)
        self.rewind = Rewind(self.world)
        self.began = lead.step_count
        self.stopped = ""
        self._seconds, self._steps = 0.0, 0

    @property
    def title(self) -> str:
        return lane_title(self.name)

    @property
    def behind(self) -> int:
        """Steps that the leading world has taken and this one could not."""
        return self.lead.step_count - self.world.step_count // self.finer

    @property
    def cost(self) -> float:
        """Processor time of a step of the leading world [s]."""
        return self._seconds / max(self._steps, 1)

    def follow(self) -> str:
        """To where the leading world is; returns a sentence if that failed now."""
        if self.stopped:
            return ""
        goal, start, before = self.lead.step_count * self.finer, time.thread_time(), self.world.step_count
        try:
            while (left := goal - self.world.step_count) > 0:
                self.rewind.note()
                self.world.step(min(left, SPACING))
        except Diverged as error:
            return self._stop(f"stopped at t = {self.world.time:.3f} s: {error}")
        finally:
            self._seconds += time.thread_time() - start
            self._steps += (self.world.step_count - before) // self.finer
        return ""

    def jump(self) -> bool:
        """The leading world has gone to another moment since this lane began; False if that is forgotten here."""
        self.rewind.go_to(self.lead.time)
        if not self.behind:
            self.stopped = ""
        return not self.behind or bool(self.stopped)

    def obey(self, command: Command) -> str:
        """What was asked of the leading world; returns a sentence if it cannot be done here."""
        if type(command) in OF_ENGINES and not self._heeds(command):
            return ""
        if isinstance(command, SetStep):
            command = SetStep(command.dt / self.finer)
        try:
            self.world.apply(command)
        except (SceneError, BackendError, ValueError) as error:
            return self._stop(f"stopped: {error}")
        self.rewind.change(command)
        return ""

    def _heeds(self, command: Command) -> bool:
        return self.name != REFERENCE and is_heeded(self.world.backend_name, command)

    def _stop(self, why: str) -> str:
        self.stopped = why
        return f"{self.title} {why.rstrip('.')}. The others go on."

    def count(self) -> int:
        """Rows there are, one for every step of the leading world since this lane began."""
        return (self.world.history.available - 1) // self.finer + 1 + self.behind

    def rows(self, n: int) -> Array:
        """(n, columns) of the history for the last n steps of the leading world; nan where this one did not go on."""
        history = self.world.history
        real = max(n - self.behind, 0)
        rows = np.full((n, history.rows.shape[1]), np.nan)
        if real:
            rows[:real] = history.rows_from(history.count - (real - 1) * self.finer - 1)[:: self.finer]
        return rows

    def close(self) -> None:
        self.world.close()


SHARED = (*COMMANDS, *OF_ENGINES, SetStep, SetGravity)  # what all worlds of a comparison obey
