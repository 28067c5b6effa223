"""The line at the bottom: the last message with its sign, and what can be done with its file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from PyQt6.QtCore import QEvent, Qt, QUrl
from PyQt6.QtGui import QDesktopServices, QGuiApplication, QResizeEvent
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QStatusBar, QToolButton, QWidget

from app.icons import tinted
from app.session import LEVELS, Message
from app.style import scaled
from app.theme import PADDING, STATUS_HEIGHT, THEMES
from app.widgets.message_text import SIGNS


class StatusLine(QStatusBar):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setSizeGripEnabled(False)
        self.fit_text()
        self.theme = "light"
        self.message: Message | None = None
        self.sign = QLabel()
        self.text = _ElidedLabel()
        self.folder = _link("Show in folder", self._show_in_folder)
        self.copy = _link("Copy path", self._copy_path)
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(PADDING, 0, PADDING, 0)
        layout.setSpacing(6)
        for part in (self.sign, self.text, self.folder, self.copy):
            layout.addWidget(part, 1 if part is self.text else 0)
        self.addWidget(row, 1)
        self._show_links(False)

    def show_message(self, message: Message) -> None:
        self.message = message
        self.text.set_text(LEVELS[message.level] + message.text)
        self.text.setProperty("level", message.level)
        self.text.style().polish(self.text)
        self._show_links(message.path is not None)
        self._show_sign()

    def fit_text(self) -> None:
        self.setFixedHeight(scaled(STATUS_HEIGHT) + 2)

    def forget_notes(self) -> None:
        """What was only said for information is over with the scene it was about."""
        if self.message is not None and self.message.level == "info":
            self.message = None
            self.text.set_text("")
            self.sign.clear()

    def set_theme(self, name: str) -> None:
        self.theme = name
        self._show_sign()

    def _show_sign(self) -> None:
        if self.message is not None:
            icon, token = SIGNS[self.message.level]
            self.sign.setPixmap(tinted(icon, getattr(THEMES[self.theme], token), 16, self.devicePixelRatioF()))

    def _show_links(self, on: bool) -> None:
        self.folder.setVisible(on)
        self.copy.setVisible(on)

    def _show_in_folder(self) -> None:
        if self.message is not None and self.message.path is not None:
            show_in_folder(self.message.path)

    def _copy_path(self) -> None:
        if self.message is not None:
            QGuiApplication.clipboard().setText(str(self.message.path))


class _ElidedLabel(QLabel):
    """A line that shortens its middle where there is no room; the tooltip has all of it."""

    def __init__(self) -> None:
        super().__init__()
        self._full = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_text(self, text: str) -> None:
        self._full = text
        self.setToolTip(text)
        self._fit()

    def _fit(self) -> None:
        self.setText(self.fontMetrics().elidedText(self._full, Qt.TextElideMode.ElideMiddle, self.width()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()


def _link(text: str, do) -> QToolButton:  # type: ignore[no-untyped-def]
    button = QToolButton()
    button.setText(text)
    button.setProperty("role", "link")
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    button.clicked.connect(do)
    return button


def show_in_folder(path: Path) -> None:
    """Open the file manager with this file selected where the system can, else its folder."""
    if sys.platform == "darwin":
        subprocess.Popen(["open", "-R", str(path)])
    elif sys.platform == "win32":
        subprocess.Popen(["explorer", f"/select,{path}"])
    else:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent)))
