"""The program's own icons, drawn in the current text colour."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from PyQt6.QtCore import QByteArray, QRectF, Qt
from PyQt6.QtGui import QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PyQt6.QtSvg import QSvgRenderer

from app.theme import ICON_SIZE

FOLDER = Path(__file__).parents[1] / "assets" / "icons"
SCALES = (1, 2, 3, 4)


def icon(name: str) -> QIcon:
    """The icon in the text colour of the palette, muted where it is disabled."""
    palette = QGuiApplication.palette()
    return _icon(
        name,
        palette.color(QPalette.ColorRole.WindowText).name(),
        palette.color(QPalette.ColorRole.PlaceholderText).name(),
    )


def tinted(name: str, color: str, size: int = ICON_SIZE, scale: float = 1.0) -> QPixmap:
    """The icon as a pixmap of `size` logical pixels."""
    svg = (FOLDER / f"{name}.svg").read_text(encoding="utf-8").replace("currentColor", color)
    pixels = round(size * scale)
    pixmap = QPixmap(pixels, pixels)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    pixmap.setDevicePixelRatio(scale)
    return pixmap


@cache
def _icon(name: str, color: str, disabled: str) -> QIcon:
    result = QIcon()
    for scale in SCALES:
        result.addPixmap(tinted(name, color, scale=scale), QIcon.Mode.Normal)
        result.addPixmap(tinted(name, disabled, scale=scale), QIcon.Mode.Disabled)
    return result
