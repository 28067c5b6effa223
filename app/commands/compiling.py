"""Simulations whose kernels are compiled before the first step, with a count for whoever waits."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from sim.scene import Scene
    from sim.simulation import Simulation

INTERVAL = 0.5  # [s]; kernels from the cache are there sooner, and nothing is said about them


def prepared(scene: Scene) -> Simulation:
    """A simulation at its start, ready to step; its notes on stderr, and a count for people at a terminal."""
    with counted(sys.stderr if sys.stderr.isatty() else None):
        rehearse(scene)
    from sim.simulation import Simulation

    simulation = Simulation(scene)
    for note in simulation.notes:
        print(note, file=sys.stderr)
    return simulation


def rehearse(scene: Scene) -> None:
    """Compile whatever a step of this scene needs, by taking one."""
    from sim.simulation import Diverged, Simulation

    rehearsal = Simulation(scene)
    with contextlib.closing(rehearsal), contextlib.suppress(Diverged):
        rehearsal.step()
        rehearsal.snapshot()


@contextlib.contextmanager
def counted(stream: TextIO | None) -> Iterator[None]:
    """Tell on `stream` how many kernels are compiled while the block runs."""
    done = threading.Event()
    teller = threading.Thread(target=_tell, args=(stream, done), daemon=True)
    if stream:
        teller.start()
    try:
        yield
    finally:
        done.set()
        if stream:
            teller.join()


def _tell(stream: TextIO, done: threading.Event) -> None:
    """A line whenever another kernel is compiled."""
    import sim

    told, over = 0, False
    while not over:
        over = done.wait(INTERVAL)
        compiled, known = sim.compile_progress()
        if compiled > told and (told or not over):
            print(f"compiled {compiled} of {known} kernels", file=stream, flush=True)
            told = compiled
