"""Trails: the last seconds of points that bodies carry through the world."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from app.render.overlays import Trail
from sim.model import Model
from sim.state import Snapshot

Array = np.ndarray[Any, np.dtype[Any]]

SECONDS = 4.0  # simulated
APART = 1 / 70  # [s] between two samples
FINEST = 1 / 60  # [s] between two points of the curve
LEAP = 0.5  # [s] that no cubic bridges
MOST = 40  # points followed


class Trails:
    """Samples of positions and velocities, joined by cubics: smooth however rarely it is asked to look.

        p(s) = h00 p0 + h10 Δt v0 + h01 p1 + h11 Δt v1        (Hermite)
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._selected = -1
        self._begin()

    def _begin(self) -> None:
        self._body, self._local = followed_points(self._model, self._selected)
        self._samples: deque[tuple[float, Array, Array]] = deque()
        self._pieces: deque[tuple[Array, Array]] = deque()  # times and points after each sample up to the next
        self.path: Trail | None = None

    def observe(self, snapshot: Snapshot, selected: int = -1) -> None:
        """Take one more look; another selection, and time that leaps or runs backwards, begin anew."""
        passed = snapshot.time - self._samples[-1][0] if self._samples else 0.0
        if selected != self._selected or not 0.0 <= passed < LEAP:
            self._selected = selected
            self._begin()
        elif self._samples and passed < APART:
            return
        self._samples.append((snapshot.time, *point_motion(snapshot, self._body, self._local)))
        if len(self._samples) > 1:
            self._pieces.append(_cubic(*self._samples.popleft(), *self._samples[0]))
        while self._pieces and self._pieces[0][0][-1] < snapshot.time - SECONDS:
            self._pieces.popleft()
        if self._pieces:
            times, points = (np.concatenate(parts) for parts in zip(*self._pieces, strict=True))
            self.path = Trail(times, points, self._body, self._local)


def followed_points(model: Model, selected: int) -> tuple[Array, Array]:
    """Body and place of the points with a trail: tools, else the ends of trees; and the selected body's centre."""
    tools = sorted({int(f) for f in model.target_frame}) or list(range(len(model.frame_names)))
    points = [(int(model.frame_body[f]), model.frame_position[f]) for f in tools]
    if not points:
        parents = set(map(int, model.joint_parent))
        ends = [b for b in range(len(model.body_names)) if b not in parents]
        points = [(b, model.body_center[b]) for b in ends[:MOST]]
    if selected >= 0:
        points.append((selected, model.body_center[selected]))
    return np.array([b for b, _ in points], dtype=int), np.array([p for _, p in points], dtype=float).reshape(-1, 3)


def point_motion(snapshot: Snapshot, body: Array, local: Array) -> tuple[Array, Array]:
    """(k, 3) where points are and how fast:  p = x + R r,  v = ẋ + ω × R r."""
    arm = np.einsum("nij,nj->ni", snapshot.rotation[body], local)
    twist = snapshot.twist[body]
    moving = (body >= 0)[:, None]
    place = np.where(moving, snapshot.position[body] + arm, local)
    return place, np.where(moving, twist[:, 3:] + np.cross(twist[:, :3], arm), 0.0)


def _cubic(t0: float, p0: Array, v0: Array, t1: float, p1: Array, v1: Array) -> tuple[Array, Array]:
    """Points after t0 up to t1: times (m,) and places (m, k, 3)."""
    dt = t1 - t0
    s = np.linspace(0.0, 1.0, max(round(dt / FINEST), 1) + 1)[1:, None, None]
    points = (1 + 2 * s) * (1 - s) ** 2 * p0 + s * (1 - s) ** 2 * dt * v0
    points += s * s * (3 - 2 * s) * p1 + s * s * (s - 1) * dt * v1
    return t0 + dt * s[:, 0, 0], points
