"""The shadow map: the scene's depth as the key light sees it, in parallel projection."""

from __future__ import annotations

from typing import Any

import numpy as np
from OpenGL import GL

from app.theme import KEY_DIRECTION

Array = np.ndarray[Any, np.dtype[Any]]

SLOPE_BIAS, CONSTANT_BIAS = 1.5, 4.0  # of glPolygonOffset


def key_axes() -> Array:
    """(3, 3) rows: across, up and towards the key light."""
    z = np.array(KEY_DIRECTION) / np.linalg.norm(KEY_DIRECTION)
    x = np.cross([0.0, 0.0, 1.0], z)
    x /= np.linalg.norm(x)
    return np.array([x, np.cross(z, x), z])


KEY_AXES = key_axes()


def shadow_matrix(center: Array, radius: float, texels: int) -> Array:
    """World to shadow map (0 to 1 in x, y and depth), 4×4, holding a sphere.

    The centre moves in whole texels, so that a shadow's rim does not crawl when it follows a body.
    """
    texel = 2 * radius / texels
    middle = KEY_AXES @ center
    middle[:2] = np.round(middle[:2] / texel) * texel
    m = np.eye(4)
    m[:3, :3] = KEY_AXES / (2 * radius) * [[1.0], [1.0], [-1.0]]
    m[:3, 3] = 0.5 - middle / (2 * radius) * [1.0, 1.0, -1.0]
    return m


def shadow_patch(centers: Array, radii: Array, margin: float) -> Array:
    """(4,) x, y low and high of the floor that spheres can throw a shadow on, with a margin [m].

    Along the light L a point p falls on p − L p_z / L_z, and a sphere on an ellipse of half length r / L_z.
    """
    if len(centers) == 0:
        return np.zeros(4)
    x, y, z = KEY_AXES[2]
    at = centers[:, :2] - centers[:, 2:] * (x / z, y / z)
    reach = (radii / z + margin)[:, None]
    return np.concatenate([(at - reach).min(axis=0), (at + reach).max(axis=0)])


class ShadowMap:
    """A depth texture that compares on lookup."""

    def __init__(self, texels: int) -> None:
        self.texels = texels
        self.texture = int(GL.glGenTextures(1))
        GL.glBindTexture(GL.GL_TEXTURE_2D, self.texture)
        GL.glTexImage2D(
            GL.GL_TEXTURE_2D, 0, GL.GL_DEPTH_COMPONENT24, texels, texels, 0, GL.GL_DEPTH_COMPONENT, GL.GL_FLOAT, None
        )
        settings = (
            (GL.GL_TEXTURE_MIN_FILTER, GL.GL_LINEAR),
            (GL.GL_TEXTURE_MAG_FILTER, GL.GL_LINEAR),
            (GL.GL_TEXTURE_WRAP_S, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_WRAP_T, GL.GL_CLAMP_TO_EDGE),
            (GL.GL_TEXTURE_COMPARE_MODE, GL.GL_COMPARE_REF_TO_TEXTURE),
            (GL.GL_TEXTURE_COMPARE_FUNC, GL.GL_LEQUAL),
        )
        for setting, value in settings:
            GL.glTexParameteri(GL.GL_TEXTURE_2D, setting, value)
        GL.glBindTexture(GL.GL_TEXTURE_2D, 0)
        self._framebuffer = int(GL.glGenFramebuffers(1))
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._framebuffer)
        GL.glFramebufferTexture2D(GL.GL_FRAMEBUFFER, GL.GL_DEPTH_ATTACHMENT, GL.GL_TEXTURE_2D, self.texture, 0)
        GL.glDrawBuffer(GL.GL_NONE)
        GL.glReadBuffer(GL.GL_NONE)

    def begin(self) -> None:
        """Clear it and draw into it, each face pushed away from the light by its slope."""
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self._framebuffer)
        GL.glViewport(0, 0, self.texels, self.texels)
        GL.glClear(GL.GL_DEPTH_BUFFER_BIT)
        GL.glEnable(GL.GL_POLYGON_OFFSET_FILL)
        GL.glPolygonOffset(SLOPE_BIAS, CONSTANT_BIAS)

    def end(self) -> None:
        GL.glDisable(GL.GL_POLYGON_OFFSET_FILL)

    def release(self) -> None:
        GL.glDeleteFramebuffers(1, [self._framebuffer])
        GL.glDeleteTextures(1, [self.texture])
