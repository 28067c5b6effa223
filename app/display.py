"""Whether a window can be opened here, found out without opening one: a Qt that cannot aborts the program."""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

# Libraries that Qt's X11 plugin loads, and the Debian packages they are in.
X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}
LIBRARIES = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libglib-2.0.so.0": "libglib2.0-0",
}
WITHOUT_OPENGL = ("offscreen", "minimal", "vnc", "linuxfb")


def display_problem() -> str:
    """Why no window can be opened, in a sentence; "" if one can."""
    if not sys.platform.startswith("linux"):
        return ""
    platform = os.environ.get("QT_QPA_PLATFORM", "").partition(":")[0].partition(";")[0]
    if platform in WITHOUT_OPENGL:
        return f"QT_QPA_PLATFORM={platform} has no OpenGL; unset it to open the window."
    if platform.startswith("wayland") or (not platform and _wayland_answers()):
        return _missing(LIBRARIES)
    if not os.environ.get("DISPLAY"):
        return "There is no display (DISPLAY is not set), so the window cannot be opened."
    return _missing(LIBRARIES | X11_LIBRARIES) or _x11_problem()


def _missing(libraries: dict[str, str]) -> str:
    packages = [package for library, package in libraries.items() if _load(library) is None]
    if not packages:
        return ""
    return f"The window needs system libraries that are missing here: apt install {' '.join(packages)}"


def _load(library: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(library)
    except OSError:
        return None


def _x11_problem() -> str:
    """Ask the X server for a connection, as Qt would."""
    xcb = _load("libxcb.so.1")
    if xcb is None:
        return "The window needs a system library that is missing here: apt install libxcb1"
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)
    refused = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return f"The display {os.environ['DISPLAY']} does not answer, so the window cannot be opened." if refused else ""


def _wayland_answers() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY", "")
    return bool(name) and Path(os.environ.get("XDG_RUNTIME_DIR", "/"), name).exists()
