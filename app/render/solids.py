"""Primitives as every part of drawing and picking sees them: a kind, four numbers and a place on a body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sim.scene import Shape
from sim.spatial.rotation import quat_to_matrix

Array = np.ndarray[Any, np.dtype[Any]]

BOX, SPHERE, CYLINDER, CAPSULE = range(4)
KINDS = {"box": BOX, "sphere": SPHERE, "cylinder": CYLINDER, "capsule": CAPSULE}


@dataclass(frozen=True)
class Rail:
    """A slider's number, its q at rest, and how far it gets down and up from there before its bars have to grow."""

    joint: int
    start: float
    down: float
    up: float


@dataclass(frozen=True)
class Solid:
    """A primitive on a body (-1: the world).

    size (4,): of a box its half edges and 0, of a sphere its radius thrice and 0, of a cylinder radius, radius,
    half length and 0, of a capsule its radius thrice and half the length of its straight part.
    place (3, 4): [R | p] in the body. color: a theme token, "#rrggbb", or the number of a joint. `lights_up` under the
    cursor with its body; joints keep the colour they are known by. `rail`: of a bar that grows with what slides on it.
    """

    kind: int
    size: Array
    place: Array
    body: int
    color: str | int
    lights_up: bool = True
    rail: Rail | None = None


def from_shape(shape: Shape, body: int, color: str) -> Solid:
    R = quat_to_matrix(np.array(shape.pose.rotation))
    place = np.concatenate([R, np.array(shape.pose.position, dtype=float)[:, None]], axis=1)
    return Solid(KINDS[shape.kind], _size(shape), place, body, color)


def _size(shape: Shape) -> Array:
    match shape.kind, shape.size:
        case "box", (x, y, z):
            return np.array([x / 2, y / 2, z / 2, 0.0])
        case "sphere", (r,):
            return np.array([r, r, r, 0.0])
        case "cylinder", (r, length):
            return np.array([r, r, length / 2, 0.0])
        case "capsule", (r, length):
            return np.array([r, r, r, length / 2])
    raise ValueError(f"a {shape.kind} cannot have the size {shape.size}")


def support(kind: Array, size: Array, direction: Array) -> Array:
    """How far solids reach from their centres in a direction given in their own axes (n, 3)."""
    d = np.abs(direction)
    across = np.hypot(d[:, 0], d[:, 1])
    return np.choose(
        kind,
        [
            (d * size[:, :3]).sum(axis=1),
            size[:, 0],
            across * size[:, 0] + d[:, 2] * size[:, 2],
            size[:, 0] + d[:, 2] * size[:, 3],
        ],
    )


def bounding_radius(kind: Array, size: Array) -> Array:
    """Radius of the sphere around each centre that holds the whole solid."""
    across = np.where(kind == BOX, np.hypot(size[:, 0], size[:, 1]), size[:, 0])
    edged = np.hypot(across, size[:, 2])
    return np.choose(kind, [edged, size[:, 0], edged, size[:, 0] + size[:, 3]])


def distance(solid: Solid, point: Array) -> float:
    """From a point in the body's axes to the solid; 0 inside."""
    p = solid.place[:, :3].T @ (point - solid.place[:, 3])
    if solid.kind == CYLINDER:
        outside = np.array([np.hypot(p[0], p[1]) - solid.size[0], abs(p[2]) - solid.size[2]])
        return float(np.linalg.norm(np.maximum(outside, 0.0)))
    if solid.kind == BOX:
        return float(np.linalg.norm(np.maximum(np.abs(p) - solid.size[:3], 0.0)))
    p[2] -= np.clip(p[2], -solid.size[3], solid.size[3])
    return max(float(np.linalg.norm(p)) - float(solid.size[0]), 0.0)


def thickness(solid: Solid) -> float:
    """The radius a person would call the link's: of a round solid its radius, of a box half its middle edge."""
    return float(np.sort(solid.size[:3])[1] if solid.kind == BOX else solid.size[0])


def long_axis(solid: Solid) -> Array | None:
    """The direction a link of this shape runs in, in the body's axes; a sphere runs in none."""
    if solid.kind == SPHERE:
        return None
    return solid.place[:, int(np.argmax(solid.size[:3])) if solid.kind == BOX else 2]
