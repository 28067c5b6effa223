"""R of W = Q R, of matrices with many more rows than columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Told = Callable[[float], None]  # is told which share of the work is done

FEWEST_ROWS = 1000  # at a time, and as many as there are columns: what is copied is small beside W


def triangle(W: Array, each: Told = lambda _: None) -> Array:
    """By rows at a time: the triangle of those above stands for them."""
    rows = max(W.shape[1], FEWEST_ROWS)
    R = np.zeros((0, W.shape[1]))
    for first in range(0, len(W), rows):
        R = np.asarray(np.linalg.qr(np.concatenate([R, W[first : first + rows]]), mode="r"))
        each(min((first + rows) / len(W), 1.0))
    return R


def part(each: Told, k: int, count: int) -> Told:
    """For the k-th of `count` parts of the work."""
    return lambda share: each((k + share) / count)
