"""A quantity with its live numbers; it takes the focus, and Ctrl+C copies it with full digits."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QRectF, QSize, Qt
from PyQt6.QtGui import (
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PyQt6.QtWidgets import QSizePolicy, QWidget

from app.inspection import Row
from app.numbers import MINUS
from app.theme import CORNER_RADIUS, FOCUS_RING, ROW_INSET

NOTHING = 1e-9  # of the largest number beside it: smaller ones are rounding, and shown as 0
BESIDE = 2  # numbers that stand beside their name; more have lines of their own
GAP = 3  # [px] above and below
FIGURE_SPACE = "\N{FIGURE SPACE}"  # as wide as a digit: numbers keep their place
WIDEST = "0000000 0000000 0000000 0000000"
NUMBER = f"{MINUS}0.0000"
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop


def number_text(value: float, constant: bool = False) -> str:
    """Seven places, as many of them decimals as fit: "−0.1235", "12.346", "1.2e−7"; of a constant "1.23e−4"."""
    size = abs(value)
    if constant and 0.0 < size < 0.01:
        text = f"{value:.{2 - (value < 0) - (size < 9.995e-10)}e}".replace("e-0", "e-")
    elif size != 0.0 and (size < 5e-5 or size >= 1e5):
        text = f"{value:.1e}".replace("e-0", "e-").replace("e+0", "e")
    else:
        text = f"{value:.{4 - sum(size >= limit for limit in (10.0, 100.0, 1000.0, 10000.0))}f}"
    if text.lstrip("-0.") == "":
        text = text.lstrip("-")
    return text.replace("-", MINUS).rjust(7, FIGURE_SPACE)


class ValueRow(QWidget):
    def __init__(self, row: Row, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row = row
        self.words: tuple[str, ...] = ()  # the numbers
        self.unit = row.unit
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_row(self, row: Row, degrees: bool) -> None:
        values, unit = row.shown(degrees)
        least = max(NOTHING * max((abs(v) for v in values), default=0.0), 1e-12)
        words = tuple(number_text(v if abs(v) > least else 0.0, row.constant) for v in values) or (row.note,)
        if row == self.row and words == self.words and unit == self.unit:
            return
        if len(words) != len(self.words):
            self.updateGeometry()
        self.row, self.words, self.unit = row, words, unit
        self.setToolTip(f"{row.tip} [{unit}]. Click, then Ctrl+C copies it with full digits." if unit else row.tip)
        self.setAccessibleName(f"{row.name} in {unit}" if unit else row.name)
        self.setAccessibleDescription(", ".join(word.strip(FIGURE_SPACE) for word in words))
        self.update()

    def copy(self) -> None:
        QGuiApplication.clipboard().setText(self.row.python())

    # --- keys and mouse -----------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_copy(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if _is_copy(event):
            self.copy()
        else:
            super().keyPressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.copy()

    # --- painting -----------------------------------------------------------------------------------

    def columns(self, width: int) -> int:
        """In how many columns the numbers stand: four of a quaternion, or two and two where there is no room."""
        if len(self.words) != 4:
            return 3
        return 4 if 4 * self.fontMetrics().horizontalAdvance(NUMBER) <= width - 2 * ROW_INSET else 2

    def sizeHint(self) -> QSize:
        wide = self.fontMetrics().horizontalAdvance(WIDEST)
        return QSize(wide, self.heightForWidth(max(self.width(), 1)))

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        below = 0 if len(self.words) <= BESIDE else -(-len(self.words) // self.columns(width))
        return self.fontMetrics().lineSpacing() * (1 + below) + 2 * GAP

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self.updateGeometry()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette = self.palette()
        if self.hasFocus() or self.underMouse():
            ring = QPen(palette.color(QPalette.ColorRole.Highlight), FOCUS_RING)
            painter.setPen(ring if self.hasFocus() else Qt.PenStyle.NoPen)
            role = QPalette.ColorRole.Midlight if self.underMouse() else QPalette.ColorRole.Base
            painter.setBrush(palette.color(role))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), CORNER_RADIUS, CORNER_RADIUS)
        box = self.rect().adjusted(ROW_INSET, GAP, -ROW_INSET, -GAP)
        metrics, line = self.fontMetrics(), self.fontMetrics().lineSpacing()
        unit_width = metrics.horizontalAdvance("kg·m²") + ROW_INSET
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        beside = len(self.words) <= BESIDE
        painter.drawText(box, LEFT, self.row.name if beside or not self.unit else f"{self.row.name} [{self.unit}]")
        if beside and self.row.values:
            painter.drawText(box.adjusted(box.width() - unit_width + ROW_INSET, 0, 0, 0), LEFT, self.unit)
        painter.setPen(palette.color(QPalette.ColorRole.WindowText))
        if beside:
            painter.drawText(box.adjusted(0, 0, -unit_width, 0), RIGHT, " ".join(self.words))
            return
        columns = self.columns(self.width())
        wide = box.width() / columns
        for n, word in enumerate(self.words):
            y, x = divmod(n, columns)
            painter.drawText(QRectF(box.x() + x * wide, box.y() + (1 + y) * line, wide, line), RIGHT, word)


def _is_copy(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Copy)
