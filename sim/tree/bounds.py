"""Friction and stops: forces with bounds, found exactly at the start of every part of a step.

An axis (a hinge or slider) that stands still, and that friction or a stop acts on, is in one of three modes:

    HELD      a = 0,  low ≤ force ≤ high
    AT_LOW    force = low,   a ≥ 0          (it slides up, or leaves its upper stop)
    AT_HIGH   force = high,  a ≤ 0

Coulomb friction has low = −F, high = F; a lower stop high = ∞, an upper stop low = −∞. A held axis is one of infinite
armature, so a choice of modes is one evaluation; the modes that were wrong change and it is evaluated again (block
principal pivoting, Júdice & Pires 1994), one at a time if all at once does not settle. An axis that moves is at the
bound that opposes it. Between two events the modes stay, so the motion keeps its integrator's order; events are where
something that slides stands still, and where a stop is reached (impact.py).

The friction of a ball bounds the length of its torque: held as a whole, or sliding with the torque −F ω/|ω|.
"""

from __future__ import annotations

import math

from sim.dynamics.aba import ACCELERATION, DRIVE
from sim.jit import inner
from sim.model import BALL, FREE
from sim.tree.forces import evaluate
from sim.tree.stops import ball_angles
from sim.tree.world import DAMPED, IMPLICIT, UNSETTLED

AT_LOW, HELD, AT_HIGH = -1, 0, 1
SLIDING = 1
LOOK, CHANGE_ALL, CHANGE_ONE = 0.0, 1.0, 2.0
SETTLE, SETTLED = 0.0, 1.0
BAND = 1e-8  # [rad, m] within which a joint is at its stop
STILL = 1e-9  # [rad/s, m/s] below which what slides stands still
MOST_SOLVES = 60
SLOW = 1e-6  # [rad/s] below which a ball has no direction of sliding but the one in which it begins
STEADY = 1e9  # times its velocity, that of a ball which comes to stand
ALL_AT_ONCE = 12  # evaluations in which every wrong mode changes, before they change one at a time
NOISE = 1e-9  # [rad/s², m/s²]
SLACK = 1e-12  # relative, of a force


@inner
def begin(sys, w, s, time, h, modes):
    """The first evaluation of a part of a step of h, with modes that are right, or those there are."""
    start(sys, w, s, h)
    settling = modes == SETTLE
    if settling:
        _find_bounds(sys, w, s)
    fewest, patience = 1 << 30, ALL_AT_ONCE
    for _ in range(MOST_SOLVES):
        _apply_modes(sys, w, s)
        for stage in range(1):
            evaluate(sys, w, s, time, stage)
        wrong = _judge(sys, w, s, LOOK) if settling else 0
        if wrong == 0:
            if settling and _steady_balls(sys, w, s, h):
                continue
            return
        patience = ALL_AT_ONCE if wrong < fewest else patience - 1
        fewest = min(fewest, wrong)
        _judge(sys, w, s, CHANGE_ALL if patience > 0 else CHANGE_ONE)
    s.ledger[UNSETTLED] += 1


@inner
def start(sys, w, s, h):
    """The first stage, and w.armature from rotors and implicit damping over h.

    θ = ½, and larger where the damping would stop a joint within the step.
    """
    u, v, now, soft, armature = w.u[0], w.v[0], s.v, w.soft, w.armature
    locked, rotor, damping, rate = sys.locked, sys.rotor, sys.damping, sys.damping_rate
    implicit = w.switches[DAMPED] and w.switches[IMPLICIT]
    for k in range(u.shape[0]):
        u[k], v[k], soft[k] = 0.0, now[k], 0.0
        if implicit:
            soft[k] = max(0.5, 1.0 - 1.0 / max(rate[k] * h, 1e-300)) * h * damping[k]
        armature[k] = math.inf if locked[k] else rotor[k] + soft[k]


@inner
def _find_bounds(sys, w, s):
    """w.low, w.high of axes that stand still; equal where nothing holds. Moving axes get the mode of their motion."""
    for i in range(sys.kind.shape[0]):
        w.low[i], w.high[i] = 0.0, 0.0
        if not sys.bounded[i] or sys.kind[i] == FREE:
            continue
        k, F = sys.v_start[i], sys.friction[i]
        if sys.kind[i] == BALL:
            _find_ball(sys, w, s, i, k)
            continue
        if s.v[k] != 0.0:
            s.mode[k] = AT_LOW if s.v[k] > 0.0 else AT_HIGH
            continue
        x = s.q[sys.q_start[i]]
        w.low[i] = -math.inf if x >= sys.high[i, 0] - BAND else -F
        w.high[i] = math.inf if x <= sys.low[i, 0] + BAND else F
        if math.isinf(w.low[i] if s.mode[k] == AT_LOW else w.high[i]):
            s.mode[k] = HELD


@inner
def _find_ball(sys, w, s, i, k):
    """A ball may be held by friction if it stands still; which of its angles rest at a stop."""
    w.slide[k], w.slide[k + 1], w.slide[k + 2] = 0.0, 0.0, 0.0
    if s.v[k] == 0.0 and s.v[k + 1] == 0.0 and s.v[k + 2] == 0.0:
        w.high[i] = sys.friction[i]
    else:
        s.mode[k] = SLIDING
    for which in range(2):
        angle = ball_angles(sys, s.q, i)[which]
        w.resting[i, which] = angle >= sys.high[i, which] - BAND or angle <= sys.low[i, which] + BAND


@inner
def _apply_modes(sys, w, s):
    """w.push of axes at a bound; infinite w.armature of held ones."""
    for i in range(sys.kind.shape[0]):
        if not sys.bounded[i]:
            continue
        k = sys.v_start[i]
        held = w.low[i] < w.high[i] and s.mode[k] == HELD
        if sys.kind[i] == BALL:
            for c in range(3):
                w.armature[k + c] = math.inf if held else w.soft[k + c]
            continue
        w.armature[k] = math.inf if held else sys.rotor[k] + w.soft[k]
        w.push[k] = 0.0
        if w.low[i] < w.high[i]:
            if not held:
                w.push[k] = w.low[i] if s.mode[k] == AT_LOW else w.high[i]
        elif s.v[k] != 0.0:
            w.push[k] = -sys.friction[i] if s.mode[k] == AT_LOW else sys.friction[i]


@inner
def _judge(sys, w, s, change):
    """How many modes are wrong; they are left, all put right, or the last one only."""
    wrong = 0
    for i in range(sys.bounded.shape[0] - 1, -1, -1):
        if not w.low[i] < w.high[i]:
            continue
        k = sys.v_start[i]
        better = _ball_mode(sys, w, s, i, k, change) if sys.kind[i] == BALL else _axis_mode(sys, w, s, i, k)
        if better != s.mode[k]:
            wrong += 1
            if change != LOOK:
                s.mode[k] = better
                if change == CHANGE_ONE:
                    return wrong
    return wrong


@inner
def _holding(w, i, k):
    """The force that keeps a held axis still: (IA S)·a − u."""
    f = -w.U[k, DRIVE]
    for c in range(6):
        f += w.U[k, c] * w.W[i, ACCELERATION + c]
    return f


@inner
def _axis_mode(sys, w, s, i, k):
    """The mode that force and acceleration of a standing axis ask for."""
    if s.mode[k] == HELD:
        f = _holding(w, i, k)
        if f < w.low[i] - SLACK * abs(f):
            return AT_LOW
        return AT_HIGH if f > w.high[i] + SLACK * abs(f) else HELD
    a = w.dv[0, k]
    if s.mode[k] == AT_LOW:
        return HELD if a < -NOISE else AT_LOW
    return HELD if a > NOISE else AT_HIGH


@inner
def _ball_mode(sys, w, s, i, k, change):
    """Held as long as its bound carries it; else it slides against the torque that would have been needed."""
    if s.mode[k] == HELD:
        x, y, z = _holding(w, i, k), _holding(w, i, k + 1), _holding(w, i, k + 2)
        f = math.sqrt(x * x + y * y + z * z)
        if f <= w.high[i] * (1.0 + SLACK):
            return HELD
        if change != LOOK:
            g = -SLOW / f
            w.slide[k], w.slide[k + 1], w.slide[k + 2] = g * x, g * y, g * z
        return SLIDING
    along = 0.0
    for c in range(3):
        along += w.slide[k + c] * w.dv[0, k + c]
    none = w.slide[k] == 0.0 and w.slide[k + 1] == 0.0 and w.slide[k + 2] == 0.0
    return HELD if none or along < -NOISE else SLIDING


@inner
def _steady_balls(sys, w, s, h):
    """Balls that will stand within h go on sliding the way they do: past the end of that, friction has no direction."""
    found = False
    for i in range(sys.bounded.shape[0]):
        k = sys.v_start[i]
        if sys.kind[i] != BALL or sys.friction[i] == 0.0 or w.low[i] < w.high[i] or w.slide[k] != 0.0:
            continue
        speed, slower = 0.0, 0.0
        for c in range(3):
            speed += s.v[k + c] * s.v[k + c]
            slower -= s.v[k + c] * w.dv[0, k + c]
        if speed < h * slower and w.slide[k + 1] == 0.0 and w.slide[k + 2] == 0.0:
            found = True
            for c in range(3):
                w.slide[k + c] = STEADY * s.v[k + c]
    return found


@inner
def excess(sys, w, s):
    """How far the first of all events lies back: past a stop, or sliding the wrong way; negative before all of them."""
    worst = -math.inf
    for i in range(sys.kind.shape[0]):
        if not sys.bounded[i]:
            continue
        iq, k = sys.q_start[i], sys.v_start[i]
        if sys.kind[i] == BALL:
            worst = max(worst, _ball_excess(sys, w, s, i, k))
            continue
        if w.low[i] < w.high[i] and s.mode[k] == HELD:
            continue
        if sys.friction[i] > 0.0:
            worst = max(worst, s.v[k] if s.mode[k] == AT_HIGH else -s.v[k])
        began = w.q0[1, iq]
        if began <= sys.high[i, 0] + BAND:
            worst = max(worst, s.q[iq] - sys.high[i, 0])
        if began >= sys.low[i, 0] - BAND:
            worst = max(worst, sys.low[i, 0] - s.q[iq])
    return worst


@inner
def _ball_excess(sys, w, s, i, k):
    worst = -math.inf
    if sys.friction[i] > 0.0 and s.mode[k] == SLIDING:
        a, b = 0.0, 0.0
        for c in range(3):
            a += w.v0[1, k + c] * w.v0[1, k + c]
            b += w.v0[1, k + c] * s.v[k + c]
        if a > 0.0:
            worst = -b / math.sqrt(a)
    for which in range(2):
        if not w.resting[i, which]:
            angle = ball_angles(sys, s.q, i)[which]
            worst = max(worst, angle - sys.high[i, which], sys.low[i, which] - angle)
    return worst


@inner
def stand_still(sys, w, s):
    """What has slid until it nearly stands, stands: then friction may hold it."""
    for i in range(sys.bounded.shape[0]):
        if not sys.bounded[i] or sys.friction[i] == 0.0:
            continue
        k = sys.v_start[i]
        if sys.kind[i] == BALL:
            a, b = 0.0, 0.0
            for c in range(3):
                a += w.v0[1, k + c] * w.v0[1, k + c]
                b += s.v[k + c] * s.v[k + c]
            if math.sqrt(b) <= STILL + 1e-3 * math.sqrt(a) and _turned_round(w, s, k):
                s.v[k], s.v[k + 1], s.v[k + 2] = 0.0, 0.0, 0.0
        elif abs(s.v[k]) <= STILL:
            s.v[k] = 0.0


@inner
def _turned_round(w, s, k):
    along = 0.0
    for c in range(3):
        along += w.v0[1, k + c] * s.v[k + c]
    return along <= STILL
