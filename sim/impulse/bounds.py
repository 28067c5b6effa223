"""Friction and stops: impulses with bounds, solved exactly with the joints held.

An axis (a hinge, a slider, the swing or twist of a ball) that friction or a stop acts on is in one of
three modes, c being the velocity at which it would stand still (0, or the rebound after an impact):

    HELD      v = c,  low ≤ impulse ≤ high
    AT_LOW    impulse = low,   v ≥ c          (it slides up, or has left its upper stop)
    AT_HIGH   impulse = high,  v ≤ c

Coulomb friction has low = −h F, high = h F; a lower stop high = ∞, an upper stop low = −∞. A held axis is
one that the tree may not move along, so a choice of modes is one linear solve; the modes that were wrong
change and it is solved again (block principal pivoting, Júdice & Pires 1994), one at a time if all at once
does not settle. The friction of balls is sim/impulse/ball_friction.py.
"""

from __future__ import annotations

import math

from sim.impulse.ball_friction import GRIP, begin_slipping, grip_ball, judge_ball, measure_grip, slip
from sim.impulse.geometry import has_stop, measure
from sim.impulse.project import axis_rate, factor, joint_rates, solve, take_momenta
from sim.impulse.rows import add_impulse
from sim.impulse.tree import ASKED, carry_down, momentum_of
from sim.impulse.world import UNSETTLED
from sim.jit import inner, pasted
from sim.model import BALL, HINGE, SLIDER
from sim.spatial.kernels import finite

AT_LOW, HELD, AT_HIGH = -1, 0, 1
LOOK, CHANGE_ALL, CHANGE_ONE = 0.0, 1.0, 2.0
BAND = 1e-8  # [rad, m] within which a joint is at its stop
CAUGHT = 1e-9  # [rad, m] how far a joint may be driven into its stop
MOST_SOLVES = 60
ALL_AT_ONCE = 12  # solves in which every wrong mode changes, before they change one at a time
NOISE = 1e-12  # [rad/s, m/s], and relative to an impulse's bounds


@inner
def find_bounds(sys, w, s, h):
    """w.low, w.high for impulses over a time h; returns whether there are any.

    A stop counts if its joint was there at the start of the step and is now; arriving at one is an impact.
    """
    found = False
    for j in range(sys.kind.shape[0]):
        kind = sys.kind[j]
        for k in range(3):
            w.low[j, k], w.high[j, k] = 0.0, 0.0
        w.target[j, 0], w.target[j, 1] = 0.0, 0.0
        if kind in (HINGE, SLIDER):
            w.low[j, 0], w.high[j, 0] = -h * sys.friction[j], h * sys.friction[j]
        elif kind == BALL:
            w.high[j, 2] = h * sys.friction[j]
        for k in range(2):
            if not has_stop(sys, j, k, s.coordinate[j, 0]):
                continue
            if max(w.start[j, k], s.coordinate[j, k]) <= sys.low[j, k] + BAND:
                w.high[j, k] = math.inf
            if min(w.start[j, k], s.coordinate[j, k]) >= sys.high[j, k] - BAND:
                w.low[j, k] = -math.inf
        for k in range(3):
            if w.low[j, k] == w.high[j, k]:
                s.mode[j, k] = HELD
            else:
                found = True
                outside = w.low[j, k] if s.mode[j, k] == AT_LOW else w.high[j, k]
                if s.mode[j, k] != HELD and not finite(outside):
                    s.mode[j, k] = HELD
    return found


@inner
def catch(sys, w, s):
    """Holds the joints that were let go at their stops and that the position solve (w.x_new, w.R_new) has driven in.

    The forces that do this, those of curved paths, are not in the kick that decided. Returns whether there are any.
    """
    found = False
    for j in range(sys.kind.shape[0]):
        if not sys.limited[j] or w.held[j]:
            continue
        for k in range(2):
            lower, upper = w.high[j, k] == math.inf, w.low[j, k] == -math.inf
            if s.mode[j, k] == HELD or not (lower or upper):
                continue
            at = _held_at(sys, s, j, k)
            c = measure(sys, w.x_new, w.R_new, j, s.coordinate[j, 0], w.frames[0], w.frames[1], w.directions)
            if (lower and c[k] < at - CAUGHT) or (upper and c[k] > at + CAUGHT):
                s.mode[j, k] = HELD
                found = True
    if found:
        _hold(sys, w, s)
    return found


@inner
def let_go(sys, w):
    """Frees what friction alone holds, for a position solve that cannot hold it. Returns whether there was anything.

    Where a mechanism carries a joint through its largest angle, no torque of that joint can hold it.
    """
    found = False
    for j in range(sys.kind.shape[0]):
        if w.held[j] and sys.friction[j] > 0.0 and finite(w.low[j, 0]) and finite(w.high[j, 0]):
            w.held[j] = False
            found = True
    return found


@inner
def free_axes(sys, w):
    """Nothing is held."""
    for j in range(sys.kind.shape[0]):
        w.held[j] = False
        w.hold_rows[j] = 0


@inner
def _hold(sys, w, s):
    """w.held, hold_rows, hold_axis and hold_at from the modes."""
    for j in range(sys.kind.shape[0]):
        w.held[j] = False
        w.hold_rows[j] = 0
        if sys.kind[j] == BALL:
            if w.high[j, 2] > 0.0 and s.mode[j, 2] == HELD:
                w.held[j] = True
                grip_ball(sys, w, s, j)
                continue
            _hold_angles(sys, w, s, j)
        elif w.low[j, 0] < w.high[j, 0] and s.mode[j, 0] == HELD:
            w.held[j] = True
            w.hold_at[j, 0] = _held_at(sys, s, j, 0)


@inner
def _hold_angles(sys, w, s, j):
    """The held directions of a ball at its cone or twist stops."""
    w.hold_which[j] = 0
    for k in range(2):
        if w.low[j, k] < w.high[j, k] and s.mode[j, k] == HELD:
            if w.hold_which[j] == 0:
                measure(sys, s.x, s.R, j, 0.0, w.frames[0], w.frames[1], w.directions)
            for i in range(3):
                w.hold_axis[j, w.hold_rows[j], i] = w.directions[k, i]
            w.hold_rows[j] += 1
            w.hold_which[j] += 1 + k
            w.hold_at[j, k] = _held_at(sys, s, j, k)


@inner
def _held_at(sys, s, j, k):
    """Where an axis first came to be held. A ball's angles, while they are not outside of their stops, at these."""
    c = s.coordinate[j, k]
    if sys.kind[j] == BALL:
        if abs(c - sys.low[j, k]) <= BAND:
            return sys.low[j, k]
        return sys.high[j, k] if abs(c - sys.high[j, k]) <= BAND else c
    if abs(c - s.grip[j, 0, 0]) > GRIP:
        s.grip[j, 0, 0] = c
    return s.grip[j, 0, 0]


@inner
def solve_bounded(sys, w, s, asked):
    """w.V from the momenta with bounded impulses; soft axes as w.soft says, rotors turning at w.rotor_speed.

    If `asked` is ASKED, joints shall move at w.base and w.base_rows instead of standing still.
    Writes  w.V, w.impulse, and leaves the modes for next time. What does not settle is counted in the ledger.
    """
    begin_slipping(sys, w, s)
    fewest = 1 << 30
    patience = ALL_AT_ONCE
    for _ in range(MOST_SOLVES):
        _solve_modes(sys, w, s, asked)
        wrong = _judge(sys, w, s, LOOK)
        if wrong == 0:
            return
        patience = ALL_AT_ONCE if wrong < fewest else patience - 1
        fewest = min(fewest, wrong)
        _judge(sys, w, s, CHANGE_ALL if patience > 0 else CHANGE_ONE)
    s.ledger[UNSETTLED] += 1


@pasted
def _solve_modes(sys, w, s, asked):
    """One linear solve with the modes as they are, and the impulses of the held axes."""
    _hold(sys, w, s)
    take_momenta(s, w)
    slip(sys, w, s)
    factor(sys, w, s)
    for j in range(sys.kind.shape[0]):
        w.pi[j] = sys.rotor[j] * w.rotor_speed[j]
        if s.mode[j, 0] != HELD and sys.kind[j] != BALL:
            bound = w.low[j, 0] if s.mode[j, 0] == AT_LOW else w.high[j, 0]
            if j < w.V.shape[0]:
                w.pi[j] += bound
            else:
                add_impulse(w.G[j, 0], sys.parent[j], sys.child[j], bound, w.momentum)
        if w.target[j, 0] != 0.0 or w.target[j, 1] != 0.0:
            asked = ASKED
    if asked == ASKED:
        _ask_targets(sys, w, s)
    solve(sys, w, asked)
    _measure_impulses(sys, w, s)


@inner
def _ask_targets(sys, w, s):
    """w.b and block.rhs for held axes that shall move at their targets."""
    block = w.block
    for i in range(w.b.shape[0]):
        for k in range(6):
            w.b[i, k] = w.base[i, k]
        if w.held[i] and sys.kind[i] != BALL:
            o = 0 if sys.kind[i] == HINGE else 3
            for k in range(3):
                w.b[i, o + k] += w.axis[i, k] * w.target[i, 0]
        elif w.hold_rows[i] > 0:
            _ask_turning(w, i, w.b[i])
    for r in range(block.size[0]):
        block.rhs[r] = block.compliance[r] * w.pi[block.joint[r]]
    for r in range(sys.row_start[-1]):
        block.rhs[r] = w.base_rows[r]
    for j in range(w.b.shape[0], sys.kind.shape[0]):
        if w.held[j] and sys.kind[j] != BALL:
            block.rhs[block.axis_row[j]] = w.target[j, 0]
        for i in range(w.hold_rows[j]):
            block.rhs[block.hold_row[j] + i] = w.target[j, 1 if w.hold_which[j] == 2 or i == 1 else 0]


@inner
def _ask_turning(w, i, b):
    """The turning of least size with n_k·b = target_k of a ball."""
    n = w.hold_axis[i]
    c0 = w.target[i, 1 if w.hold_which[i] == 2 else 0]
    a00 = n[0, 0] * n[0, 0] + n[0, 1] * n[0, 1] + n[0, 2] * n[0, 2]
    f0, f1 = c0 / a00, 0.0
    if w.hold_rows[i] == 2:
        c1 = w.target[i, 1]
        a01 = n[0, 0] * n[1, 0] + n[0, 1] * n[1, 1] + n[0, 2] * n[1, 2]
        a11 = n[1, 0] * n[1, 0] + n[1, 1] * n[1, 1] + n[1, 2] * n[1, 2]
        det = a00 * a11 - a01 * a01
        f0, f1 = (a11 * c0 - a01 * c1) / det, (a00 * c1 - a01 * c0) / det
    for k in range(3):
        b[k] += f0 * n[0, k] + f1 * n[1, k]


@inner
def _measure_impulses(sys, w, s):
    """w.impulse of every axis: what a held one carries, else its bound."""
    nb, block = w.V.shape[0], w.block
    for b in range(nb):
        m = momentum_of(sys.mass[b], sys.moments[b], s.R[b], w.V[b])
        for k in range(6):
            w.J[b, k] = m[k] - w.momentum[b, k]
    for r in range(block.size[0]):
        j = block.joint[r]
        add_impulse(block.J[r], sys.parent[j], sys.child[j], -block.lam[r], w.J)
    carry_down(sys, w, w.J)
    for j in range(sys.kind.shape[0]):
        for k in range(3):
            w.impulse[j, k] = 0.0
        rotor = sys.rotor[j] * (w.target[j, 0] - w.rotor_speed[j])
        if w.held[j] and sys.kind[j] == BALL:
            f = w.J[j] if j < nb else w.points[0]
            if j >= nb:
                _axis_torque(block, block.axis_row[j], f)
            measure_grip(sys, w, s, j, f)
        elif w.held[j] and j < nb:
            f = w.J[j] if sys.kind[j] == HINGE else w.J[j, 3:]
            a = w.axis[j]
            w.impulse[j, 0] = a[0] * f[0] + a[1] * f[1] + a[2] * f[2] + rotor
        elif w.held[j]:
            w.impulse[j, 0] = block.lam[block.axis_row[j]] + rotor
        elif sys.kind[j] != BALL and w.low[j, 0] < w.high[j, 0]:
            w.impulse[j, 0] = w.low[j, 0] if s.mode[j, 0] == AT_LOW else w.high[j, 0]
        for i in range(w.hold_rows[j]):
            k = 1 if w.hold_which[j] == 2 or i == 1 else 0
            w.impulse[j, k] = block.lam[block.hold_row[j] + i] if j >= nb else _about(w, j, i)


@inner
def _axis_torque(block, row, f):
    """f = Σ λ_k c_k over the three axes of a held cut ball."""
    for i in range(3):
        f[i] = 0.0
        for k in range(3):
            f[i] += block.lam[row + k] * block.J[row + k, 6 + i]


@inner
def _about(w, j, i):
    """The impulse along held direction i of a ball: torque = Σ n_i impulse_i (+ what damping takes)."""
    n, f = w.hold_axis[j], w.J[j]
    c0 = n[i, 0] * f[0] + n[i, 1] * f[1] + n[i, 2] * f[2]
    a = n[i, 0] * n[i, 0] + n[i, 1] * n[i, 1] + n[i, 2] * n[i, 2]
    if w.hold_rows[j] == 1:
        return c0 / a
    o = 1 - i
    c1 = n[o, 0] * f[0] + n[o, 1] * f[1] + n[o, 2] * f[2]
    m = n[0, 0] * n[1, 0] + n[0, 1] * n[1, 1] + n[0, 2] * n[1, 2]
    b = n[o, 0] * n[o, 0] + n[o, 1] * n[o, 1] + n[o, 2] * n[o, 2]
    return (b * c0 - m * c1) / (a * b - m * m)


@inner
def _judge(sys, w, s, change):
    """How many modes are wrong; they are left, all put right, or the last one only. Balls still settling count too."""
    changed, settling = 0, 0
    for j in range(sys.kind.shape[0] - 1, -1, -1):
        for k in range(3):
            if not w.low[j, k] < w.high[j, k]:
                continue
            mode = s.mode[j, k]
            better = judge_ball(sys, w, s, j, change != LOOK) if k == 2 else _better_mode(sys, w, s, j, k, change)
            if better != mode:
                if change == CHANGE_ALL or (change == CHANGE_ONE and changed == 0):
                    s.mode[j, k] = better
                changed += 1
            elif k == 2:
                settling += w.settling[j]
    return changed + settling


@inner
def _better_mode(sys, w, s, j, k, change):
    """The mode of an axis that its impulse and velocity ask for.

    Where an axis can hardly move at all (at its largest angle in a mechanism), what it carries while held says
    nothing. So after a while one that slides the wrong way tries the other bound first.
    """
    mode, low, high = s.mode[j, k], w.low[j, k], w.high[j, k]
    if mode == HELD:
        if w.held[j] and sys.kind[j] == BALL:
            return HELD  # friction holds the whole ball
        noise = NOISE * max(abs(w.impulse[j, k]), 1e-3)
        if w.impulse[j, k] < low - noise:
            return AT_LOW
        return AT_HIGH if w.impulse[j, k] > high + noise else HELD
    v = _velocity(sys, w, s, j, k) - w.target[j, k]
    if mode == AT_LOW:
        if v >= -NOISE:
            return AT_LOW
        return AT_HIGH if change == CHANGE_ONE and finite(high) else HELD
    return HELD if v > NOISE else AT_HIGH


@inner
def _velocity(sys, w, s, j, k):
    """Of an axis, at w.V."""
    if sys.kind[j] != BALL:
        if j < w.V.shape[0]:
            return axis_rate(sys, w, j)
        joint_rates(sys, w, j, w.rate_end[j])
        return w.rate_end[j, 0]
    measure(sys, s.x, s.R, j, 0.0, w.frames[0], w.frames[1], w.directions)
    n, v = w.directions[k], 0.0
    for i in range(3):
        v += n[i] * w.V[sys.child[j], i]
        if sys.parent[j] >= 0:
            v -= n[i] * w.V[sys.parent[j], i]
    return v
