"""A double pendulum from three starts at 1 ms: how far from the true end at 4 s, and the energy drift over 10 s."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.mechanics import Array, Motion, energy_drift, totals
from benchmarks.mechanisms import double_pendulum
from benchmarks.our_engine import OurWorld
from benchmarks.table import Row, at_least, columns
from sim.backend import create
from sim.model import Model, compile_model

PEERS = ("mujoco", "pybullet")
DT, END, DURATION, READ_EVERY = 1e-3, 4.0, 10.0, 10  # [s], [s], [s], [steps]

# Starts, and q at t = 4 s from a 34-digit extrapolation.
REFERENCES = {
    "a": ((0.2, 0.1), (18.258280778478, 8.850180755529)),
    "b": ((0.5, 0.5), (2.313101526686, -5.101177799781)),
    "c": ((3 * math.pi / 4, 3 * math.pi / 4), (3.449166380392, -7.857784683046)),
}
BOUND_STARTS = ("b", "c")  # start a is chaotic: after 4 s a first-order engine may be near the truth by luck
BOUND_PEERS = ("PyBullet", "MuJoCo Euler")
HEADS = ("start", "engine", "|q − reference| [rad]", "energy drift")

Run = tuple[Callable[[int], None], Callable[[], tuple[Array, Array]]]  # advance by steps, and q and v


def measure() -> Iterator[Row | str]:
    """Energies of all engines come from their q and v, by one function."""
    lines: list[tuple[str, str, float, float]] = []
    for start, (q, reference) in REFERENCES.items():
        model = compile_model(double_pendulum(*q))
        lines += [(start, name, *_errors(model, run, reference)) for name, run in _engines(model).items()]
    yield columns(HEADS, lines)
    miss = {(start, name): error for start, name, error, _ in lines}
    for start in BOUND_STARTS:
        for peer in BOUND_PEERS:
            ratio = miss[start, peer] / miss[start, "impulse"]
            yield at_least(f"double pendulum {start}: nearer to the reference than {peer}", ratio, 1.0, "×")


def _engines(model: Model) -> dict[str, Run]:
    from benchmarks.mujoco_engine import HingeTree

    def ours(engine: str) -> Run:
        world = OurWorld(model, DT, engine)

        def coordinates() -> tuple[Array, Array]:
            reading = world.backend.read()
            return reading.q, reading.v

        return world.advance, coordinates

    def mujoco(integrator: str) -> Run:
        world = HingeTree(model, DT, integrator)
        return world.advance, world.coordinates

    return {
        "impulse": ours("impulse"),
        "PyBullet": ours("pybullet"),
        **{f"MuJoCo {integrator}": mujoco(integrator) for integrator in ("Euler", "implicitfast", "RK4")},
    }


def _errors(model: Model, run: Run, reference: tuple[float, float]) -> tuple[float, float]:
    """(the larger error of the two angles at END, energy drift over DURATION)."""
    advance, coordinates = run
    ruler = create("impulse", model)
    history, miss = [], math.nan
    for reading in range(round(DURATION / DT / READ_EVERY) + 1):
        if reading:
            advance(READ_EVERY)
        q, v = coordinates()
        if reading == round(END / DT / READ_EVERY):
            miss = float(np.abs(q - reference).max())
        ruler.set(q, v)
        r = ruler.read()
        history.append(totals(model, Motion(r.position, r.rotation, r.twist)))
    return miss, energy_drift(history)
