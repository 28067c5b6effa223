"""OpenGL as Qt offers it: what the window asks for, whether it can be had, and contexts without a screen.

Everywhere but on Linux, where surfaceless EGL needs no display, pictures are drawn in a context on a QOffscreenSurface.
"""

from __future__ import annotations

from PyQt6.QtCore import qInstallMessageHandler
from PyQt6.QtGui import QGuiApplication, QOffscreenSurface, QOpenGLContext, QSurfaceFormat

from app.render.platform import NoOpenGL, choose_for_qt

VERSION = (3, 3)
ADVICE = "a newer graphics driver, or Mesa's software OpenGL (libgl1-mesa-dri), has it"


def gl_format() -> QSurfaceFormat:
    """OpenGL 3.3 core; the renderer does its own multisampling."""
    result = QSurfaceFormat()
    result.setVersion(*VERSION)
    result.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    result.setDepthBufferSize(24)
    return result


def opengl_problem(context: QOpenGLContext | None = None) -> str:
    """Why Qt cannot draw here, in a sentence without its full stop; "" if it can. Needs a QGuiApplication."""
    context = context or QOpenGLContext()
    context.setFormat(gl_format())
    before = qInstallMessageHandler(lambda *_: None)  # what Qt prints about it, the sentence says
    try:
        made = context.create()
    finally:
        qInstallMessageHandler(before)
    if not made:
        return f"Impulse needs OpenGL 3.3, and there is none here; {ADVICE}"
    version = context.format().version()
    if tuple(version) < VERSION:
        return f"Impulse needs OpenGL 3.3, and the driver offers {version[0]}.{version[1]}; {ADVICE}"
    return ""


class QtContext:
    """A core context of OpenGL 3.3 on a surface that is never shown; made in the thread that draws with it.

    On macOS and Windows that has to be the main thread.
    """

    def __init__(self) -> None:
        self._application = QGuiApplication.instance() or QGuiApplication(["impulse"])
        choose_for_qt(QGuiApplication.platformName())
        self._context = QOpenGLContext()
        if problem := opengl_problem(self._context):
            raise NoOpenGL(problem)
        self._surface = QOffscreenSurface()
        self._surface.setFormat(self._context.format())
        self._surface.create()

    def make_current(self) -> None:
        """In the calling thread, which must be the one that made it."""
        if not self._context.makeCurrent(self._surface):
            raise NoOpenGL("OpenGL gave no surface to draw pictures on without a screen")

    def close(self) -> None:
        self._context.doneCurrent()
        self._surface.destroy()
