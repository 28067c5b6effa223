"""How PyOpenGL reaches the driver. Nothing here imports OpenGL.GL."""

from __future__ import annotations

import os
import sys

import OpenGL

# A glGetError after every call would cost more than the call; tests ask for errors themselves.
OpenGL.ERROR_CHECKING = False
OpenGL.ERROR_LOGGING = False
OpenGL.ARRAY_SIZE_CHECKING = False

# Qt's platform plugins and the library each of them makes contexts with.
LIBRARY_OF_QT = {"xcb": "glx", "wayland": "egl", "wayland-egl": "egl", "eglfs": "egl"}


def choose(library: str) -> None:
    """Say how contexts are made ("glx" or "egl"), before anything imports OpenGL.GL.

    Left alone PyOpenGL guesses from the session, and takes EGL on a Wayland desktop even where Qt runs on GLX.
    On Windows and macOS there is one way, and nothing to choose.
    """
    if sys.platform.startswith("linux") and "OpenGL.platform" not in sys.modules:
        os.environ["PYOPENGL_PLATFORM"] = library


def choose_for_qt(platform_name: str) -> None:
    """The same for a window, by QGuiApplication.platformName()."""
    if platform_name in LIBRARY_OF_QT:
        choose(LIBRARY_OF_QT[platform_name])


class NoOpenGL(RuntimeError):
    """OpenGL 3.3 cannot be had; says in one sentence why and what to install."""
