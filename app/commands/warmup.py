"""Compile the kernels of the default scene, so that the window moves at once; a second time there is nothing to do."""

from __future__ import annotations

import argparse
import threading

from app.application import DEFAULT_SCENE

EXAMPLES = "example:\n  main.py warmup"
INTERVAL = 0.2  # [s]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    pass


def run(args: argparse.Namespace) -> int:
    from sim.files import load
    from sim.simulation import Simulation

    ready = threading.Event()
    reporter = threading.Thread(target=_report, args=(ready,), daemon=True)
    reporter.start()
    try:
        simulation = Simulation(load(DEFAULT_SCENE))
        simulation.step()
        simulation.snapshot()
        simulation.close()
    finally:
        ready.set()
        reporter.join()
    return 0


def _report(ready: threading.Event) -> None:
    """A line whenever another kernel is compiled."""
    from sim.jit import progress

    told = 0
    while True:
        last = ready.wait(INTERVAL)
        compiled, known = progress()
        if compiled > told:
            print(f"compiled {compiled} of {known} kernels", flush=True)
            told = compiled
        if last:
            return
