"""The viewport alone on the whole screen, and back to what was there before."""

from __future__ import annotations

from collections.abc import Iterable

from PyQt6.QtWidgets import QMainWindow, QWidget


class Alone:
    """What was folded away stays so, and a maximised window is one again."""

    def __init__(self, window: QMainWindow) -> None:
        self.on = False
        self._window = window
        self._put_away: list[QWidget] = []
        self._was_maximised = False

    def toggle(self, around: Iterable[QWidget]) -> None:
        self.on = not self.on
        if self.on:
            self._put_away = [part for part in around if not part.isHidden()]
            self._was_maximised = self._window.isMaximized()
        for part in self._put_away:
            part.setVisible(not self.on)
        if self.on:
            self._window.showFullScreen()
        elif self._was_maximised:
            self._window.showMaximized()
        else:
            self._window.showNormal()
