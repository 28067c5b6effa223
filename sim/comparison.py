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
from sim.lane_names import COLUMNS, REFERENCE, TOLERANCE, lane_refusal
from sim.ring import Ring
from sim.simulation import Simulation
from sim.state import Array, Beside, Figures

LENGTH = 60_000  # rows, at most


@dataclass(frozen=True)
class Course:
    """What readers see of a comparison: rows of time, and COLUMNS for each name; energies less the yardstick's."""

    names: tuple[str, ...]  # the leading engine's first, then the lanes'
    yardstick: int
    ring: Ring

    def read(self, column: str, seconds: float) -> tuple[Array, Array]:
        """Times (n,) and values (n, names) of the last `seconds`."""
        rows = self.ring.last_rows(seconds)
        return rows[:, 0], rows[:, 1 + COLUMNS.index(column) :: len(COLUMNS)]


class Comparison:
    """`lead` is stepped by others; `follow`, `obey` or `jump` after everything that happened to it."""

    def __init__(self, lead: Simulation, names: tuple[str, ...], tolerance: float = TOLERANCE) -> None:
        """Raises SceneError or BackendError, and ValueError for names that make no sense."""
        for name in names:
            if reason := lane_refusal(name, lead.model):
                raise ValueError(reason)
        if len(set(names)) < len(names) or lead.backend_name in names:
            raise ValueError("An engine is compared with others, not with itself.")
        self.lead, self.names = lead, names
        lead.open_account()
        self.lanes: list[Lane] = []
        with ExitStack() as unfinished:
            for name in names:
                self.lanes.append(Lane(name, lead))
                unfinished.callback(self.lanes[-1].close)
            unfinished.pop_all()
        self.began, self.since = lead.step_count, lead.time
        self.tolerance = tolerance
        self._yardstick = 1 + names.index(REFERENCE) if REFERENCE in names else 0
        self._apart = Apart(lead.model)
        self._seconds, self._steps, self._written = 0.0, 0, self.began
        self._begin()

    def close(self) -> None:
        for lane in self.lanes:
            lane.close()

    # --- what happens to the leading world ---

    def follow(self, seconds: float) -> list[str]:
        """It has taken steps in so much processor time. Returns what people should be told."""
        steps = self.lead.step_count - self._written
        self._seconds += seconds
        self._steps += steps
        news = [lane.follow() for lane in self.lanes]
        self._written = self.lead.step_count
        if steps <= self._available():
            self._append(steps)
        else:
            self._begin()
        return [sentence for sentence in news if sentence]

    def obey(self, command: Command) -> list[str]:
        """It was told something."""
        if not isinstance(command, SHARED):
            return []
        news = [lane.obey(command) for lane in self.lanes if not lane.stopped]
        return [sentence for sentence in news if sentence]

    def jump(self) -> bool:
        """It has gone to another moment; False if the others cannot go there, and it all has to begin anew."""
        known = self.lead.step_count >= self.began and all([lane.jump() for lane in self.lanes])
        if known:
            self._begin()
        return known

    def set_tolerance(self, tolerance: float) -> None:
        check_tolerance(tolerance)
        self.tolerance = tolerance
        self._begin()

    # --- what is written down ---

    def _begin(self) -> None:
        """Everything anew from what the histories hold."""
        self._written = self.lead.step_count
        width = 1 + len(COLUMNS) * (1 + len(self.lanes))
        self.course = Course((self.lead.backend_name, *self.names), self._yardstick, Ring(LENGTH, width))
        self._first = np.full(1 + len(self.lanes), np.nan)
        self._most = np.zeros(1 + len(self.lanes))
        self._now = np.zeros(1 + len(self.lanes))
        self._append(self._available())

    def _available(self) -> int:
        """Steps since the comparison began, that of its begin among them, whose rows are all still there."""
        own = min(self.lead.history.available, self.lead.step_count - self.began + 1)
        return min([own, LENGTH, *(lane.count() for lane in self.lanes)])

    def _append(self, n: int) -> None:
        """Rows of the last n steps."""
        if n < 1:
            return
        history = self.lead.history
        rows = [history.rows_from(history.count - n), *(lane.rows(n) for lane in self.lanes)]
        at, yardstick = history.columns, rows[self._yardstick]
        out = np.empty((n, 1 + len(COLUMNS) * len(rows)))
        times = out[:, 0] = rows[0][:, at["time"]][:, 0]
        for i, own in enumerate(rows):
            apart = self._apart(own[:, at["q"]], yardstick[:, at["q"]])
            energies = [(r[:, at["kinetic"]] + r[:, at["potential"]])[:, 0] for r in (own, yardstick)]
            first = 1 + i * len(COLUMNS)
            out[:, first], out[:, first + 1] = apart, energies[0] - energies[1]
            out[:, first + 2] = own[:, at["gap"]][:, 0]
            self._judge(i, times, apart)
        self.course.ring.append(out)

    def _judge(self, i: int, times: Array, apart: Array) -> None:
        over = apart > self.tolerance
        if math.isnan(self._first[i]) and over.any():
            self._first[i] = times[int(over.argmax())]
        self._now[i] = apart[-1]
        self._most[i] = np.fmax(self._most[i], np.fmax.reduce(apart))

    # --- what is shown ---

    def figures(self) -> tuple[Figures, ...]:
        """Of the leading engine, then of the others."""
        lead = self.lead
        costs = [self._seconds / max(self._steps, 1), *(lane.cost for lane in self.lanes)]
        worlds = [lead, *(lane.world for lane in self.lanes)]
        return tuple(
            Figures(
                cost=cost,
                energy_drift=world.ledger.energy_drift,
                gap=world.ledger.joint_gap,
                apart=float(self._now[i]),
                apart_most=float(self._most[i]),
                apart_first=float(self._first[i]),
                backend=world.backend_name,
                integrator=world.integrator,
                dt=world.dt,
                since=self.since,
            )
            for i, (world, cost) in enumerate(zip(worlds, costs, strict=True))
        )

    def shown(self) -> tuple[Figures, tuple[Beside, ...]]:
        """The leading engine's figures, and the others as they are now."""
        lead, *others = self.figures()
        readings = (lane.world.reading for lane in self.lanes)
        return lead, tuple(
            Beside(lane.name, r.position, r.rotation, lane.stopped, own)
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
