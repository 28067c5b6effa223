"""The impulse engine behind the Backend protocol."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sim.backend import Diverged
from sim.dynamics.kinematics import kinematics
from sim.dynamics.tree import tree_of
from sim.impulse.advance import advance, read
from sim.impulse.step import JOINTS_FAIL, NOT_FINITE, TURNS_TOO_FAST, make_work
from sim.impulse.system import system_of
from sim.model import HINGE, SLIDER, Model
from sim.state import Array, Control, Reading

_REASONS = {
    NOT_FINITE: "became infinite",
    TURNS_TOO_FAST: "turned by more than 1 rad in one step",
    JOINTS_FAIL: "could not be held together",
}


class ImpulseBackend:
    """Maximal coordinates: every body has its own pose and momenta, joints are impulses between them.

    Its variables: x (nb, 3) centres of mass, R (nb, 3, 3) principal axes, P and L (nb, 3) linear and
    angular momentum about the centre of mass, lam the last position impulses, joint_position (nj,)
    continuous hinge angles and slides.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self.system = system_of(model)
        self.work = make_work(self.system)
        self._tree = tree_of(model)
        nb, nj = len(model.body_names), len(model.joint_names)
        self.x, self.R = np.zeros((nb, 3)), np.tile(np.eye(3), (nb, 1, 1))
        self.P, self.L = np.zeros((nb, 3)), np.zeros((nb, 3))
        self.lam = np.zeros(int(self.system.row_start[-1]))
        self.joint_position = np.zeros(nj)
        self._good = np.zeros((nb, 18))
        self._prepared_for = 0.0
        self.set(model.q0, model.v0)

    def set(self, q: Array, v: Array) -> None:
        """Forward kinematics for the poses; joint velocities summed along the tree for the momenta.

        V_C = V_P + Σ S_k v_k is the twist at the world origin; the centre of mass c has v = V + ω × c.
        """
        model, nb = self.model, len(self.x)
        position, rotation, S = np.zeros((nb, 3)), np.zeros((nb, 3, 3)), np.zeros((model.nv, 6))
        kinematics(self._tree, q, position, rotation, S, np.zeros((3, 3)), np.zeros((3, 3)))
        twist = np.zeros((nb + 1, 6))  # the last row is the world's
        for j in model.tree_order:
            dofs = slice(model.joint_v[j], model.joint_v[j + 1])
            twist[model.joint_child[j]] = twist[model.joint_parent[j]] + v[dofs] @ S[dofs]
        for b in range(nb):
            omega = twist[b, :3]
            self.x[b] = position[b] + rotation[b] @ model.body_center[b]
            self.R[b] = rotation[b] @ model.body_axes[b]
            self.P[b] = model.body_mass[b] * (twist[b, 3:] + np.cross(omega, self.x[b]))
            self.L[b] = self.R[b] @ (model.body_moments[b] * (self.R[b].T @ omega))
        single = np.flatnonzero((model.joint_type == HINGE) | (model.joint_type == SLIDER))
        self.joint_position[single] = q[model.joint_q[single]]
        self.lam[:] = 0.0
        self._prepared_for = 0.0

    def load(self, variables: Mapping[str, Array]) -> None:
        for name, array in variables.items():
            getattr(self, name)[...] = array
        self._prepared_for = 0.0

    def save(self) -> dict[str, Array]:
        return {name: getattr(self, name).copy() for name in ("x", "R", "P", "L", "lam", "joint_position")}

    def advance(self, control: Control, dt: float, n: int) -> None:
        status, where, _done = advance(
            self.system,
            self.work,
            self.x,
            self.R,
            self.P,
            self.L,
            self.lam,
            self.joint_position,
            self._good,
            control.tau,
            control.wrench,
            dt,
            n,
            self._prepared_for == dt,
        )
        self._prepared_for = dt
        if status:
            self._prepared_for = 0.0
            names = self.model.joint_names if status == JOINTS_FAIL else self.model.body_names
            what = "joint" if status == JOINTS_FAIL else "body"
            raise Diverged(f'{what} "{names[where]}" {_REASONS[status]}; try a smaller step or softer gains')

    def read(self) -> Reading:
        model, nb = self.model, len(self.x)
        q, v, errors = np.zeros(model.nq), np.zeros(model.nv), np.zeros(2)
        position, rotation, twist = np.zeros((nb, 3)), np.zeros((nb, 3, 3)), np.zeros((nb, 6))
        read(
            self.system,
            self.work,
            self.x,
            self.R,
            self.P,
            self.L,
            self.joint_position,
            model.body_center,
            model.body_axes,
            model.joint_q,
            q,
            v,
            position,
            rotation,
            twist,
            errors,
        )
        return Reading(q, v, position, rotation, twist, float(errors[0]), float(errors[1]))

    def close(self) -> None:
        """Nothing is held outside of Python."""
