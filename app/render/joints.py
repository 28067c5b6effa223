"""Joints that look like joints: a pin through the links for a hinge, a ball for a ball joint."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.render.solids import CYLINDER, SPHERE, Solid, distance, long_axis, support, thickness
from app.theme import JOINT_RADIUS
from sim.model import BALL, FREE, HINGE, Model

Array = np.ndarray[Any, np.dtype[Any]]
Part = tuple[int, Array, str | int]  # kind, size and colour of a solid whose z is the joint's axis

PROUD = 0.3  # link radii by which a pin stands out at each end
COLLAR_RADIUS, COLLAR_LENGTH = 1.12, 0.7  # link radii, of a pin around links that run along its axis
ALONG = 0.8  # cosine above which a link runs along the axis
AXLE_RADIUS, AXLE_PROUD = 0.5, 0.16  # pin radii, of the axle whose ends show in a pin's ends
LONE_RADIUS = 0.02  # [m] of a link, where nothing is drawn near the joint


@dataclass(frozen=True)
class Side:
    """The solids of one of the two bodies that lie at a joint; anchor and axis in that body."""

    solids: list[Solid]
    anchor: Array
    axis: Array

    def radius(self) -> float:
        return max((thickness(s) for s in self.solids), default=0.0)

    def along(self) -> bool:
        """Whether the link runs along the joint's axis."""
        longest = [a for a in map(long_axis, self.solids) if a is not None]
        return bool(longest) and all(abs(a @ self.axis) > ALONG for a in longest)

    def reach(self) -> float:
        """How far the solids stand out from the anchor along the axis, to the farther side."""
        return max((self._reach(s) for s in self.solids), default=0.0)

    def _reach(self, s: Solid) -> float:
        own = (s.place[:, :3].T @ self.axis)[None]
        offset = abs(float((s.place[:, 3] - self.anchor) @ self.axis))
        return offset + float(support(np.array([s.kind]), s.size[None], own)[0])


def joint_solids(model: Model, solids: list[Solid]) -> list[Solid]:
    """What shows each joint, on its child body and in the joint's colour; nothing for free and fixed joints."""
    first = int((model.joint_type == FREE).sum())
    marks = {HINGE: _pin, BALL: _ball}
    out = []
    for j, kind in enumerate(model.joint_type):
        if int(kind) in marks:
            parent, child = _sides(model, j, solids)
            place = np.concatenate([_frame_along(child.axis), child.anchor[:, None]], axis=1)
            for shape, size, color in marks[int(kind)](parent, child, j - first):
                out.append(Solid(shape, size, place, int(model.joint_child[j]), color, lights_up=False))
    return out


def _sides(model: Model, j: int, solids: list[Solid]) -> tuple[Side, Side]:
    places = (
        (model.joint_parent[j], model.joint_position[j], model.joint_rotation[j]),
        (model.joint_child[j], model.joint_child_position[j], model.joint_child_rotation[j]),
    )
    parent, child = (
        Side(_near([s for s in solids if s.body == body], anchor), anchor, R @ model.joint_axis[j])
        for body, anchor, R in places
    )
    return parent, child


def _near(solids: list[Solid], anchor: Array) -> list[Solid]:
    """What touches the anchor or nearly does."""
    return [s for s in solids if distance(s, anchor) <= 0.75 * thickness(s)]


def _pin(parent: Side, child: Side, number: int) -> list[Part]:
    if child.along() or (not child.solids and parent.along()):
        around = max(parent.radius(), child.radius())
        return [_cylinder(COLLAR_RADIUS * around, COLLAR_LENGTH / 2 * around, number)]
    link = _link_radius(parent, child)
    wide = max(child.reach(), 0.0 if parent.along() else min(parent.reach(), 2 * link), link)
    r, half = JOINT_RADIUS * link, wide + PROUD * link
    return [_cylinder(r, half, number), _cylinder(AXLE_RADIUS * r, half + AXLE_PROUD * r, "base")]


def _ball(parent: Side, child: Side, number: int) -> list[Part]:
    r = JOINT_RADIUS * _link_radius(parent, child)
    return [(SPHERE, np.array([r, r, r, 0.0]), number)]


def _cylinder(radius: float, half: float, color: str | int) -> Part:
    return CYLINDER, np.array([radius, radius, half, 0.0]), color


def _link_radius(parent: Side, child: Side) -> float:
    """Of the child's link, or of the parent's where that is a little thicker."""
    own = child.radius() or parent.radius() or LONE_RADIUS
    return max(own, min(parent.radius(), 1.25 * own))


def _frame_along(axis: Array) -> Array:
    """A right-handed frame whose z is the axis."""
    z = axis / np.linalg.norm(axis)
    x = np.cross(np.eye(3)[int(np.argmin(np.abs(z)))], z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)
