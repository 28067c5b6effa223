"""Text and signs painted over the picture of the viewport."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPixmap

from app.gestures import Caption
from app.icons import tinted
from app.numbers import compact
from app.style import font, scaled, text_scale
from app.theme import BODY_PT, CONTROL_GAP, CORNER_RADIUS, FOCUS_RING, ICON_SIZE, PADDING, THEMES, Theme
from sim.state import Snapshot

PILL_TEXT = "Drag the amber ball"
LAGGING = 0.9  # of the wanted speed


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
        pill = _pill(theme_name, painter.device().devicePixelRatioF())
        size = pill.deviceIndependentSize()
        left, top = round((width - size.width()) / 2), round(height - size.height() - 2 * PADDING)
        painter.drawPixmap(QPointF(left, top), pill)  # on whole pixels: between them letters blur
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
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.error))
    painter.drawEllipse(QPointF(left + 6, middle), 5.0, 5.0)
    painter.setPen(QColor(theme.text))
    painter.drawText(QRectF(left + 18, PADDING, wide, metrics.height()), Qt.AlignmentFlag.AlignVCenter, text)
    return wide + PADDING


def _paint_caption(painter: QPainter, free: QRectF, caption: Caption, theme: Theme) -> QRectF:
    """On a small plate right of its point, or left where there is no room; returns where that is."""
    painter.setFont(font(BODY_PT))
    metrics = QFontMetricsF(painter.font())
    wide, high = metrics.horizontalAdvance(caption.text) + 2 * CONTROL_GAP, metrics.height() + CONTROL_GAP
    x = caption.x + 28 if caption.x + 28 + wide < free.right() - 4 else caption.x - 28 - wide
    y = caption.y - high - 12
    left = min(max(x, 4.0), free.right() - wide - 4)
    plate = QRectF(left, min(max(y, free.top() + 4), free.bottom() - high - 4), wide, high)
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


def _pill(theme_name: str, scale: float) -> QPixmap:
    """The hint, painted once: a raster image has smooth rounded ends without multisampling."""
    key = theme_name, scale, text_scale()
    if key in _pills:
        return _pills[key]
    theme, letters = THEMES[theme_name], font(BODY_PT, QFont.Weight.DemiBold)
    metrics = QFontMetricsF(letters)
    wide = round(metrics.horizontalAdvance(PILL_TEXT) + ICON_SIZE + CONTROL_GAP + 2 * 16)
    high = scaled(36)
    pixmap = QPixmap(round(wide * scale), round(high * scale))
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _plate(painter, QRectF(0, 0, wide, high), high / 2, theme)
    painter.drawPixmap(QPointF(16, (high - ICON_SIZE) / 2), tinted("hand", theme.text, ICON_SIZE, scale))
    painter.setFont(letters)
    painter.setPen(QColor(theme.text))
    text = QRectF(16 + ICON_SIZE + CONTROL_GAP, 0, wide, high)
    painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, PILL_TEXT)
    painter.end()
    _pills[key] = pixmap
    return pixmap
