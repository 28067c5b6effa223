"""How much of a picture a scene takes, measured on the surface of everything that is drawn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from app.camera import Camera
from app.render.mesh import drawn_sizes, unit_meshes
from app.render.visuals import Visuals
from app.stage import Stage
from sim.state import Snapshot

SECONDS, POSES = 10.0, 100  # of a motion


def surface_points(visuals: Visuals, snapshot: Snapshot) -> np.ndarray:
    meshes, sizes = unit_meshes(16), drawn_sizes(visuals.kind, visuals.size)
    points = []
    for kind, size, place in zip(visuals.kind, sizes, visuals.instances(snapshot), strict=True):
        v = meshes[int(kind)].vertices
        local = v[:, :3] * size[:3] + v[:, 3:4] * [0.0, 0.0, size[3]]
        points.append(local @ place[:, :3].T + place[:, 3])
    return np.concatenate(points)


def poses(stage: Stage) -> Iterator[Snapshot]:
    """Where a scene is looked at: at rest; bodies that nothing holds tumble, and are seen in all their poses."""
    yield stage.rest
    if stage.scene.joints:
        return
    from sim.simulation import Simulation

    world = Simulation(stage.scene, dt=2e-3)
    for _ in range(POSES):
        world.advance(SECONDS / POSES)
        yield world.snapshot()
    world.close()


def box(stage: Stage, camera: Camera, width: float, height: float) -> np.ndarray:
    """((left, top), (right, bottom)) of bodies and targets in a picture of this size [px]."""
    low, high = np.full(2, np.inf), np.full(2, -np.inf)
    for pose in poses(stage):
        points = np.concatenate([surface_points(stage.visuals, pose), np.asarray(pose.targets).reshape(-1, 3)])
        seen = camera.project(points, width, height)
        low, high = np.minimum(low, seen.min(axis=0)), np.maximum(high, seen.max(axis=0))
    return np.array([low, high])
