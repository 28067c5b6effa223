"""A weightless body tumbles about its middle axis for 60 s at 1 ms: what should stay, and what a step costs."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from functools import partial

import numpy as np

from benchmarks.mechanics import World, totals
from benchmarks.mechanisms import tumbling_body
from benchmarks.our_engine import OurWorld
from benchmarks.stopwatch import processor_time
from benchmarks.table import Row, at_most, columns
from sim.model import compile_model

PEERS = ("mujoco", "pybullet")
DT, ROUNDS, ROUND_STEPS = 1e-3, 60, 1000
HEADS = ("engine", "µs a step", "energy drift", "momentum drift")


def measure() -> Iterator[Row | str]:
    """Drifts of energy and of the angular momentum vector are relative, the largest of a reading every second."""
    from benchmarks import bullet_engine, mujoco_engine

    model = compile_model(tumbling_body())
    OurWorld(model, DT).advance(1)  # compiles
    worlds: dict[str, World] = {
        "impulse": OurWorld(model, DT),
        "MuJoCo RK4": mujoco_engine.FreeBodies(model, DT, "RK4"),
        "MuJoCo Euler": mujoco_engine.FreeBodies(model, DT, "Euler"),
        "PyBullet": bullet_engine.FreeBodies(model, DT),
    }
    times: dict[str, list[float]] = {name: [] for name in worlds}
    kept = {name: [totals(model, world.motion())] for name, world in worlds.items()}
    for _ in range(ROUNDS):
        for name, world in worlds.items():
            times[name].append(processor_time(partial(world.advance, ROUND_STEPS)))
            kept[name].append(totals(model, world.motion()))
    lines = []
    for name, history in kept.items():
        energy = np.array([t.kinetic for t in history])
        momentum = np.array([t.momentum for t in history])
        energy_drift = float(np.abs(energy / energy[0] - 1).max())
        away = np.linalg.norm(momentum - momentum[0], axis=1).max() / np.linalg.norm(momentum[0])
        lines.append((name, 1e6 * statistics.median(times[name]) / ROUND_STEPS, energy_drift, float(away)))
    yield columns(HEADS, lines)
    yield at_most("60 s of tumbling: energy drift of impulse", lines[0][2], 1e-13)
    yield at_most("60 s of tumbling: angular momentum drift of impulse", lines[0][3], 1e-13)
