"""Joint PD: a spring and a damper at every joint."""

from __future__ import annotations

import math

import numpy as np

from sim.control.controller import Array, Motion, gains_of
from sim.jit import inner, jit
from sim.model import BALL, HINGE, SLIDER, Model
from sim.scene import ControllerSpec


class JointPd:
    def __init__(self, spec: ControllerSpec, model: Model) -> None:
        self.gains = gains_of(spec)
        self.tau = np.zeros(model.nv)
        self.q_target = np.array(model.q0)
        for name, q in spec.joint_target.items():
            j = model.joint_names.index(name)
            self.q_target[model.joint_q[j] : model.joint_q[j + 1]] = q

    def compute(self, motion: Motion, targets: Array, target_velocities: Array) -> None:
        model = motion.model
        pd_torques(
            model.joint_type,
            model.joint_q,
            model.joint_v,
            motion.q,
            motion.v,
            self.q_target,
            self.gains[0],
            self.gains[1],
            self.tau,
        )


@jit
def pd_torques(kind, q_start, v_start, q, v, q_target, kp, kd, tau):
    """tau = kp·error − kd·v, joint by joint.

    hinge, slider   error = q_target − q
    ball            error = log(q⁻¹ q_target), the rotation that is left, in child axes like v and tau

    Reads   kind (nj,), q_start, v_start (nj + 1,); q, q_target (nq,), v (nv,)
    Writes  tau (nv,) [N·m or N], zero at other joints
    """
    for j in range(kind.shape[0]):
        iq, iv = q_start[j], v_start[j]
        if kind[j] == HINGE or kind[j] == SLIDER:
            tau[iv] = kp * (q_target[iq] - q[iq]) - kd * v[iv]
        elif kind[j] == BALL:
            e0, e1, e2 = _rotation_left(q[iq : iq + 4], q_target[iq : iq + 4])
            tau[iv] = kp * e0 - kd * v[iv]
            tau[iv + 1] = kp * e1 - kd * v[iv + 1]
            tau[iv + 2] = kp * e2 - kd * v[iv + 2]


@inner
def _rotation_left(a, b):
    """log(a⁻¹ b) of unit quaternions wxyz, the shorter way round."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3]
    z = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    s = math.sqrt(x * x + y * y + z * z)
    f = 2.0 if s < 1e-12 else 2.0 * math.atan2(s, w) / s
    return f * x, f * y, f * z
