"""A switch with its title: the whole row is the hit area, Space and Return work it."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, QSize, Qt
from PyQt6.QtGui import QKeyEvent, QPainter, QPaintEvent, QPalette, QPen
from PyQt6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.style import scaled
from app.theme import CONTROL_GAP, CORNER_RADIUS, FOCUS_RING, ROW_HEIGHT, ROW_INSET

TRACK = (32, 18)  # [px]
KNOB_MARGIN = 3


class SwitchRow(QAbstractButton):
    """Title at the left, switch at the right; a shortcut in muted text between them."""

    def __init__(self, title: str, hint: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(title)
        self.hint = hint
        self.setCheckable(True)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(title)

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        text = metrics.horizontalAdvance(self.text()) + metrics.horizontalAdvance(self.hint)
        height = max(ROW_HEIGHT, metrics.height() + 2 * ROW_INSET)
        return QSize(text + scaled(TRACK[0]) + 2 * CONTROL_GAP + 2 * ROW_INSET, height)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        if self.underMouse() and self.isEnabled():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(palette.color(QPalette.ColorRole.Midlight))
            painter.drawRoundedRect(QRectF(self.rect()), CORNER_RADIUS, CORNER_RADIUS)
        inner = self.rect().adjusted(ROW_INSET, 0, -ROW_INSET, 0)
        painter.setPen(palette.color(QPalette.ColorRole.WindowText))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        wide, high = scaled(TRACK[0]), scaled(TRACK[1])
        before_track = inner.adjusted(0, 0, -wide - CONTROL_GAP, 0)
        painter.drawText(before_track, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, self.hint)
        self._paint_track(painter, QRectF(inner.right() - wide, (self.height() - high) / 2, wide, high))

    def _paint_track(self, painter: QPainter, track: QRectF) -> None:
        palette, on = self.palette(), self.isChecked()
        radius = track.height() / 2
        if self.hasFocus():
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Highlight), FOCUS_RING))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(track.adjusted(-3, -3, 3, 3), radius + 3, radius + 3)
        fill = QPalette.ColorRole.Highlight if on else QPalette.ColorRole.Dark
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(palette.color(fill))
        painter.drawRoundedRect(track, radius, radius)
        size = track.height() - 2 * KNOB_MARGIN
        left = track.right() - KNOB_MARGIN - size if on else track.left() + KNOB_MARGIN
        painter.setBrush(palette.color(QPalette.ColorRole.HighlightedText if on else QPalette.ColorRole.Base))
        painter.drawEllipse(QRectF(left, track.top() + KNOB_MARGIN, size, size))
