"""The window while hands are in it: long_chain orbited and pulled, in a process of its own on a virtual screen."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.startup import SCREEN
from benchmarks.table import Row, at_least, at_most, columns

PEERS: tuple[str, ...] = ()
SCENE = "long_chain"
GAP = 20.0  # [ms] that the event loop may be away, drawing aside
PARTS = {"paint": "paintGL", "compose": "composing and swapping"}
HEADS = ("median / p95 / longest [ms]", "on the wall", "computed by its thread", "waiting for a processor")
KEEPS = 0.9  # of the real-time factor that the physics has without a window


def measure() -> Iterator[Row | str]:
    probe = [*SCREEN, sys.executable, "-m", "benchmarks.window_probe", SCENE]
    root = Path(__file__).parent.parent
    found = json.loads(subprocess.run(probe, cwd=root, check=True, stdout=subprocess.PIPE, text=True).stdout)
    for what in ("orbit", "pull"):
        told = found[what]
        yield at_most(f"{SCENE}, {what}: longest gap of the event loop without drawing", told["gap"], GAP, "ms")
        yield at_most(f"{SCENE}, {what}: longest it was held up by the program", told["held"], GAP, "ms")
        yield at_most(f"{SCENE}, {what}: longest it computed itself", told["busy"], GAP, "ms")
        yield at_least(f"{SCENE}, {what}: real-time factor over that without a window", told["keeps"], KEEPS)
        busy, queued = told["of_gap"]
        yield (
            f"     of the longest gap {busy:.1f} ms computed, {queued:.1f} ms waiting for a processor; "
            f"p99 of the gaps {told['gap_p99']:.1f} ms"
        )
        yield (
            f"     {told['frames']} frames in {told['seconds']:.1f} s; "
            f"real-time factor {told['factor']:.3f} ({found['alone']:.3f} without a window)"
        )
        yield columns(HEADS, [line(words, told[name]) for name, words in PARTS.items()])


def line(words: str, clocks: list[list[float]]) -> list[str]:
    return [words, *(" / ".join(f"{ms:.1f}" for ms in clock) for clock in clocks)]
