"""Where the joints are at a pose: anchors, axes, coordinates, and how far each is from holding.

The errors of a joint are vectors in world axes, of the child against the parent:

    d   from the parent's anchor to the child's [m]
    e   the small rotation that brings the child's frame back to the parent's [rad];
        of a hinge y × z, the parent's axis against the child's
"""

from __future__ import annotations

import math

from sim.jit import inner
from sim.model import BALL, FREE, HINGE, SLIDER
from sim.spatial.kernels import copy_matrix, cross, finite, multiply, rotate

TURN = 2.0 * math.pi
FURTHEST_SWING = math.pi - 0.1


@inner
def _column(R, body, frame, k):
    """Column k of a frame on a body (-1: the world), in the world."""
    f0, f1, f2 = frame[0, k], frame[1, k], frame[2, k]
    if body < 0:
        return f0, f1, f2
    A = R[body]
    return (
        A[0, 0] * f0 + A[0, 1] * f1 + A[0, 2] * f2,
        A[1, 0] * f0 + A[1, 1] * f1 + A[1, 2] * f2,
        A[2, 0] * f0 + A[2, 1] * f1 + A[2, 2] * f2,
    )


@inner
def _point(x, R, body, anchor):
    """An anchor of a body (-1: the world), in the world."""
    if body < 0:
        return anchor[0], anchor[1], anchor[2]
    a0, a1, a2 = rotate(R[body], anchor)
    return x[body, 0] + a0, x[body, 1] + a1, x[body, 2] + a2


@inner
def place_tree(sys, w, x, R):
    """w.arm, w.reach, w.axis and w.anchor of the joints that carry bodies."""
    anchor = w.anchor
    for i in range(x.shape[0]):
        if sys.lone[i]:
            continue
        b, parent = sys.child_anchor[i], sys.parent[i]
        b0, b1, b2 = rotate(R[i], b)
        anchor[i, 0], anchor[i, 1], anchor[i, 2] = x[i, 0] + b0, x[i, 1] + b1, x[i, 2] + b2
        w.arm[i, 0], w.arm[i, 1], w.arm[i, 2] = -b0, -b1, -b2
        if parent >= 0:
            for k in range(3):
                w.reach[i, k] = anchor[i, k] - anchor[parent, k]
        if sys.kind[i] == HINGE:
            w.axis[i, 0], w.axis[i, 1], w.axis[i, 2] = _column(R, i, sys.child_frame[i], 2)
        elif sys.kind[i] == SLIDER:
            w.axis[i, 0], w.axis[i, 1], w.axis[i, 2] = _column(R, parent, sys.parent_frame[i], 2)


@inner
def gap(sys, x, R, j):
    """d of joint j."""
    a0, a1, a2 = _point(x, R, sys.parent[j], sys.parent_anchor[j])
    c0, c1, c2 = _point(x, R, sys.child[j], sys.child_anchor[j])
    return c0 - a0, c1 - a1, c2 - a2


@inner
def frames(sys, R, j, P, C):
    """P, C (3, 3): the joint's frames on its parent and child, in the world."""
    multiply(R[sys.child[j]], sys.child_frame[j], C)
    if sys.parent[j] >= 0:
        multiply(R[sys.parent[j]], sys.parent_frame[j], P)
    else:
        copy_matrix(sys.parent_frame[j], P)


@inner
def misalignment(P, C):
    """e = ½ Σ p_k × c_k of two nearly equal frames."""
    e0, e1, e2 = 0.0, 0.0, 0.0
    for k in range(3):
        f0, f1, f2 = cross(P[0, k], P[1, k], P[2, k], C[0, k], C[1, k], C[2, k])
        e0, e1, e2 = e0 + 0.5 * f0, e1 + 0.5 * f1, e2 + 0.5 * f2
    return e0, e1, e2


@inner
def axis_error(sys, R, j):
    """e of a hinge: y × z. Turned by more than a right angle it counts as far off, not as nearly opposite."""
    y0, y1, y2 = _column(R, sys.parent[j], sys.parent_frame[j], 2)
    z0, z1, z2 = _column(R, sys.child[j], sys.child_frame[j], 2)
    e0, e1, e2 = cross(y0, y1, y2, z0, z1, z2)
    if y0 * z0 + y1 * z1 + y2 * z2 < 0.0:
        return 1.0 + e0, 1.0 + e1, 1.0 + e2
    return e0, e1, e2


@inner
def hinge_angle(sys, R, j, near):
    """The angle of a hinge: of all that look the same, the one nearest to `near`."""
    p, c = sys.parent[j], sys.child[j]
    c0, c1, c2 = _column(R, c, sys.child_frame[j], 0)
    x0, x1, x2 = _column(R, p, sys.parent_frame[j], 0)
    y0, y1, y2 = _column(R, p, sys.parent_frame[j], 1)
    a = math.atan2(c0 * y0 + c1 * y1 + c2 * y2, c0 * x0 + c1 * x1 + c2 * x2)
    return a + TURN * math.floor((near - a) / TURN + 0.5)


@inner
def slide(sys, x, R, j):
    """How far a slider is out."""
    d0, d1, d2 = gap(sys, x, R, j)
    a0, a1, a2 = _column(R, sys.parent[j], sys.parent_frame[j], 2)
    return d0 * a0 + d1 * a1 + d2 * a2


@inner
def ball_angles(P, C, out):
    """Swing and twist of a ball about the third axes, and the directions of turning that change them.

        swing  the angle between p₃ and c₃              n = p₃ × c₃ / |…|
        twist  2 atan(q_z/q_w) of the turn Pᵀ C         n = (p₃ + c₃)/(1 + p₃·c₃)

    Writes  out (2, 3) directions. Returns swing, twist [rad].
    """
    s0, s1, s2 = cross(P[0, 2], P[1, 2], P[2, 2], C[0, 2], C[1, 2], C[2, 2])
    c = P[0, 2] * C[0, 2] + P[1, 2] * C[1, 2] + P[2, 2] * C[2, 2]
    s = math.sqrt(s0 * s0 + s1 * s1 + s2 * s2)
    f = 1.0 / max(s, 1e-300)
    out[0, 0], out[0, 1], out[0, 2] = f * s0, f * s1, f * s2
    f = 1.0 / max(1.0 + c, 1e-9)
    for k in range(3):
        out[1, k] = f * (P[k, 2] + C[k, 2])
    # Of the turn R = Pᵀ C: q_z ∝ R₂₁ − R₁₂ and q_w ∝ 1 + tr R, both times 4 q_w.
    xx = P[0, 0] * C[0, 0] + P[1, 0] * C[1, 0] + P[2, 0] * C[2, 0]
    yy = P[0, 1] * C[0, 1] + P[1, 1] * C[1, 1] + P[2, 1] * C[2, 1]
    yx = P[0, 1] * C[0, 0] + P[1, 1] * C[1, 0] + P[2, 1] * C[2, 0]
    xy = P[0, 0] * C[0, 1] + P[1, 0] * C[1, 1] + P[2, 0] * C[2, 1]
    return math.atan2(s, c), math.atan2(yx - xy, xx + yy)


@inner
def has_stop(sys, j, k, swing):
    """Whether stop k counts: near a swing of π a small turn changes the twist by any amount, and nothing stops it."""
    return sys.limited[j] and (k == 0 or swing < FURTHEST_SWING)


@inner
def measure(sys, x, R, j, near, P, C, directions):
    """The joint's coordinates as far as stops look at them: hinge angle, slide, or a ball's swing and twist."""
    if sys.kind[j] == HINGE:
        return hinge_angle(sys, R, j, near), 0.0
    if sys.kind[j] == SLIDER:
        return slide(sys, x, R, j), 0.0
    if sys.kind[j] == BALL:
        frames(sys, R, j, P, C)
        _turn(P, sys.stop_frame[j])
        _turn(C, sys.stop_frame[j])
        swing, twist = ball_angles(P, C, directions)
        middle = 0.5 * (sys.low[j, 1] + sys.high[j, 1])
        return swing, twist + TURN * math.floor((middle - twist) / TURN + 0.5) if finite(middle) else twist
    return 0.0, 0.0


@inner
def _turn(A, T):
    """A ← A T."""
    for i in range(3):
        a0, a1, a2 = A[i, 0], A[i, 1], A[i, 2]
        for k in range(3):
            A[i, k] = a0 * T[0, k] + a1 * T[1, k] + a2 * T[2, k]


@inner
def largest_errors(sys, x, R, P, C):
    """Over all joints: the largest gap [m] and angle [rad]."""
    worst, turned = 0.0, 0.0
    for j in range(sys.kind.shape[0]):
        kind = sys.kind[j]
        if kind == FREE:
            continue
        d0, d1, d2 = gap(sys, x, R, j)
        if kind == SLIDER:
            a0, a1, a2 = _column(R, sys.parent[j], sys.parent_frame[j], 2)
            along = d0 * a0 + d1 * a1 + d2 * a2
            d0, d1, d2 = d0 - along * a0, d1 - along * a1, d2 - along * a2
        worst = max(worst, math.sqrt(d0 * d0 + d1 * d1 + d2 * d2))
        if kind == BALL:
            continue
        if kind == HINGE:
            e0, e1, e2 = axis_error(sys, R, j)
        else:
            frames(sys, R, j, P, C)
            e0, e1, e2 = misalignment(P, C)
        turned = max(turned, math.sqrt(e0 * e0 + e1 * e1 + e2 * e2))
    return worst, turned
