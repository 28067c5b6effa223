"""What all passes of a frame share: the block `Frame` of assets/shaders/frame.glsl, filled from View and theme."""

from __future__ import annotations

from math import ceil, log10, radians, sin, tan
from typing import Any

import numpy as np

from app import theme as look
from app.camera import FIELD_OF_VIEW, HOME_DISTANCE, Camera
from app.render.shadow import KEY_AXES
from app.render.view import View
from app.theme import THEMES, linear

Array = np.ndarray[Any, np.dtype[Any]]

# In the order of the block; all vectors have four parts, so that std140 adds no padding.
_MATRICES = ("view_projection", "shadow_matrix")
_CAMERA = ("eye", "forward", "right", "up")
_LIGHT = ("key_direction", "key_light", "sky_light", "ground_light", "gloss")
_GROUND = ("sky", "horizon", "floor_color", "grid_minor", "grid_major", "grid", "fade", "ring", "ring_color")
LAYOUT = np.dtype(
    [(name, np.float32, (4, 4)) for name in _MATRICES]
    + [(name, np.float32, (4,)) for name in (*_CAMERA, *_LIGHT, *_GROUND, "patch_box", "screen")]
)

FINEST_PIXELS = 12.0  # grid lines that come closer than this have given way to the next step
FADING = 0.4  # part of a decade of zoom over which they do
RING_WIDTH = 2.0  # [px]
NORMAL_OFFSET = 1.5  # texels by which shadow lookups stand off a body's surface


class FrameBlock:
    """One record of LAYOUT, kept between frames; what depends on the theme alone is written when it changes."""

    def __init__(self) -> None:
        self.data = np.zeros(1, dtype=LAYOUT)
        self._theme = ""
        self.set("key_direction", KEY_AXES[2])
        self.set("key_light", np.multiply(linear(look.KEY_COLOR), look.KEY_STRENGTH))
        self.set("sky_light", np.multiply(linear(look.SKY_LIGHT), look.HEMISPHERE_STRENGTH))
        self.set("ground_light", np.multiply(linear(look.GROUND_LIGHT), look.HEMISPHERE_STRENGTH))
        self.set("gloss", (look.HEADLIGHT, look.SPECULAR, look.BODY_SHADOW))

    def set(self, name: str, values: Any) -> None:
        """The first parts of a vector; the others stay."""
        self.data[name][0, : len(values)] = values

    def set_matrix(self, name: str, matrix: Array) -> None:
        self.data[name][0] = matrix.T  # OpenGL reads columns

    def set_theme(self, name: str) -> None:
        if name == self._theme:
            return
        self._theme, theme = name, THEMES[name]
        self.set("sky", (*linear(theme.sky), radians(look.SKY_BLEND)))
        self.set("horizon", linear(theme.horizon))
        self.set("floor_color", (*linear(theme.floor), look.FLOOR_SHADOW))
        self.set("grid_minor", linear(theme.grid))
        self.set("grid_major", linear(theme.grid_major))
        self.set("ring_color", linear(theme.depth_line))

    def set_camera(self, camera: Camera, width: int, height: int) -> None:
        aspect, half = width / height, tan(camera.fov / 2)
        self.set_matrix("view_projection", camera.projection(aspect) @ camera.view())
        self.set("eye", (*camera.eye(), 0.0 if camera.orthographic else 1.0))
        self.set("forward", camera.forward())
        self.set("right", camera.right() * half * aspect)
        self.set("up", camera.up() * half)

    def set_floor(self, view: View, height: int, radius: float) -> None:
        """Grid and fading follow the zoom; the floor fades around what the camera looks at."""
        camera = view.camera
        step, faded = grid_step(camera.pixel_size(camera.look_at, height) * view.scale)
        self.set("grid", (step, faded))
        seen = camera.distance * sin(FIELD_OF_VIEW / 2) / HOME_DISTANCE
        near, far = (part * max(radius, seen) for part in look.FLOOR_FADE)
        self.set("fade", (*camera.look_at[:2], near, far))
        for name, width in zip(("grid_minor", "grid_major"), look.GRID_WIDTHS, strict=True):
            self.data[name][0, 3] = width * view.scale

    def set_ring(self, view: View, radius: float) -> None:
        if view.drag is None:
            self.set("ring", (0.0, 0.0, 0.0, 0.0))
        else:
            x, y, _ = view.drag[1]
            self.set("ring", (x, y, radius, RING_WIDTH * view.scale))

    def set_patch(self, box: Array) -> None:
        """After `set_floor`: no larger than the floor."""
        x, y, _, reach = self.data["fade"][0]
        self.set("patch_box", np.clip(box, (x - reach, y - reach) * 2, (x + reach, y + reach) * 2))

    def set_shadow(self, matrix: Array, texels: int) -> None:
        self.set_matrix("shadow_matrix", matrix)
        self.data["screen"][0, 3] = 1 / texels
        texel = 1 / (texels * float(np.linalg.norm(matrix[0, :3])))
        self.data["key_direction"][0, 3] = NORMAL_OFFSET * texel

    def set_screen(self, width: int, height: int, hover_body: int) -> None:
        self.set("screen", (width, height, hover_body if hover_body >= 0 else -2))


def grid_step(pixel: float) -> tuple[float, float]:
    """Finest grid step that is wide enough for a pixel of that size [m], and how far its lines have faded (0 to 1)."""
    decade = log10(FINEST_PIXELS * pixel)
    step = 10.0 ** ceil(decade)
    finest, coarsest = look.GRID_STEPS[0], look.GRID_STEPS[-1]
    if step < finest or step >= coarsest:
        return min(max(step, finest), coarsest), 0.0
    left = ceil(decade) - decade  # of a decade, until these lines come too close
    return step, max(0.0, 1.0 - left / FADING)
