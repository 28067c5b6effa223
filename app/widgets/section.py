"""Pieces that panels are laid out with."""

from __future__ import annotations

from PyQt6.QtCore import QRect, Qt
from PyQt6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.theme import CONTROL_GAP, PADDING, ROW_INSET


def label(text: str, role: str = "", wrap: bool = False) -> QLabel:
    """A text; role: title, section, caption or muted."""
    result = QLabel(text)
    result.setProperty("role", role)
    result.setWordWrap(wrap)
    return result


def column(parent: QWidget | None = None) -> QVBoxLayout:
    """A panel's column with its padding."""
    layout = QVBoxLayout(parent)
    layout.setContentsMargins(PADDING, PADDING, PADDING, PADDING)
    layout.setSpacing(CONTROL_GAP)
    return layout


def scrolled(content: QWidget) -> QScrollArea:
    """The content, scrolling up and down where it does not fit."""
    content.setObjectName("panel")
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setWidget(content)
    return area


class Bled(QVBoxLayout):
    """A row whose ground reaches beyond the column, so that its text is in line with what is above and below."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__()
        self.addWidget(widget)

    def setGeometry(self, box: QRect) -> None:
        super().setGeometry(box.adjusted(-ROW_INSET, 0, ROW_INSET, 0))
