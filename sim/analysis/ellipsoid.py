"""How fast a frame can move in which direction, for joint velocities of length one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Ellipsoid:
    """The image of |q̇| = 1 under J: half axes `radii`, longest first, along the columns of `axes`."""

    radii: Array  # (3,) [m/s] or [rad/s]
    axes: Array  # (3, 3)

    @property
    def best_direction(self) -> Array:
        """The unit vector along which it is longest; its sign means nothing."""
        return self.axes[:, 0]

    @property
    def manipulability(self) -> float:
        """√det(J Jᵀ), the product of the half axes (Yoshikawa 1985); 0 where some direction is lost."""
        return float(np.prod(self.radii))


def ellipsoid(J: Array) -> Ellipsoid:
    """Of a Jacobian J (3, nv): J = U Σ Vᵀ."""
    axes, radii, _ = np.linalg.svd(np.hstack([J, np.zeros((3, 3))]))
    return Ellipsoid(radii[:3], axes)
