"""A slider on a scale: click or drag anywhere on it, double click for the default, wheel only when focused."""

from __future__ import annotations

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen, QWheelEvent
from PyQt6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from app.scales import LinearScale, LogScale
from app.theme import FOCUS_RING

POSITIONS = 1000
HANDLE = 14
GROOVE = 4


class GainSlider(QAbstractSlider):
    moved = pyqtSignal(float)  # by hand, in the gain's unit

    def __init__(self, scale: LogScale | LinearScale, default: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scale, self.default = scale, default
        self.origin: float | None = None  # the value from which on the groove is filled; None: the lower end
        self.has_stops = False  # whether its ends are marked as ones that nothing passes
        self._measured: tuple[float, QColor] | None = None
        self.setRange(0, POSITIONS)
        self.setSingleStep(POSITIONS // 100)
        self.setPageStep(POSITIONS // 10)
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.actionTriggered.connect(self._by_hand)

    def sizeHint(self) -> QSize:
        return QSize(110, HANDLE + 2 * (FOCUS_RING + 2))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def show_value(self, value: float) -> None:
        if not self.isSliderDown():
            self.setValue(round(self.scale.position(value) * POSITIONS))

    def show_measured(self, value: float, color: QColor) -> None:
        """A mark for where the thing itself is."""
        position = round(self.scale.position(value) * POSITIONS)
        if self._measured != (position, color):
            self._measured = (position, color)
            self.update()

    def _by_hand(self, _action: int) -> None:
        self.moved.emit(self.scale.value(self.sliderPosition() / POSITIONS))

    # --- mouse --------------------------------------------------------------------------------------

    def _to_x(self, position: float) -> float:
        return HANDLE / 2 + FOCUS_RING + position / POSITIONS * (self.width() - HANDLE - 2 * FOCUS_RING)

    def _follow(self, event: QMouseEvent) -> None:
        span = max(self.width() - HANDLE - 2 * FOCUS_RING, 1)
        self.setValue(round((event.position().x() - HANDLE / 2 - FOCUS_RING) / span * POSITIONS))
        self.moved.emit(self.scale.value(self.value() / POSITIONS))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            if abs(event.position().x() - self._to_x(self.value())) > HANDLE / 2:
                self._follow(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)
        self.show_value(self.default)
        self.moved.emit(self.default)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    # --- painting -----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette, middle = self.palette(), self.height() / 2
        x = self._to_x(self.value())
        painter.setPen(Qt.PenStyle.NoPen)
        start = FOCUS_RING if self.origin is None else self._to_x(self.scale.position(self.origin) * POSITIONS)
        parts = (
            (FOCUS_RING, self.width() - FOCUS_RING, QPalette.ColorRole.Mid),
            (min(start, x), max(start, x), QPalette.ColorRole.Highlight),
        )
        for left, right, role in parts:
            painter.setBrush(palette.color(role))
            painter.drawRoundedRect(QRectF(left, middle - GROOVE / 2, right - left, GROOVE), GROOVE / 2, GROOVE / 2)
        mark = self._to_x(self.scale.position(self.default) * POSITIONS)
        painter.setBrush(palette.color(QPalette.ColorRole.Dark))
        painter.drawRect(QRectF(mark - 0.75, middle + HANDLE / 2 - 1, 1.5, 4))
        for end in (0, POSITIONS) if self.has_stops else ():
            painter.drawRect(QRectF(self._to_x(end) - 1, middle - HANDLE / 2, 2, HANDLE))
        if self.hasFocus():
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Highlight), FOCUS_RING))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawEllipse(QPointF(x, middle), HANDLE / 2 + 1, HANDLE / 2 + 1)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Highlight), 1.5))
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        painter.drawEllipse(QPointF(x, middle), HANDLE / 2 - 1.5, HANDLE / 2 - 1.5)
        if self._measured is not None:
            self._paint_measured(painter, middle, *self._measured)

    def _paint_measured(self, painter: QPainter, middle: float, position: int, color: QColor) -> None:
        """A bar across the groove, seen over the handle too."""
        painter.setPen(QPen(self.palette().color(QPalette.ColorRole.Base), 1.0))
        painter.setBrush(color)
        painter.drawRoundedRect(QRectF(self._to_x(position) - 2.5, middle - HANDLE / 2, 5, HANDLE), 2, 2)
