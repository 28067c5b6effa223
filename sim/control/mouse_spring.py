"""The spring between the cursor and a grabbed point: as strong as the body can take, and no stronger.

    f = m ω² (anchor − x) − 2 m ω v,   ω = 2π · 4 Hz,   |f| ≤ 25 m · 9.81 m/s²

Scaled by the mass of the grabbed body it is critically damped on that body alone, and at 1 ms far from
unstable even on the end of a free rod, where a quarter of the mass resists.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

_OMEGA = 2.0 * math.pi * 4.0  # [rad/s]
_MOST_ACCELERATION = 25.0 * 9.81  # [m/s²]


def spring_force(mass: float, offset: Array, velocity: Array) -> Array:
    """The force [N] on a point that is `offset` [m] short of its anchor and moves with `velocity`."""
    force = mass * (_OMEGA**2 * offset - 2.0 * _OMEGA * velocity)
    size = float(np.linalg.norm(force))
    return force * min(1.0, mass * _MOST_ACCELERATION / max(size, 1e-300))
