"""An OpenGL 3.3 context without a screen: surfaceless EGL, called directly.

PyOpenGL's own EGL module cannot be imported with its error checks off.
"""

from __future__ import annotations

import ctypes
import sys
from ctypes import POINTER, c_char_p, c_int32, c_uint32, c_void_p

from app.render.platform import NoOpenGL

PLATFORM_SURFACELESS, OPENGL_API = 0x31DD, 0x30A2
RENDERABLE_TYPE, OPENGL_BIT, SURFACE_TYPE, NONE = 0x3040, 0x0008, 0x3033, 0x3038
MAJOR, MINOR, PROFILE, CORE = 0x3098, 0x30FB, 0x30FD, 0x0001

ADVICE = "on Debian or Ubuntu install libegl1, libgl1 and libgl1-mesa-dri"

# function -> result, arguments
_SIGNATURES = {
    "eglGetProcAddress": (c_void_p, (c_char_p,)),
    "eglInitialize": (c_uint32, (c_void_p, POINTER(c_int32), POINTER(c_int32))),
    "eglBindAPI": (c_uint32, (c_uint32,)),
    "eglChooseConfig": (c_uint32, (c_void_p, POINTER(c_int32), POINTER(c_void_p), c_int32, POINTER(c_int32))),
    "eglCreateContext": (c_void_p, (c_void_p, c_void_p, c_void_p, POINTER(c_int32))),
    "eglMakeCurrent": (c_uint32, (c_void_p, c_void_p, c_void_p, c_void_p)),
    "eglDestroyContext": (c_uint32, (c_void_p, c_void_p)),
}


class EglContext:
    """A core context of OpenGL 3.3 with no surface: everything is drawn into framebuffers of its own."""

    def __init__(self) -> None:
        self._egl = _library()
        self._display = self._open_display()
        self._context: int | None = self._create()

    def make_current(self) -> None:
        """In the calling thread; refused while another library's context is current there."""
        if not self._egl.eglMakeCurrent(self._display, None, None, self._context):
            raise NoOpenGL(
                "this thread draws with another OpenGL context already; draw pictures in a thread of their own"
            )

    def release_current(self) -> None:
        self._egl.eglMakeCurrent(self._display, None, None, None)

    def close(self) -> None:
        if self._context:
            self.release_current()
            self._egl.eglDestroyContext(self._display, self._context)
            self._context = None

    def _open_display(self) -> int:
        address = self._egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
        if not address:
            raise NoOpenGL(f"this EGL is too old to draw without a screen; {ADVICE}")
        get_display = ctypes.CFUNCTYPE(c_void_p, c_uint32, c_void_p, c_void_p)(address)
        display = get_display(PLATFORM_SURFACELESS, None, None)
        major, minor = c_int32(), c_int32()
        if not display or not self._egl.eglInitialize(display, ctypes.byref(major), ctypes.byref(minor)):
            raise NoOpenGL(f"EGL found no driver that draws without a screen; {ADVICE}")
        return int(display)

    def _create(self) -> int:
        config, count = c_void_p(), c_int32()
        wanted = _attributes(SURFACE_TYPE, 0, RENDERABLE_TYPE, OPENGL_BIT)
        self._egl.eglBindAPI(OPENGL_API)
        self._egl.eglChooseConfig(self._display, wanted, ctypes.byref(config), 1, ctypes.byref(count))
        version = _attributes(MAJOR, 3, MINOR, 3, PROFILE, CORE)
        context = self._egl.eglCreateContext(self._display, config, None, version) if count.value else None
        if not context:
            raise NoOpenGL(f"the driver has no OpenGL 3.3, which the pictures need; {ADVICE}")
        return int(context)


def _attributes(*values: int) -> ctypes.Array[c_int32]:
    return (c_int32 * (len(values) + 1))(*values, NONE)


def _library() -> ctypes.CDLL:
    if not sys.platform.startswith("linux"):
        raise NoOpenGL("drawing without a window needs EGL, which is there on Linux only")
    try:
        egl = ctypes.CDLL("libEGL.so.1")
    except OSError:
        raise NoOpenGL(f"drawing without a window needs EGL, which is not installed; {ADVICE}") from None
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(egl, name)
        function.restype, function.argtypes = result, arguments
    return egl
