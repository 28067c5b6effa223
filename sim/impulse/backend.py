"""The impulse engine behind the Backend protocol."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.backend import BackendError, Diverged
from sim.dynamics.kinematics import kinematics
from sim.dynamics.tree import tree_of
from sim.impulse.advance import advance
from sim.impulse.forces import Forces
from sim.impulse.read import read
from sim.impulse.step import GAINS_ENERGY, JOINTS_FAIL, NOT_FINITE, TURNS_TOO_FAST
from sim.impulse.system import system_of
from sim.impulse.world import SOLVES, WORK, make_work, make_world, pack_system, pack_work, pack_world
from sim.model import HINGE, Model
from sim.rest import body_poses
from sim.state import Array, Control, Reading

_REASONS = {
    NOT_FINITE: 'body "{}" became infinite',
    TURNS_TOO_FAST: 'body "{}" turned by more than 1 rad in one step',
    JOINTS_FAIL: 'joint "{}" could not be held together',
    GAINS_ENERGY: 'energy came from nowhere while body "{}" turned fastest',
}
_LEAST_MOMENT = 1e-12  # [kg·m²]


class ImpulseBackend:
    """Maximal coordinates: every body has its own pose and momenta, joints are impulses between them."""

    def __init__(self, model: Model) -> None:
        self.model = model
        for name, moments in zip(model.body_names, model.body_moments, strict=True):
            if moments.min() < _LEAST_MOMENT:
                raise BackendError(
                    f'The impulse engine cannot turn body "{name}": its smallest moment of inertia is '
                    f"{moments.min():.3g} kg·m²; give it an inertia, or choose an engine in joint coordinates."
                )
        self._dense = model.scene.solver == "dense"
        self._exact = model.scene.stabilise == "rattle"
        self._tree = tree_of(model)
        self._locked_q = np.array(model.q0)
        self._build()
        self.set(model.q0, model.v0)

    def _build(self) -> None:
        self.system = system_of(self.model, self._dense, self._locked_q)
        self.world = make_world(self.system)
        self._work = make_work(self.system, self.model.nv)
        # Kernels see the same arrays through references.
        self._kernel = pack_system(self.system), pack_work(self._work), pack_world(self.world)
        engine = {int(j): i for i, j in enumerate(self.system.joint) if j >= 0}
        self._joints = np.array([engine[j] for j in range(len(self.model.joint_names))], dtype=np.int64)

    def set(self, q: Array, v: Array) -> None:
        """Forward kinematics for the poses; joint velocities summed along the tree for the momenta.

        V_C = V_P + Σ S_k v_k is the twist at the world origin; the centre of mass c has v = V + ω × c.
        """
        model, nb = self.model, len(self.model.body_names)
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
        advance(*self._kernel, self._no_forces(), 0.0, 0.0, 1e-3, 0, True)

    def _no_forces(self) -> Forces:
        return Forces(np.zeros(self.model.nv), np.zeros((len(self.model.body_names), 6)))

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
        forces = Forces(control.tau, control.wrench)
        first = float(round(control.time / dt))
        late = control.time - first * dt
        status, where, _ = advance(*self._kernel, forces, first, late, dt, n, self._exact)
        if status:
            names = self.model.joint_names if status == JOINTS_FAIL else self.model.body_names
            index = self.system.joint[where] if status == JOINTS_FAIL else self.system.body[where]
            raise Diverged(f"{_REASONS[status].format(names[index])}; try a smaller step or softer gains")

    def read(self) -> Reading:
        model, nb = self.model, len(self.model.body_names)
        q, v, errors = np.zeros(model.nq), np.zeros(model.nv), np.zeros(2)
        position, rotation, twist = np.zeros((nb, 3)), np.zeros((nb, 3, 3)), np.zeros((nb, 6))
        read(
            *self._kernel,
            model.body_center,
            model.body_axes,
            self._joints,
            model.joint_q,
            model.joint_v,
            q,
            v,
            position,
            rotation,
            twist,
            errors,
        )
        for j in np.flatnonzero(model.joint_locked):
            places = slice(model.joint_q[j], model.joint_q[j + 1])
            q[places] = self._locked_q[places]
        work, solves = float(self.world.ledger[WORK]), int(self.world.ledger[SOLVES])
        return Reading(q, v, position, rotation, twist, float(errors[0]), float(errors[1]), work, solves)

    def close(self) -> None:
        """Nothing is held outside of Python."""
