"""Every time the program promises, measured and printed with its bound. Exits with 1 if one is past it.

Start-up is measured as a user meets it: the real program in a process of its own, on a virtual screen.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parent.parent
MAIN = [sys.executable, str(ROOT / "main.py")]
SCREEN = ["xvfb-run", "-a", "-s", "-screen 0 2560x1440x24 +extension GLX +render -noreset"]
SCREEN += ["env", "-u", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM=xcb"]
ROUNDS = 5

sys.path.insert(0, str(ROOT))


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


def simulated_second() -> dict[str, float]:
    """Milliseconds of processor time for one simulated second of arm_reach, engines interleaved, medians."""
    from sim.backend import BACKENDS, unavailable
    from sim.files import load
    from sim.simulation import Simulation

    worlds = {name: Simulation(load("arm_reach"), name) for name in BACKENDS if not unavailable(name)}
    times: dict[str, list[float]] = {name: [] for name in worlds}
    for world in worlds.values():
        world.advance(0.1)
    for _ in range(ROUNDS):
        for name, world in worlds.items():
            times[name].append(1000 * _processor_time(lambda world=world: world.advance(1.0)))
    return {name: statistics.median(values) for name, values in times.items()}


def _processor_time(work: Callable[[], None]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main() -> int:
    rows = [("run arm_reach --duration 1, nothing compiled", cold_start(), 20.0, "s")]
    paint, motion = window_start()
    rows += [("window: first paint", paint, 1.0, "s"), ("window: first motion", motion, 2.0, "s")]
    for name, cost in simulated_second().items():
        rows.append((f"arm_reach on {name}, a simulated second", cost, 200.0, "ms"))
    for what, value, bound, unit in rows:
        print(f"{'ok  ' if value <= bound else 'PAST'} {what:48} {value:8.3g} {unit:2}  (at most {bound:g} {unit})")
    return int(any(value > bound for _, value, bound, _ in rows))


if __name__ == "__main__":
    sys.exit(main())
