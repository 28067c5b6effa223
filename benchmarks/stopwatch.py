"""Processor time, with everything that is compared taking turns: a busy machine then slows all of them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def processor_time(work: Callable[[], None]) -> float:
    """Seconds of processor time, of all threads of this process."""
    begin = time.process_time()
    work()
    return time.process_time() - begin


def interleaved(works: Mapping[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """The median of each over the rounds [s]; a round does every work once."""
    times: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(processor_time(work))
    return {name: statistics.median(values) for name, values in times.items()}
