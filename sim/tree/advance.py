"""Many steps in one compiled call, cut where something that slides stands still and where a stop is reached."""

from __future__ import annotations

import math

from sim.dynamics.aba import VELOCITY
from sim.jit import inner, jit
from sim.model import BALL, FREE
from sim.spatial.kernels import copy_matrix, finite
from sim.tree.bounds import SETTLE, SETTLED, begin, excess, forget_rests, hold, stand_still, start
from sim.tree.forces import balance, energies, evaluate, place
from sim.tree.impact import DEAD, LIVELY, rebound
from sim.tree.integrators import AB4, EXPLICIT_BELOW, RK4, integrate, remember
from sim.tree.world import (
    BOUNDED,
    DAMPED,
    DRIVEN,
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
MOST_TRIALS = 80
MOST_HALVINGS = 30
MOST_PARTS = 64
MOST_LANDINGS = 16  # in a step, after which joints no longer rebound
BEFORE_STEP, BEFORE_PART = 0.0, 1.0
MOST_TURN = 1.0  # [rad] of a body in a step
MOST_GAIN = 0.1  # of the largest kinetic energy
NOISE = 1e-6  # of the energy at the start, at least of 1 J
ACCOUNTING = 8  # steps after which the energy is looked at: a tenth of an euler step if it were every one


@jit
def advance(sys, w, s, method, tau, wrench, time, h, n):
    """n steps of h with tau (nv,) and wrench (nb, 6) held. Returns (status, where, done).

    `where` is a link, or for STAGES_FAIL a velocity. On any failure the world is that of the last good step.
    """
    _arrange(sys, w, s, tau, wrench, h, method)
    for done in range(n):
        _keep(w, s)
        s.ledger[STEPS] += 1
        status, where = _bounded_step(sys, w, s, _moment(time, h, done), h, method)
        if status == OK:
            status, where = _check(sys, s)
        if status != OK:
            _give_up(w, s)
            return status, where, done
    return OK, -1, n


@jit
def advance_smoothly(sys, w, s, method, tau, wrench, time, h, n):
    """The same without friction and stops: an entry of its own, which compiles faster by a fifth."""
    _arrange(sys, w, s, tau, wrench, h, method)
    for done in range(n):
        _keep(w, s)
        s.ledger[STEPS] += 1
        status, where = _smooth_step(sys, w, s, _moment(time, h, done), h, method)
        if status == OK:
            status, where = _check(sys, s)
        if status != OK:
            _give_up(w, s)
            return status, where, done
    return OK, -1, n


@inner
def _give_up(w, s):
    _restore(w, s, BEFORE_STEP)
    s.ledger[PAST] = 0  # the step that failed may be remembered already


@jit
def read(sys, w, s, q, v, position, rotation, twist, errors, account):
    """What the present state looks like; of the two quaternions of a rotation, the one that other engines give too.

    Writes  q, v; position, rotation, twist of the body origins; errors = 0, since joints cannot come apart; account
            = (work since the start [J], 0, 0)
    """
    place(sys, w, s)
    for k in range(q.shape[0]):
        q[k] = s.q[k]
    for i in range(sys.kind.shape[0]):
        if sys.kind[i] == BALL or sys.kind[i] == FREE:
            first = sys.q_start[i] + (3 if sys.kind[i] == FREE else 0)
            for k in range(first, first + 4 * (q[first] < 0.0)):
                q[k] = -q[k]
    for k in range(v.shape[0]):
        v[k] = s.v[k]
    for b in range(position.shape[0]):
        copy_matrix(w.R[b], rotation[b])
        for k in range(3):
            position[b, k] = w.p[b, k]
        for k in range(6):
            twist[b, k] = w.V[b, k]
    errors[0], errors[1] = 0.0, 0.0
    account[0], account[1], account[2] = s.ledger[WORK], 0.0, 0.0


@inner
def _moment(time, h, done):
    """The time `done` steps later; whole multiples of h stay such, so that batches see the times of single steps."""
    whole = math.floor(time / h + 0.5)
    return (whole + done) * h if abs(time - whole * h) < 1e-9 * h else time + done * h


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
    w.switches[DRIVEN] = sys.inputs.dof.shape[0] > 0
    w.switches[IMPLICIT] = sys.stiffest[0] * h > EXPLICIT_BELOW[RK4 if method == AB4 else method]
    if s.ledger[STARTED] == 0.0:
        s.ledger[STARTED] = 1.0
        kinetic, potential = energies(sys, w, s)
        s.ledger[START_ENERGY], s.ledger[MOST_KINETIC] = kinetic + potential, kinetic
    for i in range(w.f_ext.shape[0]):
        for k in range(6):
            w.f_ext[i, k] = 0.0


@inner
def _smooth_step(sys, w, s, time, h, method):
    start(sys, w, s, h)
    for stage in range(1):  # a plain 0 would compile another kernel for that number alone
        evaluate(sys, w, s, time, stage)
    status, where = _look(sys, w, s, h)
    if status != OK:
        return status, where
    stuck = integrate(sys, w, s, time, h, _method_now(sys, s, h, method))
    if stuck >= 0:
        return STAGES_FAIL, stuck
    if method == AB4:
        remember(w, s, h)
    return OK, -1


@inner
def _bounded_step(sys, w, s, time, h, method):
    """A step in as many parts as it takes; ab4 goes on only while no mode changes and nothing lands."""
    left, landings = h, 0
    forget_rests(sys, w, s)
    if rebound(sys, w, s, LIVELY):
        s.ledger[PAST] = 0
    for part in range(MOST_PARTS):
        at = time + (h - left)
        begin(sys, w, s, at, left, SETTLE)
        if part == 0:
            status, where = _look(sys, w, s, h)
            if status != OK:
                return status, where
            _notice_changes(w, s)
        used, stuck = _land(sys, w, s, at, left, _method_now(sys, s, left, method), part == MOST_PARTS - 1)
        if stuck >= 0:
            return STAGES_FAIL, stuck
        stand_still(sys, w, s)
        hit = rebound(sys, w, s, LIVELY if landings < MOST_LANDINGS else DEAD)
        if hit:
            landings += 1
            stand_still(sys, w, s)
        left -= used
        if left <= 1e-9 * h:
            if hit or part > 0:
                s.ledger[PAST] = 0
            elif method == AB4:
                remember(w, s, h)
            break
    return OK, -1


@inner
def _notice_changes(w, s):
    for k in range(s.mode.shape[0]):
        if s.mode[k] != w.mode0[k]:
            s.ledger[PAST] = 0


@inner
def _method_now(sys, s, h, method):
    """ab4 needs three steps of the same length behind it, and damping that it can follow; until then it is rk4."""
    if method != AB4:
        return method
    ready = s.ledger[PAST] == 3 and s.ledger[PAST_STEP] == h and sys.stiffest[0] * h <= EXPLICIT_BELOW[AB4]
    return AB4 if ready else RK4


@inner
def _land(sys, w, s, time, h, method, to_the_end):
    """One part of a step, of h or until the first event. Returns (time taken, velocity whose stages fail).

    The time is found between one that is short of the event and one that is past it, by false position (Illinois: the
    end that stays behind counts half). What starts at an event leaves it first, perhaps not as far as LANDED, and the
    time is halved until it has not come back. If it never left it is held; where nothing can hold it, that is no event.
    """
    _keep_part(w, s)
    (short, _), bounded, halvings = excess(sys, w, s), not to_the_end, 0
    short_time, past_time, past, part, side = 0.0, h, 0.0, h, 0
    for trial in range(MOST_TRIALS):
        if trial > 0:
            _restore(w, s, BEFORE_PART)
            begin(sys, w, s, time, part, SETTLED)
        stuck = integrate(sys, w, s, time, part, RK4 if method == AB4 and trial > 0 else method)
        if not bounded or stuck >= 0:
            return part, stuck
        over, who = excess(sys, w, s)
        there = abs(over) <= LANDED and (over > 0.0 or short < -LANDED)
        if (trial == 0 and not over > LANDED) or (trial > 0 and there):
            return part, -1
        if over > 0.0:
            past_time, past = part, over
            short *= 0.5 if side == 1 else 1.0
            side = 1
        else:
            short_time, short = part, over
            past *= 0.5 if side == -1 else 1.0
            side = -1
        if short < -LANDED:
            part = past_time - past * (past_time - short_time) / (past - short)
        elif halvings < MOST_HALVINGS:
            part, side, halvings = 0.5 * (short_time + past_time), 0, halvings + 1
        elif hold(sys, w, s, who):
            part, short_time, past_time, halvings = h, 0.0, h, 0
        else:
            part, bounded = h, False
    s.ledger[UNSETTLED] += 1
    return part, -1


@inner
def _keep(w, s):
    """The state before the step."""
    q, v, mode, ledger = s.q, s.v, s.mode, s.ledger
    q0, v0, mode0, ledger0 = w.q0[0], w.v0[0], w.mode0, w.ledger0[0]
    for k in range(q.shape[0]):
        q0[k] = q[k]
    for k in range(v.shape[0]):
        v0[k], mode0[k] = v[k], mode[k]
    for k in range(ledger.shape[0]):
        ledger0[k] = ledger[k]


@inner
def _keep_part(w, s):
    """The state before a part of it; modes stay through its trials."""
    for k in range(s.q.shape[0]):
        w.q0[1, k] = s.q[k]
    for k in range(s.v.shape[0]):
        w.v0[1, k] = s.v[k]
    for k in range(s.ledger.shape[0]):
        w.ledger0[1, k] = s.ledger[k]


@inner
def _restore(w, s, which):
    """What was kept before the step, or before its part."""
    i = 0 if which == BEFORE_STEP else 1
    for k in range(s.q.shape[0]):
        s.q[k] = w.q0[i, k]
    for k in range(s.v.shape[0]):
        s.v[k] = w.v0[i, k]
        s.mode[k] = w.mode0[k] if which == BEFORE_STEP else s.mode[k]
    for k in range(s.ledger.shape[0]):
        s.ledger[k] = w.ledger0[i, k]


@inner
def _look(sys, w, s, h):
    """After a step's first evaluation: a link that would turn by more than 1 rad in it; now and then, the energy."""
    fast = _fastest(w, MOST_TURN / h)
    if fast >= 0:
        return TURNS_TOO_FAST, fast
    if int(s.ledger[STEPS]) % ACCOUNTING == 0:
        kinetic, potential, power = balance(sys, w, s)
        if _gained(s, kinetic, potential, h * abs(power)):
            return GAINS_ENERGY, max(_fastest(w, 0.0), 0)
    return OK, -1


@inner
def _fastest(w, speed):
    """The link that turns fastest, if that is faster than `speed` [rad/s], else −1."""
    most, who, W = speed * speed, -1, w.W
    for i in range(W.shape[0]):
        x, y, z = W[i, VELOCITY], W[i, VELOCITY + 1], W[i, VELOCITY + 2]
        turn = x * x + y * y + z * z
        if turn > most:
            most, who = turn, i
    return who


@inner
def _gained(s, kinetic, potential, error):
    """Has energy come from nowhere? `error` is what first-order steps out of rest are off by: h times the power of the
    weight, twice over."""
    ledger = s.ledger
    ledger[MOST_KINETIC] = max(kinetic, ledger[MOST_KINETIC])
    gain = kinetic + potential - ledger[START_ENERGY] - ledger[WORK]
    return gain > MOST_GAIN * ledger[MOST_KINETIC] + NOISE * max(1.0, abs(ledger[START_ENERGY])) + error


@inner
def _check(sys, s):
    """After a step: the first link that is not finite."""
    total, v = 0.0, s.v
    for k in range(v.shape[0]):
        total += v[k]
    return (OK, -1) if finite(total) else (NOT_FINITE, _not_finite(sys, s))


@inner
def _not_finite(sys, s):
    for i in range(sys.kind.shape[0]):
        k = sys.v_start[i]
        if not finite(s.v[k] + s.q[sys.q_start[i]]):
            return i
    return 0
