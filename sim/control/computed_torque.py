"""Computed torque: the joints move as if each were a lone unit mass on its spring and damper."""

from __future__ import annotations

from sim.control.equation import inverse_dynamics
from sim.control.joint_error import driven, joint_errors
from sim.jit import jit


@jit
def computed_torque(c, i):
    """tau = M a + D v + c(q, v) with a = kp·error − kd·v.   gains kp [1/s²], kd [1/s]"""
    kp, kd, tau, a = c.gains[i, 0], c.gains[i, 1], c.tau[i], c.row[0]
    joint_errors(c, i, a)
    for k in range(a.shape[0]):
        a[k] = kp * a[k] - kd * c.v[k] if driven(c, k) else 0.0
    inverse_dynamics(c, a, tau)
