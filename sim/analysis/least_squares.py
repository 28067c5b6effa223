"""Parameters that explain measured torques best, with the intervals in which they are to be found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.analysis.triangle import Told, part, triangle

Array = np.ndarray[Any, np.dtype[Any]]

NORMAL_95 = 1.959963984540054
WEIGHINGS = 3
EXACT = 1e-14  # of a joint's largest torque, below which residuals are rounding


@dataclass(frozen=True)
class Estimate:
    values: Array  # (B,)
    covariance: Array  # (B, B)
    freedom: int  # equations more than parameters
    residuals: Array  # (nv,) rms of what is not explained, by joint [N·m or N]

    @property
    def intervals(self) -> Array:
        """(B,) half widths of the 95 % intervals."""
        return student_95(self.freedom) * np.sqrt(np.diag(self.covariance))


def estimate(W: Array, tau: Array, joint: Array, nv: int, each: Told = lambda _: None) -> Estimate:
    """β of W β = tau + noise; noise is alike in all equations of a joint and differs between joints.

    Equations are weighed by 1/rms of their joint's residuals, those of the fit before. The triangle of W | tau has
    R and, beside it, Qᵀ tau.
    """
    scale = np.linalg.norm(W, axis=0)
    n, freedom = W.shape[1], len(W) - W.shape[1]
    both = np.column_stack([W / scale, tau])
    weight = np.ones(len(W))
    for k in range(WEIGHINGS):
        R = triangle(both * weight[:, None], part(each, k, WEIGHINGS + 1))
        x = np.linalg.solve(R[:n, :n], R[:n, n])
        left = tau - both[:, :n] @ x
        rms = np.array([_rms(left[joint == k], tau[joint == k]) for k in range(nv)])
        weight = 1.0 / rms[joint]
    R = triangle(both * weight[:, None], part(each, WEIGHINGS, WEIGHINGS + 1))
    inverse = np.linalg.inv(R[:n, :n])
    variance = float(np.sum((left * weight) ** 2)) / freedom
    return Estimate(x / scale, variance * (inverse @ inverse.T) / np.outer(scale, scale), freedom, rms)


def _rms(left: Array, tau: Array) -> float:
    if len(left) == 0:
        return 0.0
    return max(float(np.sqrt(np.mean(left**2))), EXACT * max(float(np.abs(tau).max()), 1.0))


def student_95(freedom: int) -> float:
    """The 97.5 % quantile of Student's t, by Cornish and Fisher's series: to 3e-3 for 5 degrees, and soon exact."""
    z, n = NORMAL_95, float(freedom)
    series = (z**3 + z) / 4 / n + (5 * z**5 + 16 * z**3 + 3 * z) / 96 / n**2
    return z + series + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384 / n**3
