"""Pinocchio on our trees of hinges: forward dynamics alone, called from Python."""

from __future__ import annotations

import numpy as np
import pinocchio

from benchmarks.mechanics import Array
from sim.model import HINGE, Model


class Accelerations:
    """ABA at one state; `advance` computes it many times, a call each."""

    def __init__(self, model: Model) -> None:
        self._robot = robot = pinocchio.Model()
        robot.gravity.linear = np.array(model.gravity)
        ids = {-1: 0}
        for j in model.tree_order:
            if model.joint_type[j] != HINGE:
                raise ValueError(f'joint "{model.joint_names[j]}" is no hinge')
            child = int(model.joint_child[j])
            place = pinocchio.SE3(np.array(model.joint_rotation[j]), np.array(model.joint_position[j]))
            hinge = pinocchio.JointModelRevoluteUnaligned(np.array(model.joint_axis[j]))
            ids[child] = robot.addJoint(ids[int(model.joint_parent[j])], hinge, place, model.joint_names[j])
            on_link = pinocchio.SE3(np.array(model.joint_child_rotation[j]), np.array(model.joint_child_position[j]))
            body = pinocchio.Inertia(
                float(model.body_mass[child]), np.array(model.body_center[child]), np.array(model.body_inertia[child])
            )
            robot.appendBodyToJoint(ids[child], body, on_link.inverse())
        self._data = robot.createData()
        self.q, self.v = np.array(model.q0), np.array(model.v0)
        self._tau = np.zeros(model.nv)

    def accelerations(self) -> Array:
        return np.array(pinocchio.aba(self._robot, self._data, self.q, self.v, self._tau))

    def advance(self, steps: int) -> None:
        aba, robot, data, q, v, tau = pinocchio.aba, self._robot, self._data, self.q, self.v, self._tau
        for _ in range(steps):
            aba(robot, data, q, v, tau)
