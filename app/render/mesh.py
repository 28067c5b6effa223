"""Unit meshes of the primitives, triangles counter-clockwise from outside. Pure NumPy.

A vertex is (x, y, z, s, nx, ny, nz) and is drawn at (x, y, z) · size[:3] + (0, 0, s · size[3]); s is the end of a
cylinder or capsule it belongs to (-1 or 1), 0 on other meshes. Normals are divided by the sizes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from app.render.solids import BOX, CAPSULE, CYLINDER, SPHERE

Array = np.ndarray[Any, np.dtype[Any]]

BEVEL = 0.07  # radii that a cylinder's rims are cut off by


@dataclass(frozen=True)
class Mesh:
    vertices: Array  # (n, 7) float32
    triangles: Array  # (m, 3) uint32


def unit_meshes(segments: int) -> dict[int, Mesh]:
    """The mesh of each kind, round ones with `segments` (a multiple of 4) around."""
    return {BOX: _box(), SPHERE: _sphere(segments), CYLINDER: _cylinder(segments), CAPSULE: _capsule(segments)}


def _mesh(positions: Array, ends: Array, normals: Array, triangles: Array) -> Mesh:
    vertices = np.concatenate([positions, ends[:, None], normals], axis=1).astype(np.float32)
    return Mesh(np.ascontiguousarray(vertices), np.ascontiguousarray(triangles, dtype=np.uint32))


def _box() -> Mesh:
    positions: list[Array] = []
    normals: list[Array] = []
    triangles: list[tuple[int, int, int]] = []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            z = sign * np.eye(3)[axis]
            x = np.eye(3)[(axis + 1) % 3]
            y = np.cross(z, x)
            first = len(positions)
            positions += [z - x - y, z + x - y, z + x + y, z - x + y]
            normals += [z] * 4
            triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return _mesh(np.array(positions), np.zeros(24), np.array(normals), np.array(triangles))


def _circle(segments: int) -> Array:
    """(segments + 1, 2): the last point repeats the first."""
    angle = np.linspace(0.0, 2 * np.pi, segments + 1)
    return np.stack([np.cos(angle), np.sin(angle)], axis=1)


def _rows_to_triangles(rows: int, columns: int) -> Array:
    """Two triangles for each cell of a lattice of rows × columns vertices, rows going down the outside."""
    row, column = np.meshgrid(np.arange(rows - 1), np.arange(columns - 1), indexing="ij")
    a = (row * columns + column).ravel()
    b = a + columns
    return np.concatenate([np.stack([a, b, b + 1], axis=1), np.stack([a, b + 1, a + 1], axis=1)])


def _turned(angles: Array, ends: Array, segments: int) -> Mesh:
    """Points of the unit sphere at angles from +z (rows), each row belonging to one end."""
    circle = _circle(segments)
    ring = np.sin(angles)[:, None, None] * circle[None]
    height = np.broadcast_to(np.cos(angles)[:, None, None], (len(angles), len(circle), 1))
    points = np.concatenate([ring, height], axis=2).reshape(-1, 3)
    triangles = _rows_to_triangles(len(angles), len(circle))
    return _mesh(points, np.repeat(ends, len(circle)), points, _without_slivers(triangles, points, ends, len(circle)))


def _without_slivers(triangles: Array, points: Array, ends: Array, columns: int) -> Array:
    """At the poles one triangle of each pair has no area."""
    lifted = points + np.repeat(ends, columns)[:, None] * [0.0, 0.0, 1.0]
    a, b, c = (lifted[triangles[:, i]] for i in range(3))
    return triangles[np.linalg.norm(np.cross(b - a, c - a), axis=1) > 1e-9]


def _sphere(segments: int) -> Mesh:
    angles = np.linspace(0.0, np.pi, segments // 2 + 1)
    return _turned(angles, np.zeros(len(angles)), segments)


def _capsule(segments: int) -> Mesh:
    """Two half spheres; the rows at their rims make the tube between them."""
    half = np.linspace(0.0, np.pi / 2, segments // 4 + 1)
    angles = np.concatenate([half, np.pi - half[::-1]])
    return _turned(angles, np.repeat([1.0, -1.0], len(half)), segments)


def _cylinder(segments: int) -> Mesh:
    """A tube whose rims are cut off at an angle; the light runs smoothly over them from the side to the end."""
    circle = _circle(segments)
    n = len(circle)
    flat, up = np.concatenate([circle, np.zeros((n, 1))], axis=1), np.array([0.0, 0.0, 1.0])
    inner = 1.0 - BEVEL
    positions = [inner * flat + BEVEL * up, flat, flat, inner * flat - BEVEL * up]
    normals = [np.tile(up, (n, 1)), flat, flat, np.tile(-up, (n, 1))]
    fan = np.arange(1, segments - 1)
    top = np.stack([np.zeros_like(fan), fan, fan + 1], axis=1)
    triangles = np.concatenate([_rows_to_triangles(4, n), top, top[:, ::-1] + 3 * n])
    return _mesh(np.concatenate(positions), np.repeat([1.0, 1.0, -1.0, -1.0], n), np.concatenate(normals), triangles)


def drawn_sizes(kind: Array, size: Array) -> Array:
    """Sizes of solids as the meshes want them: a cylinder is a capsule with flat ends, BEVEL · size[2] high."""
    out = size.copy()
    round_ = kind == CYLINDER
    radius, half = size[round_, 0], size[round_, 2]
    rim = np.minimum(radius, half / (2 * BEVEL))
    out[round_, 2], out[round_, 3] = rim, half - BEVEL * rim
    return out
