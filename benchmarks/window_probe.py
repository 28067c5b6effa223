"""What `benchmarks/window.py` runs: the program's window, hands in it, and a clock beside. Prints JSON.

A heartbeat in the event loop tells how long it was away. Of each gap the time inside paintGL is taken off: what is
left is what dragging would feel as a stutter even on a graphics card.
"""

from __future__ import annotations

import json
import math
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from PyQt6.QtCore import QEventLoop, QPoint, Qt, QTimer
from PyQt6.QtGui import QGuiApplication, QSurfaceFormat
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from app import style
from app.render.platform import choose_for_qt
from app.session import Session
from app.settings import Settings
from app.stage import load_stage
from app.viewport import Viewport, gl_format
from app.window import Window
from sim.files import load
from sim.runner import Runner

SIZE = (1280, 800)
WARM_UP, SECONDS, ALONE = 3.0, 6.0, 3.0  # [s]
MOVE = 8  # [ms] between two motions of the mouse
BEAT = 1  # [ms]
LEFT, NONE, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier

Moment = tuple[float, float]  # on the wall, and of this thread's processor time [s]
Interval = tuple[Moment, Moment]


def now() -> Moment:
    return time.perf_counter(), time.thread_time()


class TimedViewport:
    """Viewport.paintGL with a clock around it."""

    def __init__(self) -> None:
        self.paints: list[Interval] = []
        paint = Viewport.paintGL

        def timed(viewport: Viewport) -> None:
            begin = now()
            paint(viewport)
            self.paints.append((begin, now()))

        Viewport.paintGL = timed  # type: ignore[method-assign]


def factor_alone(scene: str) -> float:
    """Simulated seconds a second of the physics thread without a window."""
    runner = Runner(load(scene))
    runner.start()
    while runner.latest is None or runner.latest.time < 0.5:
        time.sleep(0.01)
    begin, start = runner.latest.time, time.perf_counter()
    time.sleep(ALONE)
    factor = (runner.latest.time - begin) / (time.perf_counter() - start)
    runner.stop()
    return factor


def main(scene: str) -> None:
    alone = factor_alone(scene)
    timed = TimedViewport()
    QSurfaceFormat.setDefaultFormat(gl_format())
    app = QApplication(sys.argv[:1])
    choose_for_qt(QGuiApplication.platformName())
    style.apply(app, "light")
    with tempfile.TemporaryDirectory() as folder:
        window = Window(Session(load_stage(scene)), Settings(Path(folder) / "settings.ini"), "light")
        window.take_place(SIZE)
        window.show()
        wait_for_motion(app, window)
        found: dict[str, Any] = {"alone": alone}
        for what, keys in (("orbit", NONE), ("pull", CTRL)):
            found[what] = drag(window, timed, keys, alone)
        window.close()
    print(json.dumps(found))


def wait_for_motion(app: QApplication, window: Window) -> None:
    end = time.perf_counter() + 120.0
    while window.session.snapshot.time < WARM_UP and time.perf_counter() < end:
        app.processEvents()
        time.sleep(0.002)


def drag(window: Window, timed: TimedViewport, keys: Qt.KeyboardModifier, alone: float) -> Any:
    """Hold the left button and lead the mouse round and round."""
    viewport, beats = window.viewport, [now()]
    center = grip(window) if keys == CTRL else QPoint(viewport.width() // 4, viewport.height() // 4)
    begin = time.perf_counter()
    start, first = window.session.snapshot.time, len(timed.paints)

    def move() -> None:
        t = time.perf_counter() - begin
        QTest.mouseMove(viewport, center + QPoint(round(80 * math.sin(2 * t)), round(40 * math.sin(3 * t))))

    hand, heart = QTimer(interval=MOVE), QTimer(interval=BEAT)
    for timer in (hand, heart):
        timer.setTimerType(Qt.TimerType.PreciseTimer)
    hand.timeout.connect(move)
    heart.timeout.connect(lambda: beats.append(now()))
    QTest.mousePress(viewport, LEFT, keys, center)
    hand.start()
    heart.start()
    loop = QEventLoop()
    QTimer.singleShot(round(1e3 * SECONDS), loop.quit)
    loop.exec()
    hand.stop()
    heart.stop()
    seconds = time.perf_counter() - begin
    QTest.mouseRelease(viewport, LEFT, keys, center)
    factor = (window.session.snapshot.time - start) / seconds
    paints = timed.paints[first:]
    gaps, busy = (1e3 * np.array([without((a, b), paints, clock) for a, b in pairwise(beats)]) for clock in (0, 1))
    lengths = 1e3 * np.array([end[0] - start[0] for start, end in paints])
    return {
        "gap": float(gaps.max()),
        "gap_p99": float(np.quantile(gaps, 0.99)),
        "busy": float(busy.max()),
        "frames": len(paints),
        "seconds": seconds,
        "paint_median": float(np.median(lengths)),
        "paint_p95": float(np.quantile(lengths, 0.95)),
        "factor": factor,
        "keeps": factor / alone,
    }


def grip(window: Window) -> QPoint:
    """Where the middle body of the scene is seen."""
    hand, snapshot = window.viewport.hand, window.session.snapshot
    [(x, y)] = hand.camera.project(snapshot.position[len(snapshot.position) // 2][None], *hand.size)
    return QPoint(round(float(x)), round(float(y)))


def without(gap: Interval, paints: list[Interval], clock: int) -> float:
    """The length of a gap by one of the clocks, less what was spent in paintGL."""
    painting = sum(end[clock] - begin[clock] for begin, end in paints if gap[0] <= begin and end <= gap[1])
    return gap[1][clock] - gap[0][clock] - painting


if __name__ == "__main__":
    main(sys.argv[1])
