"""The tree engine behind the Backend protocol."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.backend import INTEGRATORS, Diverged, integrator_of
from sim.bundle import Bundle
from sim.model import Model
from sim.state import Array, Control, Reading, Sight, Stepper, new_sight
from sim.tree.advance import (
    GAINS_ENERGY,
    NOT_FINITE,
    STAGES_FAIL,
    TURNS_TOO_FAST,
    advance,
    advance_smoothly,
    read,
)
from sim.tree.system import system_of
from sim.tree.world import make_work, make_world

_REASONS = {
    NOT_FINITE: 'body "{}" became infinite',
    TURNS_TOO_FAST: 'body "{}" turned by more than 1 rad in one step',
    STAGES_FAIL: 'the stages of a step did not converge at joint "{}"',
    GAINS_ENERGY: 'energy came from nowhere while body "{}" turned fastest',
}


class TreeBackend:
    """Reduced coordinates: q and v of the joints are all there is, so joints cannot come apart."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._method = INTEGRATORS["tree"].index(integrator_of("tree", model.scene))
        self._system = system_of(model)
        self._advance = advance if self._system.bounded.any() else advance_smoothly
        self._world = make_world(self._system, model.nq, model.nv)
        self._work = make_work(self._system, model.nq, model.nv)
        self._kernel = Bundle(self._system), Bundle(self._work), Bundle(self._world)
        self.set(model.q0, model.v0)

    def set(self, q: Array, v: Array) -> None:
        """Locked joints stand where they are put."""
        for array in self._world:
            array[...] = 0
        self._world.q[:] = q
        self._world.v[:] = np.where(self._system.locked, 0.0, v)

    def load(self, variables: Mapping[str, Array]) -> None:
        for name, array in self._world._asdict().items():
            array[...] = variables[name]

    def save(self) -> dict[str, Array]:
        return {name: array.copy() for name, array in self._world._asdict().items()}

    def advance(self, control: Control, dt: float, n: int) -> None:
        held = control.tau, control.wrench
        status, where, _ = self._advance(*self._kernel, self._method, *held, control.time, dt, n)
        if status:
            raise self.divergence(status, where)

    def divergence(self, status: int, where: int) -> Diverged:
        joint = int(self.model.dof_joint[where if status == STAGES_FAIL else self._system.v_start[where]])
        body = int(self.model.joint_child[joint])
        name = self.model.joint_names[joint] if status == STAGES_FAIL else self.model.body_names[body]
        return Diverged(f"{_REASONS[status].format(name)}; try a smaller step or softer gains")

    def stepper(self, sight: Sight) -> Stepper:
        return Stepper(self._advance, (*self._kernel, self._method), read, (*self._kernel, *sight))

    def read(self) -> Reading:
        sight = new_sight(self.model.nq, self.model.nv, len(self.model.body_names))
        read(*self._kernel, *sight)
        return sight.reading()

    def close(self) -> None:
        """Nothing is held outside of Python."""
