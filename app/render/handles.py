"""The arrows along the axes at which a selected target can be pulled."""

from __future__ import annotations

from typing import Any

import numpy as np

from app.camera import Camera
from app.render.marks import CLEAR, Marks, paint
from app.render.view import View
from app.theme import HANDLE_LENGTH, THEMES

Array = np.ndarray[Any, np.dtype[Any]]

LINE, HOVERED = 1.5, 2.75  # half widths [px]


def handle_ends(camera: Camera, point: Array, radius: float, height: float) -> Array:
    """(3, 3) tips of a target's handles along x, y and z, as long on the screen wherever it is."""
    return point + np.eye(3) * (radius + HANDLE_LENGTH * camera.pixel_size(point, height))


def draw_handles(marks: Marks, point: Array, radius: float, view: View, height: int) -> None:
    """The one under the cursor or in the hand is thicker."""
    ends = handle_ends(view.camera, point, radius, height / view.scale)
    for axis, color in enumerate(THEMES[view.theme].axes):
        fill = paint(color)
        width = HOVERED if view.hover_handle == axis else LINE
        marks.arrows(point[None], ends[axis : axis + 1], width, fill, fill * CLEAR)
