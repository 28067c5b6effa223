"""What is drawn over the bodies on demand: which overlays are on, and trails.

All of it immutable, so that a view can be compared with the one drawn last, kept, or sent to another process.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]

# name -> (in the View menu, what it shows)
OVERLAYS = {
    "frames": ("Frames", "Axes x, y, z of every body and named frame"),
    "trails": ("Trails", "Where tools and free bodies have been in the last seconds"),
    "velocities": ("Velocities", "Arrows at the centres of mass"),
    "forces": ("Applied forces", "Forces and torques of controllers and inputs"),
    "loads": ("Joint forces", "What each joint exerts on the body it carries"),
    "centers": ("Centres of mass", "Of every body, and the larger one of all of them"),
}
FROM_PHYSICS = frozenset({"forces", "loads"})  # what the physics thread computes only when asked (`WatchForces`)


@dataclass(frozen=True, eq=False)
class Trail:
    """Where points of bodies have been: the newest last. Compared by identity."""

    times: Array  # (m,) [s]
    points: Array  # (m, k, 3)
    body: Array  # (k,) what the points are fixed to, -1 for the world
    local: Array  # (k, 3) and where on it


@dataclass(frozen=True)
class Overlays:
    on: frozenset[str] = frozenset()  # names of OVERLAYS
    trail: Trail | None = None

    def toggled(self, name: str) -> Overlays:
        """With one of OVERLAYS switched."""
        return replace(self, on=self.on ^ {name})

    @property
    def needs_forces(self) -> bool:
        """Whether the snapshot should tell what acts."""
        return bool(self.on & FROM_PHYSICS)


NO_OVERLAYS = Overlays()
