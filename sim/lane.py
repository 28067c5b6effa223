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
from sim.tally import Tally

FINER = 8  # steps of the reference a step; a power of two, so that its times are those of the others to the bit
PRECISE = "gauss4"
SECONDS = 10.0  # of history; what is compared is written down at once
MOST_BYTES = 8_000_000  # of keyframes: minutes of an arm
SHARED = (*COMMANDS, *OF_ENGINES, SetStep, SetGravity)  # what all worlds of a comparison obey


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
        self.world.begin_beside(lead, self.finer, SECONDS)
        self.rewind = Rewind(self.world, spacing=SPACING * self.finer, most_bytes=MOST_BYTES)
        self.tally = Tally(self.world)
        self.stopped = ""
        self._last_words, self._last_step = "", -1  # why it could not go on from which step; it may be gone back before

    @property
    def title(self) -> str:
        return lane_title(self.name)

    @property
    def behind(self) -> int:
        """Steps that the leading world has taken and this one could not."""
        return self.lead.step_count - self.world.step_count // self.finer

    def follow(self) -> str:
        """To where the leading world is; returns a sentence if that failed now."""
        if self.stopped:
            return ""
        goal, self._last_step = self.lead.step_count * self.finer, -1
        try:
            while (left := goal - self.world.step_count) > 0:
                self.rewind.note()
                self._step(min(left, SPACING * self.finer))
        except Diverged as error:
            self.rewind.fail()
            return self._stop(f"stopped at t = {self.world.time:.3f} s: {error}")
        return ""

    def _step(self, n: int) -> None:
        start, before = time.thread_time(), self.world.time
        try:
            self.world.step(n)
        finally:
            seconds = time.thread_time() - start
            self.tally.add(n // self.finer, self.world.time - before, seconds)

    def jump(self) -> bool:
        """The leading world has gone to another moment since this lane began; False if that is forgotten here."""
        self.rewind.go_to(self.lead.time)
        self.tally.look()
        ended = 0 <= self._last_step < self.lead.step_count
        self.stopped = self._last_words if ended else ""
        return ended or self.behind == 0

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
        self.tally.look()
        if not self.stopped:
            self._last_step = -1
        return ""

    def _heeds(self, command: Command) -> bool:
        return self.name != REFERENCE and is_heeded(self.world.backend_name, command)

    def _stop(self, why: str) -> str:
        self.stopped = self._last_words = why
        self._last_step = self.world.step_count // self.finer
        return f"{self.title} {why.rstrip('.')}. The others go on."

    def rows(self, n: int) -> Array:
        """(n, columns) of the history for the last n steps of the leading world; nan where this one did not run."""
        history = self.world.history
        rows = np.full((n, history.rows.shape[1]), np.nan)
        end = history.count - self.world.step_count % self.finer  # it may have stopped within a step
        known = (end - (history.count - history.available) - 1) // self.finer + 1
        real = min(max(n - self.behind, 0), known)
        if real:
            own = history.rows_from(end - (real - 1) * self.finer - 1)
            rows[n - self.behind - real : n - self.behind] = own[: (real - 1) * self.finer + 1 : self.finer]
        return rows

    def close(self) -> None:
        self.world.close()
