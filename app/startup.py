"""Times since the process began, and the report about the start that `--report` writes."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from sim.files.draft import Draft

_IMPORTED = time.perf_counter()


def process_age() -> float:
    """Seconds since this process was started; since this module was imported where the system does not tell."""
    try:
        fields = Path("/proc/self/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        started = int(fields[19]) / os.sysconf("SC_CLK_TCK")  # field 22 of proc(5), in ticks since boot
        return time.clock_gettime(time.CLOCK_BOOTTIME) - started
    except (OSError, AttributeError, ValueError):
        return time.perf_counter() - _IMPORTED


def write_report(path: Path, report: dict[str, float | str]) -> None:
    with Draft(path) as draft:
        Path(draft.path).write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
