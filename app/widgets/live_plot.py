"""One live plot: title, curves with their values at the right edge, at most two grid lines, a crosshair.

Ranges are fixed by us and the curves decimated before they reach pyqtgraph: its own grid, automatic
ranges and full data cost six times as much.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import QEvent, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import QColor, QFontMetricsF, QHelpEvent, QMouseEvent, QPen, QResizeEvent
from PyQt6.QtWidgets import QGridLayout, QWidget

from app.curve_names import stroke
from app.numbers import MINUS, compact, power_of_ten
from app.scales import LiveRange, decimate, grid_decades, grid_values, nearest_curve, row_at
from app.style import font, scaled
from app.theme import CAPTION_PT, ENERGY_CURVES, Theme
from app.widgets.crosshair import Crosshair
from app.widgets.curve_ends import CurveEnds, bottom_axis
from app.widgets.plot_heading import Legend, PlotTitle
from sim.plots import PlotInfo

Array = np.ndarray[Any, np.dtype[Any]]

BINS = 500
AXIS_GAP = 8  # [px] that the left axis has beside its numbers
AXIS_SLACK = 12  # [px] that it keeps when its numbers become shorter
WIDE, INDENT = 300, 8  # [px]: from this width on the numbers stand below the title, so far from the edge
TOP_GAP = 7  # [px] above the curves: the topmost number reaches halfway above its line
TIME_TICKS, TIME_TICK_WIDTH = (2.5, 5.0), 48  # [s], the first with so much room for each [px]
NOTHING = 1e-4  # of the range: smaller values are written as 0
DECADES = 3  # shown below the largest value of a logarithmic plot, at least
HOVER_REACH = 5.0  # [px] beside a curve
NUMBER_SECONDS = 0.1  # between two values written one after the other


class LivePlot(QWidget):
    ADVICE = "Point at a time to read all values there, at a curve to see which it is."
    pointed = pyqtSignal(object)  # the time under the mouse [s], now is 0; None when it has left

    def __init__(self, info: PlotInfo, theme: Theme, seconds: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.info, self.seconds, self.theme = info, seconds, theme
        self.logarithmic = info.logarithmic
        self.range = LiveRange(float(DECADES), with_zero=False) if self.logarithmic else LiveRange(info.min_span)
        self.title, self.legend = PlotTitle(info.title, info.unit), Legend(info.labels)
        self.canvas, self.ends = pg.PlotWidget(), CurveEnds(info.labels)
        self.hovered = -1  # curve
        self.age: float | None = None  # of the crosshair [s], as `pointed` tells it
        self._times, self._values = np.zeros(0), np.zeros((0, len(info.labels)))
        self._x, self._y = self._times, self._values  # as drawn
        self._texts: list[str] = []
        self._written, self._axis_width = -np.inf, 0.0
        self._numbers: list[tuple[float, str]] = []  # that the left axis should have
        self._prepare_canvas()
        self._add_items()
        self._lay_out()
        self.crosshair = Crosshair(self, theme)
        self.set_theme(theme)
        self._take_range(*((-float(DECADES), 0.0) if self.logarithmic else (0.0, 1.0)))

    def _prepare_canvas(self) -> None:
        self.canvas.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        plot = self.canvas.getPlotItem()
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.setMouseEnabled(False, False)
        plot.disableAutoRange()
        plot.layout.setContentsMargins(0, scaled(TOP_GAP), 0, 0)
        for side in ("left", "bottom"):
            plot.getAxis(side).setStyle(
                tickFont=font(CAPTION_PT), tickLength=0, tickAlpha=0, tickTextOffset=4, autoExpandTextSpace=False
            )
        plot.getAxis("bottom").setHeight(bottom_axis())
        plot.setXRange(-self.seconds, 0.0, padding=0.0)

    def _add_items(self) -> None:
        self.curves = [pg.PlotCurveItem(skipFiniteCheck=True, antialias=True) for _ in self.info.labels]
        self.lines = [pg.InfiniteLine(angle=0) for _ in range(3)]  # zero, and two of the grid
        for item in (*self.lines, *self.curves):
            self.canvas.addItem(item, ignoreBounds=True)

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 6, 0, 2)
        grid.setHorizontalSpacing(0)
        grid.setVerticalSpacing(0)
        grid.addWidget(self.title, 0, 0, 1, 2)
        grid.addWidget(self.legend, 1, 0)
        grid.addWidget(self.canvas, 2, 0)
        grid.addWidget(self.ends, 1, 1, 2, 1)
        grid.setColumnStretch(0, 1)
        grid.setRowStretch(2, 1)
        self.setAutoFillBackground(True)
        self.setMouseTracking(True)
        for part in (self.title, self.legend, self.canvas, self.ends):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAccessibleName(self.info.title)
        self.setToolTip(f"{self.info.title} [{self.info.unit}] of the last {self.seconds:g} s. {self.ADVICE}")

    # --- room -----------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Curves first, then the labels, then the ticks of time."""
        axis = self._axis_width + (INDENT if self.width() >= WIDE else 0)
        self.canvas.getPlotItem().getAxis("left").setWidth(axis)
        room = self.width() - axis
        self.ends.take_room(self.width(), room)
        self.legend.setVisible(bool(self.legend.entries) and self.ends.form.name != "full")
        self.legend.take_width(self.width() - self.ends.width())
        room -= self.ends.width()
        fits = [gap for gap in TIME_TICKS if room * gap / self.seconds >= TIME_TICK_WIDTH]
        ticks = np.arange(-self.seconds, 0.0, fits[0] if fits else self.seconds)[1:]
        names = [f"{compact(t)} s".replace("-", MINUS) for t in ticks]
        self.canvas.getPlotItem().getAxis("bottom").setTicks([list(zip(ticks, names, strict=True))])
        self.layout().activate()
        self._write_numbers()
        self._place_crosshair()

    def event(self, event: QEvent) -> bool:
        """The tip belongs to the title: it would cover the curves."""
        if isinstance(event, QHelpEvent) and not self.title.geometry().contains(event.pos()):
            event.ignore()
            return True
        return super().event(event)

    # --- colours --------------------------------------------------------------------------------------

    def set_theme(self, theme: Theme) -> None:
        self.theme = self.crosshair.theme = theme
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
        self.colors = self._curve_colors(theme)
        for i, curve in enumerate(self.curves):
            curve.setPen(self._pen(i))
        self.ends.set_colors(self.colors)
        self.legend.set_colors(self.colors)

    def _curve_colors(self, theme: Theme) -> list[str]:
        numbered = zip(self.info.numbers, self.info.labels, strict=True)
        return [curve_color(theme, self.info.name, number, name) for number, name in numbered]

    def _pen(self, i: int) -> QPen:
        pen = pg.mkPen(self.colors[i], width=2 if i == self.hovered or self._is_total(i) else 1)
        if pattern := stroke(self.info.numbers[i], self.info.labels[i]):
            pen.setDashPattern(list(pattern))
        return pen

    def _is_total(self, i: int) -> bool:
        return self.info.name == "energy" and self.info.labels[i] == "total"

    # --- data ---------------------------------------------------------------------------------------

    def show_values(self, times: Array, values: Array, now: float) -> None:
        """Rows (n,) and (n, k) of the history, oldest first; `now` is wall time [s]."""
        self._times, self._values = times, values
        if len(times) == 0:
            self._x, self._y = times, values
            self._written = -np.inf
            self._draw()
            self.ends.show_ends([], [])
            self._place_crosshair()
            return
        t, v = self._decimated(times, values)
        self._x, self._y = t - times[-1], self._drawn(v)
        extent = self._extent()
        if extent and self.range.update(*extent, now):
            self._take_range(self.range.low, self.range.high)
        self._draw()
        if self.age is not None or now - self._written >= NUMBER_SECONDS:
            self._written = now
            self._write_values()
        else:
            self.ends.show_ends(self._end_heights(), self._texts)
        self._place_crosshair()

    def _decimated(self, times: Array, values: Array) -> tuple[Array, Array]:
        return decimate(times, values, self.seconds / BINS)

    def _extent(self) -> tuple[float, float] | None:
        """The lowest and the highest that is drawn."""
        finite = self._y[np.isfinite(self._y)]
        return (float(finite.min()), float(finite.max())) if len(finite) else None

    def _draw(self) -> None:
        for i, curve in enumerate(self.curves):
            curve.setData(self._x, self._y[:, i])

    def _places(self, values: Array) -> Array:
        """Where on the axis the labels and dots of one row of values stand."""
        return self._drawn(values)

    def _drawn(self, values: Array) -> Array:
        """Where values are on the axis."""
        return np.log10(np.maximum(np.abs(values), self.info.min_span)) if self.logarithmic else values

    def _take_range(self, low: float, high: float) -> None:
        self.canvas.setYRange(low, high, padding=0.04)
        values = grid_decades(low, high) if self.logarithmic else grid_values(low, high)
        has_zero = low <= 0.0 <= high and not self.logarithmic
        self.lines[0].setVisible(has_zero)
        for line, value in zip(self.lines[1:], [*values, None, None], strict=False):
            line.setVisible(value is not None)
            line.setPos(value or 0.0)
        marks = sorted([*values, 0.0] if has_zero else values)
        names = [power_of_ten(round(v)) if self.logarithmic else compact(v).replace("-", MINUS) for v in marks]
        self._numbers = list(zip(marks, names, strict=True))
        self._write_numbers()
        metrics = QFontMetricsF(font(CAPTION_PT))
        wanted = max((metrics.horizontalAdvance(name) for name in names), default=0.0) + AXIS_GAP
        if wanted > self._axis_width or wanted < self._axis_width - AXIS_SLACK:  # curves should not jump to and fro
            self._axis_width = wanted
            self._share_room()

    def _write_numbers(self) -> None:
        """Beside the axis, from the top, those that stand clear of each other."""
        box, line = self.canvas.getPlotItem().getViewBox(), QFontMetricsF(font(CAPTION_PT)).height()
        low, high = box.viewRange()[1]
        shown: list[tuple[float, str]] = []
        for mark, name in reversed(self._numbers):
            if not shown or (shown[-1][0] - mark) / (high - low) * box.height() >= line:
                shown.append((mark, name))
        self.canvas.getPlotItem().getAxis("left").setTicks([shown])

    # --- values beside the curves -----------------------------------------------------------------------

    def _row(self) -> int | None:
        """The row of the history whose values are told: at the crosshair, else the newest; None before the first."""
        if len(self._times) == 0:
            return None
        return row_at(self._times, self._times[-1] + (self.age or 0.0))

    def _write_values(self) -> None:
        row = self._row()
        smallest = NOTHING * max(abs(self.range.low), abs(self.range.high)) if not self.logarithmic else 0.0
        told = [] if row is None else self._values[row]
        self._texts = [self.ends.text(float(value), smallest) for value in told] or ["–"] * len(self.curves)
        if len(self._times):
            self.ends.show_ends(self._end_heights(), self._texts)
            i = self.hovered
            self.legend.tell((i, f"{self.info.labels[i]}  {self._texts[i]} {self.info.unit}") if i >= 0 else None)

    def _end_heights(self) -> list[float]:
        above = self.canvas.y() - self.ends.y()
        _, heights = self._to_pixels(np.zeros(1), self._places(self._values[-1]))
        return [float(y) + above if np.isfinite(y) else 0.0 for y in heights]

    def _to_pixels(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Times and places on the axis in pixels of the canvas."""
        box = self.canvas.getPlotItem().getViewBox()
        origin, unit = box.mapViewToScene(QPointF(0.0, 0.0)), box.mapViewToScene(QPointF(1.0, 1.0))
        return origin.x() + x * (unit.x() - origin.x()), origin.y() + y * (unit.y() - origin.y())

    # --- the mouse --------------------------------------------------------------------------------------

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position() - QPointF(self.canvas.pos())
        field = self.canvas.getPlotItem().getViewBox().sceneBoundingRect()
        inside = field.contains(at)
        self._hover(self._curve_at(at) if inside else self._label_at(event.position()))
        self.pointed.emit((at.x() - field.right()) / field.width() * self.seconds if inside else None)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        self.pointed.emit(None)

    def _curve_at(self, at: QPointF) -> int:
        return nearest_curve(*self._to_pixels(self._x, self._y), (at.x(), at.y()), HOVER_REACH)

    def _label_at(self, at: QPointF) -> int:
        at = at - QPointF(self.ends.pos())
        inside = self.ends.rect().contains(at.toPoint())
        return next((i for i, row in self.ends.rows().items() if row.contains(at)), -1) if inside else -1

    def _hover(self, i: int) -> None:
        if i == self.hovered:
            return
        before, self.hovered = self.hovered, i
        for changed in (before, i):
            if changed >= 0:
                self._mark(changed)
        self.ends.hover(i)
        self._write_values()

    def _mark(self, i: int) -> None:
        """Show whether curve i is hovered."""
        self.curves[i].setPen(self._pen(i))

    def show_crosshair(self, age: float | None) -> None:
        """The line at this time, with the values there; None takes it away. No history is read for it."""
        if age != self.age:
            self.age = age
            self._write_values()
            self._place_crosshair()

    def _place_crosshair(self) -> None:
        self.crosshair.setGeometry(self.canvas.geometry())
        if self.age is None:
            self.crosshair.leave()
            return
        box = self.canvas.getPlotItem().getViewBox()
        self.crosshair.field = box.sceneBoundingRect()
        row = self._row()
        told = [] if row is None else list(self._places(self._values[row]))
        x, heights = self._to_pixels(np.array([self.age]), np.array(told))
        dots = [(float(y), c) for y, c in zip(heights, self.colors, strict=False) if np.isfinite(y)]
        time = "" if row is None else f"t {self._times[row]:.2f} s"
        self.crosshair.place(float(x[0]), time, dots)


def curve_color(theme: Theme, plot: str, number: int, name: str) -> str:
    """Curves have the colour of their joint; energies have colours of their own."""
    if plot in ("energy", "drift"):
        return theme.curve(ENERGY_CURVES[name]) if name in ENERGY_CURVES else theme.text
    return theme.curve(number)
