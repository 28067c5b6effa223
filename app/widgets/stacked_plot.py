"""A live plot of causes: parts stacked upwards and downwards by their sign, and the line that they add up to."""

from __future__ import annotations

from typing import Any

import numpy as np
from PyQt6.QtCore import QPointF
from PyQt6.QtGui import QColor

from app.stacks import band_middles, stacked, strongest
from app.theme import CAUSE_CURVES, Theme
from app.widgets.bands import Bands
from app.widgets.live_plot import BINS, LivePlot
from sim.cause_names import CORIOLIS, GRAVITY, INERTIA, INPUTS, MOUSE, is_controller

Array = np.ndarray[Any, np.dtype[Any]]

FILL = 0.6  # how much of its colour a band has, the plot's ground being the rest; all of it where the mouse is
BY_NAME = {GRAVITY: "gravity", CORIOLIS: "coriolis", INERTIA: "inertia", INPUTS: "controller2"}
CONTROLLERS = ("controller", "controller2")  # one after the other


class StackedPlot(LivePlot):
    """The last curve is the sum of the others (`PlotInfo.stacked`); rows that nobody watched are left out."""

    ADVICE = (
        "What is above zero turns the joint on, what is below turns it back; the line is their sum and accelerates it. "
        "Point at a time to read all values there."
    )

    def _add_items(self) -> None:
        super()._add_items()
        self.bands = Bands(self.canvas, len(self.info.labels) - 1)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        for i in range(len(self.bands.items)):
            self._mark(i)

    def _curve_colors(self, theme: Theme) -> list[str]:
        return cause_colors(theme, self.info.labels)

    def _mark(self, i: int) -> None:
        super()._mark(i)
        if i < len(self.bands.items):
            color = self.theme.target if self.info.labels[i] == MOUSE else self.colors[i]
            part = 1.0 if i == self.hovered else FILL
            self.bands.set_color(i, _mixed(QColor(color), QColor(self.theme.plot), part))

    def _is_total(self, i: int) -> bool:
        return i == len(self.info.labels) - 1

    def show_values(self, times: Array, values: Array, now: float) -> None:
        known = np.isfinite(values).all(axis=1)
        super().show_values(times[known], values[known], now)

    def _decimated(self, times: Array, values: Array) -> tuple[Array, Array]:
        return strongest(times, values, self.seconds / BINS)

    def _extent(self) -> tuple[float, float] | None:
        up, down = stacked(self._y[:, :-1])
        return (float(down[:, -1].min()), float(up[:, -1].max())) if len(up) else None

    def _draw(self) -> None:
        self.bands.show_values(self._x, self._y[:, :-1])
        self.curves[-1].setData(self._x, self._y[:, -1])

    def _places(self, values: Array) -> Array:
        return np.append(band_middles(values[:-1]), values[-1])

    def _curve_at(self, at: QPointF) -> int:
        """The band under the mouse, or the line if it is nearer than it can be missed."""
        x, total = self._to_pixels(self._x, self._y[:, -1])
        if len(x) == 0:
            return -1
        row = min(int(np.searchsorted(x, at.x())), len(x) - 1)
        if abs(total[row] - at.y()) < 3.0:
            return len(self.info.labels) - 1
        up, down = stacked(self._y[row : row + 1, :-1])
        _, edges = self._to_pixels(np.zeros(1), np.concatenate([up[0], down[0]]))
        k = len(self.bands.items)
        return next((i for i in range(k) if edges[i] <= at.y() <= edges[k + i]), -1)


def cause_colors(theme: Theme, labels: tuple[str, ...]) -> list[str]:
    """As look.md has them: every cause its own colour; what the joints do themselves is friction's."""
    colors, controllers = [], 0
    for label in labels:
        kind = BY_NAME.get(label, "friction")
        if is_controller(label):
            kind = CONTROLLERS[controllers % len(CONTROLLERS)]
            controllers += 1
        colors.append(theme.warn if label == MOUSE else theme.curve(CAUSE_CURVES[kind]))
    return colors


def _mixed(color: QColor, ground: QColor, part: float) -> QColor:
    parts = zip(color.getRgb()[:3], ground.getRgb()[:3], strict=True)
    return QColor(*(round(part * a + (1.0 - part) * b) for a, b in parts))
