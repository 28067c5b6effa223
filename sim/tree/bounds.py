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

The friction of a ball bounds the length of its torque: held as a whole, or sliding with the torque −F ω/|ω|. Where it
is so slow that its direction would turn within a step, the damping F/|ω| stands for it, implicitly. Its angles are at
their stops, HELD or AWAY, apart from that (`press` of rows.py holds them).
"""

from __future__ import annotations

import math

from sim.dynamics.aba import ACCELERATION, DRIVE
from sim.jit import inner
from sim.model import BALL, FREE
from sim.spatial.blocks import add3, dot3, scale3
from sim.tree.forces import evaluate
from sim.tree.rows import AWAY
from sim.tree.stops import FURTHEST_SWING, ball_angles, ball_bias, ball_direction, stop_side
from sim.tree.world import DAMPED, IMPLICIT, UNSETTLED

AT_LOW, HELD, AT_HIGH = -1, 0, 1
SLIDING = 1
LOOK, CHANGE_ALL, CHANGE_ONE = 0.0, 1.0, 2.0
SETTLE, SETTLED = 0.0, 1.0
BAND = 1e-8  # [rad, m] within which a joint is at its stop
STILL = 1e-9  # [rad/s, m/s] below which what slides stands still
MOST_SOLVES = 60
SLOW = 1e-6  # [rad/s] below which a ball has no direction of sliding but the one in which it begins
STEADY = 1e9  # times its own, the velocity whose direction friction keeps
STIFF = 1.0  # of h · rate at which the direction of a ball's friction follows it, above which it creeps
REFINEMENTS = 8  # evaluations that find how fast a creeping ball will be
SAME = 1e-8  # 1 − cos of the angle between directions that are the same
ALL_AT_ONCE = 12  # evaluations in which every wrong mode changes, before they change one at a time
NOISE = 1e-9  # [rad/s², m/s²]
SLACK = 1e-12  # relative, of a force


@inner
def begin(sys, w, s, time, h, modes):
    """The first evaluation of a part of a step of h, with modes that are right, or those there are."""
    start(sys, w, s, h)
    settling = modes == SETTLE
    if settling:
        _find_bounds(sys, w, s, h)
    fewest, patience, refinements = 1 << 30, ALL_AT_ONCE, REFINEMENTS if settling else 0
    for _ in range(MOST_SOLVES):
        _apply_modes(sys, w, s, h)
        for stage in range(1):
            evaluate(sys, w, s, time, stage)
        wrong = _judge(sys, w, s, LOOK) if settling else 0
        if wrong == 0:
            if refinements > 0 and _refine_creep(sys, w, s, h):
                refinements -= 1
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
    u, v, now, soft, armature, locked, rotor = w.u[0], w.v[0], s.v, w.soft, w.armature, sys.locked, sys.rotor
    implicit = w.switches[DAMPED] and w.switches[IMPLICIT]
    for k in range(u.shape[0]):
        u[k], v[k], soft[k] = 0.0, now[k], _softened(sys, k, h) if implicit else 0.0
        armature[k] = math.inf if locked[k] else rotor[k] + soft[k]


@inner
def _softened(sys, k, h):
    """What implicit damping adds to a joint's inertia: θ h d."""
    return max(0.5, 1.0 - 1.0 / max(sys.damping_rate[k] * h, 1e-300)) * h * sys.damping[k]


@inner
def _find_bounds(sys, w, s, h):
    """w.low, w.high of axes that stand still; equal where nothing holds. Moving axes get the mode of their motion."""
    for i in range(sys.kind.shape[0]):
        w.low[i], w.high[i] = 0.0, 0.0
        if not sys.bounded[i] or sys.kind[i] == FREE:
            continue
        k, F = sys.v_start[i], sys.friction[i]
        if sys.kind[i] == BALL:
            _find_ball(sys, w, s, i, k, h)
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
def _find_ball(sys, w, s, i, k, h):
    """A ball may be held by friction if it stands still; which of its angles rest at a stop."""
    w.slide[k], w.slide[k + 1], w.slide[k + 2] = 0.0, 0.0, 0.0
    w.creep[i] = 0.0
    speed = math.sqrt(s.v[k] * s.v[k] + s.v[k + 1] * s.v[k + 1] + s.v[k + 2] * s.v[k + 2])
    if speed == 0.0:
        w.high[i] = sys.friction[i]
    else:
        s.mode[k] = SLIDING
        if h * sys.friction_rate[i] > STIFF * speed:
            w.creep[i] = sys.friction[i] / speed
    angles = ball_angles(sys, s.q, i)
    for which in range(2):
        side = stop_side(sys, angles, i, which, BAND)
        n = ball_direction(sys, s.q, i, which)
        leaves = abs(n[0] * s.v[k] + n[1] * s.v[k + 1] + n[2] * s.v[k + 2]) > STILL and side != 2
        w.began[i, which], w.rest[i, which], w.load[i, which] = angles[which], 0 if leaves else side, 0.0
        if w.rest[i, which] == 0 or side == 2:
            s.mode[k + 1 + which] = HELD


@inner
def forget_rests(sys, w, s):
    """Before a step: nothing rests yet, and balls that are outside of their stops are so from here."""
    for i in range(sys.bounded.shape[0]):
        if sys.bounded[i] and sys.kind[i] == BALL:
            angles = ball_angles(sys, s.q, i)
            for which in range(2):
                w.began[i, which], w.rest[i, which] = angles[which], 0


@inner
def _apply_modes(sys, w, s, h):
    """w.push of axes at a bound; infinite w.armature of held ones."""
    implicit = w.switches[DAMPED] and w.switches[IMPLICIT]
    for i in range(sys.kind.shape[0]):
        if not sys.bounded[i]:
            continue
        k = sys.v_start[i]
        held = w.low[i] < w.high[i] and s.mode[k] == HELD
        if sys.kind[i] == BALL:
            for c in range(3):
                w.soft[k + c] = (_softened(sys, k + c, h) if implicit else 0.0) + h * w.creep[i]
                w.armature[k + c] = math.inf if held else w.soft[k + c]
                w.push[k + c] = -w.creep[i] * s.v[k + c]
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
        k = sys.v_start[i]
        if sys.bounded[i] and sys.kind[i] == BALL:
            for which in range(2):
                if w.rest[i, which] in (-1, 1) and not _rests_right(sys, w, s, i, k, which):
                    wrong += 1
                    if change != LOOK:
                        s.mode[k + 1 + which] = AWAY if s.mode[k + 1 + which] == HELD else HELD
                        if change == CHANGE_ONE:
                            return wrong
        if not w.low[i] < w.high[i]:
            continue
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
def _rests_right(sys, w, s, i, k, which):
    """A stop that pushes, or an angle that leaves it; what friction holds needs no stop."""
    if math.isinf(w.armature[k]):
        return True
    if s.mode[k + 1 + which] == HELD:
        return w.load[i, which] >= 0.0
    n = ball_direction(sys, s.q, i, which)
    a = ball_bias(sys, s.q, s.v, i, which)
    for c in range(3):
        a += n[c] * w.dv[0, k + c]
    return a * w.rest[i, which] <= NOISE


@inner
def _ball_mode(sys, w, s, i, k, change):
    """Held as long as its bound carries what stops do not; else it slides against the torque that was missing."""
    if s.mode[k] == HELD:
        t = _unsupported(sys, w, s, i, (_holding(w, i, k), _holding(w, i, k + 1), _holding(w, i, k + 2)))
        f = math.sqrt(dot3(t, t))
        if f <= w.high[i] * (1.0 + SLACK):
            return HELD
        if change != LOOK:
            g = -SLOW / f
            w.slide[k], w.slide[k + 1], w.slide[k + 2] = g * t[0], g * t[1], g * t[2]
        return SLIDING
    along = 0.0
    for c in range(3):
        along += w.slide[k + c] * w.dv[0, k + c]
    none = w.slide[k] == 0.0 and w.slide[k + 1] == 0.0 and w.slide[k + 2] == 0.0
    return HELD if none or along < -NOISE else SLIDING


@inner
def _refine_creep(sys, w, s, h):
    """The damping F/|ω⁺| of creeping balls from the ω⁺ to which the present one leads; whether there is any.

    A ball that is only slowed down, not turned, needs none: its friction has the direction it began with.
    """
    found = False
    for i in range(sys.bounded.shape[0]):
        if w.creep[i] > 0.0:
            k, before, now, both, found = sys.v_start[i], 0.0, 0.0, 0.0, True
            for c in range(3):
                last, ahead = s.v[k + c], s.v[k + c] + h * w.dv[0, k + c]
                before, now, both = before + last * last, now + ahead * ahead, both + ahead * last
            w.creep[i] = sys.friction[i] / max(math.sqrt(now), SLOW)
            if both >= (1.0 - SAME) * math.sqrt(before * now):
                w.creep[i] = 0.0
                for c in range(3):
                    w.slide[k + c] = STEADY * s.v[k + c]
    return found


@inner
def _unsupported(sys, w, s, i, t):
    """The torque t that holds a ball, less what the stops it rests on give: their directions are at right angles."""
    for which in range(2):
        if w.rest[i, which] != 0:
            n = ball_direction(sys, s.q, i, which)
            share = dot3(t, n) / dot3(n, n)
            if w.rest[i, which] == 2 or share * w.rest[i, which] < 0.0:
                t = add3(t, scale3(-share, n))
    return t


@inner
def excess(sys, w, s):
    """How far the first of all events lies back, and of which link: past a stop, sliding the wrong way, or moving out
    where it is outside of its stops; negative before all of them."""
    worst, who = -math.inf, -1
    for i in range(sys.kind.shape[0]):
        if sys.bounded[i]:
            k = sys.v_start[i]
            far = _ball_excess(sys, w, s, i, k) if sys.kind[i] == BALL else _axis_excess(sys, w, s, i, k)
            if far > worst:
                worst, who = far, i
    return worst, who


@inner
def _axis_excess(sys, w, s, i, k):
    if w.low[i] < w.high[i] and s.mode[k] == HELD:
        return -math.inf
    x, began, worst = s.q[sys.q_start[i]], w.q0[1, sys.q_start[i]], -math.inf
    if sys.friction[i] > 0.0:
        worst = s.v[k] if s.mode[k] == AT_HIGH else -s.v[k]
    worst = max(worst, x - sys.high[i, 0] if began <= sys.high[i, 0] + BAND else s.v[k])
    return max(worst, sys.low[i, 0] - x if began >= sys.low[i, 0] - BAND else -s.v[k])


@inner
def hold(sys, w, s, i):
    """An axis that was let go and is driven against its bound from the first moment on stands; whether it can."""
    k = sys.v_start[i]
    if sys.kind[i] == BALL or not w.low[i] < w.high[i] or s.mode[k] == HELD:
        return False
    s.mode[k] = HELD
    return True


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
    angles = ball_angles(sys, s.q, i)
    for which in range(2):
        if which == 0 or angles[0] < FURTHEST_SWING:
            if w.began[i, which] < sys.high[i, which] - BAND:
                worst = max(worst, angles[which] - sys.high[i, which])
            if w.began[i, which] > sys.low[i, which] + BAND:
                worst = max(worst, sys.low[i, which] - angles[which])
    return worst


@inner
def stand_still(sys, w, s):
    """What has slid until it nearly stands, and what hardly moves at a stop, stands: then that may hold it."""
    for i in range(sys.bounded.shape[0]):
        if not sys.bounded[i]:
            continue
        k = sys.v_start[i]
        if sys.kind[i] == BALL:
            if sys.friction[i] > 0.0 and _stands(w, s, i, k):
                s.v[k], s.v[k + 1], s.v[k + 2] = 0.0, 0.0, 0.0
        elif abs(s.v[k]) <= STILL:
            x = s.q[sys.q_start[i]]
            if sys.friction[i] > 0.0 or x >= sys.high[i, 0] - BAND or x <= sys.low[i, 0] + BAND:
                s.v[k] = 0.0


@inner
def _stands(w, s, i, k):
    """A ball that has slid until it turned round, or crept, and is slow."""
    before, now, along = 0.0, 0.0, 0.0
    for c in range(3):
        before += w.v0[1, k + c] * w.v0[1, k + c]
        now += s.v[k + c] * s.v[k + c]
        along += w.v0[1, k + c] * s.v[k + c]
    if w.creep[i] > 0.0:
        return math.sqrt(now) <= SLOW
    return math.sqrt(now) <= STILL + 1e-3 * math.sqrt(before) and along <= STILL
