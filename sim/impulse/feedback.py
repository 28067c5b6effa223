"""The documents' step: velocities first, J v⁺ = −α J v, then positions with them. Joints drift apart a little.

    A λ = b,  A = h J M⁻¹ Jᵀ,  b = −α J v − J v₀,  v⁺ = v₀ + h M⁻¹ Jᵀ λ,  x⁺ = x + h v⁺

with v₀ the next velocity without joints. Damping and stops are implicit at its end.
"""

from __future__ import annotations

import math

from sim.impulse.bounds import HELD, find_bounds, free_axes, solve_bounded
from sim.impulse.forces import gather, power
from sim.impulse.integrate import drift, kick
from sim.impulse.project import factor, give_momenta, observe
from sim.impulse.rows import row_velocity
from sim.impulse.step import (
    OK,
    carry_on,
    copy_coordinates,
    damped,
    move,
    rates,
    rub,
    soften,
    spin_rotors,
)
from sim.impulse.tree import ASKED
from sim.impulse.world import WORK
from sim.jit import inner
from sim.model import BALL, FREE, HINGE, SLIDER

ALPHA = 0.25


@inner
def feedback(sys, w, s, time, h):
    """One step of the documents' scheme, damping and stops implicit at its end. Returns (status, joint)."""
    copy_coordinates(s.coordinate, w.start)
    for j in range(sys.kind.shape[0]):
        w.theta[j] = 1.0
    soften(sys, w, h)
    spin_rotors(sys, w, w.rate)
    gather(sys, w, s, time)
    work = 0.5 * h * power(w)
    find_bounds(sys, w, s, h)
    _meet_stops(sys, w, s, h)
    free_axes(sys, w)
    factor(sys, w, s)
    _feed_back(sys, w)
    for j in range(sys.kind.shape[0]):
        w.middle[j, 0] = w.rate[j, 0] if sys.kind[j] != BALL else 0.0
        w.middle[j, 1] = 0.0
        w.middle[j, 2] = math.sqrt(w.rate[j, 0] ** 2 + w.rate[j, 1] ** 2 + w.rate[j, 2] ** 2)
    kick(s.P, s.L, sys.mass, sys.gravity, w.wrench, h)
    solve_bounded(sys, w, s, ASKED)
    rates(sys, w, w.rate_end)
    work += rub(sys, w, w.rate_end)
    give_momenta(sys, s, w)
    for b in range(w.J.shape[0]):
        for k in range(6):
            w.J[b, k] = 0.0
    drift(s.x, s.R, s.P, s.L, w.J, sys.lightness, sys.lone, h, w.x_new, w.R_new)
    move(sys, w, s)
    carry_on(sys, w, s, h)
    observe(sys, w, s)
    s.ledger[WORK] += work + 0.5 * h * power(w) - damped(sys, w, h)
    return OK, -1


@inner
def _meet_stops(sys, w, s, h):
    """Feedback has no impacts: a joint that would pass its stop within the step arrives at its end."""
    for j in range(sys.kind.shape[0]):
        if not sys.limited[j] or (sys.kind[j] != HINGE and sys.kind[j] != SLIDER):
            continue
        ahead = s.coordinate[j, 0] + h * w.rate[j, 0]
        if ahead > sys.high[j, 0] - abs(h * w.rate[j, 0]):
            w.low[j, 0], w.target[j, 0] = -math.inf, (sys.high[j, 0] - s.coordinate[j, 0]) / h
            s.mode[j, 0] = max(s.mode[j, 0], HELD)
        elif ahead < sys.low[j, 0] + abs(h * w.rate[j, 0]):
            w.high[j, 0], w.target[j, 0] = math.inf, (sys.low[j, 0] - s.coordinate[j, 0]) / h
            s.mode[j, 0] = min(s.mode[j, 0], HELD)


@inner
def _feed_back(sys, w):
    """w.base, w.base_rows = −α times how fast the joints come apart now."""
    V = w.V
    for i in range(V.shape[0]):
        b, p, r = w.base[i], sys.parent[i], w.arm[i]
        W = V[i]
        b[0], b[1], b[2] = W[0], W[1], W[2]
        b[3] = W[3] - (W[1] * r[2] - W[2] * r[1])
        b[4] = W[4] - (W[2] * r[0] - W[0] * r[2])
        b[5] = W[5] - (W[0] * r[1] - W[1] * r[0])
        if p >= 0:
            U = V[p]
            o0, o1, o2 = w.reach[i, 0] - w.arm[p, 0], w.reach[i, 1] - w.arm[p, 1], w.reach[i, 2] - w.arm[p, 2]
            b[0], b[1], b[2] = b[0] - U[0], b[1] - U[1], b[2] - U[2]
            b[3] -= U[3] + U[1] * o2 - U[2] * o1
            b[4] -= U[4] + U[2] * o0 - U[0] * o2
            b[5] -= U[5] + U[0] * o1 - U[1] * o0
        free = sys.kind[i]
        a = w.axis[i]
        if free in (HINGE, SLIDER):
            o = 0 if free == HINGE else 3
            along = a[0] * b[o] + a[1] * b[o + 1] + a[2] * b[o + 2]
            for k in range(3):
                b[o + k] -= along * a[k]
        for k in range(6):
            b[k] = 0.0 if free == FREE or (free == BALL and k < 3) else -ALPHA * b[k]
    for r in range(sys.row_start[-1]):
        j = w.block.joint[r]
        w.base_rows[r] = -ALPHA * row_velocity(w.block.J[r], sys.parent[j], sys.child[j], V)
