"""A world of one of our engines, watched step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

import sim.impulse.world
import sim.tree.world
from sim.backend import create
from sim.model import compile_model
from sim.scene import Scene
from sim.state import Reading
from tests.worlds import energy, free_control

SOLVERS = ("sparse", "dense")  # of the impulse engine
OURS = (*SOLVERS, "tree")  # and the other engine, for scenes without loops
ORDER = {"sparse": 2, "dense": 2, "tree": 4}


@dataclass(frozen=True)
class Track:
    """What was seen after every step (or batch of steps)."""

    t: np.ndarray
    q: np.ndarray
    v: np.ndarray
    energy: np.ndarray  # the start first
    work: np.ndarray  # the start first
    gap: np.ndarray  # [m] and [rad]

    @property
    def rise(self) -> float:
        """The largest gain of energy from one entry to the next."""
        return float(np.diff(self.energy).max())

    @property
    def imbalance(self) -> float:
        """max |E(t) − E(0) − W(t)|"""
        return float(np.abs(self.energy - self.energy[0] - self.work).max())


class Watched:
    def __init__(self, scene: Scene, solver: str = "sparse", dt: float = 1e-3) -> None:
        """`solver` is one of OURS."""
        tree = solver == "tree"
        self.model = compile_model(scene if tree else replace(scene, solver=solver))
        self.backend = create("tree" if tree else "impulse", self.model)
        self._unsettled = sim.tree.world.UNSETTLED if tree else sim.impulse.world.UNSETTLED
        self.control = free_control(self.model)
        self.dt, self.steps = dt, 0

    def step(self, n: int = 1) -> Reading:
        self.control.time = self.steps * self.dt
        self.backend.advance(self.control, self.dt, n)
        self.steps += n
        return self.backend.read()

    def energy(self) -> float:
        """T + V by hand, with the rotors' share."""
        r = self.backend.read()
        return energy(self.model, r) + 0.5 * float(self.model.dof_rotor @ (r.v * r.v))

    @property
    def unsettled(self) -> int:
        """Searches for the right bounds that were given up."""
        return int(self.backend.save()["ledger"][self._unsettled])

    def track(self, seconds: float, batch: int = 1) -> Track:
        rows = [(self.energy(), self.backend.read())]
        for _ in range(round(seconds / self.dt / batch)):
            reading = self.step(batch)
            rows.append((self.energy(), reading))
        readings = [r for _, r in rows]
        return Track(
            t=(self.steps - batch * np.arange(len(rows) - 1)[::-1]) * self.dt,
            q=np.array([r.q for r in readings[1:]]),
            v=np.array([r.v for r in readings[1:]]),
            energy=np.array([e for e, _ in rows]),
            work=np.array([r.work for r in readings]) - readings[0].work,
            gap=np.array([max(r.joint_gap, r.joint_angle_error) for r in readings]),
        )


def runs(scenes: Mapping[str, Scene]) -> list[tuple[str, str]]:
    """(name, solver) of every scene with all of OURS that can run it."""
    looped = {name: bool(compile_model(scene).joint_cut.any()) for name, scene in scenes.items()}
    return [(name, solver) for name in scenes for solver in (SOLVERS if looped[name] else OURS)]


def weightless(scene: Scene) -> Scene:
    return replace(scene, gravity=(0.0, 0.0, 0.0))
