"""Picking against an independent way to find surfaces: marching along signed distances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.camera import Camera
from app.picking import axis_drag, pick_body, pick_handle, pick_target, plane_drag
from app.render.handles import handle_ends
from app.render.visuals import Visuals
from sim.model import compile_model
from sim.rest import rest_snapshot
from sim.scene import Body, Pose, Scene, Shape
from sim.state import Snapshot
from tests.worlds import quaternion

SIZES = {"box": (0.3, 0.5, 0.2), "sphere": (0.2,), "cylinder": (0.15, 0.5), "capsule": (0.12, 0.4)}


def floating(count: int, seed: int = 3) -> Scene:
    """Bodies of one shape each, of every kind, strewn about the origin."""
    rng = np.random.default_rng(seed)
    bodies = []
    for i in range(count):
        kind = list(SIZES)[i % 4]
        shape = Shape(kind, SIZES[kind], Pose(tuple(rng.uniform(-0.1, 0.1, 3)), quaternion(rng)))
        pose = Pose(tuple(rng.uniform(-1, 1, 3)), quaternion(rng))
        bodies.append(Body(f"b{i}", 1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0), (shape,), pose))
    return Scene("floating", "Floating", gravity=(0.0, 0.0, 0.0), bodies=tuple(bodies))


def stage(scene: Scene) -> tuple[Visuals, Snapshot]:
    model = compile_model(scene)
    return Visuals(scene, model), rest_snapshot(scene, model)


def signed_distance(shape: Shape, p: np.ndarray) -> float:
    """Exact distance in the shape's axes, negative inside (Quilez)."""
    if shape.kind == "sphere":
        return float(np.linalg.norm(p)) - shape.size[0]
    if shape.kind == "capsule":
        nearest = np.array([0.0, 0.0, np.clip(p[2], -shape.size[1] / 2, shape.size[1] / 2)])
        return float(np.linalg.norm(p - nearest)) - shape.size[0]
    if shape.kind == "cylinder":
        d = np.array([np.hypot(p[0], p[1]) - shape.size[0], abs(p[2]) - shape.size[1] / 2])
    else:
        d = np.abs(p) - np.array(shape.size) / 2
    return float(min(d.max(), 0.0) + np.linalg.norm(np.maximum(d, 0.0)))


def world_distance(scene: Scene, snapshot: Snapshot, p: np.ndarray) -> tuple[float, int]:
    from sim.spatial.rotation import quat_to_matrix

    best = (np.inf, -1)
    for i, body in enumerate(scene.bodies):
        local = snapshot.rotation[i].T @ (p - snapshot.position[i])
        for shape in body.shapes:
            at = quat_to_matrix(np.array(shape.pose.rotation)).T @ (local - shape.pose.position)
            best = min(best, (signed_distance(shape, at), i))
    return best


def march(scene: Scene, snapshot: Snapshot, origin: np.ndarray, direction: np.ndarray) -> tuple[int, np.ndarray] | None:
    t, least = 0.0, np.inf
    while t < 12.0:
        gap, body = world_distance(scene, snapshot, origin + t * direction)
        if gap < 1e-6:
            return body, origin + t * direction
        least = min(least, gap)
        t += gap
    return None if least > 1e-4 else (-1, origin)  # -1: so close to a rim that either answer is right


def test_picking_agrees_with_marching_along_signed_distances():
    scene = floating(12)
    visuals, snapshot = stage(scene)
    rng = np.random.default_rng(0)
    hits = 0
    for _ in range(150):
        origin = rng.normal(size=3)
        origin *= 4 / np.linalg.norm(origin)
        direction = rng.uniform(-0.9, 0.9, 3) - origin
        direction /= np.linalg.norm(direction)
        found, expected = pick_body(visuals, snapshot, origin, direction), march(scene, snapshot, origin, direction)
        if expected is None:
            assert found is None
        elif expected[0] >= 0:
            hits += 1
            assert found is not None and found[0] == expected[0]
            assert found[1] == pytest.approx(expected[1], abs=2e-4)
    assert hits > 40


@pytest.mark.parametrize("kind", SIZES)
@pytest.mark.parametrize("axis", range(3))
def test_rays_along_a_shapes_own_axes(kind: str, axis: int):
    body = Body("b", 1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0), (Shape(kind, SIZES[kind]),))
    visuals, snapshot = stage(Scene("one", "One", bodies=(body,)))
    direction = -np.eye(3)[axis]
    found = pick_body(visuals, snapshot, -2 * direction, direction)
    assert found is not None
    assert signed_distance(body.shapes[0], found[1]) == pytest.approx(0.0, abs=1e-9)
    assert found[1] @ direction < 0
    assert pick_body(visuals, snapshot, -2 * direction, -direction) is None
    assert pick_body(visuals, snapshot, -2 * direction + np.eye(3)[axis - 1], direction) is None


def test_what_stands_on_the_world_hides_bodies_and_is_no_body():
    scene = floating(1)
    scene = replace(scene, bodies=(replace(scene.bodies[0], pose=Pose()),))
    wall = Shape("box", (0.1, 4.0, 4.0), Pose((1.0, 0.0, 0.0)))
    origin, direction = np.array([3.0, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0])
    assert pick_body(*stage(scene), origin, direction) is not None
    walled = replace(scene, base_shapes=(wall,))
    assert pick_body(*stage(walled), origin, direction) is None
    assert pick_body(*stage(walled), -origin, -direction) is not None


def test_a_body_without_a_shape_cannot_be_picked():
    scene = Scene("bare", "Bare", bodies=(Body("b", 1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)),))
    assert pick_body(*stage(scene), np.array([3.0, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0])) is None


def test_a_target_is_grabbed_on_its_disc_and_8_pixels_around():
    camera = Camera((0.0, 0.0, 0.5), 3.0)
    targets, radius = np.array([[0.1, 0.2, 0.6]]), 0.05
    x, y = camera.project(targets, 1280, 720)[0]
    rim = radius / camera.pixel_size(targets[0], 720)
    for angle in np.linspace(0, 6, 9):
        step = np.array([np.cos(angle), np.sin(angle)])
        inside, outside = (x, y) + step * (rim + 7.9), (x, y) + step * (rim + 8.1)
        assert pick_target(camera, targets, radius, *inside, 1280, 720) == 0
        assert pick_target(camera, targets, radius, *outside, 1280, 720) is None


def test_of_two_targets_the_nearer_is_grabbed_and_none_behind_the_eye():
    camera = Camera((0.0, 0.0, 0.0), 3.0)
    near, far, behind = (camera.eye() + k * camera.forward() for k in (2.0, 4.0, -1.0))
    x, y = camera.project(near, 800, 600)[0]
    assert pick_target(camera, np.array([far, near]), 0.05, x, y, 800, 600) == 1
    assert pick_target(camera, np.array([behind]), 0.05, x, y, 800, 600) is None
    assert pick_target(camera, np.zeros((0, 3)), 0.05, x, y, 800, 600) is None


@pytest.mark.parametrize("orthographic", [False, True])
def test_a_dragged_thing_keeps_the_grabbed_point_under_the_cursor(orthographic: bool):
    rng = np.random.default_rng(1)
    camera = Camera((0.2, 0.1, 0.5), 3.0, 0.3, 0.4, orthographic=orthographic)
    center = np.array([0.3, -0.1, 0.7])
    hit = center + 0.04 * rng.normal(size=3)
    for _ in range(20):
        x, y = rng.uniform((0, 0), (1280, 720))
        moved = plane_drag(*camera.ray(x, y, 1280, 720), hit, camera.forward(), center)
        grabbed = hit + (np.array(moved) - center)
        assert camera.project(grabbed, 1280, 720)[0] == pytest.approx((x, y), abs=1e-6)
        assert (np.array(moved) - center) @ camera.forward() == pytest.approx(0, abs=1e-9)


def test_a_drag_along_the_plane_moves_nothing():
    z, x = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
    assert plane_drag(np.zeros(3), x, np.array([1.0, 0.0, 0.0]), z, np.array([1.0, 2.0, 3.0])) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize("orthographic", [False, True])
def test_a_thing_dragged_along_a_line_is_where_the_line_passes_nearest_to_the_cursor(orthographic: bool):
    rng = np.random.default_rng(4)
    camera = Camera((0.2, 0.1, 0.5), 3.0, 0.3, 0.4, orthographic=orthographic)
    center = np.array([0.3, -0.1, 0.7])
    for axis in (*np.eye(3), np.array([0.6, 0.0, 0.8])):
        hit = center + 0.05 * axis
        origin, direction = camera.ray(*rng.uniform((0, 0), (1280, 720)), 1280, 720)
        moved = np.array(axis_drag(origin, direction, hit, axis, center)) - center
        assert np.cross(moved, axis) == pytest.approx(np.zeros(3), abs=1e-12)

        here, *beside = (
            float(np.linalg.norm(np.cross(hit + moved + s * axis - origin, direction))) for s in (0.0, 1e-4, -1e-4)
        )
        assert here <= min(beside)


def test_a_line_seen_end_on_cannot_be_dragged_along():
    camera = Camera((0.0, 0.0, 0.0), 3.0, 0.0, 0.0, orthographic=True)
    center = np.array([0.1, 0.2, 0.3])
    origin, direction = camera.ray(300, 200, 1280, 720)
    assert axis_drag(origin, direction, center, np.array([1.0, 0.0, 0.0]), center) == tuple(center)


def test_handles_are_grabbed_beside_the_target_and_not_on_it():
    camera, point, radius = Camera((0.0, 0.0, 0.5), 3.0), np.array([0.1, 0.2, 0.6]), 0.05
    start = camera.project(point, 1280, 720)[0]
    ends = camera.project(handle_ends(camera, point, radius, 720), 1280, 720)
    for axis, end in enumerate(ends):
        along = (end - start) / np.linalg.norm(end - start)
        across = np.array([-along[1], along[0]])
        tip = end - 3 * along
        assert pick_handle(camera, point, radius, *tip, 1280, 720) == axis
        assert pick_handle(camera, point, radius, *(tip + 6.5 * across), 1280, 720) == axis
        assert pick_handle(camera, point, radius, *(end + 9 * along), 1280, 720) is None
    assert pick_handle(camera, point, radius, *start, 1280, 720) is None


def test_hidden_bodies_let_the_ray_through():
    scene = floating(2)
    bodies = tuple(replace(b, pose=Pose((x, 0.0, 0.0))) for b, x in zip(scene.bodies, (0.0, -1.0), strict=True))
    visuals, snapshot = stage(replace(scene, bodies=bodies))
    ray = np.array([3.0, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0])
    assert pick_body(visuals, snapshot, *ray)[0] == 0
    assert pick_body(visuals, snapshot, *ray, {0})[0] == 1
    assert pick_body(visuals, snapshot, *ray, {0, 1}) is None
