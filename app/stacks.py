"""The maths of stacked curves: positive parts upwards, negative ones downwards, their sum as a line."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def strongest(times: Array, values: Array, bin_width: float) -> tuple[Array, Array]:
    """Of every time bin the row in which most goes on, Σ|v|: peaks survive, and parts still add up to their sum.

    Bins are counted from time 0, as those of `app.scales.decimate`; rows with nan are left out.
    """
    known = np.isfinite(values).all(axis=1)
    times, values = times[known], values[known]
    bins = np.floor(times / bin_width)
    order = np.lexsort((np.abs(values).sum(axis=1), bins))
    last = np.flatnonzero(np.diff(bins[order], append=np.inf))
    chosen = order[last]
    return times[chosen], values[chosen]


def stacked(values: Array) -> tuple[Array, Array]:
    """(n, k) how far parts 0…i reach up, and down: band i is what i adds to the parts before it."""
    up = np.cumsum(np.maximum(values, 0.0), axis=1)
    down = np.cumsum(np.minimum(values, 0.0), axis=1)
    return up, down


def band_middles(values: Array) -> Array:
    """(k,) where the label of each part of one row stands: in the middle of its band."""
    up, down = stacked(values[None, :])
    return np.where(values >= 0.0, up[0], down[0]) - 0.5 * values
