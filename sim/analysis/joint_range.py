"""Everything that the joints can do, as a box to search."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sim.analysis.box_search import lowest
from sim.model import BALL, FREE, HINGE, JOINT_TYPES, SLIDER, Model

Array = np.ndarray[Any, np.dtype[Any]]

_KINDS = {number: kind for kind, number in JOINT_TYPES.items()}


class JointRange:
    """Hinges and sliders within their limits, a full turn where a hinge has none; all rotations of balls and free
    bodies, by rotation vectors. Where a free body is does not matter and stays."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.kinds = tuple(_KINDS[int(kind)] for kind in model.joint_type)

    def lowest(self, function: Callable[[Array], Array]) -> float:
        """The smallest value of a function that maps (m, nq) to (m,)."""
        low, high = self._box()
        return lowest(lambda points: function(self._q(points)), low, high)[0]

    def _box(self) -> tuple[Array, Array]:
        low: list[float] = []
        high: list[float] = []
        for j, kind in enumerate(self.model.joint_type):
            if kind in (BALL, FREE):
                low += [-np.pi] * 3
                high += [np.pi] * 3
            elif kind in (HINGE, SLIDER):
                a, b = self.model.joint_limits[j]
                if kind == SLIDER and not np.isfinite([a, b]).all():
                    name = self.model.joint_names[j]
                    raise ValueError(f'slider "{name}" has no limits, so nothing is bounded; expected limits')
                low.append(float(a) if np.isfinite(a) else -np.pi)
                high.append(float(b) if np.isfinite(b) else np.pi)
        return np.array(low), np.array(high)

    def _q(self, points: Array) -> Array:
        """(m, nq) from the coordinates of the box."""
        Q = np.tile(self.model.q0, (len(points), 1))
        k = 0
        for j, kind in enumerate(self.model.joint_type):
            end = self.model.joint_q[j + 1]
            if kind in (BALL, FREE):
                w = points[:, k : k + 3]
                angle = np.linalg.norm(w, axis=1, keepdims=True)
                Q[:, end - 4 : end] = np.hstack([np.cos(angle / 2), np.sinc(angle / 2 / np.pi) * w / 2])
                k += 3
            elif kind in (HINGE, SLIDER):
                Q[:, end - 1] = points[:, k]
                k += 1
        return Q
