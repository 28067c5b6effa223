"""End-effector control by the Jacobian transpose: the tool is pulled to the target with a capped force."""

from __future__ import annotations

import math

from sim.control.detour import LEVER, ROUND, along, way_left
from sim.control.tool import locate, turn_left
from sim.dynamics.jacobian import frame_jacobian
from sim.jit import call, inner, jit
from sim.spatial.blocks import scale3

FASTEST = 24.0  # [rad/s, m/s]


@jit
def jacobian_transpose(c, i):
    """tau = Jᵀ f with f = kp (x_t − x) + kd (ẋ_t − ẋ), no stronger than the cap.   gains kp, kd, cap"""
    _, _, f = _pull(c, i)
    _give(c, i, (0.0, 0.0, 0.0), f)


@jit
def pose_transpose(c, i):
    """The same with a torque n = kr·(rotation that is left) − kw ω beside the force.   gains kp, kd, cap, kr, kw"""
    t, w, f = _pull(c, i)
    e = turn_left(c, t)
    kr, kw = c.gains[i, 3], c.gains[i, 4]
    _give(c, i, (kr * e[0] - kw * w[0], kr * e[1] - kw * w[1], kr * e[2] - kw * w[2]), f)


@inner
def _pull(c, i):
    """The target, the tool's angular velocity, and the capped force; c.J at the tool."""
    t, g, J = c.target[i], c.gains[i], c.J
    x, body = locate(c, t)
    frame_jacobian(c.body_joint, c.tree.parent, c.tree.v_start, c.S, body, x, J)
    u0, u1, u2, w0, w1, w2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(c.v.shape[0]):
        w0 += J[0, k] * c.v[k]
        w1 += J[1, k] * c.v[k]
        w2 += J[2, k] * c.v[k]
        u0 += J[3, k] * c.v[k]
        u1 += J[4, k] * c.v[k]
        u2 += J[5, k] * c.v[k]
    to, fast = c.point[t], c.velocity[t]
    e = to[0] - x[0], to[1] - x[1], to[2] - x[2]
    call(c.helper[i], (c, i))  # way_round
    if c.memory[i, ROUND] == 1.0:
        e = along(c, i)
    f0 = g[0] * e[0] + g[1] * (fast[0] - u0)
    f1 = g[0] * e[1] + g[1] * (fast[1] - u1)
    f2 = g[0] * e[2] + g[1] * (fast[2] - u2)
    size = math.sqrt(f0 * f0 + f1 * f1 + f2 * f2)
    return t, (w0, w1, w2), scale3(g[2] / size if size > g[2] else 1.0, (f0, f1, f2))


@inner
def _give(c, i, n, f):
    """tau = Jᵀ (n; f), with a weak spring to its posture where the arm goes round.

    What would drive a joint that is fast already fades between half of FASTEST and FASTEST, as a motor's torque does.
    """
    J, tau, spring, round_it = c.J, c.tau[i], c.gains[i, 0] * LEVER * LEVER, c.memory[i, ROUND] == 1.0
    for k in range(tau.shape[0]):
        tau[k] = spring * way_left(c, i, k) if round_it else 0.0
        tau[k] += J[0, k] * n[0] + J[1, k] * n[1] + J[2, k] * n[2] + J[3, k] * f[0] + J[4, k] * f[1] + J[5, k] * f[2]
        if tau[k] * c.v[k] > 0.0:
            tau[k] *= max(0.0, min(1.0, 2.0 - 2.0 * abs(c.v[k]) / FASTEST))
