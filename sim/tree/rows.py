"""Rows J, a direction of a joint each, that stops push along: how the tree answers to them, and how hard they push.

Row r belongs to the link w.row[r, 0], and pushes with w.J[r] along its joint: ±1 for an axis, ± the direction in which
an angle of a ball changes (stops.py).
"""

from __future__ import annotations

import math

from sim.dynamics.aba import articulated_bodies
from sim.dynamics.links import Links
from sim.jit import inner
from sim.model import BALL
from sim.tree.stops import ball_bias, ball_direction

HELD, AWAY = 0, 1  # an angle of a ball at its stop
SINGULAR = 1e-12


@inner
def accelerate(sys, w, q, v, a):
    """a from w.tau, w.f_ext, w.gravity, w.armature; the links as a tuple, which inlined kernels keep in registers."""
    links = Links(sys.parent, sys.kind, sys.q_start, sys.v_start, sys.branching, sys.fixed, sys.link_inertia)
    articulated_bodies(links, w.W, w.U, q, v, w.tau, w.armature, w.gravity, w.f_ext, a)


@inner
def aim(sys, w, q, i, which, side, r):
    """Row r: away from the stop (side) of an axis or of an angle of a ball."""
    w.row[r, 0], w.row[r, 1] = i, which
    f = -1.0 if side > 0 else 1.0
    if sys.kind[i] != BALL:
        w.J[r, 0], w.J[r, 1], w.J[r, 2] = f, 0.0, 0.0
        return
    n = ball_direction(sys, q, i, which)
    w.J[r, 0], w.J[r, 1], w.J[r, 2] = f * n[0], f * n[1], f * n[2]


@inner
def along(sys, w, r, v):
    """J v of row r."""
    i = w.row[r, 0]
    k = sys.v_start[i]
    if sys.kind[i] != BALL:
        return w.J[r, 0] * v[k]
    return w.J[r, 0] * v[k] + w.J[r, 1] * v[k + 1] + w.J[r, 2] * v[k + 2]


@inner
def push(sys, w, r, size):
    """w.tau += Jᵀ size."""
    i = w.row[r, 0]
    k = sys.v_start[i]
    for c in range(3 if sys.kind[i] == BALL else 1):
        w.tau[k + c] += size * w.J[r, c]


@inner
def press(sys, w, s, v, a):
    """The stops that angles of balls rest on push so that these stay: J (a + M⁻¹ Jᵀ f) + J̇ v = 0; a becomes the sum.

    f goes to w.load. Part of every stage, so that gliding along a cone keeps the integrator's order.
    """
    m = 0
    for i in range(sys.bounded.shape[0]):
        if not sys.bounded[i] or sys.kind[i] != BALL or math.isinf(w.armature[sys.v_start[i]]):
            continue
        for which in range(2):
            w.load[i, which] = 0.0
            if w.rest[i, which] != 0 and s.mode[sys.v_start[i] + 1 + which] == HELD:
                aim(sys, w, w.q, i, which, w.rest[i, which], m)
                bias = ball_bias(sys, w.q, v, i, which)
                w.target[m] = bias if w.rest[i, which] > 0 else -bias
                m += 1
    if m == 0:
        return
    for r in range(m):
        push(sys, w, r, 1.0)
        accelerate(sys, w, w.q, v, w.answer[r])
        push(sys, w, r, -1.0)
        w.active[r] = True
        w.target[r] -= along(sys, w, r, a)
        for k in range(a.shape[0]):
            w.answer[r, k] -= a[k]
    for r in range(m):
        for c in range(m):
            w.A[r, c] = along(sys, w, r, w.answer[c])
        w.impulse[r] = 0.0
    solve_rows(w, m, w.impulse)
    for r in range(m):
        w.load[w.row[r, 0], w.row[r, 1]] = w.impulse[r]
        push(sys, w, r, w.impulse[r])
    accelerate(sys, w, w.q, v, a)


@inner
def solve_rows(w, m, start):
    """w.impulse: A p = target − start over the active rows, by elimination; what depends on others pushes nothing."""
    B, p = w.A_held, w.impulse
    for r in range(m):
        p[r] = w.target[r] - start[r] if w.active[r] else 0.0
        for c in range(m):
            both = w.active[r] and w.active[c]
            B[r, c] = w.A[r, c] if both else 1.0 * (r == c)
    for r in range(m):
        if B[r, r] <= SINGULAR * w.A[r, r]:
            for c in range(m):
                B[r, c], B[c, r] = 0.0, 0.0
            B[r, r], p[r] = 1.0, 0.0
        for d in range(r + 1, m):
            f = B[d, r] / B[r, r]
            if f != 0.0:
                for c in range(r, m):
                    B[d, c] -= f * B[r, c]
                p[d] -= f * p[r]
    for r in range(m - 1, -1, -1):
        for c in range(r + 1, m):
            p[r] -= B[r, c] * p[c]
        p[r] /= B[r, r]
