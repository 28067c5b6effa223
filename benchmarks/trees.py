"""Arms and chains in reduced coordinates: the tree engine beside MuJoCo, PyBullet and Pinocchio."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from benchmarks.chains import _exponent
from benchmarks.mechanisms import arm7, chain, nearly_hanging
from benchmarks.our_engine import OurWorld
from benchmarks.stopwatch import interleaved
from benchmarks.table import Row, at_least, at_most, columns
from sim.model import Model, compile_model
from sim.robot import Robot
from sim.scene import Scene

PEERS = ("mujoco", "pybullet", "pinocchio")
DT = 1e-4  # short enough for first-order engines to follow an arm without damping for all rounds
ROUNDS, ROUND_STEPS = 21, 400
LENGTHS = (10, 30, 100)  # PyBullet's multibodies have at most 121 coordinates
LONG = (300, 1000)  # ours alone, for its growth
CALLS = 1000

TREE, MUJOCO, BULLET, ABA = "tree {}", "MuJoCo {}", "PyBullet", "Pinocchio, aba alone"
# (ours, peer, times faster)
BOUNDS = (("euler", "MuJoCo Euler", 2.5), ("euler", BULLET, 6.0), ("rk4", "MuJoCo RK4", 2.5))
GROWTH = 1.05
SAME_ANGLES, SAME_ACCELERATIONS = 1e-7, 1e-9  # [rad] after a tenth of a second with rk4; relative


def measure() -> Iterator[Row | str]:
    """Times are medians over rounds in which the engines take turns, many steps a round."""
    yield (
        "     Friction, stops, rotors, damping and inputs are compiled into the tree engine; these scenes have none.\n"
        "     PyBullet is called for every step, Pinocchio for every evaluation, the others for a whole round."
    )
    yield _call_costs()
    scenes = {"arm of 7 hinges": arm7(), **{f"chain of {n}": chain(nearly_hanging(n)) for n in LENGTHS}}
    times = {name: _times(scene) for name, scene in scenes.items()}
    lines = [(name, engine, 1e6 * time) for name, row in times.items() for engine, time in row.items()]
    yield columns(("mechanism", "engine", "µs a step"), lines)
    for name, scene in scenes.items():
        yield from _same(name, scene)
        for ours, peer, bound in BOUNDS:
            ratio = times[name][peer] / times[name][TREE.format(ours)]
            yield at_least(f"{name}: {ours} faster than {peer}", ratio, bound, "×")
    growing = {n: times[f"chain of {n}"] for n in LENGTHS} | {n: _long(n) for n in LONG}
    for method in ("euler", "rk4"):
        growth = _exponent({n: row[TREE.format(method)] for n, row in growing.items()})
        last = f"{1e6 * growing[LONG[-1]][TREE.format(method)]:.0f} µs at {LONG[-1]} links"
        yield at_most(f"{method}: a step takes as long as links to the power of ({last})", growth, GROWTH)


def _ours(scene: Scene, method: str) -> OurWorld:
    return OurWorld(compile_model(replace(scene, integrator=method)), DT, "tree")


def _times(scene: Scene) -> dict[str, float]:
    """[s] a step, by engine."""
    from benchmarks.bullet_engine import Multibodies
    from benchmarks.mujoco_engine import HingeTree
    from benchmarks.pinocchio_engine import Accelerations

    model = compile_model(scene)
    bullet = Multibodies(model, DT)
    advance: dict[str, Callable[[int], None]] = {
        **{TREE.format(method): _ours(scene, method).advance for method in ("euler", "rk4", "ab4")},
        **{MUJOCO.format(method): HingeTree(model, DT, method).advance for method in ("Euler", "RK4")},
        BULLET: bullet.advance,
        ABA: Accelerations(model).advance,
    }
    for step in advance.values():
        step(1)  # compiles
    medians = interleaved({name: partial(step, ROUND_STEPS) for name, step in advance.items()}, ROUNDS)
    bullet.close()
    return {name: time / ROUND_STEPS for name, time in medians.items()}


def _long(links: int) -> dict[str, float]:
    scene = chain(nearly_hanging(links))
    worlds = {TREE.format(method): _ours(scene, method) for method in ("euler", "rk4")}
    medians = interleaved({name: partial(world.advance, ROUND_STEPS) for name, world in worlds.items()}, 10)
    return {name: time / ROUND_STEPS for name, time in medians.items()}


def _same(name: str, scene: Scene) -> Iterator[Row]:
    """Do the engines compute the same thing?"""
    from benchmarks.mujoco_engine import HingeTree
    from benchmarks.pinocchio_engine import Accelerations

    model: Model = compile_model(scene)
    ours, mujoco = _ours(scene, "rk4"), HingeTree(model, DT, "RK4")
    for world in (ours, mujoco):
        world.advance(1000)
    apart = float(np.abs(ours.backend.read().q - mujoco.coordinates()[0]).max())
    yield at_most(f"{name}: angles apart from MuJoCo RK4 after 0.1 s", apart, SAME_ANGLES, "rad")
    zero = np.zeros(model.nv)
    expected = Accelerations(model).accelerations()
    error = Robot(scene).forward_dynamics(model.q0, model.v0, zero) - expected
    relative = float(np.abs(error).max() / max(float(np.abs(expected).max()), math.ulp(1.0)))
    yield at_most(f"{name}: accelerations apart from Pinocchio's", relative, SAME_ACCELERATIONS)


def _call_costs() -> str:
    """What a call costs without any step; the times below contain it."""
    from benchmarks import bullet_engine
    from benchmarks.mujoco_engine import HingeTree

    model = compile_model(arm7())
    ours = OurWorld(model, DT, "tree")
    ours.advance(1)  # compiles
    calls: dict[str, Callable[[], None]] = {
        "tree": partial(ours.advance, 0),
        "MuJoCo": partial(HingeTree(model, DT, "Euler").advance, 0),
        BULLET: bullet_engine.step_of_nothing(),
    }
    costs = interleaved({name: partial(_repeat, call) for name, call in calls.items()}, 9)
    return columns(("engine", "µs a call"), [(name, 1e6 * time / CALLS) for name, time in costs.items()])


def _repeat(call: Callable[[], None]) -> None:
    for _ in range(CALLS):
        call()
