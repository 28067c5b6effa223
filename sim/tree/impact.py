"""Arriving at stops: the rebound of all joints that are at a stop and move into it.

    v⁺ = v⁻ + M⁻¹ Jᵀ p,    p ≥ 0,  J v⁺ ≥ c,  p·(J v⁺ − c) = 0,    c = −e J v⁻ where a joint arrives, else 0

A row of J is the axis or the direction in which the angle of a ball leaves its stop. Slower than EARLY there is no
rebound, so a bouncing joint comes to rest. Hinges and sliders that rest are held exactly (bounds.py); the angles of a
ball that rest are put back on their stop at the end of every part of a step.
"""

from __future__ import annotations

import math

from sim.jit import inner
from sim.model import BALL, FREE
from sim.tree.bounds import BAND
from sim.tree.forces import accelerate, energies
from sim.tree.lie import displace
from sim.tree.stops import ball_angles, ball_direction
from sim.tree.world import WORK

EARLY = 0.01  # [rad/s, m/s]
NOISE = 1e-12  # [rad/s, m/s]
MOST_SOLVES = 100
SINGULAR = 1e-12


@inner
def rebound(sys, w, s):
    """Returns whether there was an impact."""
    m = _touched(sys, w, s)
    if m == 0 or not _approached(sys, w, s, m):
        return False
    kinetic, potential = energies(sys, w, s)
    before = kinetic + potential
    _put_back(sys, w, s, m)
    _answers(sys, w, s, m)
    _solve(w, m)
    for r in range(m):
        for k in range(s.v.shape[0]):
            s.v[k] += w.answer[r, k] * w.impulse[r]
    for r in range(m):
        i = w.row[r, 0]
        if w.active[r] and sys.kind[i] != BALL:
            s.v[sys.v_start[i]] = w.target[r] * w.J[r, 0]
    kinetic, potential = energies(sys, w, s)
    s.ledger[WORK] += kinetic + potential - before
    return True


@inner
def _touched(sys, w, s):
    """w.row, w.J: the stops that joints are at; J points away from the stop. Returns how many."""
    m = 0
    for i in range(sys.kind.shape[0]):
        if not sys.bounded[i] or sys.kind[i] == FREE:
            continue
        if sys.kind[i] == BALL:
            for which in range(2):
                angle = ball_angles(sys, s.q, i)[which]
                upper = angle >= sys.high[i, which] - BAND
                if upper or angle <= sys.low[i, which] + BAND:
                    n = ball_direction(sys, s.q, i, which)
                    for c in range(3):
                        w.J[m, c] = -n[c] if upper else n[c]
                    w.row[m, 0], w.row[m, 1] = i, which
                    m += 1
            continue
        x = s.q[sys.q_start[i]]
        upper = x >= sys.high[i, 0] - BAND
        if upper or x <= sys.low[i, 0] + BAND:
            w.J[m, 0] = -1.0 if upper else 1.0
            w.row[m, 0], w.row[m, 1] = i, 0
            m += 1
    return m


@inner
def _rate(sys, w, r, v):
    """J v of row r."""
    i = w.row[r, 0]
    k = sys.v_start[i]
    if sys.kind[i] != BALL:
        return w.J[r, 0] * v[k]
    return w.J[r, 0] * v[k] + w.J[r, 1] * v[k + 1] + w.J[r, 2] * v[k + 2]


@inner
def _approached(sys, w, s, m):
    """w.target of the rows, relative to the velocities now; whether any of them moves into its stop."""
    found = False
    for r in range(m):
        i, which = w.row[r, 0], w.row[r, 1]
        v = _rate(sys, w, r, s.v)
        w.active[r] = v < -NOISE
        w.target[r] = 0.0
        if w.active[r]:
            found = True
            rests = sys.kind[i] == BALL and w.resting[i, which]
            if -v > EARLY and not rests:
                w.target[r] = -sys.restitution[i] * v
    return found


@inner
def _put_back(sys, w, s, m):
    """Balls whose angles went past a stop on which they rest are turned back onto it."""
    u, moved = w.u[0], False
    for k in range(u.shape[0]):
        u[k] = 0.0
    for r in range(m):
        i, which = w.row[r, 0], w.row[r, 1]
        if sys.kind[i] != BALL:
            continue
        angle = ball_angles(sys, s.q, i)[which]
        past = max(angle - sys.high[i, which], sys.low[i, which] - angle)
        if past > BAND:
            k, size = sys.v_start[i], 0.0
            for c in range(3):
                size += w.J[r, c] * w.J[r, c]
            for c in range(3):
                u[k + c] += past / size * w.J[r, c]
            moved = True
    if moved:
        displace(sys.kind, sys.q_start, sys.v_start, s.q, u, w.q)
        for k in range(s.q.shape[0]):
            s.q[k] = w.q[k]


@inner
def _answers(sys, w, s, m):
    """w.answer = M⁻¹ Jᵀ, w.A = J M⁻¹ Jᵀ, w.impulse = J v⁻ for now; forward dynamics at rest, without weight."""
    still = w.v[0]
    for k in range(s.v.shape[0]):
        still[k], w.tau[k] = 0.0, 0.0
        w.armature[k] = math.inf if sys.locked[k] else sys.rotor[k]
    for i in range(w.f_ext.shape[0]):
        for k in range(6):
            w.f_ext[i, k] = 0.0
    for k in range(3):
        w.gravity[k] = 0.0
    for r in range(m):
        i = w.row[r, 0]
        k, width = sys.v_start[i], 3 if sys.kind[i] == BALL else 1
        for c in range(width):
            w.tau[k + c] = w.J[r, c]
        accelerate(sys, w, s.q, still, w.answer[r])
        for c in range(width):
            w.tau[k + c] = 0.0
    for k in range(3):
        w.gravity[k] = sys.gravity[k]
    for r in range(m):
        w.impulse[r] = _rate(sys, w, r, s.v)
        for c in range(m):
            w.A[r, c] = _rate(sys, w, r, w.answer[c])


@inner
def _solve(w, m):
    """w.impulse by principal pivoting over the rows that push, from w.impulse = J v⁻."""
    start = w.du[0]
    for r in range(m):
        start[r] = w.impulse[r]
    for attempt in range(MOST_SOLVES):
        _push_rows(w, m, start)
        wrong = False
        for r in range(m - 1, -1, -1):
            if w.active[r]:
                better = w.impulse[r] >= 0.0
            else:
                v = start[r] - w.target[r]
                for c in range(m):
                    v += w.A[r, c] * w.impulse[c]
                better = v < -NOISE
            if better != w.active[r]:
                w.active[r] = better
                wrong = True
                if attempt > 12:
                    break
        if not wrong:
            return


@inner
def _push_rows(w, m, start):
    """A p = c − J v⁻ over the active rows, by elimination; a row that depends on others pushes nothing."""
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
