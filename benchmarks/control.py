"""Controllers, engine and history of the default scene: at once, in batches, and under a rain of commands."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from benchmarks.stopwatch import interleaved
from benchmarks.table import Row, at_least, at_most

if TYPE_CHECKING:
    from sim.simulation import Simulation

PEERS = ()
ROUNDS = 7
ENGINES = ("impulse", "tree")
BATCH = 4  # steps that the runner takes at a wake, 250 times a second
SECONDS = 30.0
EVERY = 1e-3  # [s] a command


def measure() -> Iterator[Row | str]:
    from sim.files import load
    from sim.simulation import Simulation

    worlds = {name: Simulation(load("arm_reach"), name) for name in ENGINES}
    for world in worlds.values():
        world.advance(0.1)
    at_once = interleaved({name: partial(world.advance, 1.0) for name, world in worlds.items()}, ROUNDS)
    batches = interleaved({name: partial(_in_batches, world) for name, world in worlds.items()}, ROUNDS)
    for name in ENGINES:
        yield at_most(f"arm_reach on {name}, a simulated second at once", 1e3 * at_once[name], 10.0, "ms")
        yield at_most(f"arm_reach on {name}, the same as the runner steps it", 1e3 * batches[name], 30.0, "ms")
    from benchmarks.reaching import failures

    for name in ("arm_reach", "ball_arm_reach"):
        met = 200 - len(failures(name, "tree", 200, everywhere=True))
        yield f"     {name}: {met} of 200 places anywhere in reach met within 1 mm after 5 s, from starts anywhere"
    yield from _rain()


def _in_batches(world: Simulation) -> None:
    """A second of steps, a snapshot after every batch."""
    for _ in range(round(1.0 / (BATCH * world.dt))):
        world.step(BATCH)
        world.snapshot()


def _rain() -> Iterator[Row]:
    """The runner for half a minute with a thousand commands a second: its clock, and the order of its answers."""
    from sim.command import Applied, SetTarget
    from sim.files import load
    from sim.runner import Runner

    runner = Runner(load("arm_reach"))
    runner.start()
    while runner.latest is None or runner.latest.step < 100:
        time.sleep(0.01)
    first, begin, sent = runner.latest, time.perf_counter(), []
    while (now := time.perf_counter() - begin) < SECONDS:
        while len(sent) < now / EVERY:
            phase = 1e-3 * len(sent)
            sent.append(SetTarget("target", (0.6, 0.15 * math.sin(phase), 0.6 + 0.1 * math.cos(phase))))
            runner.send(sent[-1])
        time.sleep(0.5 * EVERY)
    last, end = runner.latest, time.perf_counter()
    runner.close()
    events = []
    while not runner.events.empty():
        events.append(runner.events.get())
    applied = [event for event in events if isinstance(event, Applied) and isinstance(event.command, SetTarget)]
    in_order = sum(event.command is command for event, command in zip(applied, sent, strict=False))
    factor = (last.time - first.time) / (end - begin)
    yield at_most("real-time factor over 30 s with 1000 commands a second, off 1 by", abs(factor - 1.0), 0.01)
    yield at_least("commands applied in the order in which they were sent", in_order / len(sent), 1.0)
    steps = [event.step for event in applied]
    back = sum(later < earlier for earlier, later in pairwise(steps))
    yield at_most("commands applied at an earlier step than the one before", float(back), 0.0)
