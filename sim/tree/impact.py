"""Arriving at stops: the rebound of all joints that are at a stop and move into it.

    v⁺ = v⁻ + M⁻¹ Jᵀ p,    p ≥ 0,  J v⁺ ≥ c,  p·(J v⁺ − c) = 0,    c = −e J v⁻ where a joint arrives, else 0

A row of J points away from its stop (rows.py). Joints that move away from their stops have no part in it; what it sets
moving into a stop is the next impact. Slower than EARLY there is no rebound, so a bouncing joint comes to rest. Angles
of balls that rested on their stops through a part of a step are put back to where they were, with no rate.
"""

from __future__ import annotations

import math

from sim.jit import inner
from sim.model import BALL, FREE
from sim.tree.bounds import BAND
from sim.tree.forces import energies
from sim.tree.lie import displace
from sim.tree.rows import HELD, accelerate, aim, along, push, solve_rows
from sim.tree.stops import ball_angles, stop_side
from sim.tree.world import WORK

LIVELY, DEAD = 0.0, 1.0
MOST_IMPACTS = 20  # that rebound, at one moment
EARLY = 0.01  # [rad/s, m/s]
NOISE = 1e-12  # [rad/s, m/s]
MOST_SOLVES = 100


@inner
def rebound(sys, w, s, elastic):
    """Impacts until no joint moves into its stop; the last one dead if they do not end. Returns whether there were any.

    If `elastic` is DEAD, all that is at a stop stays there: else two joints could throw each other off for ever.
    """
    found = False
    for n in range(MOST_IMPACTS + 1):
        if not _impact(sys, w, s, elastic if n < MOST_IMPACTS else DEAD):
            break
        found = True
    return found


@inner
def _impact(sys, w, s, elastic):
    m = _touched(sys, w, s, elastic == DEAD)
    past = _past(sys, w, s, m)
    if not past and not _approached(sys, w, s, m):
        return False
    kinetic, potential = energies(sys, w, s)
    before = kinetic + potential
    if past:
        _put_back(sys, w, s, m)
        m = _touched(sys, w, s, elastic == DEAD)
        _approached(sys, w, s, m)
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
def _touched(sys, w, s, dead):
    """w.row, w.J: the stops that joints are at. Returns how many. Rows go both ways where nothing may leave."""
    m = 0
    for i in range(sys.kind.shape[0]):
        if not sys.bounded[i] or sys.kind[i] == FREE:
            continue
        if sys.kind[i] == BALL:
            angles = ball_angles(sys, s.q, i)
            for which in range(2):
                held = _held(sys, w, s, i, which)
                side = w.rest[i, which] if held else stop_side(sys, angles, i, which, BAND)
                if side != 0:
                    aim(sys, w, s.q, i, which, side, m)
                    w.both_ways[m] = dead or held or side == 2
                    m += 1
            continue
        x = s.q[sys.q_start[i]]
        upper, lower = x >= sys.high[i, 0] - BAND, x <= sys.low[i, 0] + BAND
        if upper or lower:
            aim(sys, w, s.q, i, 0, 1 if upper else -1, m)
            w.both_ways[m] = dead or (upper and lower)
            m += 1
    return m


@inner
def _held(sys, w, s, i, which):
    """Has an angle of a ball rested on its stop through this part of a step?"""
    return sys.kind[i] == BALL and w.rest[i, which] != 0 and s.mode[sys.v_start[i] + 1 + which] == HELD


@inner
def _approached(sys, w, s, m):
    """w.target and w.active of the rows; whether any of them moves into its stop."""
    found = False
    for r in range(m):
        v = along(sys, w, r, s.v)
        w.active[r] = v < -NOISE or (w.both_ways[r] and v > NOISE)
        w.target[r] = 0.0 if v <= NOISE or w.both_ways[r] else -math.inf
        if w.active[r]:
            found = True
            if -v > EARLY and not w.both_ways[r]:
                w.target[r] = -sys.restitution[w.row[r, 0]] * v
    return found


@inner
def _beyond(sys, w, s, r):
    """How far an angle of a ball is past its stop, or past where it was outside of that; 0 for axes."""
    i, which = w.row[r, 0], w.row[r, 1]
    if sys.kind[i] != BALL:
        return 0.0
    angle, began = ball_angles(sys, s.q, i)[which], w.began[i, which]
    if w.rest[i, which] == 0:
        return max(angle - max(sys.high[i, which], began), min(sys.low[i, which], began) - angle)
    return angle - began if w.rest[i, which] > 0 else began - angle


@inner
def _past(sys, w, s, m):
    """Is some ball past a stop, or not where it rested?"""
    for r in range(m):
        far = _beyond(sys, w, s, r)
        if far > BAND or (abs(far) > NOISE and _held(sys, w, s, w.row[r, 0], w.row[r, 1])):
            return True
    return False


@inner
def _put_back(sys, w, s, m):
    """Balls are turned back onto the stops that they rest on, or went past."""
    u = w.u[0]
    for k in range(u.shape[0]):
        u[k] = 0.0
    for r in range(m):
        far, i = _beyond(sys, w, s, r), w.row[r, 0]
        if sys.kind[i] == BALL and (far > 0.0 or _held(sys, w, s, i, w.row[r, 1])):
            size = 0.0
            for c in range(3):
                size += w.J[r, c] * w.J[r, c]
            for c in range(3):
                u[sys.v_start[i] + c] += far / size * w.J[r, c]
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
        push(sys, w, r, 1.0)
        accelerate(sys, w, s.q, still, w.answer[r])
        for k in range(s.v.shape[0]):
            w.tau[k] = 0.0
    for k in range(3):
        w.gravity[k] = sys.gravity[k]
    for r in range(m):
        w.impulse[r] = along(sys, w, r, s.v)
        for c in range(m):
            w.A[r, c] = along(sys, w, r, w.answer[c])


@inner
def _solve(w, m):
    """w.impulse by principal pivoting over the rows that push, from w.impulse = J v⁻."""
    start = w.du[0]
    for r in range(m):
        start[r] = w.impulse[r]
    for attempt in range(MOST_SOLVES):
        solve_rows(w, m, start)
        wrong = False
        for r in range(m - 1, -1, -1):
            if w.active[r]:
                better = w.impulse[r] >= 0.0 or w.both_ways[r]
            else:
                v = start[r] - w.target[r]
                for c in range(m):
                    v += w.A[r, c] * w.impulse[c]
                better = v < -NOISE or (w.both_ways[r] and v > NOISE)
            if better != w.active[r]:
                w.active[r] = better
                wrong = True
                if attempt > 12:
                    break
        if not wrong:
            return
