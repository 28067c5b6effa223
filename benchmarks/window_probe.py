"""What `benchmarks/window.py` runs: the program's window, hands in it, and a clock beside. Prints JSON.

A heartbeat in the event loop tells how long it was away. Of each gap the time that goes into drawing is taken off:
paintGL, and from `aboutToCompose` to `frameSwapped`, where Qt lays the view under the other widgets and swaps; no
Python runs there, and without a graphics card it is the driver's work like paintGL itself. What the other widgets
paint comes before that and counts. What is left is what dragging would feel as a stutter even on a graphics card.
"""

from __future__ import annotations

import json
import math
import os
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
from app.garbage import spare_the_start
from app.render.platform import choose_for_qt
from app.render.qt_context import gl_format
from app.session import Session
from app.settings import Settings
from app.stage import load_stage
from app.viewport import Viewport
from app.window import Window
from sim.files import load
from sim.runner import Runner

SIZE = (1280, 800)
WARM_UP, SECONDS, ALONE = 3.0, 6.0, 3.0  # [s]
MOVE = 8  # [ms] between two motions of the mouse
BEAT = 1  # [ms]
LEFT, NONE, CTRL = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier

WALL, OWN, QUEUED = range(3)  # clocks [s]: on the wall, processor time of this thread, its waiting for a processor
Moment = tuple[float, float, float]
Interval = tuple[Moment, Moment]
_SCHEDULE = os.open("/proc/thread-self/schedstat", os.O_RDONLY)  # nanoseconds: run, ready to run but waiting; turns


def now() -> Moment:
    _, queued, _ = os.pread(_SCHEDULE, 100, 0).split()
    return time.perf_counter(), time.thread_time(), 1e-9 * int(queued)


class Drawing:
    """When the window drew: the viewport's paintGL with a clock around it, and Qt's composing."""

    def __init__(self) -> None:
        self.paints: list[Interval] = []
        self.composed: list[Interval] = []
        self._begin: Moment | None = None
        paint = Viewport.paintGL

        def timed(viewport: Viewport) -> None:
            begin = now()
            paint(viewport)
            self.paints.append((begin, now()))

        Viewport.paintGL = timed  # type: ignore[method-assign]

    def watch(self, viewport: Viewport) -> None:
        viewport.aboutToCompose.connect(self._compose)
        viewport.frameSwapped.connect(self._swapped)

    def _compose(self) -> None:
        self._begin = now()

    def _swapped(self) -> None:
        if self._begin is not None:
            self.composed.append((self._begin, now()))
            self._begin = None


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
    drawing = Drawing()
    QSurfaceFormat.setDefaultFormat(gl_format())
    app = QApplication(sys.argv[:1])
    choose_for_qt(QGuiApplication.platformName())
    style.apply(app, "light")
    with tempfile.TemporaryDirectory() as folder:
        session = Session(load_stage(scene))
        spare_the_start(session)
        window = Window(session, Settings(Path(folder) / "settings.ini"), "light")
        drawing.watch(window.viewport)
        window.take_place(SIZE)
        window.show()
        wait_for_motion(app, window)
        found: dict[str, Any] = {"alone": alone}
        for what, keys in (("orbit", NONE), ("pull", CTRL)):
            found[what] = drag(window, drawing, keys, alone)
        window.close()
    print(json.dumps(found))


def wait_for_motion(app: QApplication, window: Window) -> None:
    end = time.perf_counter() + 120.0
    while window.session.snapshot.time < WARM_UP and time.perf_counter() < end:
        app.processEvents()
        time.sleep(0.002)


def drag(window: Window, drawing: Drawing, keys: Qt.KeyboardModifier, alone: float) -> Any:
    """Hold the left button and lead the mouse round and round."""
    viewport, beats = window.viewport, [now()]
    center = grip(window) if keys == CTRL else QPoint(viewport.width() // 4, viewport.height() // 4)
    begin = time.perf_counter()
    start, first = window.session.snapshot.time, (len(drawing.paints), len(drawing.composed))

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
    paints, composed = drawing.paints[first[0] :], drawing.composed[first[1] :]
    parts = {"paint": paints, "compose": composed}
    gaps, busy, queued = (
        1e3 * np.array([without((a, b), paints + composed, clock) for a, b in pairwise(beats)])
        for clock in (WALL, OWN, QUEUED)
    )
    worst = int(gaps.argmax())
    return {
        "gap": float(gaps.max()),
        "gap_p99": float(np.quantile(gaps, 0.99)),
        "of_gap": (float(busy[worst]), float(queued[worst])),
        "held": float((gaps - queued).max()),
        "busy": float(busy.max()),
        "frames": len(paints),
        "seconds": seconds,
        "factor": factor,
        "keeps": factor / alone,
    } | {name: [spread(part, clock) for clock in (WALL, OWN, QUEUED)] for name, part in parts.items()}


def spread(parts: list[Interval], clock: int) -> tuple[float, float, float]:
    """Median, 95th percentile and longest [ms]."""
    lengths = 1e3 * np.array([end[clock] - begin[clock] for begin, end in parts])
    median, most, longest = (float(np.quantile(lengths, part)) for part in (0.5, 0.95, 1.0))
    return median, most, longest


def grip(window: Window) -> QPoint:
    """Where the middle body of the scene is seen."""
    hand, snapshot = window.viewport.hand, window.session.snapshot
    [(x, y)] = hand.camera.project(snapshot.position[len(snapshot.position) // 2][None], *hand.size)
    return QPoint(round(float(x)), round(float(y)))


def without(gap: Interval, drawing: list[Interval], clock: int) -> float:
    """The length of a gap by one of the clocks, less what was spent in drawing."""
    drawn = sum(end[clock] - begin[clock] for begin, end in drawing if gap[0] <= begin and end <= gap[1])
    return gap[1][clock] - gap[0][clock] - drawn


if __name__ == "__main__":
    main(sys.argv[1])
