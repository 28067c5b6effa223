"""The camera: pixels to rays and back, and hands that keep hold of what they took."""

from __future__ import annotations

import pickle
from math import pi, radians, tan

import numpy as np
import pytest

from app.camera import Camera, fit
from sim.scene import CameraSpec

WIDTH, HEIGHT = 1280, 720
kinds = pytest.mark.parametrize("orthographic", [False, True], ids=["perspective", "orthographic"])


def cameras(orthographic: bool, count: int = 40):
    rng = np.random.default_rng(7)
    for _ in range(count):
        yield (
            Camera(
                look_at=tuple(rng.uniform(-3, 3, 3)),
                distance=float(10 ** rng.uniform(-1, 1.5)),
                azimuth=float(rng.uniform(-pi, pi)),
                elevation=float(rng.uniform(radians(-5), radians(89))),
                orthographic=orthographic,
            ),
            rng,
        )


@kinds
def test_a_ray_projects_to_the_pixel_it_came_from(orthographic: bool):
    for camera, rng in cameras(orthographic):
        x, y = rng.uniform((0, 0), (WIDTH, HEIGHT))
        origin, direction = camera.ray(x, y, WIDTH, HEIGHT)
        depth = (np.array(camera.look_at) - origin) @ direction
        points = [origin + direction * depth * k for k in (0.5, 1.0, 1.7)]
        assert np.linalg.norm(direction) == pytest.approx(1.0)
        assert np.abs(camera.project(points, WIDTH, HEIGHT) - (x, y)).max() < 1e-9


@kinds
def test_project_agrees_with_the_matrices(orthographic: bool):
    for camera, rng in cameras(orthographic):
        point = np.array(camera.look_at) + rng.uniform(-0.4, 0.4, 3) * camera.distance
        clip = camera.projection(WIDTH / HEIGHT) @ camera.view() @ [*point, 1.0]
        ndc = clip[:3] / clip[3]
        assert np.abs(ndc[2]) < 1
        pixel = ((ndc[0] + 1) * WIDTH / 2 - 0.5, (1 - ndc[1]) * HEIGHT / 2 - 0.5)
        assert camera.project(point, WIDTH, HEIGHT)[0] == pytest.approx(pixel, abs=1e-7)


def test_axes_are_right_handed_and_upright():
    for camera, _ in cameras(False):
        right, up, forward = camera.right(), camera.up(), camera.forward()
        assert np.cross(right, up) == pytest.approx(-forward)
        assert right[2] == 0 and up[2] > 0
        assert camera.eye() + camera.distance * forward == pytest.approx(camera.look_at)


def test_what_is_behind_the_eye_is_nowhere():
    camera = Camera((0.0, 0.0, 0.0), 2.0)
    assert np.isnan(camera.project(camera.eye() - camera.forward(), WIDTH, HEIGHT)).all()


@kinds
def test_zoom_keeps_the_point_under_the_cursor(orthographic: bool):
    for camera, rng in cameras(orthographic):
        x, y = rng.uniform((0, 0), (WIDTH, HEIGHT))
        origin, direction = camera.ray(x, y, WIDTH, HEIGHT)
        point = origin + direction * ((np.array(camera.look_at) - origin) @ direction)
        nearer = camera.zoom_to(float(rng.uniform(-3, 3)), x, y, WIDTH, HEIGHT)
        assert nearer.project(point, WIDTH, HEIGHT)[0] == pytest.approx((x, y), abs=1e-6)


def test_a_notch_is_twelve_percent_and_the_distance_stays_sensible():
    camera = Camera((0.0, 0.0, 0.5), 3.0)
    assert camera.zoom_to(1, 10, 20, WIDTH, HEIGHT).distance == pytest.approx(3.0 * 0.88)
    for notches in (-1000, 1000):
        assert 0 < camera.zoom_to(notches, 10, 20, WIDTH, HEIGHT).distance < 1e5


@kinds
def test_pan_moves_the_world_with_the_hand(orthographic: bool):
    for camera, rng in cameras(orthographic):
        dx, dy = rng.uniform(-100, 100, 2)
        before = camera.project(camera.look_at, WIDTH, HEIGHT)[0]
        after = camera.pan(dx, dy, WIDTH, HEIGHT).project(camera.look_at, WIDTH, HEIGHT)[0]
        assert after - before == pytest.approx((dx, dy), abs=1e-6)


def test_orbit_turns_what_is_in_front_with_the_hand():
    camera = Camera((0.0, 0.0, 0.0), 5.0, 0.4, 0.5)
    front = -0.1 * camera.forward()
    before = camera.project(front, WIDTH, HEIGHT)[0]
    right = camera.orbit(10, 0).project(front, WIDTH, HEIGHT)[0] - before
    down = camera.orbit(0, 10).project(front, WIDTH, HEIGHT)[0] - before
    assert right[0] > 0 and down[1] > 0


def test_orbit_is_0_3_degrees_a_pixel_within_limits():
    camera = Camera((0.0, 0.0, 0.0), 5.0, 0.0, 0.3)
    assert camera.orbit(100, 0).azimuth == pytest.approx(radians(-30))
    assert camera.orbit(0, 1e4).elevation == pytest.approx(radians(89))
    assert camera.orbit(0, -1e4).elevation == pytest.approx(radians(-5))


@kinds
def test_pixel_size_is_the_distance_between_neighbouring_rays(orthographic: bool):
    for camera, rng in cameras(orthographic):
        point = np.array(camera.look_at) + rng.uniform(-0.3, 0.3, 3) * camera.distance
        step = camera.pixel_size(point, HEIGHT)
        pixels = camera.project([point, point + step * camera.right()], WIDTH, HEIGHT)
        assert pixels[1] - pixels[0] == pytest.approx((1, 0), abs=1e-7)


def test_fit_shows_a_ball_of_0_85_radii_from_rim_to_rim():
    camera = fit((1.0, 2.0, 0.5), 2.0)
    assert camera.look_at == (1.0, 2.0, 0.5)
    seen = tan(camera.fov / 2) * camera.distance
    tangent = seen / np.hypot(1, tan(camera.fov / 2))  # from the centre to the upper plane of sight
    assert tangent == pytest.approx(0.85 * 2.0)


def test_fit_obeys_the_scene():
    camera = fit((0.0, 0.0, 0.0), 1.0, CameraSpec(azimuth=1.0, distance=7.0, look_at=(0.1, 0.2, 0.3)))
    assert (camera.azimuth, camera.distance, camera.look_at) == (1.0, 7.0, (0.1, 0.2, 0.3))
    assert camera.elevation == pytest.approx(radians(18))


def test_a_glide_starts_here_ends_there_and_takes_the_short_way():
    here = Camera((0.0, 0.0, 0.0), 1.0, azimuth=radians(170), elevation=0.1)
    there = Camera((1.0, 0.0, 0.0), 4.0, azimuth=radians(-170), elevation=0.5)
    assert here.towards(there, 1.0) == there
    assert here.towards(there, 0.0).distance == pytest.approx(1.0)
    middle = here.towards(there, 0.5)
    assert abs(abs(middle.azimuth) - pi) < 1e-9
    assert middle.distance == pytest.approx(2.0)


def test_a_camera_can_be_sent_to_another_process():
    camera = fit(np.array([0.1, 0.2, 0.3]), 1.5).orbit(3, 4)
    assert pickle.loads(pickle.dumps(camera)) == camera
