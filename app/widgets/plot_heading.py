"""Above the curves of a plot: its title, and a line of names where there is no room for them beside the curves."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QSize, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from app.curve_names import legend
from app.style import font
from app.theme import BODY_PT, CAPTION_PT, PADDING

WORD_GAP = 8  # [px]
ELLIPSIS = "…"
LINES = 2  # of names


class PlotTitle(QWidget):
    """Name, bold, and [unit]; the name is shortened where it does not fit, then the unit."""

    def __init__(self, name: str, unit: str) -> None:
        super().__init__()
        self.name, self.unit = name, f"[{unit}]"
        self._bold, self._plain = font(BODY_PT, QFont.Weight.Bold), font(BODY_PT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        bold, plain = QFontMetricsF(self._bold), QFontMetricsF(self._plain)
        width = PADDING + bold.horizontalAdvance(self.name) + WORD_GAP + plain.horizontalAdvance(self.unit)
        return QSize(round(width + 1), round(bold.height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        bold, base = QFontMetricsF(self._bold), QFontMetricsF(self._bold).ascent()
        spare = self.width() - (self.sizeHint().width() - bold.horizontalAdvance(self.name)) + 1
        name = bold.elidedText(self.name, Qt.TextElideMode.ElideRight, max(spare, 0))
        painter.setPen(self.palette().windowText().color())
        painter.setFont(self._bold)
        painter.drawText(QPointF(PADDING, base), name)
        painter.setFont(self._plain)
        left = PADDING + bold.horizontalAdvance(name) + WORD_GAP
        unit = QFontMetricsF(self._plain).elidedText(self.unit, Qt.TextElideMode.ElideRight, self.width() - left)
        painter.drawText(QPointF(left, base), unit)


class Legend(QWidget):
    """The names of the curves in their colours, in two lines at most; of a hovered one the name in full, its value."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        super().__init__()
        self.entries = legend(labels) if len(labels) > 1 else []
        self.note: tuple[int, str] | None = None  # a curve, and what is told of it
        self._colors: list[str] = []
        self._metrics = QFontMetricsF(font(CAPTION_PT, QFont.Weight.Medium))
        self.setFixedHeight(round(self._metrics.height()))

    def take_width(self, width: float) -> None:
        """As many lines as its names need."""
        lines = [line for _, _, line, _ in self.places(width)]
        self.setFixedHeight(round(self._metrics.height() * (1 + max(lines, default=0))))

    def places(self, width: float) -> list[tuple[int, str, int, float]]:
        """Curve, word, line and where in it the word begins; what has no room is cut, and nothing follows it."""
        placed, x, line = [], float(PADDING), 0
        for curve, word in [self.note] if self.note else self.entries:
            if x + self._metrics.horizontalAdvance(word) > width and line + 1 < LINES and x > PADDING:
                x, line = float(PADDING), line + 1
            if width - x < self._metrics.horizontalAdvance(ELLIPSIS):
                break
            shown = self._metrics.elidedText(word, Qt.TextElideMode.ElideRight, width - x)
            placed.append((curve, shown, line, x))
            x += self._metrics.horizontalAdvance(shown) + WORD_GAP
            if shown != word:
                break
        return placed

    def set_colors(self, colors: list[str]) -> None:
        self._colors = colors
        self.update()

    def tell(self, note: tuple[int, str] | None) -> None:
        if note != self.note:
            self.note = note
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(font(CAPTION_PT, QFont.Weight.Medium))
        for curve, word, line, x in self.places(self.width()):
            painter.setPen(QColor(self._colors[curve]))
            painter.drawText(QPointF(x, line * self._metrics.height() + self._metrics.ascent()), word)
