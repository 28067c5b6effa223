"""The position solve of a step: joint impulses so that the joints hold at the *new* pose.

    C(x + h M⁻¹(p + Jᵀ λ)) = 0      with J at the old pose

A chord iteration: the errors at the trial pose, asked back within the step as joint velocities −C/h of the
old pose, through the factors that are there already. It starts from what the joints carried in the last three
steps, carried on by a parabola: a smooth motion needs few or no iterations. Axes that are held (by friction or
a stop) are errors like the others, and a rotor turns with its joint by one more: its angle at the end of the
step is the joint's.
"""

from __future__ import annotations

import math

from sim.impulse.block import least_norm
from sim.impulse.geometry import axis_error, frames, gap, measure, misalignment
from sim.impulse.integrate import drift
from sim.impulse.project import axis_rate, solve_errors
from sim.impulse.rows import add_impulse, place_joint, residual
from sim.impulse.tree import carry_down, momentum_of
from sim.impulse.world import ACTED_ON, SOLVES
from sim.jit import inner
from sim.model import BALL, FIXED, FREE, HINGE, SLIDER
from sim.spatial.kernels import finite, multiply

TOLERANCE = 1e-10  # [m, rad]; of shorter steps than 1 ms as much less, since velocities are off by it over h
FASTEST_ERROR = 1e-7  # [m/s, rad/s]
ROUNDING = 1e-15  # of the distance from the world origin, at least of 100 m
CONTRADICTION = 2e-9  # [m, rad] that is left where more axes of a loop are held than can move
MOST_ITERATIONS = 40


@inner
def solve_positions(sys, w, s, h):
    """w.x_new, w.R_new where the joints hold, and in w.J the impulses that take them there, for `accept`.

    Returns whether it converged, and the joint that is furthest from holding.
    """
    first, last = math.inf, math.inf
    tolerance = enough(s.x, h)
    _guess(sys, w, s, h)
    for iteration in range(MOST_ITERATIONS):
        drift(s.x, s.R, s.P, s.L, w.J, sys.lightness, sys.lone, h, w.x_new, w.R_new)
        worst, where = joint_errors(sys, w, s, h)
        if worst < tolerance or (worst < CONTRADICTION and worst > 0.5 * last and _holds(w)):
            s.ledger[SOLVES] += iteration
            return True, -1
        if not worst < 100.0 * first:
            return False, where
        first, last = min(first, worst), worst
        solve_errors(sys, w)
        for b in range(w.J.shape[0]):
            if not sys.lone[b]:
                m, J = momentum_of(sys.mass[b], sys.moments[b], s.R[b], w.V[b]), w.J[b]
                J[0], J[1], J[2] = J[0] + m[0], J[1] + m[1], J[2] + m[2]
                J[3], J[4], J[5] = J[3] + m[3], J[4] + m[4], J[5] + m[5]
        if sys.cut[0]:
            _add_to_totals(w.block)
        if w.switches[ACTED_ON]:
            _turn_rotors(sys, w)
    return False, where


@inner
def _add_to_totals(block):
    for r in range(block.size[0]):
        block.total[r] += block.lam[r]


@inner
def _holds(w):
    """Whether any axis is held."""
    found = False
    for j in range(w.held.shape[0]):
        found = found or w.held[j] or w.hold_rows[j] > 0
    return found


@inner
def enough(x, h):
    """How far joints may be from holding after a step of h."""
    most = 100.0
    for b in range(x.shape[0]):
        most = max(most, abs(x[b, 0]), abs(x[b, 1]), abs(x[b, 2]))
    return max(min(TOLERANCE, FASTEST_ERROR * h), ROUNDING * most)


@inner
def joint_errors(sys, w, s, h):
    """w.b, block.rhs = −C/h and w.pi at the trial pose; returns the largest error and its joint."""
    worst, where = _tree_errors(sys, w, s, h)
    if sys.cut[0]:
        cut, joint = _cut_errors(sys, w, s, h)
        if not cut <= worst:
            worst, where = cut, joint
    return worst, where


@inner
def _guess(sys, w, s, h):
    """w.J, block.total and the rotors' speeds from what the joints carried in the last three steps."""
    for i in range(w.J.shape[0]):
        kind, parent, J = sys.kind[i], sys.parent[i], w.J[i]
        if kind == FREE:
            J[0], J[1], J[2], J[3], J[4], J[5] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
            continue
        m0, m1, m2, f0, f1, f2 = _carried(s.lam, i, h)
        if kind in (HINGE, SLIDER):
            a0, a1, a2 = w.axis[i, 0], w.axis[i, 1], w.axis[i, 2]
            along = m0 * a0 + m1 * a1 + m2 * a2 if kind == HINGE else f0 * a0 + f1 * a1 + f2 * a2
            if sys.rotor[i] > 0.0 and not w.held[i]:
                w.rotor_speed[i] = w.rotor_speed[i] - along / sys.rotor[i]
            elif not w.held[i]:
                if kind == HINGE:
                    m0, m1, m2 = m0 - along * a0, m1 - along * a1, m2 - along * a2
                else:
                    f0, f1, f2 = f0 - along * a0, f1 - along * a1, f2 - along * a2
        elif kind == BALL and not w.held[i]:
            m0, m1, m2 = 0.0, 0.0, 0.0
        r = w.arm[i]
        J[0] = m0 - (r[1] * f2 - r[2] * f1)
        J[1] = m1 - (r[2] * f0 - r[0] * f2)
        J[2] = m2 - (r[0] * f1 - r[1] * f0)
        J[3], J[4], J[5] = f0, f1, f2
        if parent >= 0:
            o, a = w.reach[i], w.arm[parent]
            r0, r1, r2 = o[0] - a[0], o[1] - a[1], o[2] - a[2]
            up = w.J[parent]
            up[0] -= m0 + r1 * f2 - r2 * f1
            up[1] -= m1 + r2 * f0 - r0 * f2
            up[2] -= m2 + r0 * f1 - r1 * f0
            up[3], up[4], up[5] = up[3] - f0, up[4] - f1, up[5] - f2
    if sys.cut[0]:
        _guess_rows(sys, w, s, h)


@inner
def _guess_rows(sys, w, s, h):
    """The same for the rows of cut joints."""
    block = w.block
    for r in range(block.size[0]):
        block.total[r] = 0.0
    for r in range(sys.row_start[-1]):
        block.total[r] = h * (3.0 * (s.mu[0, r] - s.mu[1, r]) + s.mu[2, r])
        j = block.joint[r]
        add_impulse(block.J[r], sys.parent[j], sys.child[j], block.total[r], w.J)


@inner
def _carried(lam, i, h):
    """Torque and force on the child at its anchor: 3 λ₋₁ − 3 λ₋₂ + λ₋₃."""
    a, b, c = lam[0, i], lam[1, i], lam[2, i]
    g = 3.0 * h
    return (
        g * (a[0] - b[0]) + h * c[0],
        g * (a[1] - b[1]) + h * c[1],
        g * (a[2] - b[2]) + h * c[2],
        g * (a[3] - b[3]) + h * c[3],
        g * (a[4] - b[4]) + h * c[4],
        g * (a[5] - b[5]) + h * c[5],
    )


@inner
def _tree_errors(sys, w, s, h):
    """w.b = −C/h at the trial pose, and w.pi of the rotors; returns the largest error and its joint."""
    x, R = w.x_new, w.R_new
    worst, where, f = 0.0, -1, -1.0 / h
    for i in range(x.shape[0]):
        kind = sys.kind[i]
        w.pi[i] = 0.0
        if kind == FREE:
            continue
        d0, d1, d2 = gap(sys, x, R, i)
        e0, e1, e2 = 0.0, 0.0, 0.0
        if kind == HINGE:
            e0, e1, e2 = axis_error(sys, R, i)
        elif kind in (SLIDER, FIXED):
            frames(sys, R, i, w.frames[0], w.frames[1])
            e0, e1, e2 = misalignment(w.frames[0], w.frames[1])
            if kind == SLIDER:
                P = w.frames[0]
                along = P[0, 2] * d0 + P[1, 2] * d1 + P[2, 2] * d2
                d0, d1, d2 = d0 - along * P[0, 2], d1 - along * P[1, 2], d2 - along * P[2, 2]
        b = w.b[i]
        b[0], b[1], b[2], b[3], b[4], b[5] = f * e0, f * e1, f * e2, f * d0, f * d1, f * d2
        error = d0 * d0 + d1 * d1 + d2 * d2 + e0 * e0 + e1 * e1 + e2 * e2
        if not finite(error):
            return math.inf, i
        if w.held[i] or w.hold_rows[i] > 0 or sys.rotor[i] > 0.0:
            error = max(error, _axis_errors(sys, w, s, i, h) ** 2)
        if not error <= worst:
            worst, where = error, i
    return math.sqrt(worst), where


@inner
def _axis_errors(sys, w, s, i, h):
    """Adds to w.b[i] what brings held axes back, and sets w.pi[i] for a rotor; returns the largest error."""
    x, R = w.x_new, w.R_new
    b, kind = w.b[i], sys.kind[i]
    near = s.coordinate[i, 0]
    if kind == BALL and w.held[i]:
        e0, e1, e2 = _turned_away(sys, w, s, i)
        b[0], b[1], b[2] = -e0 / h, -e1 / h, -e2 / h
        return max(abs(e0), abs(e1), abs(e2))
    c0, c1 = measure(sys, x, R, i, near, w.frames[0], w.frames[1], w.directions)
    if kind == BALL:
        return _hold_directions(w, i, c0, c1, h, b)
    away = c0 - (w.hold_at[i, 0] if w.held[i] else near + h * w.rotor_speed[i])
    a, o = w.axis[i], 0 if kind == HINGE else 3
    # The errors are across the axis at the trial pose, which is not quite the old one.
    along = a[0] * b[o] + a[1] * b[o + 1] + a[2] * b[o + 2]
    if w.held[i]:
        along += away / h
    else:
        w.pi[i] = -sys.rotor[i] * away / h
    for k in range(3):
        b[o + k] -= along * a[k]
    return abs(away)


@inner
def _turned_away(sys, w, s, j):
    """How far a held ball is from the attitude at which it is held."""
    P, C, Q = w.frames[0], w.frames[1], w.frames[2]
    frames(sys, w.R_new, j, P, C)
    multiply(P, s.grip[j], Q)
    return misalignment(Q, C)


@inner
def _hold_directions(w, i, swing, twist, h, b):
    """The turning of least size that brings the held angles of a ball back: n_k·b = −error_k/h."""
    n = w.hold_axis[i]
    e0 = (swing if w.hold_which[i] != 2 else twist) - w.hold_at[i, 0 if w.hold_which[i] != 2 else 1]
    if w.hold_rows[i] == 1:
        f = -e0 / (h * (n[0, 0] ** 2 + n[0, 1] ** 2 + n[0, 2] ** 2))
        for k in range(3):
            b[k] += f * n[0, k]
        return abs(e0)
    e1 = twist - w.hold_at[i, 1]
    a00 = n[0, 0] * n[0, 0] + n[0, 1] * n[0, 1] + n[0, 2] * n[0, 2]
    a01 = n[0, 0] * n[1, 0] + n[0, 1] * n[1, 1] + n[0, 2] * n[1, 2]
    a11 = n[1, 0] * n[1, 0] + n[1, 1] * n[1, 1] + n[1, 2] * n[1, 2]
    det = a00 * a11 - a01 * a01
    f0, f1 = -(a11 * e0 - a01 * e1) / (h * det), -(a00 * e1 - a01 * e0) / (h * det)
    for k in range(3):
        b[k] += f0 * n[0, k] + f1 * n[1, k]
    return max(abs(e0), abs(e1))


@inner
def _cut_errors(sys, w, s, h):
    """block.rhs = −C/h at the trial pose; returns the largest error and its joint."""
    block = w.block
    worst, where = 0.0, -1
    for j in range(sys.mass.shape[0], sys.kind.shape[0]):
        first, end = sys.row_start[j], sys.row_start[j + 1]
        place_joint(sys, w.x_new, w.R_new, j, w.frames[0], w.frames[1], w.points)
        residual(sys.kind[j], w.frames[0], w.frames[1], w.points[2], block.rhs[first:end])
        error = 0.0
        for r in range(first, end):
            error += block.rhs[r] * block.rhs[r]
            block.rhs[r] *= -1.0 / h
        if block.axis_row[j] >= 0 or block.hold_row[j] >= 0:
            error = max(error, _cut_axis_errors(sys, w, s, j, h) ** 2)
        if not error <= worst:
            worst, where = error, j
    return math.sqrt(worst), where


@inner
def _cut_axis_errors(sys, w, s, j, h):
    """block.rhs of the axes of a cut joint that are held or have a rotor; returns the largest error."""
    block, R, error = w.block, w.R_new, 0.0
    row, near = block.axis_row[j], s.coordinate[j, 0]
    if row >= 0 and sys.kind[j] == BALL:
        e0, e1, e2 = _turned_away(sys, w, s, j)
        for k in range(3):
            J = block.J[row + k]
            away = J[6] * e0 + J[7] * e1 + J[8] * e2 if w.held[j] else 0.0
            block.rhs[row + k] = -away / h
            error = max(error, abs(away))
        return error
    c = measure(sys, w.x_new, R, j, near, w.frames[0], w.frames[1], w.directions)
    if row >= 0:
        away = c[0] - (w.hold_at[j, 0] if w.held[j] else near + h * w.rotor_speed[j])
        w.pi[j] = 0.0 if w.held[j] else -sys.rotor[j] * away / h
        block.rhs[row] = -away / h
        error = abs(away)
    row = block.hold_row[j]
    for i in range(w.hold_rows[j]):
        k = 1 if w.hold_which[j] == 2 or i == 1 else 0
        away = c[k] - w.hold_at[j, k]
        block.rhs[row + i] = -away / h
        error = max(error, abs(away))
    return error


@inner
def _turn_rotors(sys, w):
    """The rotors' speeds after a correction: w += δq̇ + (their lag)/h."""
    for j in range(sys.kind.shape[0]):
        if sys.rotor[j] > 0.0 and not w.held[j]:
            w.rotor_speed[j] += axis_rate(sys, w, j) - w.pi[j] / sys.rotor[j]


@inner
def accept(sys, w, s, h):
    """Adds the impulses to the momenta and keeps what each joint carried, over h."""
    for b in range(w.J.shape[0]):
        for k in range(3):
            s.L[b, k] += w.J[b, k]
            s.P[b, k] += w.J[b, 3 + k]
    if sys.cut[0]:
        _accept_rows(sys, w, s, h)
    carry_down(sys, w, w.J)
    for i in range(w.J.shape[0]):
        if sys.kind[i] == FREE:
            continue
        f, a, b, c = w.J[i], s.lam[0, i], s.lam[1, i], s.lam[2, i]
        for k in range(6):
            c[k], b[k], a[k] = b[k], a[k], f[k] / h


@inner
def _accept_rows(sys, w, s, h):
    """The same for the rows of cut joints, whose share is taken out of w.J."""
    block = w.block
    least_norm(block)  # what has no effect would grow with every guess that carries it on
    for r in range(block.size[0]):
        j = block.joint[r]
        add_impulse(block.J[r], sys.parent[j], sys.child[j], -block.total[r], w.J)
    for r in range(sys.row_start[-1]):
        s.mu[2, r], s.mu[1, r] = s.mu[1, r], s.mu[0, r]
        s.mu[0, r] = block.total[r] / h
