"""Where some motion costs no force, forces say nothing about accelerations."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

SINGULAR = 1e-12  # smallest eigenvalue of the mass matrix, its diagonal scaled to 1
ROUNDING = 1e-14  # of the terms of a diagonal entry; what is smaller may be nothing


def loose_velocity(M: Array, S: Array, I: Array) -> int | None:
    """Which velocity nothing resists, if there is one.

    Reads   M (n, n) of some velocities, S (n, 6) their motions at the world origin, I (nb, 10) of `composite`
    """
    diagonal = np.diag(M)
    # The terms that M's diagonal is the difference of, seen from the world's origin.
    turning, shifting = I[:, [4, 7, 9]].sum(1).max(), I[:, 0].max()
    terms = turning * (S[:, :3] ** 2).sum(1) + shifting * (S[:, 3:] ** 2).sum(1)
    loose = int(np.argmin(diagonal / terms))
    if diagonal[loose] > ROUNDING * terms[loose]:
        scale = 1 / np.sqrt(diagonal)
        values, vectors = np.linalg.eigh(scale[:, None] * M * scale)
        if values[0] > SINGULAR:
            return None
        loose = int(np.argmax(np.abs(vectors[:, 0])))
    return loose
