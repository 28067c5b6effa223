"""Targets that move by themselves."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sim.scene import CirclePath, Vec3

Array = np.ndarray[Any, np.dtype[Any]]


class Circle:
    """x = c + r (cos φ a + sin φ b),   φ = 2π t / period,   (a, b, normal) right-handed."""

    def __init__(self, center: Vec3, path: CirclePath) -> None:
        normal = np.array(path.normal, dtype=float) / np.linalg.norm(path.normal)
        a = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
        a *= path.radius / np.linalg.norm(a)
        self._center, self._a, self._b = np.array(center, dtype=float), a, np.cross(normal, a)
        self._rate = 2.0 * math.pi / path.period

    def motion(self, time: float) -> tuple[Array, Array]:
        """Position and velocity."""
        s, c = math.sin(self._rate * time), math.cos(self._rate * time)
        return self._center + c * self._a + s * self._b, self._rate * (c * self._b - s * self._a)
