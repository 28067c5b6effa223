"""Marks drawn flat in pixels over the scene: targets, the line under a dragged one, the mouse spring.

They are placed on the screen here and keep their depth, so that the shader can hide them behind bodies.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from app.camera import Camera
from app.render.handles import draw_handles
from app.render.view import View
from app.theme import TARGET_OUTLINE, THEMES, rgb
from sim.state import Pull, Snapshot

Array = np.ndarray[Any, np.dtype[Any]]
Color = tuple[float, float, float, float]
Row = tuple[float, ...]

FLOATS = 20  # a mark, as mark.vert reads it
ROUND, ARROW = 0.0, 1.0

HALO = 0.5  # of the target's radius
DEPTH_LINE, SPRING_LINE = 0.75, 1.5  # half widths [px]
LINE_OUTLINE = 1.0  # [px]
DOT, HEAD_WIDTH, HEAD_LENGTH = 4.5, 6.0, 14.0  # end dot's radius, arrowhead's half width and length [px]


class Marks:
    """The marks of one frame as rows of floats, in the order they are drawn."""

    def __init__(self, camera: Camera, width: int, height: int, scale: float) -> None:
        self._camera, self._height, self._scale = camera, height, scale
        self._half = np.array([width / 2, height / 2])
        self._matrix = camera.projection(width / height) @ camera.view()
        self._least_w = 0.0 if camera.orthographic else camera.near_far()[0]
        self.rows: list[Row] = []

    def disc(self, point: Array, radius: float, fill: Color, edge: Color, outline: float, halo: float = 0.0) -> None:
        """A ball of a radius in metres as a flat disc that reaches towards the eye as the ball does."""
        front = self._place(point - radius * self._camera.forward())
        at = self._place(point)
        if at is None or front is None:
            return
        pixels = radius / self._camera.pixel_size(point, self._height)
        ends = (at[0], at[1], at[0], at[1])
        widths = (pixels, outline * self._scale, halo * pixels, 0.0)
        self.rows.append((*ends, at[2], at[2], at[2] - front[2], ROUND, *widths, *fill, *edge))

    def dot(self, point: Array, pixels: float, fill: Color, edge: Color) -> None:
        size = pixels * self._scale * self._camera.pixel_size(point, self._height)
        self.disc(point, size, fill, edge, LINE_OUTLINE)

    def line(self, a: Array, b: Array, half_width: float, fill: Color, edge: Color) -> None:
        self._stroke(self._segment(a, b), half_width, fill, edge, ROUND)

    def arrow(self, a: Array, b: Array, half_width: float, fill: Color, edge: Color) -> None:
        """A line with a head, whose tip is at b; shorter than its head it is the head alone."""
        segment = self._segment(a, b)
        if segment is None:
            return
        start, tip = segment
        length = float(np.hypot(*(tip - start)[:2]))
        if length < 1.0:
            return
        neck = tip + (start - tip) * min(HEAD_LENGTH * self._scale / length, 1.0)
        self._stroke((start, neck), half_width, fill, edge, ROUND)
        self._stroke((neck, tip), HEAD_WIDTH, fill, edge, ARROW)

    def _stroke(
        self, segment: tuple[Array, Array] | None, half_width: float, fill: Color, edge: Color, kind: float
    ) -> None:
        if segment is None:
            return
        a, b = segment
        widths = (half_width * self._scale, LINE_OUTLINE * self._scale, 0.0, 0.0)
        self.rows.append((a[0], a[1], b[0], b[1], a[2], b[2], 0.0, kind, *widths, *fill, *edge))

    def _place(self, point: Array) -> Array | None:
        """Pixels from the lower left corner and depth 0 to 1; None behind the eye."""
        clip = self._clip(point)
        return self._to_screen(clip) if clip[3] > self._least_w else None

    def _segment(self, a: Array, b: Array) -> tuple[Array, Array] | None:
        """Both ends on the screen, what lies behind the eye cut off."""
        c, d = self._clip(a), self._clip(b)
        least = self._least_w
        if max(c[3], d[3]) <= least:
            return None
        if c[3] < least:
            c = d + (c - d) * (d[3] - least) / (d[3] - c[3])
        if d[3] < least:
            d = c + (d - c) * (c[3] - least) / (c[3] - d[3])
        return self._to_screen(c), self._to_screen(d)

    def _clip(self, point: Array) -> Array:
        return self._matrix[:, :3] @ point + self._matrix[:, 3]

    def _to_screen(self, clip: Array) -> Array:
        ndc = clip[:3] / clip[3]
        return np.array([*((ndc[:2] + 1) * self._half), (ndc[2] + 1) / 2])


def shown_targets(snapshot: Snapshot, view: View) -> Array:
    """(n, 3) where targets are drawn: the dragged one where the hand holds it."""
    targets = np.array(snapshot.targets, dtype=float).reshape(-1, 3)
    if view.drag is not None:
        targets[view.drag[0]] = view.drag[1]
    return targets


def frame_marks(targets: Array, radius: float, pull: Pull | None, view: View, width: int, height: int) -> list[Row]:
    """All marks of a frame, (m, FLOATS)."""
    marks = Marks(view.camera, width, height, view.scale)
    theme = THEMES[view.theme]
    fill, ink = (*rgb(theme.target), 1.0), (*rgb(theme.target_outline), 1.0)
    line = (*rgb(theme.depth_line), 1.0)
    for index, point in enumerate(targets):
        dragged = view.drag is not None and view.drag[0] == index
        if dragged:
            marks.line(point * [1.0, 1.0, 0.0], point, DEPTH_LINE, line, (*line[:3], 0.0))
        halo = HALO if view.hover_target == index and not dragged else 0.0
        if view.handles == index:
            draw_handles(marks.arrow, point, radius, view, height)
        marks.disc(point, radius, fill, ink, TARGET_OUTLINE, halo)
    if pull is not None:
        _spring(marks, pull, (*rgb(theme.spring), 1.0), ink)
    return marks.rows


def _spring(marks: Marks, pull: Pull, fill: Color, ink: Color) -> None:
    """From a dot on the grabbed point to an arrowhead where the hand is."""
    marks.arrow(pull.point, pull.anchor, SPRING_LINE, fill, ink)
    marks.dot(pull.point, DOT, fill, ink)
