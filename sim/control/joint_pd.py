"""Joint PD: a spring and a damper at every joint, their torque held over the step."""

from __future__ import annotations

from sim.control.joint_error import driven, joint_errors
from sim.jit import jit


@jit
def joint_pd(c, i):
    """tau = kp·error − kd·v.   gains kp, kd"""
    kp, kd, tau = c.gains[i, 0], c.gains[i, 1], c.tau[i]
    joint_errors(c, i, tau)
    for k in range(tau.shape[0]):
        tau[k] = kp * tau[k] - kd * c.v[k] if driven(c, k) else 0.0
