"""What is under the cursor, and where a dragged thing goes. Pure NumPy; rays come from Camera.ray."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from app.camera import Camera
from app.render.handles import handle_ends
from app.render.solids import BOX, CAPSULE, CYLINDER, SPHERE
from app.render.visuals import Visuals
from app.theme import GRAB_TOLERANCE, HANDLE_TOLERANCE
from sim.scene import Vec3
from sim.state import Snapshot

Array = np.ndarray[Any, np.dtype[Any]]


def pick_body(
    visuals: Visuals, snapshot: Snapshot, origin: Array, direction: Array, hidden: Collection[int] = ()
) -> tuple[int, Array] | None:
    """The body that a ray meets first and the point where it does; None if it meets none or the world before it."""
    if len(visuals) == 0:
        return None
    t = ray_distances(visuals, snapshot, origin, direction)
    if hidden:
        t[np.isin(visuals.body, list(hidden))] = np.inf
    nearest = int(np.argmin(t))
    body = int(visuals.body[nearest])
    if body < 0 or not np.isfinite(t[nearest]):
        return None
    return body, origin + t[nearest] * direction


def ray_distances(visuals: Visuals, snapshot: Snapshot, origin: Array, direction: Array) -> Array:
    """(n,) along a unit ray to each solid; inf where it misses. Each solid sees the ray in its own axes."""
    world = visuals.instances(snapshot).astype(float)
    axes = world[:, :, :3]
    R_SW = (axes / (axes**2).sum(axis=1, keepdims=True)).transpose(0, 2, 1)  # the inverse, of grown rails too
    o = np.einsum("nij,nj->ni", R_SW, origin - world[:, :, 3])
    d = R_SW @ direction
    t = np.full(len(visuals), np.inf)
    for kind, (first, count) in enumerate(visuals.ranges):
        if count:
            part = slice(first, first + count)
            t[part] = _MEETINGS[kind](o[part], d[part], visuals.size[part])
    return t


def _box(o: Array, d: Array, size: Array) -> Array:
    """The ray is inside where it has entered all three pairs of planes and left none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (-size[:, :3] - o) / d, (size[:, :3] - o) / d
    low, high = np.fmin(a, b), np.fmax(a, b)
    return _first(low.max(axis=1), high.min(axis=1))


def _sphere(o: Array, d: Array, size: Array) -> Array:
    """|o + t d| = r"""
    b = (o * d).sum(axis=1)
    return _between(np.ones(len(o)), b, (o * o).sum(axis=1) - size[:, 0] ** 2)


def _tube(o: Array, d: Array, radius: Array) -> tuple[Array, Array]:
    """Where the ray is inside x² + y² = r²: from, to."""
    a = d[:, 0] ** 2 + d[:, 1] ** 2
    b = o[:, 0] * d[:, 0] + o[:, 1] * d[:, 1]
    c = o[:, 0] ** 2 + o[:, 1] ** 2 - radius**2
    return _roots(a, b, c)


def _cylinder(o: Array, d: Array, size: Array) -> Array:
    """The tube between its two end planes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b = (-size[:, 2] - o[:, 2]) / d[:, 2], (size[:, 2] - o[:, 2]) / d[:, 2]
    enter, leave = _tube(o, d, size[:, 0])
    return _first(np.fmax(enter, np.fmin(a, b)), np.fmin(leave, np.fmax(a, b)))


def _capsule(o: Array, d: Array, size: Array) -> Array:
    """The nearest of a tube and the spheres at its ends."""
    tube = size.copy()
    tube[:, 2] = size[:, 3]
    ends = [_sphere(o - np.stack([0 * size[:, 3], 0 * size[:, 3], s * size[:, 3]], axis=1), d, size) for s in (-1, 1)]
    return np.minimum(_cylinder(o, d, tube), np.minimum(*ends))


def _between(a: Array, b: Array, c: Array) -> Array:
    return _first(*_roots(a, b, c))


def _roots(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
    """Of a t² + 2 b t + c ≤ 0: from, to. Nothing: (inf, -inf); everything (a = 0, c ≤ 0): (-inf, inf)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        root = np.sqrt(b * b - a * c)
        low, high = (-b - root) / a, (-b + root) / a
    flat = a < 1e-14
    inside = c <= 0
    low = np.where(flat, np.where(inside, -np.inf, np.inf), low)
    high = np.where(flat, np.where(inside, np.inf, -np.inf), high)
    missed = np.isnan(low)
    return np.where(missed, np.inf, low), np.where(missed, -np.inf, high)


def _first(enter: Array, leave: Array) -> Array:
    """Where a ray that starts at 0 meets the surface: on entering, or on leaving if it starts inside."""
    t = np.where(enter > 0, enter, leave)
    return np.where((enter <= leave) & (leave > 0), t, np.inf)


_MEETINGS = {BOX: _box, SPHERE: _sphere, CYLINDER: _cylinder, CAPSULE: _capsule}


def pick_target(
    camera: Camera,
    targets: Array,
    radius: float,
    x: float,
    y: float,
    width: float,
    height: float,
    tolerance: float = GRAB_TOLERANCE,
) -> int | None:
    """The target whose disc lies under pixel (x, y) or at most `tolerance` pixels from it; the nearest to the eye."""
    if len(targets) == 0:
        return None
    gap = np.linalg.norm(camera.project(targets, width, height) - (x, y), axis=1)
    gap -= [radius / camera.pixel_size(p, height) for p in targets]
    depth = (np.asarray(targets) - camera.eye()) @ camera.forward()
    near = np.where(gap <= tolerance, depth, np.inf)  # a NaN gap, behind the eye, is no hit
    best = int(np.argmin(near))
    return best if np.isfinite(near[best]) else None


def plane_drag(origin: Array, direction: Array, hit: Array, normal: Array, center: Array) -> Vec3:
    """Where a thing's centre goes when the point `hit`, grabbed on it, follows the cursor in a plane.

    k = (hit − o)·n / (d·n),  p = o + k d + (centre − hit);  a ray along the plane leaves it where it is.
    """
    center = np.asarray(center, dtype=float)
    slope = float(np.dot(direction, normal))
    moved = np.zeros(3)
    if abs(slope) > 1e-6:
        k = float(np.dot(hit - origin, normal)) / slope
        moved = origin + k * direction - hit
    x, y, z = center + moved
    return float(x), float(y), float(z)


def axis_drag(origin: Array, direction: Array, hit: Array, axis: Array, center: Array) -> Vec3:
    """Where a thing's centre goes when the point `hit`, grabbed on it, follows the cursor along a line.

    The point of the line nearest to the ray:  w = hit − o, b = u·d, s = (b (d·w) − u·w) / (1 − b²).
    Looking along the line, it stays where it is.
    """
    w, b = np.asarray(hit) - origin, float(np.dot(axis, direction))
    s = 0.0
    if 1.0 - b * b >= 1e-4:
        s = (b * float(np.dot(direction, w)) - float(np.dot(axis, w))) / (1.0 - b * b)
    x, y, z = np.asarray(center, dtype=float) + s * np.asarray(axis)
    return float(x), float(y), float(z)


def pick_handle(
    camera: Camera, point: Array, radius: float, x: float, y: float, width: float, height: float
) -> int | None:
    """The axis whose handle lies under pixel (x, y) or close beside it, and not inside the target's disc."""
    start = camera.project(point, width, height)[0]
    ends = camera.project(handle_ends(camera, point, radius, height), width, height)
    spans = ends - start
    length2 = np.maximum((spans * spans).sum(axis=1), 1e-9)
    part = np.clip(((np.array([x, y]) - start) * spans).sum(axis=1) / length2, 0.0, 1.0)
    gap = np.linalg.norm(start + part[:, None] * spans - (x, y), axis=1)
    rim = radius / camera.pixel_size(point, height)
    outside = np.hypot(*(np.array([x, y]) - start)) > rim
    best = int(np.argmin(np.where(np.isnan(gap), np.inf, gap)))
    return best if outside and gap[best] <= HANDLE_TOLERANCE else None
