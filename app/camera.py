"""The camera: an eye on a sphere around the point it looks at. Pure NumPy, angles in radians, z up.

Pixels (x, y) name pixel centres: (0, 0) is the middle of the upper left pixel, y goes down.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import cos, pi, radians, sin, tan
from typing import Any

import numpy as np

from sim.scene import CameraSpec, Vec3

Array = np.ndarray[Any, np.dtype[Any]]

FIELD_OF_VIEW = radians(35.0)
HOME_AZIMUTH = radians(-50.0)
HOME_ELEVATION = radians(18.0)
HOME_DISTANCE = 0.85  # scene radii over sin(fov / 2)
ORBIT_SPEED = radians(0.3)  # a pixel
ELEVATION_RANGE = (radians(-5.0), radians(89.0))
ZOOM_NOTCH = 0.88
DISTANCE_RANGE = (0.02, 2000.0)  # [m]
NEAR, FAR = 1 / 200, 50.0  # distances


@dataclass(frozen=True)
class Camera:
    """The eye stands `distance` from `look_at`, towards (cos e cos a, cos e sin a, sin e)."""

    look_at: Vec3
    distance: float
    azimuth: float = HOME_AZIMUTH
    elevation: float = HOME_ELEVATION
    fov: float = FIELD_OF_VIEW  # vertical
    orthographic: bool = False

    # --- where it stands ---

    def forward(self) -> Array:
        e, a = self.elevation, self.azimuth
        return np.array([-cos(e) * cos(a), -cos(e) * sin(a), -sin(e)])

    def right(self) -> Array:
        return np.array([-sin(self.azimuth), cos(self.azimuth), 0.0])

    def up(self) -> Array:
        e, a = self.elevation, self.azimuth
        return np.array([-sin(e) * cos(a), -sin(e) * sin(a), cos(e)])

    def eye(self) -> Array:
        return np.array(self.look_at) - self.distance * self.forward()

    def above_floor(self) -> bool:
        """Whether the upper side of z = 0 is in view."""
        return self.elevation > 0 if self.orthographic else bool(self.eye()[2] > 0)

    # --- world to picture ---

    def axes(self) -> Array:
        """(3, 3) right, up and backward as rows: the rotation from world to eye."""
        return np.array([self.right(), self.up(), -self.forward()])

    def view(self) -> Array:
        """World to eye, 4×4: x right, y up, looking along −z."""
        m = np.eye(4)
        m[:3, :3] = self.axes()
        m[:3, 3] = -m[:3, :3] @ self.eye()
        return m

    def near_far(self) -> tuple[float, float]:
        """Depth range in front of the eye; the orthographic one reaches behind it, where nothing is hidden."""
        far = FAR * self.distance
        return (-far if self.orthographic else NEAR * self.distance), far

    def projection(self, aspect: float) -> Array:
        """Eye to clip space, 4×4, OpenGL's conventions; aspect = width / height."""
        n, f = self.near_far()
        m = np.zeros((4, 4))
        if self.orthographic:
            half = self.distance * tan(self.fov / 2)
            m[0, 0], m[1, 1], m[2, 2] = 1 / (half * aspect), 1 / half, -2 / (f - n)
            m[2, 3], m[3, 3] = -(f + n) / (f - n), 1.0
        else:
            t = 1 / tan(self.fov / 2)
            m[0, 0], m[1, 1], m[2, 2] = t / aspect, t, (f + n) / (n - f)
            m[2, 3], m[3, 2] = 2 * f * n / (n - f), -1.0
        return m

    def project(self, points: Iterable[Any], width: float, height: float) -> Array:
        """Pixels (n, 2) of world points (n, 3) or of one (3,); NaN behind the eye."""
        at_eye = (np.atleast_2d(np.asarray(points, dtype=float)) - self.eye()) @ self.axes().T
        depth = np.full(len(at_eye), self.distance) if self.orthographic else -at_eye[:, 2]
        depth = np.where(depth > 0, depth, np.nan)
        scale = height / (2 * tan(self.fov / 2) * depth)
        x = width / 2 + at_eye[:, 0] * scale - 0.5
        y = height / 2 - at_eye[:, 1] * scale - 0.5
        return np.stack([x, y], axis=1)

    def pixel_size(self, point: Iterable[float], height: float) -> float:
        """What a pixel spans at a world point [m]."""
        depth = self.distance
        if not self.orthographic:
            depth = max(float((np.asarray(point) - self.eye()) @ self.forward()), NEAR * self.distance)
        return 2 * tan(self.fov / 2) * depth / height

    # --- picture to world ---

    def ray(self, x: float, y: float, width: float, height: float) -> tuple[Array, Array]:
        """Origin and unit direction of the line of sight through pixel (x, y)."""
        half = tan(self.fov / 2)
        u = (2 * (x + 0.5) - width) / height * half
        v = (height - 2 * (y + 0.5)) / height * half
        across = u * self.right() + v * self.up()
        if self.orthographic:
            start = self.near_far()[0]
            return self.eye() + self.distance * across + start * self.forward(), self.forward()
        direction = self.forward() + across
        return self.eye(), direction / np.linalg.norm(direction)

    # --- hands ---

    def orbit(self, dx: float, dy: float) -> Camera:
        """Turn the world with a drag of (dx, dy) pixels."""
        low, high = ELEVATION_RANGE
        return replace(
            self,
            azimuth=_wrapped(self.azimuth - ORBIT_SPEED * dx),
            elevation=min(max(self.elevation + ORBIT_SPEED * dy, low), high),
        )

    def pan(self, dx: float, dy: float, width: float, height: float) -> Camera:
        """Shift the world with a drag of (dx, dy) pixels; what is as far as `look_at` stays under the cursor."""
        step = self.pixel_size(self.look_at, height)
        return self.looking_at(np.array(self.look_at) - dx * step * self.right() + dy * step * self.up())

    def zoom_to(self, notches: float, x: float, y: float, width: float, height: float) -> Camera:
        """Scale the camera about the point under the cursor that is as far as `look_at`.

        look_at' = P + k (look_at − P), distance' = k distance: the line of sight through P maps to itself.
        """
        low, high = DISTANCE_RANGE
        distance = min(max(self.distance * ZOOM_NOTCH**notches, low), high)
        origin, direction = self.ray(x, y, width, height)
        center, forward = np.array(self.look_at), self.forward()
        P = origin + direction * ((center - origin) @ forward) / (direction @ forward)
        return replace(self, distance=distance).looking_at(P + distance / self.distance * (center - P))

    def looking_at(self, point: Iterable[float]) -> Camera:
        x, y, z = (float(c) for c in point)
        return replace(self, look_at=(x, y, z))

    def towards(self, other: Camera, part: float) -> Camera:
        """The view `part` (0 to 1) of the way to another, turning the shorter way round."""
        if part >= 1.0:
            return other
        turn = _wrapped(other.azimuth - self.azimuth)
        here, there = np.array(self.look_at), np.array(other.look_at)
        return replace(
            other,
            distance=self.distance * (other.distance / self.distance) ** part,
            azimuth=_wrapped(self.azimuth + part * turn),
            elevation=self.elevation + part * (other.elevation - self.elevation),
        ).looking_at(here + part * (there - here))


def fit(center: Iterable[float], radius: float, spec: CameraSpec | None = None) -> Camera:
    """The view at start: the scene's sphere, seen from the home direction unless the scene says otherwise."""
    spec = spec or CameraSpec()
    x, y, z = (float(c) for c in (center if spec.look_at is None else spec.look_at))
    distance = HOME_DISTANCE * radius / sin(FIELD_OF_VIEW / 2) if spec.distance is None else spec.distance
    return Camera(
        look_at=(x, y, z),
        distance=distance,
        azimuth=HOME_AZIMUTH if spec.azimuth is None else spec.azimuth,
        elevation=HOME_ELEVATION if spec.elevation is None else spec.elevation,
    )


def _wrapped(angle: float) -> float:
    """The same direction, within ±π."""
    return (angle + pi) % (2 * pi) - pi
