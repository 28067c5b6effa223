"""Rails of sliders without limits: bars that grow as far as the slider goes, so that it never leaves them."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.render.solids import Solid
from sim.model import Model

Array = np.ndarray[Any, np.dtype[Any]]


class Rails:
    def __init__(self, model: Model, solids: list[Solid]) -> None:
        """`solids` in the order in which they are placed."""
        found = [(i, s.rail, float(s.size[2])) for i, s in enumerate(solids) if s.rail is not None]
        self._bars = np.array([i for i, _, _ in found], dtype=np.int64)
        joint = [rail.joint for _, rail, _ in found]
        self._parent, self._child = model.joint_parent[joint], model.joint_child[joint]
        self._parent_anchor, self._child_anchor = model.joint_position[joint], model.joint_child_position[joint]
        self._start, self._down, self._up, self._half = (
            np.array([(rail.start, rail.down, rail.up, half) for _, rail, half in found]).reshape(-1, 4).T
        )

    def grow(self, poses: Array, world: Array) -> None:
        """Lengthen the bars in `world` (n, 3, 4), with `poses` (bodies and the world, 3, 4) of the bodies.

        q = z · (anchor on the child − anchor on the parent), z being the bar's own axis.
        """
        if not len(self._bars):
            return
        z = world[self._bars, :, 2]
        between = _placed(poses[self._child], self._child_anchor) - _placed(poses[self._parent], self._parent_anchor)
        moved = (z * between).sum(axis=1) - self._start
        down, up = np.minimum(moved + self._down, 0.0), np.maximum(moved - self._up, 0.0)
        world[self._bars, :, 3] += z * ((up + down) / 2)[:, None]
        world[self._bars, :, 2] *= (1 + (up - down) / (2 * self._half))[:, None]


def _placed(poses: Array, points: Array) -> Array:
    """Points (n, 3) of bodies with these poses (n, 3, 4), in the world."""
    return (poses[:, :, :3] @ points[:, :, None])[:, :, 0] + poses[:, :, 3]
