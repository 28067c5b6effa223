"""Ctrl+C that cannot get lost: a library that calls Python back may swallow the KeyboardInterrupt of that moment."""

from __future__ import annotations

import signal
from typing import Any

_pressed = {"": False}


def listen() -> None:
    """From now on Ctrl+C is remembered as well as raised."""
    _pressed[""] = False
    signal.signal(signal.SIGINT, _remember)


def _remember(*_: Any) -> None:
    _pressed[""] = True
    raise KeyboardInterrupt


def check() -> None:
    """Raises what was swallowed; long commands call it at every step of their progress."""
    if _pressed[""]:
        raise KeyboardInterrupt
