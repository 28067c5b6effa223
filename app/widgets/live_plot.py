"""One live plot: title, curves with their newest values at the right edge, at most two grid lines.

Ranges are fixed by us and the curves decimated before they reach pyqtgraph: its own grid, automatic
ranges and full data cost six times as much.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PyQt6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from app.numbers import MINUS, compact, significant
from app.scales import LiveRange, decimate, grid_decades, grid_values, spread
from app.style import font
from app.theme import CAPTION_PT, ENERGY_CURVES, PADDING, Theme, dash
from app.widgets.section import label
from sim.history import PlotInfo

Array = np.ndarray[Any, np.dtype[Any]]

BINS = 500
LEFT_AXIS, BOTTOM_AXIS = 44, 20  # [px]
TITLE_GAP = 4  # [px] below the title: the topmost number reaches halfway above its line
TIME_TICKS, TIME_TICK_WIDTH = (2.5, 5.0), 48  # [s], the first with so much room for each [px]
LOGARITHMIC = ("drift",)  # shown as log10 of the magnitude
NOTHING = 1e-4  # of the range: smaller values are written as 0
WIDEST = (f"{MINUS}1234.5", f"{MINUS}1.2e{MINUS}9")  # room is kept for numbers as wide as these
DECADES = 3  # shown below the largest value of a logarithmic plot, at least


class LivePlot(QWidget):
    def __init__(self, info: PlotInfo, theme: Theme, seconds: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.info, self.seconds = info, seconds
        self.logarithmic = info.name in LOGARITHMIC
        self.range = LiveRange(float(DECADES), with_zero=False) if self.logarithmic else LiveRange(info.min_span)
        self.title = label(f"<b>{info.title}</b>&nbsp; [{info.unit}]")
        self.canvas = pg.PlotWidget()
        self.canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.ends = CurveEnds(info.labels)
        self._prepare_canvas()
        self.curves = [pg.PlotCurveItem(skipFiniteCheck=True, antialias=True) for _ in info.labels]
        self.lines = [pg.InfiniteLine(angle=0) for _ in range(3)]  # zero, and two of the grid
        for item in (*self.lines, *self.curves):
            self.canvas.addItem(item, ignoreBounds=True)
        self._lay_out()
        self.set_theme(theme)
        self._take_range(*((-float(DECADES), 0.0) if self.logarithmic else (0.0, 1.0)))

    def _prepare_canvas(self) -> None:
        plot = self.canvas.getPlotItem()
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.setMouseEnabled(False, False)
        plot.disableAutoRange()
        plot.layout.setContentsMargins(0, 0, 0, 0)
        for side, size in (("left", LEFT_AXIS), ("bottom", BOTTOM_AXIS)):
            axis = plot.getAxis(side)
            axis.setStyle(
                tickFont=font(CAPTION_PT), tickLength=0, tickAlpha=0, tickTextOffset=4, autoExpandTextSpace=False
            )
            axis.setWidth(size) if side == "left" else axis.setHeight(size)
        plot.setXRange(-self.seconds, 0.0, padding=0.0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room = self.width() - LEFT_AXIS - self.ends.width()
        fits = [gap for gap in TIME_TICKS if room * gap / self.seconds >= TIME_TICK_WIDTH]
        ticks = np.arange(-self.seconds, 0.0, fits[0] if fits else self.seconds)[1:]
        names = [f"{compact(t)} s".replace("-", MINUS) for t in ticks]
        self.canvas.getPlotItem().getAxis("bottom").setTicks([list(zip(ticks, names, strict=True))])

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(PADDING, 6, 4, 2)
        grid.setHorizontalSpacing(0)
        grid.setVerticalSpacing(TITLE_GAP)
        grid.addWidget(self.title, 0, 0, 1, 2)
        grid.addWidget(self.canvas, 1, 0)
        grid.addWidget(self.ends, 1, 1)
        grid.setColumnStretch(0, 1)
        grid.setRowStretch(1, 1)
        self.setAutoFillBackground(True)
        self.setAccessibleName(self.info.title)

    def set_theme(self, theme: Theme) -> None:
        palette = self.palette()
        palette.setColor(self.backgroundRole(), QColor(theme.plot))
        self.setPalette(palette)
        self.canvas.setBackground(theme.plot)
        for side in ("left", "bottom"):
            axis = self.canvas.getPlotItem().getAxis(side)
            axis.setPen(pg.mkPen(None))
            axis.setTextPen(theme.muted)
        self.lines[0].setPen(pg.mkPen(theme.outline, width=1))
        for line in self.lines[1:]:
            line.setPen(pg.mkPen(theme.border, width=1))
        numbered = list(zip(self.info.numbers, self.info.labels, strict=True))
        colors = [curve_color(theme, self.info.name, number, name) for number, name in numbered]
        for i, (curve, color) in enumerate(zip(self.curves, colors, strict=True)):
            pen = pg.mkPen(color, width=2 if self._is_total(i) else 1)
            if pattern := dash(self.info.numbers[i]):
                pen.setDashPattern(list(pattern))
            curve.setPen(pen)
        self.ends.set_colors(colors)

    def _is_total(self, i: int) -> bool:
        return self.info.name == "energy" and self.info.labels[i] == "total"

    # --- data ---------------------------------------------------------------------------------------

    def show_values(self, times: Array, values: Array, now: float) -> None:
        """Rows (n,) and (n, k) of the history, oldest first; `now` is wall time [s]."""
        if len(times) == 0:
            for curve in self.curves:
                curve.setData([], [])
            self.ends.show_ends([], [])
            return
        newest = values[-1]
        t, v = decimate(times, values, self.seconds / BINS)
        if self.logarithmic:
            v = np.log10(np.maximum(np.abs(v), self.info.min_span))
        finite = v[np.isfinite(v)]
        if len(finite) and self.range.update(float(finite.min()), float(finite.max()), now):
            self._take_range(self.range.low, self.range.high)
        x = t - times[-1]
        for i, curve in enumerate(self.curves):
            curve.setData(x, v[:, i])
        self._show_ends(v[-1], newest)

    def _take_range(self, low: float, high: float) -> None:
        self.canvas.setYRange(low, high, padding=0.04)
        values = grid_decades(low, high) if self.logarithmic else grid_values(low, high)
        has_zero = low <= 0.0 <= high and not self.logarithmic
        self.lines[0].setVisible(has_zero)
        for line, value in zip(self.lines[1:], [*values, None, None], strict=False):
            line.setVisible(value is not None)
            line.setPos(value or 0.0)
        marks = sorted([*values, 0.0] if has_zero else values)
        names = [f"1e{v:.0f}" if self.logarithmic else compact(v) for v in marks]
        ticks = [(v, n.replace("-", MINUS)) for v, n in zip(marks, names, strict=True)]
        self.canvas.getPlotItem().getAxis("left").setTicks([ticks])

    def _show_ends(self, positions: Array, newest: Array) -> None:
        box = self.canvas.getPlotItem().getViewBox()
        heights = [float(box.mapViewToScene(QPointF(0.0, float(y))).y()) if np.isfinite(y) else 0.0 for y in positions]
        smallest = NOTHING * max(abs(self.range.low), abs(self.range.high)) if not self.logarithmic else 0.0
        texts = [_short(float(value)) if abs(value) >= smallest else "0" for value in newest]
        self.ends.show_ends(heights, texts)


class CurveEnds(QWidget):
    """The newest value of every curve beside its end, in its colour, one above the other."""

    def __init__(self, labels: tuple[str, ...]) -> None:
        super().__init__()
        self.labels = labels if len(labels) > 1 else ("",)
        self._colors: list[str] = []
        self._heights: list[float] = []
        self._texts: list[str] = []
        metrics = QFontMetricsF(font(CAPTION_PT))
        numbers = max(metrics.horizontalAdvance(text) for text in WIDEST)
        names = max(metrics.horizontalAdvance(name) for name in self.labels)
        self.setFixedWidth(round(names + numbers + 20))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)

    def set_colors(self, colors: list[str]) -> None:
        self._colors = colors
        self.update()

    def show_ends(self, heights: list[float], texts: list[str]) -> None:
        if (heights, texts) != (self._heights, self._texts):
            self._heights, self._texts = heights, texts
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(font(CAPTION_PT, QFont.Weight.Medium))
        line = QFontMetricsF(painter.font()).height()
        for i, middle in spread(self._heights, self.height() - BOTTOM_AXIS + line / 2, line).items():
            painter.setPen(QColor(self._colors[i]))
            row = QRectF(6, middle - line / 2, self.width() - 10, line)
            number_side = Qt.AlignmentFlag.AlignRight if self.labels[i] else Qt.AlignmentFlag.AlignLeft
            painter.drawText(row, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.labels[i])
            painter.drawText(row, number_side | Qt.AlignmentFlag.AlignVCenter, self._texts[i])


def _short(value: float) -> str:
    """Four significant digits, or as many as there is room for."""
    texts = (significant(value, digits) for digits in (4, 3, 2))
    return next((text for text in texts if len(text) <= len(WIDEST[0])), significant(value, 2))


def curve_color(theme: Theme, plot: str, number: int, name: str) -> str:
    """Curves have the colour of their joint; energies have colours of their own."""
    if plot in ("energy", "drift"):
        return theme.curve(ENERGY_CURVES[name]) if name in ENERGY_CURVES else theme.text
    return theme.curve(number)
