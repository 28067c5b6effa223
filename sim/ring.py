"""Rows of numbers in a ring: one thread writes, anybody may read at any time.

A reader copies, then looks at the writer's counter again and drops the rows that were overwritten meanwhile. No lock.
The first column is the time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

TIME = slice(0, 1)


class Ring:
    """`length` rows of `width` numbers, the oldest overwritten first: a row is written first, then `counter`."""

    def __init__(self, length: int, width: int) -> None:
        self.rows = np.zeros((length, width))
        self.oldest = 0  # the first row there is, as long as it has not been overwritten
        self.counter = np.zeros(1, dtype=np.int64)
        self._announced = 0  # rows that are being written, or were

    @property
    def count(self) -> int:
        """Rows written since the start, of which the last few are there."""
        return int(self.counter[0])

    @property
    def available(self) -> int:
        """Rows that can be read."""
        return self.count - max(self.oldest, self.count - len(self.rows))

    def append(self, rows: Array) -> None:
        """Several rows at once; of more than there is room for, the last."""
        first = self.count + max(len(rows) - len(self.rows), 0)
        end = self._announced = self.count + len(rows)
        self.rows[np.arange(first, end) % len(self.rows)] = rows[first - end :] if end > first else rows
        self.counter[0] = end

    def cut(self, time: float) -> None:
        """Forget what came after `time`, but for the first row."""
        self.oldest = max(self.oldest, self.count - len(self.rows))
        if self.oldest < self.count:
            times = self.copy(self.oldest, self.count, TIME)[:, 0]
            self.counter[0] = self.oldest + max(int(np.searchsorted(times, time, side="right")), 1)

    def last_rows(self, seconds: float) -> Array:
        """A copy of the rows of the last `seconds`, oldest first."""
        return self.rows_from(self.span(seconds)[0])

    def rows_from(self, first: int) -> Array:
        """A copy of the rows from number `first` on that are still there, oldest first."""
        end = self.count
        first = min(max(first, self.oldest, end - len(self.rows)), end)
        rows = self.copy(first, end, slice(None))
        return rows[self.overwritten(first) :]

    def span(self, seconds: float) -> tuple[int, int]:
        """The first row of the last `seconds`, and the one behind the last."""
        first, end = max(self.oldest, self.count - len(self.rows)), self.count
        if first == end:
            return first, end
        times = self.copy(first, end, TIME)[:, 0]
        return first + int(np.searchsorted(times, times[-1] - seconds)), end

    def overwritten(self, first: int) -> int:
        """How many rows from `first` on have gone, or are going, while they were read."""
        return max(0, max(self.count, self._announced) - len(self.rows) - first)

    def copy(self, first: int, end: int, columns: slice) -> Array:
        size = len(self.rows)
        if first == end:
            return np.zeros((0, self.rows[:, columns].shape[1]))
        a, b = first % size, (end - 1) % size + 1
        if a < b:
            return self.rows[a:b, columns].copy()
        return np.concatenate([self.rows[a:, columns], self.rows[:b, columns]])
