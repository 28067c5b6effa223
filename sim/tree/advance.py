"""Many steps in one compiled call, cut where something that slides stands still and where a stop is reached."""

from __future__ import annotations

import math

from sim.dynamics.aba import VELOCITY
from sim.jit import inner, jit
from sim.tree.bounds import STILL, again, begin, excess, stand_still
from sim.tree.forces import energies, place
from sim.tree.impact import rebound
from sim.tree.integrators import AB4, EXPLICIT_BELOW, RK4, copy, integrate, remember
from sim.tree.world import (
    BOUNDED,
    DAMPED,
    IMPLICIT,
    MOST_KINETIC,
    PAST,
    PAST_STEP,
    PUSHED,
    START_ENERGY,
    STARTED,
    STEPS,
    UNSETTLED,
    WORK,
)

OK, NOT_FINITE, TURNS_TOO_FAST, STAGES_FAIL, GAINS_ENERGY = range(5)
LANDED = 1e-9  # [rad, m, rad/s, m/s] how exactly events are found
MOST_TRIALS = 60
MOST_PARTS = 64
MOST_TURN = 1.0  # [rad] of a body in a step
MOST_GAIN = 0.1  # of the largest kinetic energy
NOISE = 1e-6  # of the energy at the start, at least of 1 J
ACCOUNTING = 8  # steps after which the energy is looked at


@jit
def advance(sys, w, s, tau, wrench, time, h, n, method):
    """n steps of h with tau (nv,) and wrench (nb, 6) held. Returns (status, where, done).

    `where` is a link, or for STAGES_FAIL a velocity. On any failure the world is that of the last good step.
    """
    _arrange(sys, w, s, tau, wrench, h, method)
    for done in range(n):
        _keep(w, s, 0)
        copy(s.mode, w.mode0)
        status, where = _step(sys, w, s, time + done * h, h, method)
        if status == OK:
            status, where = _check(sys, w, s)
        if status != OK:
            _restore(w, s, 0)
            copy(w.mode0, s.mode)
            return status, where, done
    return OK, -1, n


@jit
def observe(sys, w, s):
    """w.p, w.R, w.V of the present state."""
    place(sys, w, s)


@inner
def _arrange(sys, w, s, tau, wrench, h, method):
    """Takes the forces over, and finds what has to be looked at."""
    jump, pushed = s.ledger[PAST_STEP] != h, sys.inputs.body.shape[0] > 0
    for k in range(tau.shape[0]):
        jump = jump or tau[k] != s.tau[k]
        s.tau[k] = tau[k]
    for b in range(wrench.shape[0]):
        for k in range(6):
            jump = jump or wrench[b, k] != s.wrench[b, k]
            s.wrench[b, k] = wrench[b, k]
            pushed = pushed or wrench[b, k] != 0.0
    if jump:
        s.ledger[PAST] = 0
    bounded, damped = False, False
    for i in range(sys.bounded.shape[0]):
        bounded = bounded or sys.bounded[i]
    for k in range(tau.shape[0]):
        damped = damped or sys.damping[k] > 0.0
        w.push[k] = 0.0
    w.switches[BOUNDED], w.switches[PUSHED], w.switches[DAMPED] = bounded, pushed, damped
    w.switches[IMPLICIT] = sys.stiffest[0] * h > EXPLICIT_BELOW[RK4 if method == AB4 else method]
    if s.ledger[STARTED] == 0.0:
        s.ledger[STARTED] = 1.0
        kinetic, potential = energies(sys, w, s)
        s.ledger[START_ENERGY], s.ledger[MOST_KINETIC] = kinetic + potential, kinetic
    for i in range(w.f_ext.shape[0]):
        for k in range(6):
            w.f_ext[i, k] = 0.0


@inner
def _step(sys, w, s, time, h, method):
    """A step in as many parts as it takes."""
    s.ledger[STEPS] += 1
    if w.switches[BOUNDED]:
        return _bounded_step(sys, w, s, time, h, method)
    begin(sys, w, s, time, h)
    fast = _too_fast(w, h)
    if fast >= 0:
        return TURNS_TOO_FAST, fast
    stuck = integrate(sys, w, s, time, h, _method_now(sys, s, h, method))
    if stuck >= 0:
        return STAGES_FAIL, stuck
    if method == AB4:
        remember(w, s, h)
    return OK, -1


@inner
def _bounded_step(sys, w, s, time, h, method):
    """ab4 goes on only while no mode changes and nothing lands."""
    left = h
    rebound(sys, w, s)
    for part in range(MOST_PARTS):
        at = time + (h - left)
        begin(sys, w, s, at, left)
        if part == 0:
            fast = _too_fast(w, h)
            if fast >= 0:
                return TURNS_TOO_FAST, fast
            for k in range(s.mode.shape[0]):
                if s.mode[k] != w.mode0[k]:
                    s.ledger[PAST] = 0
        _keep(w, s, 1)
        now = _method_now(sys, s, left, method)
        used, stuck = _land(sys, w, s, at, left, now)
        if stuck >= 0:
            return STAGES_FAIL, stuck
        stand_still(sys, w, s)
        hit = rebound(sys, w, s)
        left -= used
        if left <= 1e-9 * h:
            if method == AB4 and part == 0 and not hit:
                remember(w, s, h)
            elif hit or part > 0:
                s.ledger[PAST] = 0
            return OK, -1
    s.ledger[UNSETTLED] += 1
    again(sys, w, s, time + (h - left), left)
    integrate(sys, w, s, time + (h - left), left, RK4)
    return OK, -1


@inner
def _method_now(sys, s, h, method):
    """ab4 needs three steps of the same length behind it, and damping that it can follow; until then it is rk4."""
    if method != AB4:
        return method
    ready = s.ledger[PAST] == 3 and s.ledger[PAST_STEP] == h and sys.stiffest[0] * h <= EXPLICIT_BELOW[AB4]
    return AB4 if ready else RK4


@inner
def _land(sys, w, s, time, h, method):
    """One part of a step, of h or until the first event. Returns (time taken, velocity whose stages fail).

    The time is found between one that is short of the event and one that is past it, by false position
    (Illinois: the end that stays behind counts half).
    """
    short_time, short = 0.0, excess(sys, w, s)
    stuck = integrate(sys, w, s, time, h, method)
    past_time, past = h, excess(sys, w, s)
    if stuck >= 0 or not past > LANDED:
        return h, stuck
    method = RK4 if method == AB4 else method
    if short > -LANDED:
        short_time, short, past_time, past = _leave(sys, w, s, time, h, method)
        if not short < 0.0:
            return h, _try(sys, w, s, time, h, method)
    side, part = 0, h
    for _ in range(MOST_TRIALS):
        part = past_time - past * (past_time - short_time) / (past - short)
        stuck = _try(sys, w, s, time, part, method)
        over = excess(sys, w, s)
        if stuck >= 0 or abs(over) <= LANDED:
            return part, stuck
        if over > 0.0:
            past_time, past = part, over
            short *= 0.5 if side == 1 else 1.0
            side = 1
        else:
            short_time, short = part, over
            past *= 0.5 if side == -1 else 1.0
            side = -1
    return part, -1


@inner
def _leave(sys, w, s, time, h, method):
    """What starts at an event leaves it first, or it would not come back: a time before it does, and one after."""
    after, past = h, 0.0
    for _ in range(12):
        before = 0.5 * after
        _try(sys, w, s, time, before, method)
        short = excess(sys, w, s)
        if short < -LANDED:
            return before, short, after, max(past, LANDED)
        after, past = before, short
    return 0.0, 0.0, h, 0.0


@inner
def _try(sys, w, s, time, h, method):
    _restore(w, s, 1)
    again(sys, w, s, time, h)
    return integrate(sys, w, s, time, h, method)


@inner
def _keep(w, s, which):
    """The state before the step (0) or before this part of it (1)."""
    copy(s.q, w.q0[which])
    copy(s.v, w.v0[which])
    copy(s.ledger, w.ledger0[which])


@inner
def _restore(w, s, which):
    copy(w.q0[which], s.q)
    copy(w.v0[which], s.v)
    copy(w.ledger0[which], s.ledger)


@inner
def _too_fast(w, h):
    """The fastest link if it would turn by more than 1 rad in this step, else −1."""
    most, who = (MOST_TURN / h) ** 2, -1
    for i in range(w.W.shape[0]):
        x, y, z = w.W[i, VELOCITY], w.W[i, VELOCITY + 1], w.W[i, VELOCITY + 2]
        turn = x * x + y * y + z * z
        if turn > most:
            most, who = turn, i
    return who


@inner
def _check(sys, w, s):
    """The first link that is not finite; now and then, energy from nowhere while some link turned fastest."""
    total = 0.0
    for k in range(s.v.shape[0]):
        total += s.v[k]
    for k in range(s.q.shape[0]):
        total += s.q[k]
    if not math.isfinite(total):
        return NOT_FINITE, _not_finite(sys, s)
    if s.ledger[STEPS] % ACCOUNTING != 0:
        return OK, -1
    kinetic, potential = energies(sys, w, s)
    s.ledger[MOST_KINETIC] = max(kinetic, s.ledger[MOST_KINETIC])
    gain = kinetic + potential - s.ledger[START_ENERGY] - s.ledger[WORK]
    if gain > MOST_GAIN * s.ledger[MOST_KINETIC] + NOISE * max(1.0, abs(s.ledger[START_ENERGY])):
        return GAINS_ENERGY, max(_too_fast(w, 1e300), 0)
    return OK, -1


@inner
def _not_finite(sys, s):
    links = sys.links
    for i in range(links.kind.shape[0]):
        k = links.v_start[i]
        if not math.isfinite(s.v[k] + s.q[links.q_start[i]]):
            return i
    return 0
