"""Spheres around a scene: one for the camera to look at, one for the light to cover."""

from __future__ import annotations

from itertools import product
from math import ceil, log
from typing import Any

import numpy as np

from app.camera import fit
from app.render.solids import BOX, support
from sim.model import FREE, Model
from sim.scene import CameraSpec, CirclePath, Scene, Target
from sim.state import Snapshot
from sim.target_path import samples

Array = np.ndarray[Any, np.dtype[Any]]

HEIGHT_PART, WIDTH_PART = 0.65, 0.85  # of the viewport, that the scene spans at start
NARROW = 1.3  # width / height of a viewport that should still hold the scene
SPIN_PART = 0.8  # of its reach, that counts for a body free to turn: it is rarely seen at full length
NEAREST = 0.45  # of the scene's half diagonal: a smaller radius would put the eye into the scene
SMALLEST = 0.05  # [m]
GROWTH = 1.2  # steps in which the light's sphere follows bodies that fly apart


class Extent:
    """Points on the rim of all that should be in the picture, as the camera at start sees it."""

    def __init__(self, spec: CameraSpec | None = None) -> None:
        spec = spec or CameraSpec()
        self._direction = CameraSpec(azimuth=spec.azimuth, elevation=spec.elevation)
        self.axes = fit((0.0, 0.0, 0.0), 1.0, self._direction).axes()
        self._points: list[Array] = []

    def add(self, centers: Array, reach: Array | float = 0.0) -> None:
        """Things around centers (n, 3) that reach (n, 3) to both sides along the camera's right, up and back."""
        steps = np.broadcast_to(reach, centers.shape)[:, :, None] * self.axes[None]
        self._points += [(centers[:, None] + steps).reshape(-1, 3), (centers[:, None] - steps).reshape(-1, 3)]

    def sphere(self) -> tuple[Array, float]:
        """Centre and radius of the sphere that `camera.fit` shows so that the points span their part of the picture.

        Scaling the sphere scales the picture, moving it moves the picture: a few corrections settle both.
        """
        points = np.concatenate(self._points)
        center = (points.min(axis=0) + points.max(axis=0)) / 2
        half = float(np.linalg.norm(points - center, axis=1).max())
        least = max(NEAREST * half, SMALLEST)
        radius = 2 * half + least
        for _ in range(12):
            camera = fit(center, radius, self._direction)
            seen = camera.project(points, NARROW, 1.0)
            low, high = seen.min(axis=0), seen.max(axis=0)
            width, height = high - low
            x, y = ((low + high) / 2 - (NARROW / 2 - 0.5, 0.0)) * camera.pixel_size(center, 1.0)
            center = center + x * camera.right() - y * camera.up()
            radius = max(radius * float(max(height / HEIGHT_PART, width / (WIDTH_PART * NARROW))), least)
        return center, radius


def solid_extent(extent: Extent, kind: Array, size: Array, world: Array) -> None:
    """Add solids placed by world (n, 3, 4): boxes by their corners, round ones by how far they reach."""
    box = kind == BOX
    for corner in product((-1.0, 1.0), repeat=3):
        extent.add(world[box, :, 3] + np.einsum("nij,nj->ni", world[box, :, :3], size[box, :3] * corner))
    kind, size, world = kind[~box], size[~box], world[~box]
    reach = [support(kind, size, world[:, :, :3].transpose(0, 2, 1) @ axis) for axis in extent.axes]
    extent.add(world[:, :, 3], np.stack(reach, axis=1))


def path_extent(extent: Extent, target: Target) -> None:
    """Add the path a target moves on: a circle by how far it reaches, others by places along them."""
    path = target.path
    if not isinstance(path, CirclePath):
        extent.add(samples(target))
        return
    normal = np.array(path.normal) / np.linalg.norm(path.normal)
    reach = path.radius * np.sqrt(np.maximum(1 - (extent.axes @ normal) ** 2, 0.0))
    extent.add(np.array(target.position)[None], reach)


class Reach:
    """How far each tree of bodies can get from its root, whatever its joints do.

    For a joint k on the child of joint j:  D_k = D_j + |p_k − c_j|, with the anchors p_k and c_j in that body;
    the reach is the largest D_j + |solid − c_j| + its radius.
    """

    def __init__(self, model: Model, body: Array, place: Array, radius: Array) -> None:
        roots: list[int] = []
        anchor = np.zeros((len(model.body_names), 3))
        far = np.zeros(len(model.body_names))
        tree = np.full(len(model.body_names), -1)
        for j in model.tree_order:
            parent, child = int(model.joint_parent[j]), int(model.joint_child[j])
            if parent < 0:
                tree[child] = len(roots)
                roots.append(int(j))
            else:
                tree[child] = tree[parent]
                far[child] = far[parent] + np.linalg.norm(model.joint_position[j] - anchor[parent])
            anchor[child] = model.joint_child_position[j]
        on = body >= 0
        reach = far[body[on]] + np.linalg.norm(place[on, :, 3] - anchor[body[on]], axis=1) + radius[on]
        self.radius = np.zeros(len(roots))
        np.maximum.at(self.radius, tree[body[on]], reach)
        self.free = model.joint_type[roots] == FREE
        self._body = model.joint_child[roots]
        self._anchor = model.joint_position[roots]

    def centers(self, snapshot: Snapshot) -> Array:
        """(trees, 3): the anchors in the world, or where the roots of free trees are."""
        return np.where(self.free[:, None], snapshot.position[self._body], self._anchor)

    def sphere(self, snapshot: Snapshot, centers: Array, radii: Array) -> tuple[Array, float]:
        """A sphere that holds all trees wherever their joints take them, and the solids at `centers` in any case.

        Its radius changes in steps if at all: the mesh of the shadow map should stay where it is.
        """
        roots = self.centers(snapshot)
        reach = self.radius[:, None]
        middle = ((roots - reach).min(axis=0) + (roots + reach).max(axis=0)) / 2
        radius = float((np.linalg.norm(roots - middle, axis=1) + self.radius).max())
        if len(centers):
            radius = max(radius, float((np.linalg.norm(centers - middle, axis=1) + radii).max()))
        return middle, GROWTH ** ceil(log(max(radius, SMALLEST), GROWTH))


def motion_extent(extent: Extent, reach: Reach, snapshot: Snapshot, scene: Scene) -> None:
    """Add where bodies get to by themselves: free ones turn; hanging ones that nothing holds swing through below."""
    held = any(c.enabled for c in scene.controllers) or not any(scene.gravity)
    for center, radius, free in zip(reach.centers(snapshot), reach.radius, reach.free, strict=True):
        if free:
            extent.add(center[None], SPIN_PART * radius)
        elif not held:
            lowest = np.array([[center[0], center[1], max(center[2] - radius, 0.0)]])
            extent.add(lowest)
            extent.add(_across(snapshot.position, center))


def _across(points: Array, anchor: Array) -> Array:
    """The points on the other side of the vertical through the anchor."""
    return points * [-1, -1, 1] + 2 * anchor * [1, 1, 0]
