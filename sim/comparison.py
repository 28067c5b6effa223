"""Engines in lockstep: others run beside the leading world with the same controllers, inputs and hands.

After every step it is written down how far they are from the yardstick: the reference where it runs, else the leading
world.
"""

from __future__ import annotations

import math
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass

import numpy as np

from sim.apart import Apart
from sim.backend import Diverged
from sim.command import Command
from sim.lane import SHARED, Lane
from sim.lane_names import COLUMNS, TOLERANCE, lane_refusal, yardstick_of
from sim.ring import TIME, Ring
from sim.simulation import Simulation
from sim.state import Array, Beside, Figures
from sim.tally import Tally

LENGTH = 60_000  # rows that are kept of what was written down


@dataclass(frozen=True)
class Course:
    """What readers see of a comparison: rows of time, and COLUMNS for each name; energies less the yardstick's."""

    names: tuple[str, ...]  # the leading engine's first, then the lanes'
    ring: Ring

    @property
    def yardstick(self) -> int:
        return yardstick_of(self.names)

    def read(self, column: str, seconds: float) -> tuple[Array, Array]:
        """Times (n,) and values (n, names) of the last `seconds`; nan where an engine did not run."""
        rows = self.ring.last_rows(seconds)
        return rows[:, 0], rows[:, _columns(column)]


def _columns(name: str) -> slice:
    return slice(1 + COLUMNS.index(name), None, len(COLUMNS))


class Comparison:
    """`lead` is stepped by others; `follow`, `obey` or `jump` after everything that happened to it."""

    def __init__(self, lead: Simulation, names: tuple[str, ...], tolerance: float = TOLERANCE) -> None:
        """Raises SceneError or BackendError, and ValueError for names that make no sense."""
        self.lead, self.lanes, self.tolerance = lead, list[Lane](), tolerance
        self._tally, self._apart = Tally(lead), Apart(lead.model)
        self.began = self._written = lead.step_count
        self._end: int | None = None  # while in the past: how many rows were written
        self._first = self._most = np.zeros(0)
        self.course = Course((), Ring(1, 1))
        for name in names:
            if reason := lane_refusal(name, lead.model):
                raise ValueError(reason)
        if len(set(names)) < len(names) or lead.backend_name in names:
            raise ValueError("An engine is compared with others, not with itself.")
        with ExitStack() as unfinished:
            for name in names:
                self.lanes.append(Lane(name, lead))
                unfinished.callback(self.lanes[-1].close)
            unfinished.pop_all()
        self.leader, self.names = lead.backend_name, names
        self._begin()

    def keep(self, names: tuple[str, ...]) -> None:
        """Only these lanes go on; without the reference the leading world is the yardstick again."""
        before: Course = self.course
        kept = [0, *(i for i, lane in enumerate(self.lanes, 1) if lane.name in names)]
        for lane in self.lanes:
            if lane.name not in names:
                lane.close()
        self.lanes = [self.lanes[i - 1] for i in kept[1:]]
        self.names = tuple(lane.name for lane in self.lanes)
        after = (self.leader, *self.names)
        if before.names[before.yardstick] != after[yardstick_of(after)]:
            self._begin()
            return
        before.ring.counter[0] = before.ring.count if self._end is None else self._end
        columns = [0, *(1 + len(COLUMNS) * i + k for i in kept for k in range(len(COLUMNS)))]
        self.course = Course(after, Ring(LENGTH, len(columns)))
        self.course.ring.append(before.ring.rows_from(0)[:, columns])
        self._first, self._most = self._first[kept], self._most[kept]
        self._end = None if self._end is None else self.course.ring.count
        self.course.ring.cut(self.lead.time)

    def close(self) -> None:
        for lane in self.lanes:
            lane.close()

    # --- what happens to the leading world ---

    @property
    def is_before(self) -> bool:
        """Whether the leading world has gone back before the comparison began; it waits there, as it was."""
        return self.lead.step_count < self.began

    def follow(self, seconds: float) -> list[str]:
        """It has taken steps in so much processor time. Returns what people should be told."""
        steps = self.lead.step_count - self._written
        self._tally.add(steps, steps * self.lead.dt, seconds)
        news = [lane.follow() for lane in self.lanes]
        self._written = self.lead.step_count
        self._end = None
        self._append(min(steps, self.lead.history.available))
        return [sentence for sentence in news if sentence]

    def obey(self, command: Command) -> list[str]:
        """It was told something."""
        self._tally.look()
        if not isinstance(command, SHARED):
            return []
        news = [lane.obey(command) for lane in self.lanes]
        self._end = None
        return [sentence for sentence in news if sentence]

    def jump(self) -> bool:
        """It has gone to another moment; False if the others cannot go there, and it all has to begin anew."""
        self._tally.look()
        if self.lead.backend_name != self.leader or not (self.is_before or all([lane.jump() for lane in self.lanes])):
            return False
        ring, self._written = self.course.ring, self.lead.step_count
        if self._end is None:  # rows stay in their places until others are written over them
            self._end = ring.count
        ring.counter[0] = self._end
        ring.cut(self.lead.time)
        return True

    def set_tolerance(self, tolerance: float) -> None:
        check_tolerance(tolerance)
        if tolerance != self.tolerance:
            self.tolerance = tolerance
            rows = self.course.ring.rows_from(0)
            self._first = self._over(rows[:, 0], rows[:, _columns("apart")])

    # --- what is written down ---

    def _begin(self) -> None:
        """Other lanes: everything anew from what the histories hold."""
        count = 1 + len(self.lanes)
        self.course = Course((self.leader, *self.names), Ring(LENGTH, 1 + len(COLUMNS) * count))
        self._first, self._most, self._end = np.full(count, np.nan), np.zeros(count), None
        self._append(min(self.lead.history.available, self.lead.step_count - self.began + 1))

    def _append(self, n: int) -> None:
        """Rows of the last n steps."""
        if n < 1:
            return
        history = self.lead.history
        rows = [history.rows_from(history.count - n), *(lane.rows(n) for lane in self.lanes)]
        at, yardstick = history.columns, rows[self.course.yardstick]
        out = np.empty((n, 1 + len(COLUMNS) * len(rows)))
        out[:, 0] = rows[0][:, TIME][:, 0]
        for i, own in enumerate(rows):
            energies = [(r[:, at["kinetic"]] + r[:, at["potential"]])[:, 0] for r in (own, yardstick)]
            apart = self._apart(own[:, at["q"]], yardstick[:, at["q"]])
            out[:, 1 + 3 * i : 4 + 3 * i] = np.column_stack([apart, energies[0] - energies[1], own[:, at["gap"]][:, 0]])
        apart = out[:, _columns("apart")]
        now = out[0, 0]
        self._first[self._first >= now] = np.nan  # of a course that was left
        self._first = np.fmin(self._first, self._over(out[:, 0], apart))
        self._most = np.fmax(self._most, np.fmax.reduce(apart))
        self.course.ring.append(out)

    def _over(self, times: Array, apart: Array) -> Array:
        """When each was first more than the tolerance apart; nan: never."""
        over = apart > self.tolerance
        return np.where(over.any(axis=0), times[over.argmax(axis=0)], np.nan)

    # --- what is shown ---

    def figures(self) -> tuple[Figures, ...]:
        """Of the leading engine, then of the others."""
        ring = self.course.ring
        now = ring.copy(ring.count - 1, ring.count, _columns("apart"))[0]
        tallies = [self._tally, *(lane.tally for lane in self.lanes)]
        return tuple(
            Figures(
                backend=tally.world.backend_name,
                integrator=tally.world.integrator,
                dt=tally.world.dt,
                since=tally.since,
                cost=tally.cost,
                speed=tally.speed,
                energy_drift=tally.drift,
                gap=tally.gap,
                apart=float(now[i]),
                apart_most=float(self._most[i]),
                apart_first=float(self._first[i]) if self._first[i] <= self.lead.time else math.nan,
            )
            for i, tally in enumerate(tallies)
        )

    def shown(self) -> tuple[Figures, tuple[Beside, ...]]:
        """The leading engine's figures, and the others as they are now; before all began they are where that one is."""
        lead, *others = self.figures()
        readings = [self.lead.reading if self.is_before else lane.world.reading for lane in self.lanes]
        waits = f"begins at t = {lead.since:.3f} s" if self.is_before else ""
        return lead, tuple(
            Beside(lane.name, r.position, r.rotation, waits or lane.stopped, own)
            for lane, r, own in zip(self.lanes, readings, others, strict=True)
        )


def check_tolerance(tolerance: float) -> None:
    if not 0.0 < tolerance < math.inf:
        raise ValueError(f"The tolerance must be a positive number, not {tolerance:g}.")


def rehearse(lead: Simulation, names: tuple[str, ...]) -> None:
    """Compile what the others need, by a step of worlds that are thrown away."""
    trial = Comparison(lead, names)
    with closing(trial):
        for lane in trial.lanes:
            with suppress(Diverged):  # the comparison itself will tell
                lane.world.step(1)
