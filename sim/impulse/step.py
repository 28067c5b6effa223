"""One step in maximal coordinates: RATTLE, with damping and joints solved together at its end.

    kick ½     P, L += h/2 (forces at the old pose)
    positions  λ so that C(x + h M⁻¹(p + Jᵀλ)) = 0: the joints hold at the new pose, to 1e-10
    kick ½     P, L += h/2 (forces at the new pose)
    velocities μ so that J M⁻¹(p + Jᵀμ) = 0: the joints hold for the velocities, and stops are respected

Symmetric, second order; no energy is lost to the joints. Source: Andersen 1983; Hairer, Lubich, Wanner,
Geometric Numerical Integration, VII.1.4.

Damping is trapezoidal: an explicit part (1 − θ) of its impulse before the first kick, an implicit part θ
among the rows of the velocity solve. θ = ½, and larger where the damping would stop the bodies within
the step (rate·h > 2), so that it never overshoots.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sim.impulse.integrate import drift, kick, velocities
from sim.impulse.limits import hold_limits
from sim.impulse.rows import add_impulse, constraint_rows, place_joint, residual, row_velocity, velocity_rows
from sim.impulse.solve import (
    assemble,
    factor,
    inverse_mass_rows,
    newton_matrix,
    solve_general,
    solve_leading,
)
from sim.impulse.system import System
from sim.jit import inner
from sim.model import HINGE, SLIDER
from sim.spatial.kernels import copy_matrix, copy_rows

Array = np.ndarray[Any, np.dtype[Any]]

TOLERANCE = 1e-10  # [m, rad]
MOST_ITERATIONS = 25
MOST_PARTS = 64

OK, NOT_FINITE, TURNS_TOO_FAST, JOINTS_FAIL = range(4)


class Work(NamedTuple):
    """Scratch of the step; nothing here outlives it but what is a function of the pose."""

    J: Array  # (m + damped, 12) rows at the present pose: constraints, then damped velocities
    J_new: Array
    Y: Array  # M⁻¹ Jᵀ of J
    row_parent: Array  # (m + damped,)
    row_child: Array
    damped: Array  # (damped,) indices into v
    compliance: Array  # (m + damped,) 1/(h θ d) on damped rows, else 0
    A: Array  # (m + damped,)² factored
    B: Array  # (m,)² for the exact Newton step
    G: Array  # (nv, 12) velocity rows
    theta: Array  # (nv,)
    C: Array  # (m + damped,)
    x_new: Array
    R_new: Array
    P_try: Array
    L_try: Array
    V: Array  # (nb, 6)
    wrench: Array  # (nb, 6) all that acts: given wrenches and joint torques
    stop_joint: Array  # (limited joints,) those near a stop, and for each:
    stop_sign: Array  # the direction of the stop's impulse
    stop_speed: Array  # how fast it may be approached
    stop_inverse: Array  # speed a unit of impulse
    stop_impulse: Array
    stop_answer: Array  # (limited, m + damped) what the rows answer to a unit
    row_of_stop: Array  # (2, 1) parent and child
    Y_stop: Array  # (1, 12)
    frames: Array  # (2, 3, 3) of the joint at hand
    points: Array  # (3, 3) its anchors a, b and the gap d


def make_work(system: System) -> Work:
    nb, nv = len(system.mass), len(system.dof_joint)
    m = int(system.row_start[-1])
    damped = np.flatnonzero(system.damping > 0.0)
    n = m + len(damped)
    stops = int(np.isfinite(system.limits).any(axis=1).sum())
    joint_of_row = np.concatenate(
        [np.repeat(np.arange(len(system.kind)), np.diff(system.row_start)), system.dof_joint[damped]]
    ).astype(np.int64)
    return Work(
        J=np.zeros((n, 12)),
        J_new=np.zeros((n, 12)),
        Y=np.zeros((n, 12)),
        row_parent=system.parent[joint_of_row],
        row_child=system.child[joint_of_row],
        damped=damped,
        compliance=np.zeros(n),
        A=np.zeros((n, n)),
        B=np.zeros((m, m)),
        G=np.zeros((nv, 12)),
        theta=np.zeros(nv),
        C=np.zeros(n),
        x_new=np.zeros((nb, 3)),
        R_new=np.zeros((nb, 3, 3)),
        P_try=np.zeros((nb, 3)),
        L_try=np.zeros((nb, 3)),
        V=np.zeros((nb, 6)),
        wrench=np.zeros((nb, 6)),
        stop_joint=np.zeros(stops, dtype=np.int64),
        stop_sign=np.zeros(stops),
        stop_speed=np.zeros(stops),
        stop_inverse=np.zeros(stops),
        stop_impulse=np.zeros(stops),
        stop_answer=np.zeros((stops, n)),
        row_of_stop=np.zeros((2, 1), dtype=np.int64),
        Y_stop=np.zeros((1, 12)),
        frames=np.zeros((2, 3, 3)),
        points=np.zeros((3, 3)),
    )


@inner
def place(sys, work, x, R, j):
    """Frames and anchors of joint j into work.frames, work.points."""
    place_joint(
        sys.parent[j],
        sys.child[j],
        x,
        R,
        sys.parent_anchor[j],
        sys.parent_frame[j],
        sys.child_anchor[j],
        sys.child_frame[j],
        work.frames[0],
        work.frames[1],
        work.points[0],
        work.points[1],
        work.points[2],
    )


@inner
def prepare(sys, work, x, R, h):
    """Rows and factored matrix at a pose: a pure function of the pose and h, so it is never saved."""
    m = sys.row_start[-1]
    for j in range(sys.kind.shape[0]):
        place(sys, work, x, R, j)
        P, C, a, b, d = work.frames[0], work.frames[1], work.points[0], work.points[1], work.points[2]
        constraint_rows(sys.kind[j], P, C, a, b, d, work.J[sys.row_start[j] : sys.row_start[j + 1]])
        velocity_rows(sys.kind[j], P, C, a, b, d, work.G[sys.v_start[j] : sys.v_start[j + 1]])
    for k in range(work.theta.shape[0]):
        work.theta[k] = max(0.5, 1.0 - 1.0 / max(sys.damping_rate[k] * h, 1e-300))
    for i in range(work.damped.shape[0]):
        k = work.damped[i]
        for c in range(12):
            work.J[m + i, c] = work.G[k, c]
        work.compliance[m + i] = 1.0 / (h * work.theta[k] * sys.damping[k])
    inverse_mass_rows(work.J, work.row_parent, work.row_child, sys.mass, sys.moments, R, work.Y)
    assemble(work.J, work.Y, work.row_parent, work.row_child, work.compliance, work.A)
    return factor(work.A)


@inner
def gather_wrenches(sys, work, tau, wrench):
    """work.wrench = given wrenches + Gᵀ tau at the present pose."""
    for b in range(wrench.shape[0]):
        for a in range(6):
            work.wrench[b, a] = wrench[b, a]
    for k in range(tau.shape[0]):
        if tau[k] == 0.0:
            continue
        parent, child = sys.parent[sys.dof_joint[k]], sys.child[sys.dof_joint[k]]
        for a in range(6):
            if parent >= 0:
                work.wrench[parent, a] += work.G[k, a] * tau[k]
            if child >= 0:
                work.wrench[child, a] += work.G[k, 6 + a] * tau[k]


@inner
def damp_explicitly(sys, work, P, L, R, h):
    """The explicit part of the damping: an impulse −(1 − θ) h d v at every damped velocity."""
    if work.damped.shape[0] == 0:
        return
    m = sys.row_start[-1]
    velocities(P, L, R, sys.mass, sys.moments, work.V)
    for i in range(work.damped.shape[0]):
        k, r = work.damped[i], m + i
        v = row_velocity(work.J[r], work.row_parent[r], work.row_child[r], work.V)
        impulse = -(1.0 - work.theta[k]) * h * sys.damping[k] * v
        add_impulse(work.J[r], work.row_parent[r], work.row_child[r], impulse, P, L)


@inner
def measure_joints(sys, work, x, R, position):
    """Hinge angles and slides. Angles are continuous: of all that look the same, the one nearest to the last."""
    for j in range(sys.kind.shape[0]):
        if sys.kind[j] != HINGE and sys.kind[j] != SLIDER:
            continue
        place(sys, work, x, R, j)
        P, C, d = work.frames[0], work.frames[1], work.points[2]
        if sys.kind[j] == SLIDER:
            position[j] = P[0, 2] * d[0] + P[1, 2] * d[1] + P[2, 2] * d[2]
        else:
            along = C[0, 0] * P[0, 0] + C[1, 0] * P[1, 0] + C[2, 0] * P[2, 0]
            across = C[0, 0] * P[0, 1] + C[1, 0] * P[1, 1] + C[2, 0] * P[2, 1]
            a = math.atan2(across, along)
            position[j] = a + 2.0 * math.pi * round((position[j] - a) / (2.0 * math.pi))


@inner
def gaps(sys, work, x, R):
    """All residuals into work.C; returns the largest and its joint."""
    worst, where = 0.0, -1
    for j in range(sys.kind.shape[0]):
        first, end = sys.row_start[j], sys.row_start[j + 1]
        if first == end:
            continue
        place(sys, work, x, R, j)
        residual(sys.kind[j], work.frames[0], work.frames[1], work.points[2], work.C[first:end])
        for r in range(first, end):
            if not abs(work.C[r]) <= worst:
                worst, where = abs(work.C[r]), j
    return worst, where


@inner
def solve_positions(sys, work, x, R, P, L, lam, h):
    """λ by chord iterations with the factor of the old pose, exact Newton where they contract by less than 10.

    Writes the new pose to work.x_new, work.R_new and P, L with Jᵀλ added; λ stays as the next guess.
    Returns whether it converged, and the joint with the largest gap.
    """
    m = sys.row_start[-1]
    before = math.inf
    for _ in range(MOST_ITERATIONS):
        copy_rows(P, work.P_try)
        copy_rows(L, work.L_try)
        for r in range(m):
            add_impulse(work.J[r], work.row_parent[r], work.row_child[r], lam[r], work.P_try, work.L_try)
        drift(x, R, work.P_try, work.L_try, sys.mass, sys.moments, sys.jointed, h, work.x_new, work.R_new)
        worst, where = gaps(sys, work, work.x_new, work.R_new)
        if worst < TOLERANCE:
            copy_rows(work.P_try, P)
            copy_rows(work.L_try, L)
            return True, -1
        if not worst < 1e6:
            return False, where
        if worst < 0.1 * before:
            solve_leading(work.A, m, work.C)
        else:
            for j in range(sys.kind.shape[0]):
                place(sys, work, work.x_new, work.R_new, j)
                constraint_rows(
                    sys.kind[j],
                    work.frames[0],
                    work.frames[1],
                    work.points[0],
                    work.points[1],
                    work.points[2],
                    work.J_new[sys.row_start[j] : sys.row_start[j + 1]],
                )
            newton_matrix(work.J_new, work.Y, work.row_parent, work.row_child, m, work.B)
            if not solve_general(work.B, m, work.C):
                return False, where
        for r in range(m):
            lam[r] -= work.C[r] / h
        before = worst
    return False, where


@inner
def solve_velocities(sys, work, R, P, L):
    """Impulses that make J V = 0, and −h θ d v on the damped velocities, in one solve."""
    n = work.J.shape[0]
    if n == 0:
        return
    velocities(P, L, R, sys.mass, sys.moments, work.V)
    for r in range(n):
        work.C[r] = -row_velocity(work.J[r], work.row_parent[r], work.row_child[r], work.V)
    solve_leading(work.A, n, work.C)
    for r in range(n):
        add_impulse(work.J[r], work.row_parent[r], work.row_child[r], work.C[r], P, L)


@inner
def step(sys, work, x, R, P, L, lam, position, tau, wrench, h):
    """One step of h from a prepared pose. Returns (status, body or joint); pose and momenta change only if OK."""
    damp_explicitly(sys, work, P, L, R, h)
    gather_wrenches(sys, work, tau, wrench)
    kick(P, L, sys.mass, sys.gravity, work.wrench, 0.5 * h)
    converged, where = solve_positions(sys, work, x, R, P, L, lam, h)
    if not converged:
        return JOINTS_FAIL, where
    copy_rows(work.x_new, x)
    for b in range(x.shape[0]):
        copy_matrix(work.R_new[b], R[b])
    if not prepare(sys, work, x, R, h):
        return JOINTS_FAIL, where
    gather_wrenches(sys, work, tau, wrench)
    kick(P, L, sys.mass, sys.gravity, work.wrench, 0.5 * h)
    solve_velocities(sys, work, R, P, L)
    measure_joints(sys, work, x, R, position)
    hold_limits(sys, work, R, P, L, position, h)
    return OK, -1


@inner
def check(sys, work, x, R, P, L, h):
    """The first body that is not finite or turns by more than 1 rad in a step."""
    velocities(P, L, R, sys.mass, sys.moments, work.V)
    for b in range(x.shape[0]):
        s = 0.0
        for k in range(3):
            s += x[b, k] + P[b, k] + L[b, k]
        if not math.isfinite(s):
            return NOT_FINITE, b
        w = math.sqrt(work.V[b, 0] ** 2 + work.V[b, 1] ** 2 + work.V[b, 2] ** 2)
        if not w * h <= 1.0:
            return TURNS_TOO_FAST, b
    return OK, -1
