"""Start-up as a user meets it: the real program in a process of its own, on a virtual screen."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.table import Row, at_most

PEERS: tuple[str, ...] = ()
MAIN = [sys.executable, str(Path(__file__).parent.parent / "main.py")]
SCREEN = ["xvfb-run", "-a", "-s", "-screen 0 2560x1440x24 +extension GLX +render -noreset"]
SCREEN += ["env", "-u", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM=xcb"]
ROUNDS = 5


def measure() -> Iterator[Row | str]:
    yield at_most("run arm_reach --duration 1, nothing compiled", cold_start(), 20.0, "s")
    paint, motion = window_start()
    yield at_most("window: first paint", paint, 1.0, "s")
    yield at_most("window: first motion", motion, 2.0, "s")


def cold_start() -> float:
    """Seconds of `main.py run arm_reach --duration 1` with nothing compiled."""
    with tempfile.TemporaryDirectory() as cache:
        begin = time.perf_counter()
        command = [*MAIN, "run", "arm_reach", "--duration", "1"]
        subprocess.run(command, env={**os.environ, "NUMBA_CACHE_DIR": cache}, check=True, stdout=subprocess.DEVNULL)
        return time.perf_counter() - begin


def window_start() -> tuple[float, float]:
    """Seconds from process start to the first paint and to the first motion, medians, caches warm."""
    paints, motions = [], []
    for _ in range(ROUNDS):
        with tempfile.TemporaryDirectory() as folder:
            report, shot = Path(folder) / "report.json", Path(folder) / "shot.png"
            command = [*SCREEN, *MAIN, "arm_reach", "--report", str(report), "--shot", str(shot), "--after", "0.5"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            times = json.loads(report.read_text())
        paints.append(times["first_paint"])
        motions.append(times["first_motion"])
    return statistics.median(paints), statistics.median(motions)
