"""The window while hands are in it: long_chain orbited and pulled, in a process of its own on a virtual screen."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.startup import SCREEN
from benchmarks.table import Row, at_least, at_most

PEERS: tuple[str, ...] = ()
SCENE = "long_chain"
GAP = 20.0  # [ms] that the event loop may be away, painting aside
KEEPS = 0.9  # of the real-time factor that the physics has without a window


def measure() -> Iterator[Row | str]:
    probe = [*SCREEN, sys.executable, "-m", "benchmarks.window_probe", SCENE]
    root = Path(__file__).parent.parent
    found = json.loads(subprocess.run(probe, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout)
    for what in ("orbit", "pull"):
        told = found[what]
        yield at_most(f"{SCENE}, {what}: longest gap of the event loop without paintGL", told["gap"], GAP, "ms")
        yield at_most(f"{SCENE}, {what}: longest the event loop itself computed", told["busy"], GAP, "ms")
        yield at_least(f"{SCENE}, {what}: real-time factor over that without a window", told["keeps"], KEEPS)
        yield (
            f"     {told['frames']} frames in {told['seconds']:.1f} s; paintGL median {told['paint_median']:.1f} ms, "
            f"p95 {told['paint_p95']:.1f} ms; gap p99 {told['gap_p99']:.1f} ms; "
            f"real-time factor {told['factor']:.3f} ({found['alone']:.3f} without a window)"
        )
