"""The maths of sliders and plots: logarithmic scales, 1-2-5 ranges, decimation, labels that do not overlap."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

TOE = 1e-3  # below this part of the upper end a slider that starts at 0 is linear
SHRINK_AFTER = 2.0  # a plot's range may be too large for so long [s]
RANGE_STEPS = 8  # of 1-2-5 in what a plot shows, at most: fewer leave more of it empty
GRID_STEPS = (1.0, 2.0, 2.5, 3.0, 4.0, 5.0)


@dataclass(frozen=True)
class LogScale:
    """Values low…high on the unit interval: logarithmic, or asinh(v/c) with c = TOE·high where low is 0."""

    low: float
    high: float

    def position(self, value: float) -> float:
        value = min(max(value, self.low), self.high)
        if self.low > 0.0:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return math.asinh(value / (TOE * self.high)) / math.asinh(1.0 / TOE)

    def value(self, position: float) -> float:
        position = min(max(position, 0.0), 1.0)
        if self.low > 0.0:
            return self.low * (self.high / self.low) ** position
        return TOE * self.high * math.sinh(position * math.asinh(1.0 / TOE))


@dataclass(frozen=True)
class LinearScale:
    """Values low…high on the unit interval, evenly."""

    low: float
    high: float

    def position(self, value: float) -> float:
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def value(self, position: float) -> float:
        return self.low + min(max(position, 0.0), 1.0) * (self.high - self.low)


def one_two_five(span: float) -> float:
    """The smallest of 1, 2, 5 · 10ⁿ that is not below `span`."""
    power = 10.0 ** math.floor(math.log10(span))
    return next(m * power for m in (1.0, 2.0, 5.0, 10.0) if m * power >= span * (1.0 - 1e-12))


def fitted_range(low: float, high: float, min_span: float, with_zero: bool = True) -> tuple[float, float]:
    """The range a plot should have: on 1-2-5 steps, at least `min_span`, with the zero line unless told otherwise."""
    if with_zero:
        low, high = min(low, 0.0), max(high, 0.0)
    if high - low < min_span:
        missing = min_span - (high - low)
        below = 0.0 if low == 0.0 else missing if high == 0.0 else missing / 2.0
        low, high = low - below, high + missing - below
    step = one_two_five((high - low) / RANGE_STEPS)
    return math.floor(low / step + 1e-9) * step, math.ceil(high / step - 1e-9) * step


@dataclass
class LiveRange:
    """A range that grows at once and shrinks only after the data were smaller for SHRINK_AFTER."""

    min_span: float
    with_zero: bool = True
    low: float = 0.0
    high: float = 0.0
    _tight_since: float | None = field(default=None, repr=False)

    def update(self, low: float, high: float, now: float) -> bool:
        """Take the data's extremes at wall time `now`; True if the range changed."""
        wanted = fitted_range(low, high, self.min_span, self.with_zero)
        if self.low == self.high:
            return self._take(*wanted)
        if wanted[0] < self.low or wanted[1] > self.high:
            return self._take(min(wanted[0], self.low), max(wanted[1], self.high))
        if wanted == (self.low, self.high):
            self._tight_since = None
            return False
        if self._tight_since is None:
            self._tight_since = now
        return now - self._tight_since >= SHRINK_AFTER and self._take(*wanted)

    def _take(self, low: float, high: float) -> bool:
        self.low, self.high, self._tight_since = low, high, None
        return True


def grid_values(low: float, high: float) -> list[float]:
    """At most two round values other than zero inside the range, for its grid lines."""
    power = 10.0 ** math.floor(math.log10(high - low)) / 10.0
    for step in (m * power * p for p in (1.0, 10.0) for m in GRID_STEPS):
        first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
        values = [k * step for k in range(first, last + 1) if k != 0]
        if len(values) <= 2:
            return values
    return []


def grid_decades(low: float, high: float) -> list[float]:
    """Two whole exponents inside a range of three or more, a third of it apart."""
    step = math.floor((high - low) / 3.0)
    first = math.ceil(low) + step
    return [float(first), float(min(first + step, math.floor(high)))]


def decimate(times: Array, values: Array, bin_width: float) -> tuple[Array, Array]:
    """Minimum and maximum of every time bin, so that peaks survive: (2m,) times and (2m, k) values.

    Bins are counted from time 0, not from the first sample: a curve does not flicker while it scrolls.
    """
    if len(times) == 0:
        return times, values
    bins = np.floor(times / bin_width)
    starts = np.concatenate([[0], np.flatnonzero(np.diff(bins)) + 1])
    out = np.empty((2 * len(starts), values.shape[1]), dtype=values.dtype)
    out[0::2] = np.minimum.reduceat(values, starts, axis=0)
    out[1::2] = np.maximum.reduceat(values, starts, axis=0)
    return np.repeat(times[starts], 2), out


def spread(centers: list[float], height: float, line: float) -> dict[int, float]:
    """Where labels wanted at `centers` can stand without overlap, `line` apart, inside 0…height.

    Index to centre; what does not fit is left out, last ones first.
    """
    room = max(int(height // line), 0)
    order = sorted(range(min(len(centers), room)), key=lambda i: centers[i])
    placed: list[float] = []
    for i in order:
        wanted = min(max(centers[i], line / 2.0), height - line / 2.0)
        placed.append(max(wanted, placed[-1] + line) if placed else wanted)
    limit = height - line / 2.0
    for n in reversed(range(len(placed))):
        placed[n] = min(placed[n], limit)
        limit = placed[n] - line
    return dict(zip(order, placed, strict=True))


def row_at(times: Array, time: float) -> int | None:
    """The row nearest to a time; None before the first."""
    if time < times[0]:
        return None
    after = min(int(np.searchsorted(times, time)), len(times) - 1)
    return after - 1 if after and times[after] - time > time - times[after - 1] else after


def nearest_curve(x: Array, curves: Array, at: tuple[float, float], reach: float) -> int:
    """Which of the polylines (n,) over (n, k) passes nearest to a point, -1 if none within `reach`; all in pixels."""
    first = max(int(np.searchsorted(x, at[0] - reach)) - 1, 0)
    last = int(np.searchsorted(x, at[0] + reach, side="right")) + 1
    xs, ys = x[first:last] - at[0], curves[first:last] - at[1]
    if len(xs) == 0:
        return -1
    a = np.stack(np.broadcast_arrays(xs[:-1, None], ys[:-1]), axis=-1)  # from the point to both ends of each segment
    b = np.stack(np.broadcast_arrays(xs[1:, None], ys[1:]), axis=-1)
    along = b - a
    square = np.maximum((along**2).sum(axis=-1), 1e-12)
    part = np.clip(-(a * along).sum(axis=-1) / square, 0.0, 1.0)
    gaps = np.hypot(*np.moveaxis(a + part[..., None] * along, -1, 0))
    least = np.where(np.isfinite(gaps), gaps, np.inf).min(axis=0, initial=np.inf)
    best = int(np.argmin(least))
    return best if least[best] <= reach else -1
