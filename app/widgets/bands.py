"""Filled bands in a plot, one upon the other: positive parts upwards, negative ones downwards."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyqtgraph as pg
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QPainter, QPolygonF
from PyQt6.QtWidgets import QGraphicsPolygonItem, QStyleOptionGraphicsItem, QWidget

from app.stacks import stacked

Array = np.ndarray[Any, np.dtype[Any]]


class Band(QGraphicsPolygonItem):
    """Smooth edges, where the view around it has none."""

    def paint(
        self, painter: QPainter | None, option: QStyleOptionGraphicsItem | None, widget: QWidget | None = None
    ) -> None:
        assert painter is not None
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        super().paint(painter, option, widget)


class Bands:
    """Each part is drawn as everything up to and with it, the last one first: what lies below shows its own part.

    A part that changes its sign leaves no trace of the jump from one side to the other, as strips of their own would.
    """

    def __init__(self, canvas: pg.PlotWidget, count: int) -> None:
        self.items = [Band() for _ in range(count)]
        for i, item in enumerate(self.items):
            item.setPen(QColor(Qt.GlobalColor.transparent))
            item.setZValue(-1 - i)
            canvas.addItem(item, ignoreBounds=True)

    def set_color(self, i: int, color: QColor) -> None:
        self.items[i].setBrush(color)

    def show_values(self, x: Array, values: Array) -> None:
        """x (n,) and parts (n, k)."""
        up, down = stacked(values)
        around = np.concatenate([x, x[::-1]])
        for i, item in enumerate(self.items):
            item.setPolygon(_polygon(around, np.concatenate([up[:, i], down[::-1, i]])))


def _polygon(x: Array, y: Array) -> QPolygonF:
    polygon: QPolygonF = pg.functions.arrayToQPolygonF(x, y)
    return polygon
