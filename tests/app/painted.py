"""Text that widgets paint themselves, recorded as it is drawn: is it inside its place, its widget, and free of others?

`QPainter.drawText` is watched from Python, so everything that app/ paints is seen; what Qt paints of labels, buttons
and tabs is measured by window_measures.py. The ticks of plots are pyqtgraph's and are asked for there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pyqtgraph as pg
from PyQt6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PyQt6.QtGui import QFontMetricsF, QPainter, QPicture
from PyQt6.QtWidgets import QAbstractScrollArea, QWidget

SLACK = 1.0  # [px], of rounding
FAR = 1e6
DONT_CLIP = Qt.TextFlag.TextDontClip


@dataclass(frozen=True)
class Text:
    widget: str
    text: str
    box: QRectF  # that the letters need
    room: QRectF  # that they are given
    widget_rect: QRectF
    pass_: int  # texts of one painting of one widget


class Painted:
    """What was drawn since `watching` began."""

    def __init__(self) -> None:
        self.texts: list[Text] = []
        self._pass, self._painter = 0, (0, 0)

    def add(self, painter: QPainter, args: tuple[Any, ...]) -> None:
        device = painter.device()
        if isinstance(device, QPicture):  # an axis of pyqtgraph: see `ticks`
            return
        if (id(painter), id(device)) != self._painter:
            self._pass, self._painter = self._pass + 1, (id(painter), id(device))
        text, box, room = _placed(painter, args)
        if not (text or "").strip():
            return
        ratio = device.devicePixelRatioF()
        rect = QRectF(device.rect()) if isinstance(device, QWidget) else QRectF(0, 0, *_size(device, ratio))
        if isinstance(device, QWidget) and isinstance(device.parent(), QAbstractScrollArea):
            rect.adjust(0.0, -FAR, 0.0, FAR)  # it scrolls up and down
        self.texts.append(Text(type(device).__name__, text, box, room, rect, self._pass))

    def problems(self) -> Iterator[str]:
        for one in self.texts:
            if not _inside(one.box, one.room):
                yield f"{one.widget} {one.text!r}: needs {_told(one.box)}, is given {_told(one.room)}"
            elif not _inside(one.box, one.widget_rect):
                yield f"{one.widget} {one.text!r}: at {_told(one.box)} of a widget {_told(one.widget_rect)}"
        for n, one in enumerate(self.texts):
            for other in self.texts[n + 1 :]:
                if other.pass_ != one.pass_:
                    break
                shared = one.box.intersected(other.box)
                if shared.width() > SLACK and shared.height() > 2 * SLACK and not _same_place(one.box, other.box):
                    yield f"{one.widget} {one.text!r} and {other.text!r} overlap by {shared.width():.0f} px"


_watchers: list[Painted] = []


@contextmanager
def watching() -> Iterator[Painted]:
    if not hasattr(QPainter.drawText, "watched"):
        _watch(QPainter.drawText)
    painted = Painted()
    _watchers.append(painted)
    try:
        yield painted
    finally:
        _watchers.remove(painted)


def _watch(original: Callable[..., Any]) -> None:
    """For good: sip does not take back a method of its own."""

    def draw_text(painter: QPainter, *args: Any) -> Any:
        for painted in _watchers:
            painted.add(painter, args)
        return original(painter, *args)

    draw_text.watched = True  # type: ignore[attr-defined]
    QPainter.drawText = draw_text  # type: ignore[method-assign, assignment]


def ticks(window: QWidget) -> Iterator[str]:
    """Numbers beside the axes of plots that are cut at the rim of the canvas or run into each other."""
    for canvas in window.findChildren(pg.PlotWidget):
        if not canvas.isVisible():
            continue
        rim = QRectF(canvas.viewport().rect())
        for side in ("left", "bottom"):
            axis = canvas.getPlotItem().getAxis(side)
            picture = QPicture()
            painter = QPainter(picture)
            painter.setFont(axis.style["tickFont"])
            specs = axis.generateDrawSpecs(painter)
            metrics = QFontMetricsF(painter.font())
            painter.end()
            boxes = []
            for rect, flags, text in specs[2] if specs else ():
                box = metrics.boundingRect(rect, int(getattr(flags, "value", flags)), text)
                box = axis.mapRectToScene(box)
                if not _inside(box, rim):
                    yield f"{side} axis {text!r}: at {_told(box)} of a canvas {_told(rim)}"
                if any(box.intersects(other) for other in boxes):
                    yield f"{side} axis {text!r} overlaps its neighbour"
                boxes.append(box)


def _placed(painter: QPainter, args: tuple[Any, ...]) -> tuple[str, QRectF, QRectF]:
    """Text, the box its letters need and the room it is given, in the coordinates of the device."""
    metrics, place = QFontMetricsF(painter.font()), painter.worldTransform()
    if isinstance(args[0], QPointF | QPoint):
        at, text = QPointF(args[0]), args[1]
        box = QRectF(at.x(), at.y() - metrics.ascent(), metrics.horizontalAdvance(text), metrics.height())
        return text, place.mapRect(box), place.mapRect(box)
    if isinstance(args[0], QRectF | QRect):
        room, flags, text = QRectF(args[0]), args[1], args[2]
    else:
        room, flags, text = QRectF(*args[:4]), args[4], args[5]
    number = int(getattr(flags, "value", flags))
    box = metrics.boundingRect(room, number, text)
    return text, place.mapRect(box), place.mapRect(box if number & DONT_CLIP.value else room)


def _size(device: Any, ratio: float) -> tuple[float, float]:
    return device.width() / ratio, device.height() / ratio


def _inside(box: QRectF, room: QRectF) -> bool:
    return room.adjusted(-SLACK, -SLACK, SLACK, SLACK).contains(box)


def _same_place(one: QRectF, other: QRectF) -> bool:
    """The same line drawn again, with other words perhaps."""
    return abs(one.left() - other.left()) < SLACK and abs(one.top() - other.top()) < SLACK


def _told(box: QRectF) -> str:
    return f"{box.width():.0f} × {box.height():.0f} at ({box.x():.0f}, {box.y():.0f})"
