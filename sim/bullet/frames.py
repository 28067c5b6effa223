"""A model in the frames that Bullet works in, and its coordinates there and back.

Bullet places every body by its inertial frame I: the centre of mass, and the principal axes. So

    free   p_WI, q_WI and [ω; v of the centre of mass], world axes
    ball   Q = R_JIᵀ R_q R_JI and R_JIᵀ ω: the joint's rotation and angular velocity in the child's principal axes
    hinge, slider   as they are

with R_JI the child's principal axes in its joint frame. Quaternions stay wxyz. The few numbers of a joint
are turned as Python floats, which takes a fifth of NumPy's time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.dynamics.tree import Tree, tree_of
from sim.model import BALL, FREE, Model
from sim.scene import Quat, Vec3
from sim.spatial.rotation import matrix_to_quat

Array = np.ndarray[Any, np.dtype[Any]]


def principal_tree(model: Model) -> Tree:
    """The same tree with inertial frames for body frames, whose q and v are Bullet's.

    A ball's joint frame is turned by R_JI, so that on the child it coincides with the principal axes.
    """
    tree = tree_of(model)
    position, rotation = np.array(tree.position), np.array(tree.rotation)
    child_position, child_rotation = np.array(tree.child_position), np.array(tree.child_rotation)
    for j in np.flatnonzero(model.joint_type != FREE):
        parent, child = int(model.joint_parent[j]), int(model.joint_child[j])
        if parent >= 0:
            axes = model.body_axes[parent]
            position[j] = axes.T @ (position[j] - model.body_center[parent])
            rotation[j] = axes.T @ rotation[j]
        axes = model.body_axes[child]
        child_position[j] = axes.T @ (child_position[j] - model.body_center[child])
        child_rotation[j] = axes.T @ child_rotation[j]
        if model.joint_type[j] == BALL:
            rotation[j] = rotation[j] @ child_rotation[j].T
            child_rotation[j] = np.eye(3)
    return tree._replace(
        position=position, rotation=rotation, child_position=child_position, child_rotation=child_rotation
    )


class Coordinates:
    """q, v of a model into Bullet's and back."""

    def __init__(self, model: Model) -> None:
        self._free = []
        self._balls = []
        for j in range(len(model.joint_names)):
            iq, iv, child = int(model.joint_q[j]), int(model.joint_v[j]), int(model.joint_child[j])
            if model.joint_type[j] == FREE:
                axes = _quat(matrix_to_quat(model.body_axes[child]))
                self._free.append((iq, iv, _vector(model.body_center[child]), axes))
            elif model.joint_type[j] == BALL:
                R_JI = model.joint_child_rotation[j].T @ model.body_axes[child]
                self._balls.append((iq, iv, R_JI, _quat(matrix_to_quat(R_JI))))

    def to_bullet(self, q: Array, v: Array) -> tuple[Array, Array]:
        q, v = np.array(q, dtype=float), np.array(v, dtype=float)
        for iq, iv, center, axes in self._free:
            turned = _unit(_quat(q[iq + 3 : iq + 7]))
            arm = _rotated(turned, center)
            q[iq : iq + 3] += arm
            q[iq + 3 : iq + 7] = _unit(_product(turned, axes))
            v[iv + 3 : iv + 6] += _cross(_vector(v[iv : iv + 3]), arm)
        for iq, iv, R_JI, turn in self._balls:
            q[iq : iq + 4] = _unit(_product(_conjugate(turn), _product(_quat(q[iq : iq + 4]), turn)))
            v[iv : iv + 3] = R_JI.T @ v[iv : iv + 3]
        return q, v

    def from_bullet(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Quaternions come back with w ≥ 0."""
        q, v = q.copy(), v.copy()
        for iq, iv, center, axes in self._free:
            turned = _unit(_product(_quat(q[iq + 3 : iq + 7]), _conjugate(axes)))
            arm = _rotated(turned, center)
            q[iq : iq + 3] -= arm
            q[iq + 3 : iq + 7] = turned
            v[iv + 3 : iv + 6] -= _cross(_vector(v[iv : iv + 3]), arm)
        for iq, iv, R_JI, turn in self._balls:
            q[iq : iq + 4] = _unit(_product(turn, _product(_quat(q[iq : iq + 4]), _conjugate(turn))))
            v[iv : iv + 3] = R_JI @ v[iv : iv + 3]
        return q, v

    def force_to_bullet(self, q: Array, tau: Array) -> Array:
        """Joint forces dual to Bullet's v at Bullet's q: the power tauᵀ v is the same in both."""
        tau = np.array(tau, dtype=float)
        for iq, iv, center, axes in self._free:
            if tau[iv + 3 : iv + 6].any():
                arm = _rotated(_product(_quat(q[iq + 3 : iq + 7]), _conjugate(axes)), center)
                tau[iv : iv + 3] -= _cross(arm, _vector(tau[iv + 3 : iv + 6]))
        for _, iv, R_JI, _ in self._balls:
            tau[iv : iv + 3] = R_JI.T @ tau[iv : iv + 3]
        return tau


def _quat(q: Array) -> Quat:
    w, x, y, z = q.tolist()
    return w, x, y, z


def _vector(a: Array) -> Vec3:
    x, y, z = a.tolist()
    return x, y, z


def _conjugate(q: Quat) -> Quat:
    return q[0], -q[1], -q[2], -q[3]


def _product(a: Quat, b: Quat) -> Quat:
    """Hamilton's a b."""
    aw, ax, ay, az = a
    bw, bx, by, bz = b
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


def _cross(a: Vec3, b: Vec3) -> Vec3:
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


def _rotated(q: Quat, a: Vec3) -> Vec3:
    """q a q* = a + 2 w (u × a) + 2 u × (u × a) for a unit q = (w, u)."""
    w, u = q[0], q[1:]
    t = _cross(u, a)
    s = _cross(u, t)
    return a[0] + 2 * (w * t[0] + s[0]), a[1] + 2 * (w * t[1] + s[1]), a[2] + 2 * (w * t[2] + s[2])


def _unit(q: Quat) -> Quat:
    """Of length 1 and with w ≥ 0."""
    s = (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) ** -0.5
    if q[0] < 0:
        s = -s
    return q[0] * s, q[1] * s, q[2] * s, q[3] * s
