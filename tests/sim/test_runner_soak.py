"""The physics thread started and stopped again and again."""

from __future__ import annotations

import gc
import os
import threading
import time
from pathlib import Path

import pytest

from sim.files import load
from sim.runner import Runner

PAGE = os.sysconf("SC_PAGE_SIZE")


def resident() -> int:
    """Bytes of memory in use."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def handles() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.soak
def test_a_thousand_starts_and_stops_leave_nothing_behind():
    """Every tenth is a new runner, on each of the engines in turn; the others go on with the world there is."""
    threads = threading.active_count()
    runner, sizes, open_files = None, [], []
    for turn in range(1000):
        if turn % 10 == 0:
            if runner:
                runner.close()
            engine = ("impulse", "tree", "pybullet")[turn // 10 % 3]
            runner = Runner(load("arm_reach", {"backend": engine}))
        step = runner.latest.step if runner.latest else 0
        runner.start()
        while runner.latest is None or runner.latest.step <= step:
            time.sleep(0.0005)
        runner.stop()
        assert threading.active_count() == threads
        if turn % 100 == 99:
            sizes.append(resident())
            open_files.append(handles())
    runner.close()
    assert open_files[-1] == open_files[1]
    assert sizes[-1] - sizes[2] < 20e6
