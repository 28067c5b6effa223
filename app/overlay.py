"""Text and signs painted over the picture of the viewport."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from app.gestures import Caption
from app.icons import tinted
from app.numbers import compact
from app.style import font, scaled, text_scale
from app.theme import (
    BODY_PT,
    CONTROL_GAP,
    CORNER_RADIUS,
    FOCUS_RING,
    ICON_SIZE,
    LOW_VIEW,
    PADDING,
    PILL_HEIGHT,
    PILL_INSET,
    THEMES,
    Theme,
)
from sim.state import Snapshot

PILL_TEXT = "Drag the amber ball"
LAGGING = 0.9  # of the wanted speed
DOT_SIZE = 12  # [px] of the sign of a recording
CAPTION_GAP, EDGE_GAP = 28, 4.0  # [px] between a point and what is told of it; from the edge of the view


@dataclass(frozen=True)
class Overlay:
    line: str
    level: str = "info"
    recording: str = ""  # elapsed time
    pill: bool = False
    caption: Caption | None = None
    letters: tuple[Caption, ...] = ()  # at the tips of a target's handles
    ring: bool = False


def lags(snapshot: Snapshot) -> bool:
    return snapshot.running and snapshot.real_time_factor < LAGGING * snapshot.speed


def status_line(snapshot: Snapshot, fps: float, lagging: bool) -> tuple[str, str]:
    """The line at the top and its level: "t 3.20 s · 1.00× · 60 fps · impulse 1 ms"."""
    if lagging:
        reached, wanted = snapshot.real_time_factor, snapshot.speed
        return f"Slower than asked: {reached:.2f}× instead of {wanted:.2f}× · t {snapshot.time:.2f} s", "warning"
    pace = f"{snapshot.real_time_factor:.2f}× · {fps:.0f} fps" if snapshot.running else "paused"
    engine = f"{snapshot.backend} {compact(snapshot.dt * 1e3)} ms"
    return f"t {snapshot.time:.2f} s · {pace} · {engine}", "info"


def paint(painter: QPainter, width: float, height: float, overlay: Overlay, theme_name: str) -> None:
    theme = THEMES[theme_name]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    recording_width = _paint_recording(painter, width, overlay.recording, theme)
    line = _paint_line(painter, width - recording_width, overlay, theme)
    free = QRectF(0.0, line.bottom(), width, height - line.bottom())
    plate = _paint_caption(painter, free, overlay.caption, theme) if overlay.caption else QRectF()
    _paint_letters(painter, overlay.letters, free, plate, theme)
    if overlay.pill:
        at = pill_box(width, height).topLeft()
        painter.drawPixmap(at, _pill(theme_name, painter.device().devicePixelRatioF()))
    if overlay.ring:
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(theme.accent), FOCUS_RING))
        painter.drawRect(QRectF(1, 1, width - 2, height - 2))


def _paint_line(painter: QPainter, width: float, overlay: Overlay, theme: Theme) -> QRectF:
    """Returns where the words stand, in several lines if they have to."""
    colors = {"info": theme.muted, "busy": theme.text, "warning": theme.warn, "error": theme.error}
    painter.setFont(font(BODY_PT, QFont.Weight.Normal if overlay.level == "info" else QFont.Weight.DemiBold))
    painter.setPen(QColor(colors[overlay.level]))
    box = QRectF(PADDING, PADDING, width - 2 * PADDING, 1000.0)
    wrapped = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
    painter.drawText(box, wrapped, overlay.line)
    return painter.boundingRect(box, wrapped, overlay.line)


def _paint_recording(painter: QPainter, width: float, elapsed: str, theme: Theme) -> float:
    """A red dot and the elapsed time in the upper right corner; returns the width they take."""
    if not elapsed:
        return 0.0
    painter.setFont(font(BODY_PT, QFont.Weight.DemiBold))
    text = f"Recording {elapsed}"
    metrics = QFontMetricsF(painter.font())
    wide = metrics.horizontalAdvance(text) + 20
    left, middle = width - PADDING - wide, PADDING + metrics.height() / 2
    dot = tinted("dot", theme.error, DOT_SIZE, painter.device().devicePixelRatioF())  # smooth without multisampling
    painter.drawPixmap(QPointF(round(left), round(middle - DOT_SIZE / 2)), dot)
    painter.setPen(QColor(theme.text))
    painter.drawText(QRectF(left + 18, PADDING, wide, metrics.height()), Qt.AlignmentFlag.AlignVCenter, text)
    return wide + PADDING


def caption_box(free: QRectF, caption: Caption) -> QRectF:
    """The plate of a text: above its point, on the side it asks for, on the other where there is no room."""
    metrics = QFontMetricsF(font(BODY_PT))
    wide, high = metrics.horizontalAdvance(caption.text) + 2 * CONTROL_GAP, metrics.height() + CONTROL_GAP
    right, left, y = caption.x + CAPTION_GAP, caption.x - CAPTION_GAP - wide, caption.y - high - 12
    leftwards = left > free.left() + EDGE_GAP if caption.leftwards else right + wide > free.right() - EDGE_GAP
    x = min(max(left if leftwards else right, free.left() + EDGE_GAP), free.right() - wide - EDGE_GAP)
    y = min(max(y, free.top() + EDGE_GAP), free.bottom() - high - EDGE_GAP)
    return QRectF(x, y, wide, high)


def _paint_caption(painter: QPainter, free: QRectF, caption: Caption, theme: Theme) -> QRectF:
    """Returns where it is."""
    painter.setFont(font(BODY_PT))
    plate = caption_box(free, caption)
    _plate(painter, plate, CORNER_RADIUS, theme)
    painter.setPen(QColor(theme.text))
    painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, caption.text)
    return plate


def _paint_letters(
    painter: QPainter, letters: tuple[Caption, ...], free: QRectF, plate: QRectF, theme: Theme
) -> None:
    """Whole letters alone: none at the rim of the view, none across other words."""
    painter.setFont(font(BODY_PT, QFont.Weight.DemiBold))
    size = QFontMetricsF(painter.font()).height()
    for letter, color in zip(letters, theme.axes, strict=False):
        box = QRectF(letter.x - size / 2, letter.y - size - 2, size, size)
        if free.contains(box) and not plate.intersects(box):
            painter.setPen(QColor(color))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, letter.text)


def _plate(painter: QPainter, box: QRectF, radius: float, theme: Theme) -> None:
    fill = QColor(theme.panel)
    fill.setAlphaF(0.92)
    painter.setBrush(fill)
    painter.setPen(QPen(QColor(theme.border), 1.0))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


_pills: dict[tuple[str, float, float], QPixmap] = {}


def pill_box(width: float, height: float) -> QRectF:
    """At the bottom of a view of this size, in the middle; in the corner of a low one, where it would hide the scene.

    On whole pixels: between them letters blur.
    """
    wide = round(
        QFontMetricsF(_pill_font()).horizontalAdvance(PILL_TEXT) + scaled(ICON_SIZE) + CONTROL_GAP + 2 * PILL_INSET
    )
    high = scaled(PILL_HEIGHT)
    if height < scaled(LOW_VIEW):
        return QRectF(CONTROL_GAP, height - high - CONTROL_GAP, wide, high)
    return QRectF(round((width - wide) / 2), height - high - 2 * PADDING, wide, high)


def _pill_font() -> QFont:
    return font(BODY_PT, QFont.Weight.DemiBold)


def _pill(theme_name: str, scale: float) -> QPixmap:
    """The hint, painted once: a raster image has smooth rounded ends without multisampling."""
    key = theme_name, scale, text_scale()
    if key in _pills:
        return _pills[key]
    theme, box = THEMES[theme_name], pill_box(0.0, 0.0)
    wide, high = box.width(), box.height()
    pixmap = QPixmap(round(wide * scale), round(high * scale))
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _plate(painter, QRectF(0, 0, wide, high), high / 2, theme)
    side = scaled(ICON_SIZE)
    painter.drawPixmap(QPointF(PILL_INSET, (high - side) / 2), tinted("hand", theme.text, side, scale))
    painter.setFont(_pill_font())
    painter.setPen(QColor(theme.text))
    text = QRectF(PILL_INSET + side + CONTROL_GAP, 0, wide, high)
    painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, PILL_TEXT)
    painter.end()
    _pills[key] = pixmap
    return pixmap
