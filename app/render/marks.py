"""Marks drawn flat in pixels over the scene: discs, lines, arrows, letters.

They are placed on the screen here, many at a time, and keep their depth, so that the shader can hide them behind
bodies. Colours are sRGB with opacity, (4,) or one for each mark; widths are in logical pixels.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from app.camera import Camera
from app.theme import HIDDEN_OPACITY, TARGET_REACH, rgb

Array = np.ndarray[Any, np.dtype[Any]]

FLOATS = 20  # a mark, as mark.vert reads it
ROUND, ARROW, QUARTERED = 0.0, 1.0, 2.0

LINE_OUTLINE = 1.0  # [px]
HEAD_WIDTH, HEAD_LENGTH = 6.0, 14.0  # half width and length of arrowheads [px]
HEAD_PART = 0.6  # of an arrow's length, that its head takes at most

CLEAR = np.array([1.0, 1.0, 1.0, 0.0], dtype=np.float32)  # times a colour: the same without opacity

# Letters as strokes in a box that is 2 high, y up.
LETTERS = {
    "x": (((-0.7, -1.0), (0.7, 1.0)), ((-0.7, 1.0), (0.7, -1.0))),
    "y": (((-0.7, 1.0), (0.0, 0.0)), ((-0.6, -1.2), (0.7, 1.0))),
    "z": (((-0.7, 1.0), (0.7, 1.0)), ((0.7, 1.0), (-0.7, -1.0)), ((-0.7, -1.0), (0.7, -1.0))),
}
LETTER_HALF, LETTER_STROKE = 4.0, 0.7  # half height and half stroke width [px]


def paint(color: str, opacity: float = 1.0) -> Array:
    """A colour of the theme as marks take it."""
    return np.array([*rgb(color), opacity], dtype=np.float32)


class Marks:
    """The marks of one frame as rows of floats, in the order they are drawn."""

    def __init__(self, camera: Camera, width: int, height: int, scale: float) -> None:
        self.hidden = HIDDEN_OPACITY  # of the marks that follow, where a body is in front of them
        self._camera, self._height, self._scale = camera, height, scale
        self._half = np.array([width / 2, height / 2, 0.5])
        self._matrix = camera.projection(width / height) @ camera.view()
        self._least_w = 0.0 if camera.orthographic else camera.near_far()[0]
        self._rows: list[Array] = []

    def rows(self) -> Array:
        """(m, FLOATS)"""
        return np.concatenate(self._rows) if self._rows else np.zeros((0, FLOATS), dtype=np.float32)

    def discs(
        self, points: Array, radius: float, fill: Array, edge: Array, outline: float, halo: Array | float = 0.0
    ) -> None:
        """Balls of a radius in metres as flat discs that reach a little further towards the eye; halo in radii."""
        clip, front = self._clip(points), self._clip(points - TARGET_REACH * radius * self._camera.forward())
        seen = (clip[:, 3] > self._least_w) & (front[:, 3] > self._least_w)
        at, depth = self._to_screen(clip[seen]), self._to_screen(front[seen])[:, 2]
        pixels = radius / self._pixel_sizes(clip[seen])
        halo = (np.broadcast_to(halo, len(points))[seen]) * pixels
        self._add(at, at, at[:, 2] - depth, ROUND, pixels, outline * self._scale, halo, fill, edge)

    def dots(self, points: Array, pixels: float, fill: Array, edge: Array, kind: float = ROUND) -> None:
        """Discs of a radius in pixels."""
        clip = self._clip(points)
        at = self._to_screen(clip[clip[:, 3] > self._least_w])
        self._add(at, at, 0.0, kind, pixels * self._scale, LINE_OUTLINE * self._scale, 0.0, fill, edge)

    def lines(self, a: Array, b: Array, half_width: Array | float, fill: Array, edge: Array) -> None:
        start, end, seen = self._segments(a, b)
        width = np.broadcast_to(half_width, len(a))[seen]
        self._stroke(start, end, width, _each(fill, a)[seen], _each(edge, a)[seen], ROUND)

    def arrows(self, a: Array, b: Array, half_width: float, fill: Array, edge: Array) -> None:
        """Lines with heads, whose tips are at b; short ones have small heads, those under a pixel are not drawn."""
        start, tip, seen = self._segments(a, b)
        length = np.hypot(tip[:, 0] - start[:, 0], tip[:, 1] - start[:, 1])
        long = length >= 1.0
        start, tip, length = start[long], tip[long], length[long]
        fill, edge = _each(fill, a)[seen][long], _each(edge, a)[seen][long]
        head = np.minimum(HEAD_LENGTH * self._scale, HEAD_PART * length)
        neck = tip + (start - tip) * (head / length)[:, None]
        self._stroke(start, neck, half_width, fill, edge, ROUND)
        self._head(neck, tip, fill, edge)

    def curve(self, points: Array, half_width: float, fill: Array, edge: Array, head: Array | None = None) -> None:
        """Lines through points (n, 3) with one outline around all of them, and a head at the end towards `head`."""
        self.lines(points[:-1], points[1:], half_width + LINE_OUTLINE, edge, edge * CLEAR)
        self.lines(points[:-1], points[1:], half_width, fill, edge * CLEAR)
        if head is not None:
            neck, tip, _ = self._segments(points[-1:], head[None])
            length = np.hypot(tip[:, 0] - neck[:, 0], tip[:, 1] - neck[:, 1])
            part = np.minimum(HEAD_LENGTH * self._scale / np.maximum(length, 1e-6), 1.0)
            self._head(neck, neck + (tip - neck) * part[:, None], fill, edge)

    def letters(self, text: str, points: Array, beyond: Array, fill: Array, edge: Array) -> None:
        """A letter at each point, a little further away on the screen from the points `beyond`."""
        clip, other = self._clip(points), self._clip(beyond)
        seen = (clip[:, 3] > self._least_w) & (other[:, 3] > self._least_w)
        at, back = self._to_screen(clip[seen]), self._to_screen(other[seen])
        away = at[:, :2] - back[:, :2]
        away /= np.maximum(np.hypot(away[:, 0], away[:, 1]), 1.0)[:, None]
        at[:, :2] += 2.2 * LETTER_HALF * self._scale * away
        for first, last in LETTERS[text]:
            a, b = (at + LETTER_HALF * self._scale * np.array([*end, 0.0]) for end in (first, last))
            self._stroke(a, b, LETTER_STROKE, fill, edge, ROUND)

    # --- rows ---

    def _stroke(
        self, a: Array, b: Array, half_width: Array | float, fill: Array, edge: Array, kind: float
    ) -> None:
        self._add(a, b, 0.0, kind, half_width * self._scale, LINE_OUTLINE * self._scale, 0.0, fill, edge)

    def _head(self, neck: Array, tip: Array, fill: Array, edge: Array) -> None:
        length = np.hypot(tip[:, 0] - neck[:, 0], tip[:, 1] - neck[:, 1])
        self._stroke(neck, tip, HEAD_WIDTH / HEAD_LENGTH * length / self._scale, fill, edge, ARROW)

    def _add(self, a: Array, b: Array, bulge: Any, kind: float, *widths_and_colors: Any) -> None:
        radius, outline, halo, fill, edge = widths_and_colors
        rows = np.zeros((len(a), FLOATS), dtype=np.float32)
        rows[:, 0:2], rows[:, 2:4], rows[:, 4], rows[:, 5] = a[:, :2], b[:, :2], a[:, 2], b[:, 2]
        rows[:, 6], rows[:, 7], rows[:, 8], rows[:, 9], rows[:, 10] = bulge, kind, radius, outline, halo
        rows[:, 11] = self.hidden
        rows[:, 12:16], rows[:, 16:20] = fill, edge
        self._rows.append(rows)

    # --- world to screen ---

    def _segments(self, a: Array, b: Array) -> tuple[Array, Array, Array]:
        """Both ends on the screen, what lies behind the eye cut off; and which of the segments are seen at all."""
        c, d, least = self._clip(a), self._clip(b), self._least_w
        seen = np.maximum(c[:, 3], d[:, 3]) > least
        c, d = c[seen], d[seen]
        span = d[:, 3] - c[:, 3]
        with np.errstate(divide="ignore", invalid="ignore"):
            cut = c + (d - c) * ((least - c[:, 3]) / span)[:, None]
        c, d = np.where((c[:, 3] < least)[:, None], cut, c), np.where((d[:, 3] < least)[:, None], cut, d)
        return self._to_screen(c), self._to_screen(d), seen

    def _clip(self, points: Array) -> Array:
        return points @ self._matrix[:, :3].T + self._matrix[:, 3]

    def _to_screen(self, clip: Array) -> Array:
        """(n, 3): pixels from the lower left corner and depth 0 to 1."""
        return (clip[:, :3] / clip[:, 3:] + 1) * self._half

    def _pixel_sizes(self, clip: Array) -> Array:
        """What a pixel spans at each point [m]; w is the depth in front of the eye, or 1."""
        one = self._camera.pixel_size(self._camera.look_at, self._height)
        return np.full(len(clip), one) if self._camera.orthographic else one * clip[:, 3] / self._camera.distance


def _each(color: Array, points: Array) -> Array:
    """One colour for each point."""
    return np.broadcast_to(color, (len(points), 4))
