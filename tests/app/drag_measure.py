"""Drags the target of a window with real mouse events and prints, as JSON, how far its colour is from the cursor.

A process of its own, because QT_SCALE_FACTOR is read once. Every grab is of the screen, after one painting.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QGuiApplication, QImage, QSurfaceFormat
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from app.render.platform import choose_for_qt
from app.render.qt_context import gl_format
from app.session import Session
from app.settings import Settings
from app.stage import load_stage
from app.window import Window
from sim.command import Play, SetSpeed

CAMERAS = {
    "home": {},
    "side": {"azimuth": 0.4, "elevation": 0.05},
    "above, orthographic": {"azimuth": -2.0, "elevation": 1.1, "orthographic": True},
}
PACES = {"running": (True, 1.0), "paused": (False, 1.0), "slow": (True, 0.2)}
WAY = ((26, -18), (60, -45), (-35, -70), (-60, 20))  # from the first press [px]
START = (0.45, -0.1, 0.55)
WORDS = 44  # [px] at the top, where a warning in a similar colour may stand
LEFT = Qt.MouseButton.LeftButton


def wait(condition, seconds=120.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        QTest.qWait(5)


def amber(image: QImage) -> np.ndarray:
    """(n, 2) x and y of pixels with the target's hue, faint where something hides it."""
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    data = np.frombuffer(image.constBits().asstring(image.sizeInBytes()), np.uint8).reshape(image.height(), -1)
    rgb = data[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).astype(float)
    r, g, b = rgb[:, :, 0], rgb[:, :, 1], rgb[:, :, 2]
    spread = np.maximum(r - b, 1e-9)
    hue = 60.0 * (g - b) / spread  # in degrees, where red is largest and blue smallest
    found = (r >= g) & (g > b) & (spread > 0.25 * r) & (hue > 33.0) & (hue < 52.0)
    return np.argwhere(found)[:, ::-1]


class Drag:
    def __init__(self) -> None:
        QSurfaceFormat.setDefaultFormat(gl_format())
        self.app = QApplication(sys.argv[:1])
        choose_for_qt(QGuiApplication.platformName())
        self.session = Session(load_stage("arm_reach"))
        self.window = Window(self.session, Settings(Path(tempfile.mkdtemp()) / "settings.ini"), "light")
        self.window.take_place((1100, 690))
        self.window.show()
        self.window.activateWindow()
        self.view, self.hand = self.window.viewport, self.window.viewport.hand
        self.frames = 0
        self.view.frameSwapped.connect(self._count)
        wait(lambda: self.session.snapshot.step > 0)

    def _count(self) -> None:
        self.frames += 1

    def painted(self) -> None:
        """Until the view has been painted with what holds now."""
        before = self.frames
        self.view.update()
        wait(lambda: self.frames > before)

    def gap(self, cursor: QPoint) -> float:
        """Physical pixels from the cursor to the middle of the target's colour on the screen."""
        self.painted()
        shot = self.window.screen().grabWindow(self.window.winId()).toImage()
        scale = shot.width() / self.window.width()
        left, top = self.view.mapTo(self.window, QPoint(0, 0)).x(), self.view.mapTo(self.window, QPoint(0, WORDS)).y()
        width, height = self.view.width(), self.view.height() - WORDS
        part = shot.copy(*(round(scale * n) for n in (left, top, width, height)))
        found = amber(part)
        assert len(found) > 300, "the target is not in view"
        middle = found.mean(axis=0) + 0.5  # pixels are one wide
        return float(np.hypot(*(middle - scale * np.array([cursor.x() + 0.5, cursor.y() + 0.5 - WORDS]))))

    def run(self, camera: dict[str, object], running: bool, speed: float) -> float:
        session, view, hand = self.session, self.view, self.hand
        session.reset()
        session.send(SetSpeed(speed))
        session.send(Play(running))
        wait(lambda: session.snapshot.running == running and session.snapshot.speed == speed)
        hand.camera = replace(session.stage.home(), **camera)
        session.set_target(0, START)
        wait(lambda: tuple(session.snapshot.targets[0]) == START)
        x, y = (round(float(c)) for c in hand.camera.project(session.snapshot.targets[:1], *hand.size)[0])
        QTest.mousePress(view, LEFT, Qt.KeyboardModifier.NoModifier, QPoint(x, y))
        worst = 0.0
        for dx, dy in WAY:
            for part in (0.4, 1.0):
                cursor = QPoint(round(x + part * dx), round(y + part * dy))
                QTest.mouseMove(view, cursor)
                worst = max(worst, self.gap(cursor))
        QTest.mouseRelease(view, LEFT, Qt.KeyboardModifier.NoModifier, cursor)
        return worst


def main() -> None:
    drag = Drag()
    result = {
        f"{name}, {pace}": round(drag.run(camera, *PACES[pace]), 2)
        for name, camera in CAMERAS.items()
        for pace in PACES
    }
    print(json.dumps({"scale": drag.view.devicePixelRatioF(), "gaps": result}))
    drag.window.close()


if __name__ == "__main__":
    main()
