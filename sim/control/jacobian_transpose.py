"""End-effector control by the Jacobian transpose: the tool is pulled to the target with a capped force."""

from __future__ import annotations

import math

import numpy as np

from sim.control.controller import Array, Motion, gains_of
from sim.dynamics.jacobian import point_jacobian
from sim.jit import jit
from sim.model import Model
from sim.scene import ControllerSpec
from sim.spatial.kernels import rotate


class JacobianTranspose:
    def __init__(self, spec: ControllerSpec, model: Model) -> None:
        self.gains = gains_of(spec)
        self.tau = np.zeros(model.nv)
        self.target = model.target_names.index(spec.target) if spec.target else 0
        frame = int(model.target_frame[self.target])
        self.body = int(model.frame_body[frame])
        self.point = model.frame_position[frame]
        self._jacobian = np.zeros((3, model.nv))

    def compute(self, motion: Motion, targets: Array, target_velocities: Array) -> None:
        model = motion.model
        pull_torques(
            motion.body_joint,
            model.joint_parent,
            model.joint_v,
            motion.p,
            motion.R,
            motion.S,
            motion.v,
            self.body,
            self.point,
            targets[self.target],
            target_velocities[self.target],
            self.gains,
            self._jacobian,
            self.tau,
        )


@jit
def pull_torques(
    body_joint, parent, v_start, p, R, S, v, body, point, target, target_velocity, gains, J, tau
):
    """tau = Jᵀ f with f = kp (x_t − x) + kd (ẋ_t − J v), no stronger than the cap.

    Reads   point (3,) in axes of `body`; target, target_velocity (3,) in the world; gains = (kp, kd, cap)
    Writes  tau (nv,) [N·m or N]; J (3, nv)
    """
    d0, d1, d2 = rotate(R[body], point)
    x0, x1, x2 = p[body, 0] + d0, p[body, 1] + d1, p[body, 2] + d2
    point_jacobian(body_joint, parent, v_start, S, body, x0, x1, x2, J)
    u0, u1, u2 = 0.0, 0.0, 0.0
    for k in range(v.shape[0]):
        u0 += J[0, k] * v[k]
        u1 += J[1, k] * v[k]
        u2 += J[2, k] * v[k]
    f0 = gains[0] * (target[0] - x0) + gains[1] * (target_velocity[0] - u0)
    f1 = gains[0] * (target[1] - x1) + gains[1] * (target_velocity[1] - u1)
    f2 = gains[0] * (target[2] - x2) + gains[1] * (target_velocity[2] - u2)
    size = math.sqrt(f0 * f0 + f1 * f1 + f2 * f2)
    scale = gains[2] / size if size > gains[2] else 1.0
    for k in range(v.shape[0]):
        tau[k] = scale * (J[0, k] * f0 + J[1, k] * f1 + J[2, k] * f2)
