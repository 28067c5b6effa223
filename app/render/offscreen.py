"""Pictures without a window: the same renderer, always at its best quality, into memory."""

from __future__ import annotations

import sys
from ctypes import c_void_p
from typing import Any, Protocol

import numpy as np

from app.render.egl import EglContext
from app.render.platform import NoOpenGL, choose
from app.render.view import View
from app.render.visuals import Visuals
from sim.model import compile_model
from sim.scene import Scene
from sim.state import Snapshot

__all__ = ["NoOpenGL", "OffscreenContext", "OffscreenRenderer", "OffscreenTarget", "offscreen_context", "render_image"]

Array = np.ndarray[Any, np.dtype[Any]]


class OffscreenContext(Protocol):
    """A context without a screen; its calls come from the thread that made it."""

    def make_current(self) -> None: ...
    def close(self) -> None: ...


def offscreen_context() -> OffscreenContext:
    """By surfaceless EGL on Linux, which needs no X and no Qt, elsewhere by Qt; made current. Raises NoOpenGL."""
    context: OffscreenContext
    if sys.platform.startswith("linux"):
        choose("egl")
        context = EglContext()
    else:
        from app.render.qt_context import QtContext

        context = QtContext()
    context.make_current()
    return context


class OffscreenTarget:
    """A framebuffer to draw into and read from."""

    def __init__(self, width: int, height: int) -> None:
        from OpenGL import GL

        self.width, self.height = width, height
        self._pixels = np.empty((height, width, 4), dtype=np.uint8)
        self._color = int(GL.glGenRenderbuffers(1))
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, self._color)
        GL.glRenderbufferStorage(GL.GL_RENDERBUFFER, GL.GL_RGBA8, width, height)
        GL.glBindRenderbuffer(GL.GL_RENDERBUFFER, 0)
        self.framebuffer = int(GL.glGenFramebuffers(1))
        GL.glBindFramebuffer(GL.GL_FRAMEBUFFER, self.framebuffer)
        GL.glFramebufferRenderbuffer(GL.GL_FRAMEBUFFER, GL.GL_COLOR_ATTACHMENT0, GL.GL_RENDERBUFFER, self._color)
        if GL.glCheckFramebufferStatus(GL.GL_FRAMEBUFFER) != GL.GL_FRAMEBUFFER_COMPLETE:
            raise NoOpenGL(f"OpenGL cannot make a picture of {width} × {height} pixels; choose a smaller one")

    def read(self) -> Array:
        """(height, width, 4) BGRA, top row first, a fresh array."""
        from OpenGL import GL

        GL.glBindFramebuffer(GL.GL_READ_FRAMEBUFFER, self.framebuffer)
        GL.glPixelStorei(GL.GL_PACK_ALIGNMENT, 4)
        pointer = c_void_p(self._pixels.ctypes.data)
        GL.glReadPixels(0, 0, self.width, self.height, GL.GL_BGRA, GL.GL_UNSIGNED_BYTE, pointer)
        return np.ascontiguousarray(self._pixels[::-1])

    def release(self) -> None:
        from OpenGL import GL

        GL.glDeleteFramebuffers(1, [self.framebuffer])
        GL.glDeleteRenderbuffers(1, [self._color])


class OffscreenRenderer:
    """Pictures of one scene in one size; used in the thread that made it."""

    def __init__(self, scene: Scene, width: int, height: int, quality: str = "fine") -> None:
        self.visuals = Visuals(scene, compile_model(scene))
        self._context = offscreen_context()
        from app.render.renderer import Renderer

        self._renderer = Renderer(self.visuals, quality)
        self._target = OffscreenTarget(width, height)

    def render(self, snapshot: Snapshot, view: View) -> Array:
        """(height, width, 4) BGRA, top row first."""
        target = self._target
        self._renderer.draw(target.framebuffer, target.width, target.height, snapshot, view)
        return target.read()

    def close(self) -> None:
        self._target.release()
        self._renderer.release()
        self._context.close()


def render_image(scene: Scene, snapshot: Snapshot, view: View, width: int, height: int) -> Array:
    """One picture, (height, width, 4) BGRA, top row first; raises NoOpenGL."""
    renderer = OffscreenRenderer(scene, width, height)
    try:
        return renderer.render(snapshot, view)
    finally:
        renderer.close()
