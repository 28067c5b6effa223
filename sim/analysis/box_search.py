"""The lowest value of a function over a box, found from many starts and the same every time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

SAMPLES, STARTS = 2048, 24
FIRST_STEP, LAST_STEP = 0.1, 1e-7  # of the box
PATIENCE = 2000  # polls


def lowest(function: Callable[[Array], Array], low: Array, high: Array) -> tuple[float, Array]:
    """min f(x) and where: the best of evenly spread samples go downhill, all at once.

    Each polls the ends of a turning cross of its own size, moves to the best of them or halves the cross; no slopes
    are needed, and kinks (crossing eigenvalues, absolute values) do no harm.

    function maps points (m, n) to values (m,).
    """
    n, width = len(low), high - low
    if n == 0:
        return float(function(np.zeros((1, 0)))[0]), np.zeros(0)
    points = low + width * _spread(SAMPLES, n)
    values = function(points)
    best = np.argsort(values, kind="stable")[:STARTS]
    x, fx = points[best], values[best]
    step = np.full(len(x), FIRST_STEP)
    turning = np.random.default_rng(0)
    for poll in range(PATIENCE):
        if step.max() < LAST_STEP:
            break
        cross = np.eye(n) if poll % 2 == 0 else np.linalg.qr(turning.normal(size=(n, n)))[0]
        ends = np.concatenate([cross, -cross]) * width
        trials = np.clip(x[:, None] + step[:, None, None] * ends, low, high)
        found = function(trials.reshape(-1, n)).reshape(len(x), 2 * n)
        k = np.argmin(found, axis=1)
        rows = np.arange(len(x))
        better = found[rows, k] < fx
        x = np.where(better[:, None], trials[rows, k], x)
        fx = np.where(better, found[rows, k], fx)
        step = np.where(better, np.minimum(1.5 * step, FIRST_STEP), 0.6 * step)
    winner = int(np.argmin(fx))
    return float(fx[winner]), x[winner]


def _spread(count: int, n: int) -> Array:
    """Points of the unit cube without clumps: multiples of the powers of 1/φ, φⁿ⁺¹ = φ + 1 (Roberts 2018)."""
    phi = 2.0
    for _ in range(40):
        phi = (1.0 + phi) ** (1.0 / (n + 1))
    return (0.5 + np.outer(np.arange(1, count + 1), phi ** -np.arange(1.0, n + 1))) % 1.0
