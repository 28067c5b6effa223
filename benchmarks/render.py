"""Frames at 1280 × 720 in software OpenGL, beside MuJoCo's renderer and pyqtgraph's GLViewWidget.

Each draws the same balls and boxes, all of them moving, in a process of its own; they take turns. MuJoCo with the
shadow map and samples of our level Auto; pyqtgraph, which has no shadows, beside our level Fast without casters. Times
are processor time, for the driver draws on all cores; triangles are what it counts in all passes of a frame.
"""

from __future__ import annotations

import contextlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.startup import SCREEN
from benchmarks.table import Row, at_most, columns

PEERS = ("mujoco", "pyqtgraph")
ROOT = Path(__file__).parent.parent
COUNTS = (200, 2000)
ROUNDS, FRAMES = 5, 3
SAME = 0.2  # by how much the triangles may differ
PYTHON_ROUNDS = 60
NAMES = {"ours": "ours", "shadowless": "ours without shadows"}
RIVALS = {("mujoco", "auto"): "ours", ("pyqtgraph", "fast"): "shadowless"}  # and what of ours they are measured against


class Painter:
    """A process that draws when it is asked to."""

    def __init__(self, name: str, level: str, count: int) -> None:
        self.name = f"{NAMES[name]}, {level}" if name in NAMES else name
        screen = SCREEN if name == "pyqtgraph" else []
        command = [*screen, sys.executable, "-m", "benchmarks.painters", name, level, str(count)]
        environment = {**os.environ, "LIBGL_ALWAYS_SOFTWARE": "1"}
        self._process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.words: dict[str, Any] = {}
        self.seconds: list[float] = []

    def begin(self) -> None:
        self.words = self._answer()

    def draw(self, frames: int) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{frames}\n")
        self._process.stdin.flush()
        self.seconds += self._answer()

    @property
    def milliseconds(self) -> float:
        return 1e3 * statistics.median(self.seconds)

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise OSError(f"the renderer {self.name} ended with code {self._process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait()


def measure() -> Iterator[Row | str]:
    for count in COUNTS:
        wanted = [key for (peer, level), own in RIVALS.items() for key in ((own, level), (peer, level))]
        painters = {key: Painter(*key, count) for key in [*wanted, ("ours", "fast")]}
        try:
            yield from _compared(painters, count)
        finally:
            for painter in painters.values():
                painter.close()
    python = Painter("python", "auto", COUNTS[-1])
    try:
        python.begin()
        python.draw(PYTHON_ROUNDS)
        yield at_most(f"Python's part of a frame, {COUNTS[-1]} instances", python.milliseconds, 1.0, "ms")
    finally:
        python.close()


def _compared(painters: dict[tuple[str, str], Painter], count: int) -> Iterator[Row | str]:
    for painter in painters.values():
        painter.begin()
    for _ in range(ROUNDS):
        for painter in painters.values():
            painter.draw(FRAMES)
    yield columns(
        [f"{count} instances", "ms a frame", "triangles", "shadow map", "samples"],
        [
            (p.name, p.milliseconds, p.words["triangles"], p.words["shadow"], p.words["samples"])
            for p in painters.values()
        ],
    )
    for (peer, level), own in RIVALS.items():
        mine, other = painters[own, level], painters[peer, level]
        fewer, more = sorted((mine.words["triangles"], other.words["triangles"]))
        yield at_most(f"triangles of a frame, ours and {peer}, {count} instances, difference", 1 - fewer / more, SAME)
        ratio = mine.milliseconds / other.milliseconds
        yield at_most(f"time of a frame, ours / {peer}, {count} instances", ratio, 1.0)
