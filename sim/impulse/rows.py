"""Constraint rows and joint velocities as rows over the two bodies of a joint.

A row is J = [parent angular, parent linear, child angular, child linear] (12,), about the centres of
mass in world axes. Constraint rows satisfy J V = 0; joint rows give the joint's velocities, J V = v.
"""

from __future__ import annotations

from sim.jit import inner
from sim.model import BALL, FREE, HINGE, SLIDER
from sim.spatial.kernels import copy_matrix, cross, multiply, rotate


@inner
def place_joint(parent, child, x, R, parent_anchor, parent_frame, child_anchor, child_frame, P, C, a, b, d):
    """The joint's two frames and anchors in the world.

        P = R_p F_p, C = R_c F_c (3, 3);  a, b: anchors from the centres of mass;  d = (x_c + b) − (x_p + a)

    A joint to the world has its parent frame given there, and a counts from the world origin.
    """
    multiply(R[child], child_frame, C)
    b[0], b[1], b[2] = rotate(R[child], child_anchor)
    if parent >= 0:
        multiply(R[parent], parent_frame, P)
        a[0], a[1], a[2] = rotate(R[parent], parent_anchor)
        for k in range(3):
            d[k] = x[child, k] + b[k] - x[parent, k] - a[k]
    else:
        copy_matrix(parent_frame, P)
        for k in range(3):
            a[k] = parent_anchor[k]
            d[k] = x[child, k] + b[k] - a[k]


@inner
def residual(kind, P, C, d, out):
    """C(x, R) of one joint, zero where it holds: [m] for the anchors, [rad] for the axes.

    ball    d = 0
    hinge   d = 0, n₁·z = 0, n₂·z = 0           (n of the parent, z the child's axis)
    slider  n₁·d = 0, n₂·d = 0, ½ Σ p_k × c_k = 0    (the small rotation between the frames)
    fixed   d = 0, ½ Σ p_k × c_k = 0
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
        out[row], out[row + 1], out[row + 2] = 0.0, 0.0, 0.0
        for k in range(3):
            e0, e1, e2 = cross(P[0, k], P[1, k], P[2, k], C[0, k], C[1, k], C[2, k])
            out[row] += 0.5 * e0
            out[row + 1] += 0.5 * e1
            out[row + 2] += 0.5 * e2


@inner
def constraint_rows(kind, P, C, a, b, d, J):
    """The Jacobian of `residual`: J (rows, 12)."""
    if kind == FREE:
        return
    row = 3
    if kind == SLIDER:
        for i in range(2):
            _point_row(J[i], P[0, i], P[1, i], P[2, i], a, b, d)
        row = 2
    else:
        for i in range(3):
            _point_row(J[i], 1.0 * (i == 0), 1.0 * (i == 1), 1.0 * (i == 2), a, b, d)
    if kind == HINGE:
        for i in range(2):
            t0, t1, t2 = cross(C[0, 2], C[1, 2], C[2, 2], P[0, i], P[1, i], P[2, i])
            _turn_row(J[row + i], t0, t1, t2)
    elif kind != BALL:
        for i in range(3):
            _turn_row(J[row + i], 1.0 * (i == 0), 1.0 * (i == 1), 1.0 * (i == 2))


@inner
def velocity_rows(kind, P, C, a, b, d, G):
    """G (width of v, 12): hinge and slider along the parent's axis, ball in child axes, free [ω; v] of the origin."""
    if kind == HINGE:
        _turn_row(G[0], P[0, 2], P[1, 2], P[2, 2])
    elif kind == BALL:
        for k in range(3):
            _turn_row(G[k], C[0, k], C[1, k], C[2, k])
    elif kind == SLIDER:
        _point_row(G[0], P[0, 2], P[1, 2], P[2, 2], a, b, d)
    elif kind == FREE:
        for k in range(3):
            n0, n1, n2 = 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2)
            _turn_row(G[k], n0, n1, n2)
            _point_row(G[3 + k], n0, n1, n2, a, b, d)


@inner
def _point_row(J, n0, n1, n2, a, b, d):
    """n · (velocity of the child's anchor − velocity of the parent's point there)."""
    p0, p1, p2 = cross(a[0] + d[0], a[1] + d[1], a[2] + d[2], n0, n1, n2)
    c0, c1, c2 = cross(b[0], b[1], b[2], n0, n1, n2)
    J[0], J[1], J[2], J[3], J[4], J[5] = -p0, -p1, -p2, -n0, -n1, -n2
    J[6], J[7], J[8], J[9], J[10], J[11] = c0, c1, c2, n0, n1, n2


@inner
def _turn_row(J, n0, n1, n2):
    """n · (ω_child − ω_parent)."""
    J[0], J[1], J[2], J[3], J[4], J[5] = -n0, -n1, -n2, 0.0, 0.0, 0.0
    J[6], J[7], J[8], J[9], J[10], J[11] = n0, n1, n2, 0.0, 0.0, 0.0


@inner
def add_impulse(J, parent, child, impulse, P, L):
    """p += Jᵀ impulse for one row."""
    for k in range(3):
        if parent >= 0:
            L[parent, k] += J[k] * impulse
            P[parent, k] += J[3 + k] * impulse
        if child >= 0:
            L[child, k] += J[6 + k] * impulse
            P[child, k] += J[9 + k] * impulse


@inner
def row_velocity(J, parent, child, V):
    """J V for one row."""
    s = 0.0
    for k in range(6):
        if parent >= 0:
            s += J[k] * V[parent, k]
        if child >= 0:
            s += J[6 + k] * V[child, k]
    return s
