"""The line through all plots at the time under the mouse, drawn over the curves: they are not drawn again for it."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PyQt6.QtWidgets import QWidget

from app.style import font
from app.theme import CAPTION_PT, Theme

DOT = 2.5  # [px], radius
TAG_GAP = 4  # [px] left and right of the time


class Crosshair(QWidget):
    def __init__(self, parent: QWidget, theme: Theme) -> None:
        super().__init__(parent)
        self.theme = theme
        self.field = QRectF()  # where the curves are
        self.x: float | None = None
        self.time = ""
        self._dots: list[tuple[float, str]] = []
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def place(self, x: float, time: str, dots: list[tuple[float, str]]) -> None:
        """A line at x [px], a dot in the colour of each curve at its height, and the time below."""
        if (x, time, dots) != (self.x, self.time, self._dots):
            self._spoil()
            self.x, self.time, self._dots = x, time, dots
            self._spoil()

    def leave(self) -> None:
        self._spoil()
        self.x, self.time, self._dots = None, "", []

    def _spoil(self) -> None:
        """Only the strip is painted again."""
        if self.x is None:
            return
        dots = QRectF(self.x - DOT - 1, self.field.top() - DOT - 1, 2 * DOT + 2, self.field.height() + 2 * DOT + 2)
        self.update(dots.toAlignedRect())
        self.update(self._tag().toAlignedRect())

    def _tag(self) -> QRectF:
        """Under the line, inside the widget."""
        width = self._wide(self._words())
        left = min(max((self.x or 0.0) - width / 2, self.field.left()), self.width() - width)
        return QRectF(max(left, 0.0), self.field.bottom() + 1, width, self.height() - self.field.bottom() - 1)

    def _words(self) -> str:
        """The time, with less around it where the plot is narrow."""
        bare = self.time.removeprefix("t ")
        forms = (self.time, bare, bare.removesuffix(" s"))
        return next((words for words in forms if self._wide(words) <= self.width()), forms[-1])

    def _wide(self, words: str) -> float:
        return QFontMetricsF(font(CAPTION_PT)).horizontalAdvance(words) + 2 * TAG_GAP

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.x is None:
            return
        painter = QPainter(self)
        painter.setPen(QColor(self.theme.muted))
        x = int(self.x) + 0.5
        painter.drawLine(QPointF(x, self.field.top()), QPointF(x, self.field.bottom()))
        if self.time:
            painter.fillRect(self._tag(), QColor(self.theme.plot))
            painter.setPen(QColor(self.theme.text))
            painter.setFont(font(CAPTION_PT))
            painter.drawText(self._tag(), Qt.AlignmentFlag.AlignCenter, self._words())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for y, color in self._dots:
            painter.setBrush(QColor(color))
            painter.drawEllipse(QPointF(x, y), DOT, DOT)
