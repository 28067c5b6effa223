"""A live plot of several engines in their colours, with a mark where each was first too far from the yardstick."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyqtgraph as pg

from app.engine_colors import engine_color
from app.theme import Theme
from app.widgets.live_plot import LivePlot
from sim.plots import PlotInfo

Array = np.ndarray[Any, np.dtype[Any]]

MARK_DASHES = (4, 3)


class ComparedPlot(LivePlot):
    """Its labels are names of engines, of which `leader` leads."""

    def __init__(self, info: PlotInfo, theme: Theme, seconds: float, leader: str) -> None:
        self.marks: list[pg.InfiniteLine] = []
        self.leader = leader
        super().__init__(info, theme, seconds)

    def _add_items(self) -> None:
        super()._add_items()
        self.marks = [pg.InfiniteLine(angle=90) for _ in self.info.labels]
        for mark in self.marks:
            mark.setVisible(False)
            self.canvas.addItem(mark, ignoreBounds=True)

    def _curve_colors(self, theme: Theme) -> list[str]:
        return [engine_color(theme, name, self.leader) for name in self.info.labels]

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for mark, color in zip(self.marks, self.colors, strict=True):
            pen = pg.mkPen(color, width=1)
            pen.setDashPattern(list(MARK_DASHES))
            mark.setPen(pen)

    def _pen(self, i: int) -> Any:
        return pg.mkPen(self.colors[i], width=2 if i == self.hovered else 1)

    def _draw(self) -> None:
        """An engine that could not go on has no values there."""
        for i, curve in enumerate(self.curves):
            known = np.isfinite(self._y[:, i])
            curve.setData(self._x[known], self._y[known, i])

    def mark(self, times: list[float], now: float) -> None:
        """Where each curve is marked [s]; nan: nowhere."""
        for line, time in zip(self.marks, times, strict=True):
            shown = math.isfinite(time) and time - now >= -self.seconds
            line.setVisible(shown)
            if shown:
                line.setPos(time - now)
