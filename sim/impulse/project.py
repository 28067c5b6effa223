"""Velocities that the joints allow: the tree and the cut rows together, factored when they have to be."""

from __future__ import annotations

from sim.impulse.block import RANK_THRESHOLD, add_block, factor_block, place_rows
from sim.impulse.geometry import place_tree
from sim.impulse.integrate import body_velocity, velocities
from sim.impulse.rows import place_joint, row_velocity, velocity_rows
from sim.impulse.tree import ASKED, STANDING, factor_tree, momentum_of, solve_tree
from sim.impulse.world import ACTED_ON, BOUNDED, DEAD_POINTS, USUAL_RANK
from sim.jit import inner
from sim.model import BALL, HINGE
from sim.spatial.kernels import cross


@inner
def place(sys, w, s):
    """Everything that depends on the pose alone; the factors are no longer those of this pose."""
    place_tree(sys, w, s.x, s.R)
    if w.switches[ACTED_ON]:
        _axis_rows(sys, w, s)
    w.fresh[0] = 0


@inner
def factor(sys, w, s):
    """Tree and cut rows for the present pose, soft axes and held joints; nothing if they are those of last time."""
    same = w.fresh[0] == 1
    varies = w.switches[BOUNDED] or w.switches[ACTED_ON]
    for j in range(sys.kind.shape[0] * varies):
        same = same and w.soft[j] == w.factored_soft[j] and w.held[j] == w.factored_held[j]
        same = same and w.hold_rows[j] == w.factored_rows[j] and w.slip[j, 0] == w.factored_slip[j, 0]
        for k in range(1, 4 * (w.slip[j, 0] > 0.0)):
            same = same and w.slip[j, k] == w.factored_slip[j, k]
        for i in range(w.hold_rows[j]):
            for k in range(3):
                same = same and w.hold_axis[j, i, k] == w.factored_axis[j, i, k]
    if same:
        return
    factor_tree(sys, w, s.R)
    if sys.cut[0]:
        place_rows(sys, s.x, s.R, w.soft, w.slip, w.held, w.hold_rows, w.hold_axis, w.block)
        rank = factor_block(sys, w, w.block)
        if w.block.size[0] == sys.row_start[-1] and w.block.threshold[0] == RANK_THRESHOLD:
            if rank < s.ledger[USUAL_RANK]:
                s.ledger[DEAD_POINTS] += 1
            s.ledger[USUAL_RANK] = max(rank, s.ledger[USUAL_RANK])
    w.fresh[0] = 1
    for j in range(sys.kind.shape[0] * varies):
        w.factored_soft[j], w.factored_held[j] = w.soft[j], w.held[j]
        w.factored_rows[j] = w.hold_rows[j]
        for k in range(4):
            w.factored_slip[j, k] = w.slip[j, k]
        for i in range(2):
            for k in range(3):
                w.factored_axis[j, i, k] = w.hold_axis[j, i, k]


@inner
def take_momenta(s, w):
    """w.momentum = [L; P]."""
    for b in range(s.P.shape[0]):
        for k in range(3):
            w.momentum[b, k], w.momentum[b, 3 + k] = s.L[b, k], s.P[b, k]


@inner
def give_momenta(sys, s, w):
    """P, L of the velocities w.V; of bodies without joints the momenta stand and w.V follows."""
    for b in range(s.P.shape[0]):
        if not sys.lone[b]:
            m = momentum_of(sys.mass[b], sys.moments[b], s.R[b], w.V[b])
            s.L[b, 0], s.L[b, 1], s.L[b, 2] = m[0], m[1], m[2]
            s.P[b, 0], s.P[b, 1], s.P[b, 2] = m[3], m[4], m[5]
        else:
            body_velocity(s.P[b], s.L[b], s.R[b], sys.mass[b], sys.moments[b], w.V[b])


@inner
def solve(sys, w, asked):
    """w.V from w.momentum, w.pi and, if ASKED, w.b and block.rhs (wanted velocities of the cut rows)."""
    for i in range(w.p.shape[0]):
        m, r, p = w.momentum[i], w.arm[i], w.p[i]
        p[0] = -(m[0] + r[1] * m[5] - r[2] * m[4])
        p[1] = -(m[1] + r[2] * m[3] - r[0] * m[5])
        p[2] = -(m[2] + r[0] * m[4] - r[1] * m[3])
        p[3], p[4], p[5] = -m[3], -m[4], -m[5]
    _solve(sys, w, asked)


@inner
def solve_errors(sys, w):
    """w.V with no momentum but what w.pi, w.b and block.rhs ask for."""
    for i in range(w.p.shape[0]):
        p = w.p[i]
        p[0], p[1], p[2], p[3], p[4], p[5] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    _solve(sys, w, ASKED)


@inner
def _solve(sys, w, asked):
    solve_tree(sys, w, asked, w.V)
    if sys.cut[0]:
        block = w.block
        if asked == STANDING:
            for r in range(block.size[0]):
                block.rhs[r] = block.compliance[r] * w.pi[block.joint[r]]
        if block.size[0] > 0:
            add_block(sys, block, w.V)


@inner
def axis_rate(sys, w, j):
    """q̇ of a hinge or slider at the velocities w.V."""
    V = w.V
    if j >= V.shape[0]:
        return row_velocity(w.block.J[w.block.axis_row[j]], sys.parent[j], sys.child[j], V)
    p, a, r = sys.parent[j], w.axis[j], w.arm[j]
    W = V[j]
    if sys.kind[j] == HINGE:
        rate = a[0] * W[0] + a[1] * W[1] + a[2] * W[2]
        return rate - (a[0] * V[p, 0] + a[1] * V[p, 1] + a[2] * V[p, 2]) if p >= 0 else rate
    e0, e1, e2 = cross(W[0], W[1], W[2], r[0], r[1], r[2])
    rate = a[0] * (W[3] - e0) + a[1] * (W[4] - e1) + a[2] * (W[5] - e2)
    if p >= 0:
        U, o, q = V[p], w.reach[j], w.arm[p]
        e0, e1, e2 = cross(U[0], U[1], U[2], o[0] - q[0], o[1] - q[1], o[2] - q[2])
        rate -= a[0] * (U[3] + e0) + a[1] * (U[4] + e1) + a[2] * (U[5] + e2)
    return rate


@inner
def _axis_rows(sys, w, s):
    """w.G at the present pose, for the joints that are active."""
    P, C = w.frames[0], w.frames[1]
    for j in range(sys.kind.shape[0]):
        if w.active[j]:
            place_joint(sys, s.x, s.R, j, P, C, w.points)
            velocity_rows(sys.kind[j], P, C, w.points, w.G[j])


@inner
def joint_rates(sys, w, j, out):
    """out: velocities of an active joint at w.V; a ball's in the axes of the child's joint frame."""
    for k in range(3 if sys.kind[j] == BALL else 1):
        out[k] = row_velocity(w.G[j, k], sys.parent[j], sys.child[j], w.V)


@inner
def push(sys, w, s, j, k, impulse):
    """An impulse along velocity k of an active joint."""
    p, c, G = sys.parent[j], sys.child[j], w.G[j, k]
    for i in range(3):
        if p >= 0:
            s.L[p, i] += G[i] * impulse
            s.P[p, i] += G[3 + i] * impulse
        s.L[c, i] += G[6 + i] * impulse
        s.P[c, i] += G[9 + i] * impulse


@inner
def observe(sys, w, s):
    """w.V and the rates of active joints from the momenta."""
    velocities(s.P, s.L, s.R, sys.mass, sys.moments, w.V)
    for j in range(sys.kind.shape[0]):
        if w.active[j]:
            joint_rates(sys, w, j, w.rate[j])
