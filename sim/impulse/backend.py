"""The impulse engine behind the Backend protocol."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.backend import Diverged
from sim.bundle import Bundle
from sim.dynamics.kinematics import kinematics
from sim.dynamics.tree import tree_of
from sim.impulse.advance import advance, advance_by_feedback
from sim.impulse.read import read
from sim.impulse.step import GAINS_ENERGY, JOINTS_FAIL, NOT_FINITE, TURNS_TOO_FAST
from sim.impulse.system import system_of
from sim.impulse.world import make_work, make_world
from sim.model import HINGE, Model
from sim.rest import body_poses
from sim.state import Array, Control, Reading, Sight, Stepper, new_sight

_REASONS = {
    NOT_FINITE: 'body "{}" became infinite',
    TURNS_TOO_FAST: 'body "{}" turned by more than 1 rad in one step',
    JOINTS_FAIL: 'joint "{}" could not be held together',
    GAINS_ENERGY: 'energy came from nowhere while body "{}" turned fastest',
}


class ImpulseBackend:
    """Maximal coordinates: every body has its own pose and momenta, joints are impulses between them."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._dense = model.scene.solver == "dense"
        self._advance = advance if model.scene.stabilise == "rattle" else advance_by_feedback
        self._tree = tree_of(model)
        self._locked_q = np.array(model.q0)
        self._build()
        self.set(model.q0, model.v0)

    def _build(self) -> None:
        self.system = system_of(self.model, self._dense, self._locked_q)
        self.world = make_world(self.system)
        self._work = make_work(self.system, self.model.nv)
        self._kernel = Bundle(self.system), Bundle(self._work), Bundle(self.world)
        engine = {int(j): i for i, j in enumerate(self.system.joint) if j >= 0}
        self._joints = np.array([engine[j] for j in range(len(self.model.joint_names))], dtype=np.int64)

    def set(self, q: Array, v: Array) -> None:
        """Forward kinematics for the poses; joint velocities summed along the tree for the momenta.

        V_C = V_P + Σ S_k v_k is the twist at the world origin; the centre of mass c has v = V + ω × c.
        """
        model, nb, q = self.model, len(self.model.body_names), np.array(q)
        self._lock(q)
        world, system = self.world, self.system
        position, rotation = body_poses(model, q)
        S = np.zeros((model.nv, 6))
        kinematics(self._tree, q, position, rotation, S, np.zeros((3, 3)), np.zeros((3, 3)))
        twist = np.zeros((nb + 1, 6))  # the last row is the world's
        for j in model.tree_order:
            dofs = slice(model.joint_v[j], model.joint_v[j + 1])
            moved = 0.0 if model.joint_locked[j] else v[dofs] @ S[dofs]
            twist[model.joint_child[j]] = twist[model.joint_parent[j]] + moved
        for i, b in enumerate(system.body):
            omega = twist[b, :3]
            world.x[i] = position[b] + rotation[b] @ model.body_center[b]
            world.R[i] = rotation[b] @ model.body_axes[b]
            world.P[i] = system.mass[i] * (twist[b, 3:] + np.cross(omega, world.x[i]))
            world.L[i] = world.R[i] @ (system.moments[i] * (world.R[i].T @ omega))
        for array in (world.lam, world.mu, world.coordinate, world.mode, world.grip, world.ledger):
            array[...] = 0
        self._set_coordinates(q)

    def _set_coordinates(self, q: Array) -> None:
        """Hinge angles keep their turns; slides and the angles of balls are measured by the first step."""
        for j, i in enumerate(self._joints):
            if self.system.kind[i] == HINGE:
                self.world.coordinate[i, 0] = q[self.model.joint_q[j]]
        nothing = np.zeros(self.model.nv), np.zeros((len(self.model.body_names), 6))
        self._advance(*self._kernel, *nothing, 0.0, 1e-3, 0)

    def _lock(self, q: Array) -> None:
        """Locked joints are fixed where they are put."""
        if self.model.joint_locked.any() and not np.array_equal(q, self._locked_q):
            self._locked_q = np.array(q)
            self._build()

    def load(self, variables: Mapping[str, Array]) -> None:
        self._lock(variables["locked_q"])
        for name, array in self.world._asdict().items():
            array[...] = variables[name]

    def save(self) -> dict[str, Array]:
        return {name: array.copy() for name, array in self.world._asdict().items()} | {"locked_q": self._locked_q}

    def advance(self, control: Control, dt: float, n: int) -> None:
        status, where, _ = self._advance(*self._kernel, control.tau, control.wrench, control.time, dt, n)
        if status:
            raise self.divergence(status, where)

    def divergence(self, status: int, where: int) -> Diverged:
        names = self.model.joint_names if status == JOINTS_FAIL else self.model.body_names
        index = self.system.joint[where] if status == JOINTS_FAIL else self.system.body[where]
        return Diverged(f"{_REASONS[status].format(names[index])}; try a smaller step or softer gains")

    def stepper(self, sight: Sight) -> Stepper:
        """Good until `set` or `load`."""
        self._place_locked(sight.q)
        return Stepper(self._advance, self._kernel, read, (*self._kernel, *self._layout(), *sight))

    def joint_loads(self, control: Control) -> Array:
        """(joints of the scene, 6) [torque; force] that each joint exerts on its child, at the child's joint frame.

        World axes, as of this instant with `control` acting. What motors, damping and sliding friction do is not
        counted; what a stop or friction holds at rest is.
        """
        from sim.impulse.loads import joint_loads

        return joint_loads(self.system, self._work, self.world, self._kernel, control)[self._joints]

    def read(self) -> Reading:
        sight = new_sight(self.model.nq, self.model.nv, len(self.model.body_names))
        self._place_locked(sight.q)
        read(*self._kernel, *self._layout(), *sight)
        return sight.reading()

    def _layout(self) -> tuple[Array, ...]:
        model = self.model
        return model.body_center, model.body_axes, self._joints, model.joint_q, model.joint_v

    def _place_locked(self, q: Array) -> None:
        """Coordinates of locked joints, which the kernel leaves as they are."""
        for j in np.flatnonzero(self.model.joint_locked):
            places = slice(self.model.joint_q[j], self.model.joint_q[j + 1])
            q[places] = self._locked_q[places]

    def close(self) -> None:
        """Nothing is held outside of Python."""
