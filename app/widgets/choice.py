"""A field with a list to choose from, painted like the other fields."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QPainter, QPaintEvent, QPalette, QPen, QWheelEvent
from PyQt6.QtWidgets import QComboBox, QSizePolicy, QStyledItemDelegate, QWidget

from app.icons import tinted
from app.theme import CONTROL_GAP, FOCUS_RING, ROW_HEIGHT

ARROW = 14


class Choice(QComboBox):
    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setItemDelegate(QStyledItemDelegate(self))  # Fusion's own draws the list as a menu with framed rows
        self.setMinimumHeight(ROW_HEIGHT - 4)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolling a panel must not change what is chosen in it."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        ring = FOCUS_RING if self.hasFocus() else 1.0
        role = QPalette.ColorRole.Highlight if self.hasFocus() else QPalette.ColorRole.Dark
        painter.setPen(QPen(palette.color(role), ring))
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(ring / 2, ring / 2, -ring / 2, -ring / 2), 4, 4)
        arrow = tinted("down", palette.color(QPalette.ColorRole.Text).name(), ARROW, self.devicePixelRatioF())
        painter.drawPixmap(self.width() - ARROW - 6, (self.height() - ARROW) // 2, arrow)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        room = self.rect().adjusted(CONTROL_GAP, 0, -ARROW - CONTROL_GAP, 0)
        text = self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignVCenter, text)
