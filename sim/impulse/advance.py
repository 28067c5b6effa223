"""Many steps in one compiled call: halved where a position solve fails, cut short where a stop is reached."""

from __future__ import annotations

import math

from sim.impulse.bounds import BAND, free_axes
from sim.impulse.geometry import has_stop
from sim.impulse.impact import DEAD, LANDED, LIVELY, meet_stops, overshoot
from sim.impulse.project import kinetic, observe, place
from sim.impulse.step import (
    GAINS_ENERGY,
    JOINTS_FAIL,
    NOT_FINITE,
    OK,
    TURNS_TOO_FAST,
    feedback,
    rattle,
    settle,
    soften,
)
from sim.impulse.world import ACTED_ON, BOUNDED, MOST_KINETIC, START_ENERGY, STARTED, WORK
from sim.jit import inner, jit
from sim.model import FREE
from sim.spatial.kernels import finite

KEEP, RESTORE = 0.0, 1.0
WIDTHS = (6, 3, 1, 1, 0)  # of v, by kind of joint
MOST_PARTS = 64
MOST_TRIALS = 60
MOST_LANDINGS = 16  # in a step, after which joints no longer rebound
MOST_TURN = 1.0  # [rad] of a body in a step
MOST_GAIN = 0.1  # of the largest kinetic energy
NOISE = 1e-6  # of the energy at the start, at least of 1 J


@jit
def advance(sys, w, s, forces, first, late, h, n, exact):
    """n steps of h with the forces held, by RATTLE if `exact`, else by feedback. Returns (status, where, done).

    They begin at the time first·h + late: counted in whole steps, batches see the very times of single ones.
    On any failure the world is that of the last good step.
    """
    activate(sys, w, forces)
    arrive(sys, w, s)
    if s.ledger[STARTED] == 0.0:
        s.ledger[STARTED] = 1.0
        s.ledger[START_ENERGY] = kinetic(sys, w, s) + _potential(sys, s)
    if n > 0 and exact and w.switches[BOUNDED]:
        meet_stops(sys, w, s, LIVELY)
    for done in range(n):
        _keep(s, w.good[0])
        now = (first + done) * h + late
        if exact:
            status, where = _step(sys, w, s, forces, now, h)
        else:
            status, where = feedback(sys, w, s, forces, now, h)
        if status == OK:
            status, where = _check(sys, w, s, h)
        if status != OK:
            _restore(s, w.good[0])
            settle(sys, w, s)
            return status, where, done
    settle(sys, w, s)
    return OK, -1, n


@inner
def activate(sys, w, forces):
    """What has to be looked at: joints that something acts on, bounds, forces."""
    bounded, acted_on = False, False
    for j in range(sys.kind.shape[0]):
        w.active[j] = sys.acting[j]
        bounded = bounded or sys.limited[j] or sys.friction[j] > 0.0
        if sys.v_start[j] >= 0:
            driven = False
            for k in range(WIDTHS[sys.kind[j]]):
                driven = driven or forces.tau[sys.v_start[j] + k] != 0.0
            acted_on = acted_on or driven
            w.active[j] = sys.acting[j] or (driven and sys.kind[j] != FREE)
        acted_on = acted_on or w.active[j]
    for i in range(sys.inputs.dof.shape[0]):
        for j in range(sys.kind.shape[0]):
            first = sys.v_start[j]
            if sys.kind[j] != FREE and 0 <= first <= sys.inputs.dof[i] < first + WIDTHS[sys.kind[j]]:
                w.active[j] = True
    acted_on = acted_on or sys.inputs.start.shape[0] > 1
    for b in range(forces.wrench.shape[0]):
        for k in range(6):
            acted_on = acted_on or forces.wrench[b, k] != 0.0
    w.switches[BOUNDED], w.switches[ACTED_ON] = bounded, acted_on
    w.wrench[...] = 0.0
    free_axes(sys, w)
    soften(sys, w, 0.0)


@inner
def arrive(sys, w, s):
    """All that a step needs of the world it starts from."""
    place(sys, w, s)
    observe(sys, w, s)


@inner
def _step(sys, w, s, forces, time, h):
    """A step in as many parts as it takes."""
    left, part, landings = h, h, 0
    while left > 1e-9 * h:
        if left < h:
            _keep(s, w.good[1])
        wanted = min(part, left)
        status, where, used = _land(sys, w, s, forces, time + (h - left), wanted, 1 * (left < h))
        if status == JOINTS_FAIL:
            _take_back(sys, w, s, 1 * (left < h))
            s.lam[...] = 0.0
            s.mu[...] = 0.0
            part = 0.5 * wanted
            if part < h / MOST_PARTS:
                return status, where
            continue
        if w.switches[BOUNDED]:
            meet_stops(sys, w, s, LIVELY if landings < MOST_LANDINGS else DEAD)
            landings += 1 * (used < wanted)
        left -= used
    return OK, -1


@inner
def _land(sys, w, s, forces, time, h, kept):
    """One part of a step, of h or until the first stop is reached. Returns (status, joint, time taken).

    The time is found between one that is short of the stop and one that is past it, by false position
    (Illinois: the end that stays behind counts half).
    """
    status, where = rattle(sys, w, s, forces, time, h)
    past = overshoot(sys, w, s) if status == OK and w.switches[BOUNDED] else -math.inf
    if not past > LANDED:
        return status, where, h
    short_time, short = 0.0, _room(sys, w)
    past_time = h
    side = 0
    for _ in range(MOST_TRIALS):
        part = past_time - past * (past_time - short_time) / (past - short)
        _take_back(sys, w, s, kept)
        status, where = rattle(sys, w, s, forces, time, part)
        if status != OK:
            return status, where, part
        over = overshoot(sys, w, s)
        if abs(over) <= LANDED:
            return OK, -1, part
        if over > 0.0:
            past_time, past = part, over
            short *= 0.5 if side == 1 else 1.0
            side = 1
        else:
            short_time, short = part, over
            past *= 0.5 if side == -1 else 1.0
            side = -1
    return OK, -1, part


@inner
def _room(sys, w):
    """−(the least distance to a stop at the start of the step)."""
    room = -math.inf
    for j in range(sys.kind.shape[0]):
        for k in range(2):
            if has_stop(sys, j, k, w.start[j, 0]):
                for distance in (sys.high[j, k] - w.start[j, k], w.start[j, k] - sys.low[j, k]):
                    if distance > BAND:
                        room = max(room, -distance)
    return room


@inner
def _take_back(sys, w, s, kept):
    """The world as it was kept: 0, before the step; 1, before this part of it."""
    _restore(s, w.good[kept])
    arrive(sys, w, s)


@inner
def _copy(array, flat, at, way):
    """A contiguous array to or from flat[at:]; returns where the next one begins."""
    a = array.reshape(-1)
    for i in range(a.shape[0]):
        if way == RESTORE:
            a[i] = flat[at + i]
        else:
            flat[at + i] = a[i]
    return at + a.shape[0]


@inner
def _all(s, flat, way):
    at = _copy(s.x, flat, 0, way)
    at = _copy(s.R, flat, at, way)
    at = _copy(s.P, flat, at, way)
    at = _copy(s.L, flat, at, way)
    at = _copy(s.lam, flat, at, way)
    at = _copy(s.mu, flat, at, way)
    at = _copy(s.coordinate, flat, at, way)
    at = _copy(s.mode, flat, at, way)
    at = _copy(s.grip, flat, at, way)
    _copy(s.ledger, flat, at, way)


@inner
def _keep(s, flat):
    _all(s, flat, KEEP)


@inner
def _restore(s, flat):
    _all(s, flat, RESTORE)


@inner
def _potential(sys, s):
    V = 0.0
    for b in range(s.x.shape[0]):
        for k in range(3):
            V -= sys.mass[b] * sys.gravity[k] * s.x[b, k]
    return V


@inner
def _check(sys, w, s, h):
    """The first body that is not finite or turns by more than 1 rad in a step, or energy from nowhere."""
    fastest, who = -1.0, 0
    for b in range(s.x.shape[0]):
        total = 0.0
        for k in range(3):
            total += s.x[b, k] + s.P[b, k] + s.L[b, k]
        if not finite(total):
            return NOT_FINITE, b
        V = w.V[b]
        turn = V[0] * V[0] + V[1] * V[1] + V[2] * V[2]
        if turn > fastest:
            fastest, who = turn, b
    if h * math.sqrt(fastest) > MOST_TURN:
        return TURNS_TOO_FAST, who
    T = kinetic(sys, w, s)
    s.ledger[MOST_KINETIC] = max(T, s.ledger[MOST_KINETIC])
    gain = T + _potential(sys, s) - s.ledger[START_ENERGY] - s.ledger[WORK]
    if gain > MOST_GAIN * s.ledger[MOST_KINETIC] + NOISE * max(1.0, abs(s.ledger[START_ENERGY])):
        return GAINS_ENERGY, who
    return OK, -1
