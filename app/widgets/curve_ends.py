"""The values of a plot's curves beside their ends, as wide as the curves can spare."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent
from PyQt6.QtWidgets import QSizePolicy, QWidget

from app.curve_names import parted
from app.numbers import MINUS, brief
from app.scales import spread
from app.style import font, scaled
from app.theme import CAPTION_PT, CURVE_NAME_WIDTH, PADDING

LEFT_GAP, RIGHT_GAP, NAME_GAP = 5, 3, 4  # [px] before, behind and within a label; PADDING behind a full one
MOST_PART, MOST_WIDTH = 0.6, 200  # what curves need: so much of the plot's width, or so many pixels
WIDEST = {7: (f"{MINUS}123456", f"{MINUS}1.2e{MINUS}9"), 5: (f"{MINUS}12.3", f"{MINUS}1e{MINUS}19"), 0: ("",)}


def bottom_axis() -> int:
    """Height of the ticks of time under the curves [px], of which labels may take half a line."""
    return scaled(20)


@dataclass(frozen=True)
class Form:
    """How much of a label is written: its name, the axis alone or nothing, then a number of so many characters."""

    name: str  # "full", "axis" or ""
    characters: int


FORMS = (Form("full", 7), Form("axis", 7), Form("axis", 5), Form("", 5), Form("", 0))  # the first that fits


class CurveEnds(QWidget):
    """One label a curve in its colour, one above the other; the hovered one is bold."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        super().__init__()
        self.labels = labels if len(labels) > 1 else ("",)
        self.form = FORMS[0]
        self.hovered = -1
        self._colors: list[str] = []
        self._heights: list[float] = []
        self._texts: list[str] = []
        self._bold = QFontMetricsF(font(CAPTION_PT, QFont.Weight.Bold))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setFixedWidth(self._width(self.form))

    def take_room(self, whole: float, room: float) -> None:
        """The fullest form that leaves the curves enough: `whole` is the plot's width, `room` that beside its axis."""
        enough = min(MOST_PART * whole, MOST_WIDTH)
        self.form = next((form for form in FORMS if room - self._width(form) >= enough), FORMS[-1])
        self.setFixedWidth(self._width(self.form))

    def _width(self, form: Form) -> int:
        if not form.characters:
            return RIGHT_GAP
        names = max(self._bold.horizontalAdvance(self._name(i, form)) for i in range(len(self.labels)))
        numbers = max(self._bold.horizontalAdvance(text) for text in WIDEST[form.characters])
        return round(LEFT_GAP + names + (NAME_GAP if names else 0) + numbers + _right_gap(form))

    def _name(self, i: int, form: Form) -> str:
        if form.name == "full":
            return self._bold.elidedText(self.labels[i], Qt.TextElideMode.ElideRight, scaled(CURVE_NAME_WIDTH))
        return parted(self.labels[i])[1] if form.name == "axis" else ""

    def set_colors(self, colors: list[str]) -> None:
        self._colors = colors
        self.update()

    def show_ends(self, heights: list[float], texts: list[str]) -> None:
        if (heights, texts) != (self._heights, self._texts):
            self._heights, self._texts = heights, texts
            self.update()

    def hover(self, i: int) -> None:
        if i != self.hovered:
            self.hovered = i
            self.update()

    def text(self, value: float, smallest: float) -> str:
        """A value as the form writes it; what is below `smallest` is nothing."""
        return "0" if abs(value) < smallest else brief(value, self.form.characters or max(WIDEST))

    def rows(self) -> dict[int, QRectF]:
        """Where the label of each curve stands."""
        line = self._bold.height()
        placed = spread(self._heights, self.height() - bottom_axis() + line / 2, line)
        width = self.width() - LEFT_GAP - _right_gap(self.form)
        return {i: QRectF(LEFT_GAP, middle - line / 2, width, line) for i, middle in placed.items()}

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.form.characters:
            return
        painter = QPainter(self)
        for i, row in self.rows().items():
            painter.setFont(font(CAPTION_PT, QFont.Weight.Bold if i == self.hovered else QFont.Weight.Medium))
            painter.setPen(QColor(self._colors[i]))
            name = self._name(i, self.form)
            number_side = Qt.AlignmentFlag.AlignRight if name else Qt.AlignmentFlag.AlignLeft
            painter.drawText(row, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, name)
            painter.drawText(row, number_side | Qt.AlignmentFlag.AlignVCenter, self._texts[i])


def _right_gap(form: Form) -> int:
    return PADDING if form.name == "full" else RIGHT_GAP
