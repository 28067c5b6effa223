"""A flat button with one of the program's icons, which follows the theme."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QSize
from PyQt6.QtWidgets import QToolButton, QWidget

from app.icons import icon


class IconButton(QToolButton):
    def __init__(self, name: str, tip: str, size: int = 16, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self.setIcon(icon(name))
        self.setIconSize(QSize(size, size))
        self.setAutoRaise(True)
        self.setToolTip(tip)
        self.setAccessibleName(tip)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self.setIcon(icon(self._name))
