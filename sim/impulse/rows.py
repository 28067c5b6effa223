"""Cut joints as rows over their two bodies.

A row is J = [parent angular, parent linear, child angular, child linear] (12,), about the centres of
mass in world axes. Constraint rows satisfy J V = 0; joint rows give the joint's velocities, J V = v.
"""

from __future__ import annotations

from sim.impulse.geometry import frames, gap, misalignment
from sim.jit import inner
from sim.model import BALL, FREE, HINGE, SLIDER
from sim.spatial.kernels import cross, rotate


@inner
def place_joint(sys, x, R, j, P, C, points):
    """Frames P, C and, as rows of points (3, 3): the anchors from the centres of mass, and the gap d."""
    frames(sys, R, j, P, C)
    a, b, d = points[0], points[1], points[2]
    d[0], d[1], d[2] = gap(sys, x, R, j)
    b[0], b[1], b[2] = rotate(R[sys.child[j]], sys.child_anchor[j])
    if sys.parent[j] >= 0:
        a[0], a[1], a[2] = rotate(R[sys.parent[j]], sys.parent_anchor[j])
    else:
        a[0], a[1], a[2] = sys.parent_anchor[j, 0], sys.parent_anchor[j, 1], sys.parent_anchor[j, 2]


@inner
def residual(kind, P, C, d, out):
    """The constraints of one joint, zero where it holds: [m] for the anchors, [rad] for the axes.

    ball    d = 0
    hinge   d = 0, n₁·z = 0, n₂·z = 0           (n of the parent, z the child's axis)
    slider  n₁·d = 0, n₂·d = 0, e = 0
    fixed   d = 0, e = 0
    """
    if kind == FREE:
        return
    row = 3
    if kind == SLIDER:
        for i in range(2):
            out[i] = P[0, i] * d[0] + P[1, i] * d[1] + P[2, i] * d[2]
        row = 2
    else:
        out[0], out[1], out[2] = d[0], d[1], d[2]
    if kind == HINGE:
        for i in range(2):
            out[row + i] = P[0, i] * C[0, 2] + P[1, i] * C[1, 2] + P[2, i] * C[2, 2]
    elif kind != BALL:
        out[row], out[row + 1], out[row + 2] = misalignment(P, C)


@inner
def constraint_rows(kind, P, C, points, J):
    """The Jacobian of `residual`: J (rows, 12)."""
    if kind == FREE:
        return
    row = 3
    if kind == SLIDER:
        for i in range(2):
            _point_row(J[i], P[0, i], P[1, i], P[2, i], points)
        row = 2
    else:
        for i in range(3):
            _point_row(J[i], 1.0 * (i == 0), 1.0 * (i == 1), 1.0 * (i == 2), points)
    if kind == HINGE:
        for i in range(2):
            t0, t1, t2 = cross(C[0, 2], C[1, 2], C[2, 2], P[0, i], P[1, i], P[2, i])
            turn_row(J[row + i], t0, t1, t2)
    elif kind != BALL:
        for i in range(3):
            turn_row(J[row + i], 1.0 * (i == 0), 1.0 * (i == 1), 1.0 * (i == 2))


@inner
def velocity_rows(kind, P, C, points, G):
    """G (width of v, 12): hinge and slider along the joint's axis, ball in the axes of the child's joint frame."""
    if kind == HINGE:
        turn_row(G[0], C[0, 2], C[1, 2], C[2, 2])
    elif kind == SLIDER:
        _point_row(G[0], P[0, 2], P[1, 2], P[2, 2], points)
    elif kind == BALL:
        for k in range(3):
            turn_row(G[k], C[0, k], C[1, k], C[2, k])


@inner
def _point_row(J, n0, n1, n2, points):
    """n · (velocity of the child's anchor − velocity of the parent's point there)."""
    a, b, d = points[0], points[1], points[2]
    p0, p1, p2 = cross(a[0] + d[0], a[1] + d[1], a[2] + d[2], n0, n1, n2)
    c0, c1, c2 = cross(b[0], b[1], b[2], n0, n1, n2)
    J[0], J[1], J[2], J[3], J[4], J[5] = -p0, -p1, -p2, -n0, -n1, -n2
    J[6], J[7], J[8], J[9], J[10], J[11] = c0, c1, c2, n0, n1, n2


@inner
def turn_row(J, n0, n1, n2):
    """n · (ω_child − ω_parent)."""
    J[0], J[1], J[2], J[3], J[4], J[5] = -n0, -n1, -n2, 0.0, 0.0, 0.0
    J[6], J[7], J[8], J[9], J[10], J[11] = n0, n1, n2, 0.0, 0.0, 0.0


@inner
def add_impulse(J, parent, child, impulse, momentum):
    """momentum (nb, 6) += Jᵀ impulse for one row."""
    for k in range(6):
        if parent >= 0:
            momentum[parent, k] += J[k] * impulse
        momentum[child, k] += J[6 + k] * impulse


@inner
def row_velocity(J, parent, child, V):
    """J V for one row."""
    s = 0.0
    for k in range(6):
        if parent >= 0:
            s += J[k] * V[parent, k]
        s += J[6 + k] * V[child, k]
    return s
