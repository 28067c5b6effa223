"""The last minute of a run, step by step, one row a step: what plots and logs read."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.cause_names import cause_names
from sim.model import Model
from sim.plots import plot_values
from sim.ring import TIME, Ring

Array = np.ndarray[Any, np.dtype[Any]]

SECONDS = 60.0
_MOST_NUMBERS = 8_000_000  # of float64: 64 MB
_MOST_CAUSES = 4_000_000  # of float64: 32 MB


class History(Ring):
    """Rows of (time, q, v, tau, target distances, kinetic, potential, angular momentum, spin, start energy,
    joint gap, targets).

    The kernel of sim/record.py writes them: a row first, then `counter`. `zero` is the energy of the start.
    """

    def __init__(self, model: Model, dt: float, seconds: float | None = None) -> None:
        """Room for so much time, or the usual minute."""
        self.model, self.seconds = model, SECONDS if seconds is None else seconds
        widths = {
            "time": 1,
            "q": model.nq,
            "v": model.nv,
            "tau": model.nv,
            "error": len(model.target_names),
            "kinetic": 1,
            "potential": 1,
            "momentum": 3,
            "spin": 3,
            "start": 1,
            "gap": 1,
            "targets": 3 * len(model.target_names),
        }
        ends = np.cumsum(list(widths.values()))
        self.columns = {k: slice(int(e) - w, int(e)) for (k, w), e in zip(widths.items(), ends, strict=True)}
        width = int(ends[-1])
        length = int(min(self.seconds / dt, _MOST_NUMBERS / width))
        super().__init__(max(length, 100), width)
        self.zero = np.full(1, np.nan)
        self.causes = _no_causes(model)

    def keep_causes(self) -> Array:
        """Room for what turns the joints (sim/causes.py), row by row as in `rows`; nan before anybody watched."""
        if not self.causes.size:
            count = len(cause_names(self.model))
            length = min(len(self.rows), _MOST_CAUSES // max(count * self.model.nv, 1))
            self.causes = np.full((length, count, self.model.nv), np.nan)
        return self.causes

    def forget_causes(self) -> None:
        self.causes = _no_causes(self.model)

    def rebase(self, jump: float) -> None:
        """Energy counts from another zero from the next row on, so that drift does not see the jump."""
        self.zero[0] += jump

    def cut(self, time: float) -> None:
        super().cut(time)
        if self.count > self.oldest:
            self.zero[0] = self.rows[(self.count - 1) % len(self.rows), self.columns["start"]][0]

    def resized(self, dt: float) -> History:
        """The same rows in a history that holds as much time with another step, as far as they fit."""
        other = History(self.model, dt, self.seconds)
        other.fill(self.rows_from(0))
        other.zero[0] = self.zero[0]
        return other

    def fill(self, rows: Array) -> None:
        """These rows instead of its own, as far as they fit."""
        kept = rows[-len(self.rows) :]
        self.rows[: len(kept)] = kept
        self.oldest, self.counter[0] = 0, len(kept)

    def read(self, name: str, seconds: float) -> tuple[Array, Array]:
        """Times (n,) and values (n, k) of a plot over the last `seconds`; only its own columns are copied."""
        first, end = self.span(seconds)
        rows = Rows(self, first, end)
        times, values = rows[:, TIME][:, 0], plot_values(self, rows, name)
        gone = self.overwritten(first)
        return times[gone:], values[gone:]


def _no_causes(model: Model) -> Array:
    return np.zeros((0, 0, model.nv))


class Rows:
    """Rows of a history, copied column by column as a plot asks for them: a long chain has hundreds."""

    def __init__(self, history: History, first: int, end: int) -> None:
        self._history, self._first, self._end = history, first, end

    def __len__(self) -> int:
        return self._end - self._first

    def __getitem__(self, at: tuple[slice, slice]) -> Array:
        """rows[:, columns]"""
        return self._history.copy(self._first, self._end, at[1])

    def causes(self, dof: int) -> Array:
        """(n, causes) what turns the velocity `dof` (sim/causes.py); nan where nobody watched."""
        history, kept = self._history, self._history.causes
        values = np.full((len(self), len(cause_names(history.model))), np.nan)
        first = max(self._first, self._end - len(kept))
        if first < self._end:
            values[first - self._first :] = kept[np.arange(first, self._end) % len(kept), :, dof]
            values[: max(history.count - len(kept) - self._first, 0)] = np.nan
        return values
