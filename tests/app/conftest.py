"""What a test leaves of its windows is freed before the next one, in Qt's thread and outside of any painting.

Closed windows wait for an event loop, and their sessions, menus and timers hang in cycles: Python would free them where
its next collection happens to fall, in a physics or drawing thread or amid another window's OpenGL calls.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest
from PyQt6.QtCore import QEvent
from PyQt6.QtWidgets import QApplication


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, object, object]:
    """Around a whole test: only after its teardown does pytest itself let go of the fixtures."""
    result = yield
    if QApplication.topLevelWidgets():
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
        gc.collect()
    return result
