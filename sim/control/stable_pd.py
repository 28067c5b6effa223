"""Stable PD: the spring and the damper of the end of the step, from our own mass matrix; on any engine."""

from __future__ import annotations

from sim.control.equation import inverse_dynamics, mass_matrix
from sim.control.joint_error import driven, joint_errors
from sim.control.saturation import FREE, MOST_PASSES, full, saturate
from sim.dynamics.cholesky import factor, solve
from sim.jit import jit


@jit
def stable_pd(c, i):
    """tau = kp (error − h v) − kd (v + h a),   (M + h (Kd + D)) a = tau₀ + others − D v − c(q, v),

    tau₀ being tau with a = 0. Joints whose motor is at its limit give that and no more.   gains kp, kd

    Source  Tan, Liu, Turk 2011, "Stable proportional-derivative controllers"
    """
    h, kp, kd, tau, row = c.moment[1], c.gains[i, 0], c.gains[i, 1], c.tau[i], c.row
    start, bias, a, state = row[0], row[1], row[2], row[3]
    for k in range(tau.shape[0]):
        a[k], state[k] = 0.0, FREE
    inverse_dynamics(c, a, bias)
    joint_errors(c, i, start)
    for k in range(tau.shape[0]):
        start[k] = kp * (start[k] - h * c.v[k]) - kd * c.v[k] if driven(c, k) else 0.0
    for _ in range(MOST_PASSES):
        mass_matrix(c)
        for k in range(tau.shape[0]):
            soft = kd if driven(c, k) and state[k] == FREE else 0.0
            c.M[k, k] += h * (soft + c.damping[k])
            a[k] = (c.total[k] + start[k] if state[k] == FREE else full(c, state, k)) - bias[k]
            if c.locked[k]:
                a[k] = 0.0
        factor(c.M)
        solve(c.M, a)
        for k in range(tau.shape[0]):
            tau[k] = start[k] - h * kd * a[k] if driven(c, k) else 0.0
        if not saturate(c, tau, state):
            break
