"""Mass properties of solid shapes of uniform density."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np

from sim.scene import Shape
from sim.spatial.rotation import quat_to_matrix

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class MassProperties:
    """mass [kg], center (3,) [m], inertia (3, 3) about the centre of mass [kg·m²], in one set of axes."""

    mass: float
    center: Array
    inertia: Array

    def scaled(self, mass: float) -> MassProperties:
        """The same solid with another mass."""
        return MassProperties(mass, self.center, self.inertia * (mass / self.mass))

    def six(self) -> tuple[float, float, float, float, float, float]:
        """(xx, yy, zz, xy, xz, yz), as a scene's Body has it."""
        i = self.inertia
        return (
            float(i[0, 0]),
            float(i[1, 1]),
            float(i[2, 2]),
            float(i[0, 1]),
            float(i[0, 2]),
            float(i[1, 2]),
        )


def _box(x: float, y: float, z: float) -> tuple[float, tuple[float, float, float]]:
    m = x * y * z
    return m, (m * (y * y + z * z) / 12, m * (x * x + z * z) / 12, m * (x * x + y * y) / 12)


def _sphere(r: float) -> tuple[float, tuple[float, float, float]]:
    m = 4 / 3 * pi * r**3
    return m, (0.4 * m * r * r,) * 3


def _cylinder(r: float, length: float) -> tuple[float, tuple[float, float, float]]:
    m = pi * r * r * length
    across = m * (r * r / 4 + length * length / 12)
    return m, (across, across, m * r * r / 2)


def _capsule(r: float, length: float) -> tuple[float, tuple[float, float, float]]:
    """A cylinder and two half balls.

    A half ball of mass m has its centre of mass 3r/8 above its flat side and 83/320 m r² across
    through it, 2/5 m r² along.
    """
    m_cylinder, (across, _, along) = _cylinder(r, length)
    m_half = 2 / 3 * pi * r**3
    across += 2 * m_half * (83 / 320 * r * r + (length / 2 + 3 / 8 * r) ** 2)
    along += 2 * m_half * 0.4 * r * r
    return m_cylinder + 2 * m_half, (across, across, along)


# kind -> (mass, principal moments) of the shape in its own axes with density 1
_SOLIDS: dict[str, Callable[..., tuple[float, tuple[float, float, float]]]] = {
    "box": _box,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "capsule": _capsule,
}


def mass_properties(shapes: Sequence[Shape], density: float = 1.0) -> MassProperties:
    """Of all shapes together; where two overlap, both count.

    I = Σ R_k I_k R_kᵀ + m_k (|d_k|² 1 − d_k d_kᵀ),   d_k from the common centre of mass to that of shape k.
    """
    solids = [_SOLIDS[s.kind](*s.size) for s in shapes]
    masses = density * np.array([m for m, _ in solids])
    centers = np.array([s.pose.position for s in shapes])
    mass = float(masses.sum())
    center = masses @ centers / mass
    inertia = np.zeros((3, 3))
    for shape, m, (_, moments), p in zip(shapes, masses, solids, centers, strict=True):
        R = quat_to_matrix(np.array(shape.pose.rotation))
        d = p - center
        inertia += R @ np.diag(moments) @ R.T * density + m * ((d @ d) * np.eye(3) - np.outer(d, d))
    return MassProperties(mass, center, (inertia + inertia.T) / 2)
