"""A quantity with its live numbers; it takes the focus, and Ctrl+C copies it with full digits."""

from __future__ import annotations

from PyQt6.QtCore import QEvent, QRectF, QSize, Qt
from PyQt6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen
from PyQt6.QtWidgets import QSizePolicy, QWidget

from app.inspection import Row
from app.numbers import MINUS
from app.theme import CORNER_RADIUS, FOCUS_RING

IN_A_LINE = 3  # numbers
GAP, INSET = 3, 4  # [px] above and below; left and right
FIGURE_SPACE = "\N{FIGURE SPACE}"  # as wide as a digit: numbers keep their place
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop


def number_text(value: float) -> str:
    """Seven places, as many of them decimals as fit: "−0.1235", "12.346", "1.2e−7"."""
    size = abs(value)
    if size != 0.0 and (size < 5e-5 or size >= 1e5):
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
        self.lines: tuple[str, ...] = ()
        self.unit = row.unit
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_row(self, row: Row, degrees: bool) -> None:
        values, unit = row.shown(degrees)
        words = [number_text(v) for v in values]
        lines = tuple(" ".join(words[i : i + IN_A_LINE]) for i in range(0, len(words), IN_A_LINE)) or (row.note,)
        if row == self.row and lines == self.lines and unit == self.unit:
            return
        if len(lines) != len(self.lines):
            self.updateGeometry()
        self.row, self.lines, self.unit = row, lines, unit
        self.setToolTip(f"{row.tip} [{unit}]. Click, then Ctrl+C copies it with full digits." if unit else row.tip)
        self.setAccessibleName(f"{row.name} in {unit}" if unit else row.name)
        self.setAccessibleDescription(" ".join(" ".join(lines).replace(FIGURE_SPACE, "").split()))
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

    def sizeHint(self) -> QSize:
        metrics = self.fontMetrics()
        wide = metrics.horizontalAdvance("Rotation 0000000 0000000 0000000 kg·m²")
        return QSize(wide, metrics.lineSpacing() * max(len(self.lines), 1) + 2 * GAP)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, self.sizeHint().height())

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
        box = self.rect().adjusted(INSET, GAP, -INSET, -GAP)
        unit_width = self.fontMetrics().horizontalAdvance("kg·m²") + INSET
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        painter.drawText(box, LEFT, self.row.name)
        unit = self.unit if self.row.values else ""
        painter.drawText(box.adjusted(box.width() - unit_width + INSET, 0, 0, 0), LEFT, unit)
        painter.setPen(palette.color(QPalette.ColorRole.WindowText))
        painter.drawText(box.adjusted(0, 0, -unit_width, 0), RIGHT, "\n".join(self.lines))


def _is_copy(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Copy)
