"""The last minute of a run, step by step: what plots and logs read.

The physics thread writes one row a step; anybody may read at any time. A reader copies, then looks at
the writer's counter again and drops the rows that were overwritten meanwhile. No lock.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.cause_names import cause_names
from sim.model import Model
from sim.plots import plot_values

Array = np.ndarray[Any, np.dtype[Any]]

_SECONDS = 60.0
_MOST_NUMBERS = 8_000_000  # of float64: 64 MB
_MOST_CAUSES = 4_000_000  # of float64: 32 MB


class History:
    """Rows of (time, q, v, tau, target distances, kinetic, potential, angular momentum, spin, start energy,
    joint gap, targets).

    The kernel of sim/record.py writes them: a row first, then `counter`. `zero` is the energy of the start.
    """

    def __init__(self, model: Model, dt: float) -> None:
        self.model = model
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
        length = int(min(_SECONDS / dt, _MOST_NUMBERS / width))
        self.rows = np.zeros((max(length, 100), width))
        self.oldest = 0  # the first row there is, as long as it has not been overwritten
        self.counter = np.zeros(1, dtype=np.int64)
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

    @property
    def count(self) -> int:
        """Rows written since the start, of which the last few are there."""
        return int(self.counter[0])

    def rebase(self, jump: float) -> None:
        """Energy counts from another zero from the next row on, so that drift does not see the jump."""
        self.zero[0] += jump

    def cut(self, time: float) -> None:
        """Forget what came after `time`."""
        self.oldest = max(self.oldest, self.count - len(self.rows))
        if self.oldest < self.count:
            times = self._copy(self.oldest, self.count, self.columns["time"])[:, 0]
            self.counter[0] = self.oldest + max(int(np.searchsorted(times, time, side="right")), 1)
            self.zero[0] = self.rows[(self.count - 1) % len(self.rows), self.columns["start"]][0]

    def resized(self, dt: float) -> History:
        """The same rows in a history that holds as much time with another step, as far as they fit."""
        other = History(self.model, dt)
        kept = self.last_rows(_SECONDS)[-len(other.rows) :]
        other.rows[: len(kept)] = kept
        other.counter[0], other.zero[0] = len(kept), self.zero[0]
        return other

    def last_rows(self, seconds: float) -> Array:
        """A copy of the rows of the last `seconds`, oldest first."""
        return self.rows_from(self._span(seconds)[0])

    def rows_from(self, first: int) -> Array:
        """A copy of the rows from number `first` on that are still there, oldest first."""
        end = self.count
        first = min(max(first, self.oldest, end - len(self.rows)), end)
        rows = self._copy(first, end, slice(None))
        return rows[self._overwritten(first) :]

    def _span(self, seconds: float) -> tuple[int, int]:
        """The first row of the last `seconds`, and the one behind the last."""
        first, end = max(self.oldest, self.count - len(self.rows)), self.count
        if first == end:
            return first, end
        times = self._copy(first, end, self.columns["time"])[:, 0]
        return first + int(np.searchsorted(times, times[-1] - seconds)), end

    def _overwritten(self, first: int) -> int:
        """How many rows from `first` on have gone while they were read."""
        return max(0, self.count - len(self.rows) - first)

    def _copy(self, first: int, end: int, columns: slice) -> Array:
        size = len(self.rows)
        if first == end:
            return np.zeros((0, self.rows[:, columns].shape[1]))
        a, b = first % size, (end - 1) % size + 1
        if a < b:
            return self.rows[a:b, columns].copy()
        return np.concatenate([self.rows[a:, columns], self.rows[:b, columns]])

    def read(self, name: str, seconds: float) -> tuple[Array, Array]:
        """Times (n,) and values (n, k) of a plot over the last `seconds`; only its own columns are copied."""
        first, end = self._span(seconds)
        rows = Rows(self, first, end)
        times, values = rows[:, self.columns["time"]][:, 0], plot_values(self, rows, name)
        gone = self._overwritten(first)
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
        return self._history._copy(self._first, self._end, at[1])

    def causes(self, dof: int) -> Array:
        """(n, causes) what turns the velocity `dof` (sim/causes.py); nan where nobody watched."""
        history, kept = self._history, self._history.causes
        values = np.full((len(self), len(cause_names(history.model))), np.nan)
        first = max(self._first, self._end - len(kept))
        if first < self._end:
            values[first - self._first :] = kept[np.arange(first, self._end) % len(kept), :, dof]
            values[: max(history.count - len(kept) - self._first, 0)] = np.nan
        return values
