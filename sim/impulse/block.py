"""The cut joints: rows solved together, on top of the tree, by a matrix A = J P Jᵀ.

P is what the tree answers to impulses on its bodies; for a heap of free bodies it is M⁻¹ and A the
textbook's matrix. Loops make rows redundant (a planar four-bar has three too many) and pass through dead
points, so A is factored with its rank revealed: a pivoted Cholesky factor A = L Lᵀ with as many columns as
there are pivots above 1e-9 of what their row would have on free bodies, and of all solutions the one of least
norm,

    λ = A⁺ b = L (Lᵀ L)⁻² Lᵀ b.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sim.impulse.rows import add_impulse, constraint_rows, place_joint, row_velocity, turn_row, velocity_rows
from sim.impulse.system import AXES, System
from sim.impulse.tree import STANDING, solve_tree
from sim.jit import inner
from sim.model import BALL, FIXED
from sim.spatial.kernels import cross

Array = np.ndarray[Any, np.dtype[Any]]

RANK_THRESHOLD = 1e-9


class Block(NamedTuple):
    """Rows of the cut joints: their constraints, then the axes that are held, damped or have rotors."""

    size: Array  # (2,) rows in use, rank
    J: Array  # (n, 12)
    joint: Array  # (n,)
    compliance: Array  # (n,) 1/s of a soft axis, else 0
    scale: Array  # (n,) J M⁻¹ Jᵀ of the row on free bodies
    axis_row: Array  # (nj,) first row of a joint's axes; -1: none
    hold_row: Array  # (nj,) first row of a ball's held directions; -1: none
    Y: Array  # (n, nb, 6) what the tree answers to a unit impulse of each row
    A: Array  # (n, n)
    L: Array  # (n, n) rows in the order of `order`
    B: Array  # (n, n) the Cholesky factor of Lᵀ L, if the rank is not full
    threshold: Array  # (1,) of the rank: RANK_THRESHOLD, but where only poses follow the rows
    order: Array  # (n,)
    rhs: Array  # (n,)
    lam: Array  # (n,)
    total: Array  # (n,) sum of lam over the iterations of a position solve
    temporary: Array  # (2, n)
    G: Array  # (3, 12)
    frames: Array  # (2, 3, 3)
    points: Array  # (3, 3)


def make_block(system: System) -> Block:
    nb, nj = len(system.mass), len(system.kind)
    axes = sum(AXES[int(k)] + (2 if k == BALL else 0) for k in system.kind[nb:])
    n = int(system.row_start[-1]) + axes
    return Block(
        size=np.zeros(2, dtype=np.int64),
        J=np.zeros((n, 12)),
        joint=np.zeros(n, dtype=np.int64),
        compliance=np.zeros(n),
        scale=np.zeros(n),
        axis_row=np.full(nj, -1, dtype=np.int64),
        hold_row=np.full(nj, -1, dtype=np.int64),
        Y=np.zeros((n, nb, 6)),
        A=np.zeros((n, n)),
        L=np.zeros((n, n)),
        B=np.zeros((n, n)),
        threshold=np.array([RANK_THRESHOLD]),
        order=np.zeros(n, dtype=np.int64),
        rhs=np.zeros(n),
        lam=np.zeros(n),
        total=np.zeros(n),
        temporary=np.zeros((2, n)),
        G=np.zeros((3, 12)),
        frames=np.zeros((2, 3, 3)),
        points=np.zeros((3, 3)),
    )


@inner
def _add_row(block, j, J, compliance):
    n = block.size[0]
    for k in range(12):
        block.J[n, k] = J[k]
    block.joint[n] = j
    block.compliance[n] = compliance
    block.size[0] = n + 1


@inner
def place_rows(sys, x, R, soft, slip, held, hold_rows, hold_axis, block):
    """All rows at a pose, for the axes that are now held or soft."""
    nb = sys.mass.shape[0]
    P, C, points = block.frames[0], block.frames[1], block.points
    block.size[0] = sys.row_start[-1]
    for j in range(nb, sys.kind.shape[0]):
        place_joint(sys, x, R, j, P, C, points)
        first, end = sys.row_start[j], sys.row_start[j + 1]
        constraint_rows(sys.kind[j], P, C, points, block.J[first:end])
        for r in range(first, end):
            block.joint[r] = j
            block.compliance[r] = 0.0
        block.axis_row[j], block.hold_row[j] = -1, -1
        axes = 3 if sys.kind[j] == BALL else 1
        if slip[j, 0] > 0.0 and not held[j]:
            block.axis_row[j] = block.size[0]
            _slip_rows(block, j, soft[j], slip[j])
        elif sys.kind[j] != FIXED and (held[j] or soft[j] > 0.0):
            velocity_rows(sys.kind[j], P, C, points, block.G)
            block.axis_row[j] = block.size[0]
            for k in range(axes):
                _add_row(block, j, block.G[k], 0.0 if held[j] else 1.0 / soft[j])
        if hold_rows[j] > 0 and not held[j]:
            block.hold_row[j] = block.size[0]
            for i in range(hold_rows[j]):
                turn_row(block.G[0], hold_axis[j, i, 0], hold_axis[j, i, 1], hold_axis[j, i, 2])
                _add_row(block, j, block.G[0], 0.0)
    for r in range(block.size[0]):
        j, J = block.joint[r], block.J[r]
        block.scale[r] = _on_free_body(sys, R, sys.child[j], J[6:]) + block.compliance[r]
        if sys.parent[j] >= 0:
            block.scale[r] += _on_free_body(sys, R, sys.parent[j], J)


@inner
def _slip_rows(block, j, soft, slip):
    """Of a ball that slides: across its direction of sliding, and along it where it is damped."""
    u, k = slip[1:], 0
    for i in range(1, 3):
        k = i if abs(u[i]) < abs(u[k]) else k
    e0, e1, e2 = cross(u[0], u[1], u[2], 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2))
    f = 1.0 / math.sqrt(e0 * e0 + e1 * e1 + e2 * e2)
    turn_row(block.G[0], f * e0, f * e1, f * e2)
    e0, e1, e2 = cross(u[0], u[1], u[2], f * e0, f * e1, f * e2)
    turn_row(block.G[1], e0, e1, e2)
    turn_row(block.G[2], u[0], u[1], u[2])
    for i in range(3 if soft > 0.0 else 2):
        _add_row(block, j, block.G[i], 1.0 / (soft + (slip[0] if i < 2 else 0.0)))


@inner
def _on_free_body(sys, R, b, J):
    """J M⁻¹ Jᵀ of one body's part of a row."""
    s = (J[3] * J[3] + J[4] * J[4] + J[5] * J[5]) / sys.mass[b]
    for k in range(3):
        s += (R[b, 0, k] * J[0] + R[b, 1, k] * J[1] + R[b, 2, k] * J[2]) ** 2 / sys.moments[b, k]
    return s


@inner
def factor_block(sys, w, block):
    """A and its factor at the rows placed last, with the tree factored. Returns the rank."""
    n = block.size[0]
    for j in range(w.pi.shape[0]):
        w.pi[j] = 0.0
    for r in range(n):
        for i in range(w.p.shape[0]):
            for k in range(6):
                w.p[i, k] = 0.0
        j = block.joint[r]
        add_impulse(block.J[r], sys.parent[j], sys.child[j], -1.0, w.p)
        for b in (sys.parent[j], sys.child[j]):
            if b >= 0:
                p, o = w.p[b], w.arm[b]
                p[0] += o[1] * p[5] - o[2] * p[4]
                p[1] += o[2] * p[3] - o[0] * p[5]
                p[2] += o[0] * p[4] - o[1] * p[3]
        solve_tree(sys, w, STANDING, block.Y[r])
        for s in range(n):
            i = block.joint[s]
            block.A[s, r] = row_velocity(block.J[s], sys.parent[i], sys.child[i], block.Y[r])
        block.A[r, r] += block.compliance[r]
    block.size[1] = _factor(block.A, block.scale, n, block.threshold[0], block.L, block.order, block.temporary[0])
    if block.size[1] < n:
        _factor_normal(block.L, n, block.size[1], block.B)
    return block.size[1]


@inner
def _factor(A, scale, n, threshold, L, order, left):
    """A = L Lᵀ with rows permuted by `order`; returns the rank. `left` is what remains of the diagonal."""
    for i in range(n):
        order[i] = i
        left[i] = A[i, i]
    for k in range(n):
        best, pivot = 0.0, k
        for i in range(k, n):
            ratio = left[order[i]] / scale[order[i]]
            if ratio > best:
                best, pivot = ratio, i
        if not best > threshold:
            return k
        order[k], order[pivot] = order[pivot], order[k]
        for c in range(k):
            L[k, c], L[pivot, c] = L[pivot, c], L[k, c]
        p = order[k]
        d = math.sqrt(left[p])
        L[k, k] = d
        for i in range(k + 1, n):
            s = 0.5 * (A[order[i], p] + A[p, order[i]])
            for c in range(k):
                s -= L[i, c] * L[k, c]
            L[i, k] = s / d
            left[order[i]] -= L[i, k] * L[i, k]
    return n


@inner
def _factor_normal(L, n, rank, B):
    """B Bᵀ = Lᵀ L."""
    for i in range(rank):
        for j in range(i + 1):
            s = 0.0
            for r in range(i, n):
                s += L[r, i] * L[r, j]
            for k in range(j):
                s -= B[i, k] * B[j, k]
            B[i, j] = math.sqrt(s) if i == j else s / B[j, j]


@inner
def _solve_lower(L, n, b):
    """b ← (L Lᵀ)⁻¹ b for a lower triangle."""
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= L[i, k] * b[k]
        b[i] = s / L[i, i]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for k in range(i + 1, n):
            s -= L[k, i] * b[k]
        b[i] = s / L[i, i]


@inner
def solve_block(block):
    """block.lam = A⁺ block.rhs; where rows are redundant, refined once."""
    n, rank = block.size[0], block.size[1]
    y = block.temporary[0]
    if rank == n:
        for i in range(n):
            y[i] = block.rhs[block.order[i]]
        _solve_lower(block.L, n, y)
        for i in range(n):
            block.lam[block.order[i]] = y[i]
        return
    residual = block.temporary[1]
    for i in range(n):
        block.lam[i] = 0.0
        residual[i] = block.rhs[i]
    for _ in range(2):
        for c in range(rank):
            s = 0.0
            for i in range(c, n):
                s += block.L[i, c] * residual[block.order[i]]
            y[c] = s
        _solve_lower(block.B, rank, y)
        _solve_lower(block.B, rank, y)
        for i in range(n):
            s = 0.0
            for c in range(min(i + 1, rank)):
                s += block.L[i, c] * y[c]
            block.lam[block.order[i]] += s
        for i in range(n):
            s = block.rhs[i]
            for k in range(n):
                s -= block.A[i, k] * block.lam[k]
            residual[i] = s


@inner
def least_norm(block):
    """block.total ← A⁺ A block.total: of all impulses that move the bodies alike, those of least norm."""
    n = block.size[0]
    if block.size[1] == n:
        return
    for i in range(n):
        s = 0.0
        for k in range(n):
            s += block.A[i, k] * block.total[k]
        block.rhs[i] = s
    solve_block(block)
    for i in range(n):
        block.total[i] = block.lam[i]


@inner
def add_block(sys, block, V):
    """V += Y λ with λ so that J V + compliance λ = block.rhs; block.rhs is taken as the wanted velocities."""
    n = block.size[0]
    for r in range(n):
        j = block.joint[r]
        block.rhs[r] -= row_velocity(block.J[r], sys.parent[j], sys.child[j], V)
    solve_block(block)
    for r in range(n):
        f = block.lam[r]
        Y = block.Y[r]
        for i in range(V.shape[0]):
            for k in range(6):
                V[i, k] += f * Y[i, k]
