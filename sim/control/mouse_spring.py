"""The spring between the cursor and a grabbed point: as strong as the body can take, and no stronger.

    f = m ω² (anchor − x) − 2 m ω v,   ω = 2π · 4 Hz,   |f| ≤ 25 m · 9.81 m/s²

Scaled by the mass of the grabbed body it is critically damped on that body alone, and at 1 ms far from
unstable even on the end of a free rod, where a quarter of the mass resists.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sim.model import Model
from sim.state import Array, Pull, Reading

_OMEGA = 2.0 * math.pi * 4.0  # [rad/s]
_MOST_ACCELERATION = 25.0 * 9.81  # [m/s²]


def spring_force(mass: float, offset: Array, velocity: Array) -> Array:
    """The force [N] on a point that is `offset` [m] short of its anchor and moves with `velocity`."""
    force = mass * (_OMEGA**2 * offset - 2.0 * _OMEGA * velocity)
    size = float(np.linalg.norm(force))
    return force * min(1.0, mass * _MOST_ACCELERATION / max(size, 1e-300))


@dataclass(frozen=True)
class Grip:
    """What the mouse holds: a point of a body (body axes) and where it is pulled to."""

    body: int
    point: Array
    anchor: Array

    def pull(self, model: Model, reading: Reading, wrench: Array) -> Pull:
        """The spring as it acts now; adds it to the wrenches (nb, 6) about the centres of mass."""
        b = self.body
        arm = reading.rotation[b] @ self.point
        point = reading.position[b] + arm
        velocity = reading.twist[b, 3:] + np.cross(reading.twist[b, :3], arm)
        force = spring_force(float(model.body_mass[b]), self.anchor - point, velocity)
        center = reading.rotation[b] @ model.body_center[b]
        wrench[b] += [*np.cross(arm - center, force), *force]
        return Pull(b, point, self.anchor, force)
