"""The whole simulation of the default scene, controllers and all, on every engine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from benchmarks.stopwatch import interleaved
from benchmarks.table import Row, at_most

PEERS = ("pybullet",)
ROUNDS = 5
BOUNDS = {"impulse": 10.0, "tree": 10.0, "pybullet": 200.0}  # [ms]


def measure() -> Iterator[Row | str]:
    """Processor time of a simulated second."""
    from sim.backend import BACKENDS
    from sim.files import load
    from sim.simulation import Simulation

    worlds = {name: Simulation(load("arm_reach"), name) for name in BACKENDS}
    for world in worlds.values():
        world.advance(0.1)
    seconds = interleaved({name: partial(world.advance, 1.0) for name, world in worlds.items()}, ROUNDS)
    for name, cost in seconds.items():
        yield at_most(f"arm_reach on {name}, a simulated second", 1e3 * cost, BOUNDS[name], "ms")
