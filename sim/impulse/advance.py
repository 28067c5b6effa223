"""Many steps in one compiled call: halved where a position solve fails, cut short where a stop is reached.

A loop that halves do not bring any further is at a dead point (sim/impulse/dead_point.py).
"""

from __future__ import annotations

import math

from sim.impulse.bounds import BAND, free_axes
from sim.impulse.energy import body_energy, energy, kinetic, rotors_energy, weight_energy
from sim.impulse.feedback import feedback
from sim.impulse.geometry import has_stop
from sim.impulse.impact import DEAD, LANDED, LIVELY, meet_stops, overshoot
from sim.impulse.keep import keep, restore
from sim.impulse.project import observe, place
from sim.impulse.step import (
    GAINS_ENERGY,
    JOINTS_FAIL,
    NOT_FINITE,
    OK,
    TURNS_TOO_FAST,
    rattle,
    settle,
    soften,
)
from sim.impulse.world import ACTED_ON, AT_DEAD_POINT, BOUNDED, MOST_KINETIC, START_ENERGY, STARTED, WORK
from sim.jit import inner, jit, pasted
from sim.model import FREE
from sim.spatial.kernels import finite

WIDTHS = (6, 3, 1, 1, 0)  # of v, by kind of joint
MOST_PARTS = 64
MOST_TRIALS = 60
MOST_LANDINGS = 16  # in a step, after which joints no longer rebound
MOST_TURN = 1.0  # [rad] of a body in a step
MOST_GAIN = 0.1  # of the largest kinetic energy
MOST_LEAP = 0.1  # of that, in one part of a step
NOISE = 1e-6  # of the energy at the start, at least of 1 J


@jit
def advance(sys, w, s, tau, wrench, time, h, n):
    """n steps of h by RATTLE with tau (nv,) and wrench (nb, 6) held. Returns (status, body or joint, steps done).

    On any failure the world is that of the last good step.
    """
    _begin(sys, w, s, tau, wrench)
    if n > 0 and w.switches[BOUNDED]:
        meet_stops(sys, w, s, LIVELY)
    for done in range(n):
        keep(w, s, w.good[0])
        status, where = _step(sys, w, s, _moment(time, h, done), h)
        status, where = _end(sys, w, s, h, status, where)
        if status != OK:
            return status, where, done
    settle(sys, w, s)
    return OK, -1, n


@jit
def advance_by_feedback(sys, w, s, tau, wrench, time, h, n):
    """The same by the documents' scheme; compiled only when a scene asks for it."""
    _begin(sys, w, s, tau, wrench)
    for done in range(n):
        keep(w, s, w.good[0])
        status, where = feedback(sys, w, s, _moment(time, h, done), h)
        status, where = _end(sys, w, s, h, status, where)
        if status != OK:
            return status, where, done
    settle(sys, w, s)
    return OK, -1, n


@inner
def _moment(time, h, done):
    """The time `done` steps later; whole multiples of h stay such, so that batches see the times of single steps."""
    whole = math.floor(time / h + 0.5)
    return (whole + done) * h if abs(time - whole * h) < 1e-9 * h else time + done * h


@inner
def _begin(sys, w, s, tau, wrench):
    """All that the first step needs."""
    activate(sys, w, tau, wrench)
    arrive(sys, w, s)
    if s.ledger[STARTED] == 0.0:
        s.ledger[STARTED] = 1.0
        s.ledger[START_ENERGY] = energy(sys, w, s)


@inner
def _end(sys, w, s, h, status, where):
    """Looks at what a step has come to; a bad one is taken back."""
    if status == OK:
        status, where = _check(sys, w, s, h)
    if status != OK:
        restore(w, s, w.good[0])
        _forget(s)
        settle(sys, w, s)
    return status, where


@inner
def activate(sys, w, tau, wrench):
    """Takes the forces over, and finds what has to be looked at: joints that something acts on, bounds, forces."""
    for k in range(tau.shape[0]):
        w.held_tau[k] = tau[k]
    for b in range(w.held_wrench.shape[0]):
        for k in range(6):
            w.held_wrench[b, k] = wrench[sys.body[b], k]
            w.wrench[b, k] = 0.0
    bounded, acted_on = False, False
    for j in range(sys.kind.shape[0]):
        w.active[j] = sys.acting[j]
        bounded = bounded or sys.limited[j] or sys.friction[j] > 0.0
        if sys.v_start[j] >= 0:
            driven = False
            for k in range(WIDTHS[sys.kind[j]]):
                driven = driven or tau[sys.v_start[j] + k] != 0.0
            acted_on = acted_on or driven
            w.active[j] = sys.acting[j] or (driven and sys.kind[j] != FREE)
        acted_on = acted_on or w.active[j]
    for i in range(sys.inputs.dof.shape[0]):
        for j in range(sys.kind.shape[0]):
            first = sys.v_start[j]
            if sys.kind[j] != FREE and 0 <= first <= sys.inputs.dof[i] < first + WIDTHS[sys.kind[j]]:
                w.active[j] = True
    acted_on = acted_on or sys.inputs.start.shape[0] > 1
    for b in range(wrench.shape[0]):
        for k in range(6):
            acted_on = acted_on or wrench[b, k] != 0.0
    w.switches[BOUNDED], w.switches[ACTED_ON] = bounded, acted_on
    free_axes(sys, w)
    soften(sys, w, 0.0)


@inner
def arrive(sys, w, s):
    """All that a step needs of the world it starts from."""
    place(sys, w, s)
    observe(sys, w, s)


@pasted
def _step(sys, w, s, time, h):
    """A step in as many parts as it takes."""
    left, part, landings = h, h, 0
    while left > 1e-9 * h:
        if left < h:
            keep(w, s, w.good[1])
        wanted = min(part, left)
        before = _balance(sys, w, s) if sys.looped[0] else 0.0
        status, where, used = _land(sys, w, s, time + (h - left), wanted, 1 * (left < h))
        if status == OK and sys.looped[0] and not w.switches[AT_DEAD_POINT] and _leaps(sys, w, s, before):
            status, where = JOINTS_FAIL, sys.kind.shape[0] - 1
        if status == JOINTS_FAIL:
            _take_back(sys, w, s, 1 * (left < h))
            _forget(s)
            if wanted > h / MOST_PARTS:
                part = 0.5 * wanted
            elif sys.looped[0] and not w.switches[AT_DEAD_POINT]:
                w.switches[AT_DEAD_POINT] = True
            else:
                w.switches[AT_DEAD_POINT] = False
                return status, where
            continue
        w.switches[AT_DEAD_POINT] = False
        if w.switches[BOUNDED]:
            meet_stops(sys, w, s, LIVELY if landings < MOST_LANDINGS else DEAD)
            landings += 1 * (used < wanted)
        left -= used
    return OK, -1


@inner
def _leaps(sys, w, s, before):
    """Whether a loop won or lost energy: near dead points there are impulses that close it on a wrong branch."""
    most = MOST_LEAP * _slack(s, max(s.ledger[MOST_KINETIC], kinetic(sys, w, s)))
    return not abs(_balance(sys, w, s) - before) <= most


@pasted
def _land(sys, w, s, time, h, kept):
    """One part of a step, of h or until the first stop is reached. Returns (status, joint, time taken).

    The time is found between one that is short of the stop and one that is past it, by false position
    (Illinois: the end that stays behind counts half).
    """
    status, where = rattle(sys, w, s, time, h)
    past = overshoot(sys, w, s) if status == OK and w.switches[BOUNDED] else -math.inf
    if not past > LANDED:
        return status, where, h
    short_time, short = 0.0, _room(sys, w)
    past_time = h
    side = 0
    for _ in range(MOST_TRIALS):
        part = past_time - past * (past_time - short_time) / (past - short)
        _take_back(sys, w, s, kept)
        status, where = rattle(sys, w, s, time, part)
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
def _forget(s):
    """No first guesses: what led to a failure does not lead on."""
    for n in range(3):
        for i in range(s.lam.shape[1]):
            for k in range(6):
                s.lam[n, i, k] = 0.0
        for r in range(s.mu.shape[1]):
            s.mu[n, r] = 0.0


@inner
def _take_back(sys, w, s, kept):
    """The world as it was kept: 0, before the step; 1, before this part of it."""
    restore(w, s, w.good[kept])
    arrive(sys, w, s)


@inner
def _balance(sys, w, s):
    """T + V − W, which should stay where it is."""
    return energy(sys, w, s) - s.ledger[WORK]


@inner
def _slack(s, T):
    """How far that may rise, T being the largest kinetic energy."""
    return MOST_GAIN * T + NOISE * max(1.0, abs(s.ledger[START_ENERGY]))


@inner
def _check(sys, w, s, h):
    """The first body that is not finite or turns by more than 1 rad in a step, or energy from nowhere.

    A body's energy is finite where all of it is: 0·∞ is not a number either.
    """
    fastest, who, T, E = -1.0, 0, rotors_energy(sys, w), 0.0
    for b in range(s.x.shape[0]):
        moving = body_energy(w, s, b)
        resting = weight_energy(sys, s, b)
        if not finite(moving + resting):
            return NOT_FINITE, b
        T += moving
        E += resting
        V = w.V[b]
        turn = V[0] * V[0] + V[1] * V[1] + V[2] * V[2]
        if turn > fastest:
            fastest, who = turn, b
    if h * h * fastest > MOST_TURN * MOST_TURN:
        return TURNS_TOO_FAST, who
    s.ledger[MOST_KINETIC] = max(T, s.ledger[MOST_KINETIC])
    if T + E - s.ledger[WORK] - s.ledger[START_ENERGY] > _slack(s, s.ledger[MOST_KINETIC]):
        return GAINS_ENERGY, who
    return OK, -1
