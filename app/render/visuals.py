"""What is drawn of a scene, as arrays that stay, and where it all is in a snapshot. No OpenGL here."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.render.bounds import Extent, Reach, motion_extent, path_extent, solid_extent
from app.render.joints import joint_solids
from app.render.rails import Rails
from app.render.solids import KINDS, Solid, bounding_radius, from_shape
from app.theme import TARGET_RADIUS, Theme, linear
from sim.model import Model
from sim.rest import rest_snapshot
from sim.scene import Scene
from sim.state import Beside, Snapshot

Array = np.ndarray[Any, np.dtype[Any]]


class Visuals:
    """The solids of a scene sorted by kind: bodies, joints and what stands on the world.

    kind, body, lights_up (n,); size (n, 4) and place (n, 3, 4) as in `Solid`; ranges: first and count of each kind.
    radius is the scene's, which sizes of the picture are given in; target_radius [m].
    """

    def __init__(self, scene: Scene, model: Model) -> None:
        solids = _solids(scene, model)
        solids.sort(key=lambda s: s.kind)
        self.scene, self.model = scene, model
        self.kind = np.array([s.kind for s in solids], dtype=np.int64)
        self.body = np.array([s.body for s in solids], dtype=np.int64)
        self.size = np.array([s.size for s in solids]).reshape(-1, 4)
        self.place = np.array([s.place for s in solids]).reshape(-1, 3, 4)
        self.bounding = bounding_radius(self.kind, self.size)
        self.ranges = tuple((int((self.kind < k).sum()), int((self.kind == k).sum())) for k in KINDS.values())
        self.lights_up = np.array([s.lights_up for s in solids], dtype=bool)
        self._colors = [s.color for s in solids]
        self._place32 = self.place.astype(np.float32)
        self._body_poses = np.zeros((len(scene.bodies) + 1, 3, 4), dtype=np.float32)
        self._body_poses[-1, :, :3] = np.eye(3)  # index -1: the world
        self._gathered = np.empty((len(solids), 3, 4), dtype=np.float32)
        self._rails = Rails(model, solids)
        self._reach = Reach(model, self.body, self.place, self.bounding)
        rest = rest_snapshot(scene, model)
        self.center, self.radius = self.bounds(rest)
        self.target_radius = TARGET_RADIUS * self.radius

    def __len__(self) -> int:
        return len(self.kind)

    def instances(self, snapshot: Snapshot | Beside, out: Array | None = None) -> Array:
        """[R | p] of every solid in the world, (n, 3, 4) float32:  R_WS = R_WB R_BS,  p_WS = p_WB + R_WB p_BS.

        The third column of a rail that has grown is as long as it has grown.
        """
        if out is None:
            out = np.empty_like(self._place32)
        poses = self._body_poses
        poses[:-1, :, :3] = snapshot.rotation
        poses[:-1, :, 3] = snapshot.position
        np.take(poses, self.body, axis=0, out=self._gathered, mode="wrap")
        np.matmul(self._gathered[:, :, :3], self._place32, out=out)
        out[:, :, 3] += self._gathered[:, :, 3]
        self._rails.grow(poses, out)
        return out

    def colors(self, theme: Theme) -> Array:
        """(n, 3) linear light."""
        names = (theme.curve(c) if isinstance(c, int) else theme.shape_color(c) for c in self._colors)
        return np.array([linear(name) for name in names]).reshape(-1, 3)

    def bounds(self, snapshot: Snapshot) -> tuple[Array, float]:
        """Centre and radius of the scene's sphere: bodies as they stand, targets with their paths, and where bodies
        that nothing holds will swing; sized so that `camera.fit` shows them at 55 to 75 % of the viewport's height."""
        extent = Extent(self.scene.camera)
        world = self.instances(snapshot).astype(float)
        solid_extent(extent, self.kind, self.size, world)
        extent.add(np.asarray(snapshot.position))
        extent.add(np.asarray(snapshot.targets))
        for target in self.scene.targets:
            if target.path is not None:
                path_extent(extent, target)
        motion_extent(extent, self._reach, snapshot, self.scene)
        return extent.sphere()

    def body_sphere(self, snapshot: Snapshot, body: int) -> tuple[Array, float]:
        """Centre and radius of a sphere around what is drawn of a body; a small one where nothing is."""
        own = self.body == body
        if not own.any():
            return np.array(snapshot.position[body]), 0.1 * self.radius
        centers = self.instances(snapshot)[own, :, 3].astype(float)
        center = centers.mean(axis=0)
        return center, float((np.linalg.norm(centers - center, axis=1) + self.bounding[own]).max())

    def light_bounds(self, snapshot: Snapshot, instances: Array) -> tuple[Array, float]:
        """Centre and radius of the sphere that shadows can come from, as still as the mechanism allows."""
        return self._reach.sphere(snapshot, instances[:, :, 3], self.bounding)


def _solids(scene: Scene, model: Model) -> list[Solid]:
    solids = [from_shape(shape, -1, shape.color) for shape in scene.base_shapes]
    links = 0
    for index, body in enumerate(scene.bodies):
        own = {"link": ("link", "link2")[links % 2]}
        solids += [from_shape(shape, index, own.get(shape.color, shape.color)) for shape in body.shapes]
        links += any(shape.color in ("link", "link2") for shape in body.shapes)
    return solids + joint_solids(model, solids)
