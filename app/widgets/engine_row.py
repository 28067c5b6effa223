"""An engine of a comparison: its colour, its name with a switch where it can be chosen, and its figures."""

from __future__ import annotations

from PyQt6.QtCore import QRectF, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent
from PyQt6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from app.style import font
from app.theme import BODY_PT, ROW_HEIGHT, ROW_INSET
from app.widgets.section import label
from app.widgets.switch import SwitchRow

DOT = 10  # [px]
WIDEST = "−1.2e−10"


class ColorDot(QWidget):
    """In the colour of an engine's curves and ghost; nothing where it does not run."""

    def __init__(self) -> None:
        super().__init__()
        self.color = ""
        self.setFixedSize(DOT, DOT)

    def show_color(self, color: str) -> None:
        if color != self.color:
            self.color = color
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if not self.color:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.color))
        painter.drawEllipse(QRectF(self.rect()))


class EngineRow:
    """The widgets of one row, laid into the panel's grid; the leading engine has no switch."""

    def __init__(self, title: str, columns: tuple[str, ...], grid: QGridLayout, row: int) -> None:
        self.dot, self.switch, self.leader = ColorDot(), SwitchRow(title), label(f"{title}, leads")
        self.leader.setContentsMargins(ROW_INSET, 0, ROW_INSET, 0)
        self.leader.setMinimumHeight(ROW_HEIGHT)
        self.values = [_number(f"{column} of {title}") for column in columns]
        grid.addWidget(self.dot, row, 0)
        grid.addWidget(self.switch, row, 1)
        grid.addWidget(self.leader, row, 1)
        for column, cell in enumerate(self.values, 2):
            grid.addWidget(cell, row, column)
        self.show_role(False)

    def show_role(self, leads: bool) -> None:
        self.switch.setVisible(not leads)
        self.leader.setVisible(leads)

    def show_values(self, texts: list[str], tip: str = "") -> None:
        for cell, text in zip(self.values, texts, strict=True):
            if cell.text() != text:
                cell.setText(text)
            if cell.toolTip() != tip:
                cell.setToolTip(tip)


def number_width() -> int:
    return round(QFontMetricsF(font(BODY_PT)).horizontalAdvance(WIDEST)) + 4


def _number(name: str) -> QLabel:
    cell = label("")
    cell.setAccessibleName(name)
    cell.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    cell.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
    cell.setFixedWidth(number_width())
    cell.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return cell
