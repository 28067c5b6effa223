"""The impulse engine twice on one scene: solver `sparse` and solver `dense`, from the same state to the last bit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from sim.backend import create
from sim.model import BALL, FREE, HINGE, SLIDER, Model, compile_model
from sim.scene import Scene
from sim.state import Control
from tests.worlds import free_control

BODIES = ("x", "R", "P", "L")
JOINTS = ("coordinate", "mode", "grip")


class Twins:
    """Both solvers; the sparse one says where they are."""

    def __init__(self, scene: Scene) -> None:
        self.model: Model = compile_model(scene)
        self.sparse: Any = create("impulse", self.model)
        self.dense: Any = create("impulse", replace(self.model, scene=replace(scene, solver="dense")))
        self.control: Control = free_control(self.model)
        assert np.array_equal(self.sparse.system.body, self.dense.system.body)

    def meet(self, state: Mapping[str, Any] | None = None) -> None:
        """Both at the sparse engine's state, neither with a guess of what its joints carry."""
        ours = {k: a.copy() for k, a in (state or self.sparse.save()).items()}
        theirs = self.dense.save()
        for name in ("lam", "mu"):
            ours[name][:] = theirs[name][:] = 0.0
        for name in (*BODIES, "ledger", "locked_q"):
            theirs[name] = ours[name]
        place = {int(j): i for i, j in enumerate(self.sparse.system.joint) if j >= 0}
        for i, j in enumerate(self.dense.system.joint):
            if j >= 0:
                for name in JOINTS:
                    theirs[name][i] = ours[name][place[int(j)]]
        self.sparse.load(ours)
        self.dense.load(theirs)

    def step(self, h: float, n: int = 1) -> None:
        for engine in (self.sparse, self.dense):
            engine.advance(self.control, h, n)

    def disagreement(self) -> tuple[float, float]:
        """Largest difference of twists, relative to the largest twist (or 1 rad/s, m/s), and of poses."""
        a, b = self.sparse.read(), self.dense.read()
        velocity = np.abs(a.twist - b.twist).max() / max(1.0, np.abs(a.twist).max())
        return float(velocity), float(max(np.abs(a.position - b.position).max(), np.abs(a.rotation - b.rotation).max()))

    def compare(self, h: float, states: int, apart: int) -> tuple[float, float]:
        """The largest disagreements after one step of h from `states` states, `apart` steps of 1 ms from each other."""
        worst = np.zeros(2)
        for k in range(states):
            here = self.sparse.save()
            self.control.time = 1e-3 * apart * k
            self.meet(here)
            self.step(h)
            worst = np.maximum(worst, self.disagreement())
            self.sparse.load(here)
            self.sparse.advance(self.control, 1e-3, apart)
        return float(worst[0]), float(worst[1])


def carried(engine: Any, before: Mapping[str, np.ndarray]) -> np.ndarray:
    """(nj, 6) [torque; force] of the scene's joints on their children at the anchors, in a step from `before`."""
    s, w = engine.system, engine.world
    out = np.zeros((len(engine.model.joint_names), 6))
    for i, j in enumerate(s.joint):
        if j < 0 or s.kind[i] == FREE:
            continue
        out[j] = (
            w.lam[0, i] if i < len(s.mass) else _of_rows(s, i, w.mu[0, s.row_start[i] : s.row_start[i + 1]], before)
        )
    return out


def _of_rows(s: Any, i: int, mu: np.ndarray, before: Mapping[str, np.ndarray]) -> np.ndarray:
    """[torque; force] of a cut joint's multipliers: forces across its free directions, torques about the others."""
    P = before["R"][s.parent[i]] @ s.parent_frame[i] if s.parent[i] >= 0 else s.parent_frame[i]
    z = before["R"][s.child[i]] @ s.child_frame[i][:, 2]
    if s.kind[i] == SLIDER:
        return np.concatenate([mu[2:], P[:, :2] @ mu[:2]])
    if s.kind[i] == HINGE:
        torque = mu[3] * np.cross(z, P[:, 0]) + mu[4] * np.cross(z, P[:, 1])
    else:
        torque = np.zeros(3) if s.kind[i] == BALL else mu[3:]
    return np.concatenate([torque, mu[:3]])
