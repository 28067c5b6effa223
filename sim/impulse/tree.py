"""The joints of a tree solved in linear time, by an articulated-body projection.

Every body is seen at the anchor of the joint that carries it, in world axes: V = [ω; v of that point]. Then
a joint lets its child move by V_child = X V_parent + S q̇ + b, where X only carries a velocity over to the
child's anchor, a hinge has S = (z; 0), a slider S = (0; a), a ball S = (1; 0) and a free body everything.
No quantity is larger than its own body and joint make it, wherever the tree stands in the world.

What is solved, from the tips to the bases and back:

    minimise  Σ ½ Vᵀ I V + pᵀ V + ½ s q̇² − π q̇     over all motions that the joints allow

with p = −momentum for the velocities of a step and p = 0 with the joints' errors in b for its positions;
s is what damping and rotors add at a joint, and π the momentum they bring. Baraff (1996) solves the same
system by a sparse factorisation; this is Featherstone's articulated body with impulses for forces.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.impulse.articulated import (
    add_shifted,
    factor_root,
    own_inertia,
    project_axis,
    project_ball,
    solve_root,
    symmetric_times,
    times,
)
from sim.jit import inner
from sim.model import BALL, FIXED, FREE, HINGE, SLIDER
from sim.spatial.kernels import rotate, rotate_back

Array = np.ndarray[Any, np.dtype[Any]]

# Whether joints shall stand still or move at given velocities. Switches are floats because numba compiles a
# kernel anew for every whole number or truth value that is written into a call.
STANDING, ASKED = 0.0, 1.0


def make_tree(bodies: int, joints: int) -> dict[str, Array]:
    shapes = {"arm": 3, "reach": 3, "axis": 3, "inertia": 21, "U": 6, "ball": 21, "p": 6, "u": 3, "b": 6}
    arrays = {name: np.zeros((bodies, width)) for name, width in shapes.items()}
    own = {"D": np.zeros(bodies), "root": np.zeros((bodies, 6, 6)), "pi": np.zeros(joints), "qd": np.zeros((joints, 3))}
    return arrays | own


@inner
def factor_tree(sys, w, R):
    """Articulated inertias at the pose that `place_tree` saw, from the tips to the bases.

    Reads   soft (nj,) what adds to a joint's inertia; slip (nj, 4) and to a ball's across a direction;
            held (nj,) joints that may not move; hold_rows (nj,), hold_axis (nj, 2, 3) directions about which
            a ball may not turn
    Writes  w.inertia, w.U, w.D, w.ball, w.root
    """
    n = sys.mass.shape[0]
    for i in range(n):
        if not sys.lone[i]:
            own_inertia(sys.mass[i], sys.moments[i], R[i], w.arm[i], w.inertia[i])
    for i in range(n - 1, -1, -1):
        if sys.lone[i]:
            continue
        q = w.inertia[i]
        if sys.kind[i] == HINGE or sys.kind[i] == SLIDER:
            w.D[i] = project_axis(q, sys.kind[i], w.axis[i], w.soft[i], w.held[i], w.U[i])
        elif sys.kind[i] == BALL:
            if not w.held[i]:
                project_ball(q, w.soft[i], w.slip[i], w.hold_rows[i], w.hold_axis[i], w.ball[i])
        elif sys.kind[i] == FREE:
            factor_root(q, w.root[i])
        if sys.parent[i] >= 0:
            add_shifted(q, w.reach[i], w.inertia[sys.parent[i]])


@inner
def solve_tree(sys, w, asked, V):
    """V (nb, 6) at the centres of mass and w.qd = q̇, from w.p, w.pi and, if `asked` is ASKED, w.b.

    w.p becomes the velocities at the anchors.
    """
    _to_the_bases(sys, w, asked)
    _to_the_tips(sys, w, asked, V)


@inner
def _to_the_bases(sys, w, asked):
    """Each body's p with what its children pass on: p_parent += Xᵀ (p − U D⁻¹ u + IA b), u = Sᵀ p − π."""
    for i in range(w.p.shape[0] - 1, -1, -1):
        if sys.lone[i] or sys.kind[i] == FREE:
            continue
        p, u = w.p[i], w.u[i]
        f0, f1, f2, f3, f4, f5 = p[0], p[1], p[2], p[3], p[4], p[5]
        if w.held[i] or sys.kind[i] == FIXED:
            pass
        elif sys.kind[i] == BALL:
            ball = w.ball[i]
            u[0], u[1], u[2] = p[0], p[1], p[2]
            x, y, z = symmetric_times(ball[15:21], u[0], u[1], u[2])
            a0, a1, a2 = symmetric_times(ball, x, y, z)
            f0, f1, f2 = f0 - a0, f1 - a1, f2 - a2
            f3 -= ball[6] * x + ball[9] * y + ball[12] * z
            f4 -= ball[7] * x + ball[10] * y + ball[13] * z
            f5 -= ball[8] * x + ball[11] * y + ball[14] * z
        else:
            o = 0 if sys.kind[i] == HINGE else 3
            s, U = w.axis[i], w.U[i]
            u[0] = s[0] * p[o] + s[1] * p[o + 1] + s[2] * p[o + 2] - w.pi[i]
            e = u[0] * w.D[i]
            f0, f1, f2 = f0 - U[0] * e, f1 - U[1] * e, f2 - U[2] * e
            f3, f4, f5 = f3 - U[3] * e, f4 - U[4] * e, f5 - U[5] * e
        if sys.parent[i] >= 0:
            if asked == ASKED:
                b = w.b[i]
                g = times(w.inertia[i], b[0], b[1], b[2], b[3], b[4], b[5])
                f0, f1, f2, f3, f4, f5 = f0 + g[0], f1 + g[1], f2 + g[2], f3 + g[3], f4 + g[4], f5 + g[5]
            o = w.reach[i]
            up = w.p[sys.parent[i]]
            up[0] += f0 + o[1] * f5 - o[2] * f4
            up[1] += f1 + o[2] * f3 - o[0] * f5
            up[2] += f2 + o[0] * f4 - o[1] * f3
            up[3] += f3
            up[4] += f4
            up[5] += f5


@inner
def _to_the_tips(sys, w, asked, V):
    """V = X V_parent + b + S q̇ with q̇ = −D⁻¹ (Uᵀ (X V_parent + b) + u)."""
    for i in range(V.shape[0]):
        if sys.lone[i]:
            continue
        if sys.kind[i] == FREE:
            solve_root(w.root[i], w.p[i], V[i])
            for k in range(6):
                w.p[i, k] = V[i, k]
            _to_center(V[i], w.arm[i])
            continue
        w0, w1, w2, v0, v1, v2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        if sys.parent[i] >= 0:
            W, o = w.p[sys.parent[i]], w.reach[i]
            w0, w1, w2 = W[0], W[1], W[2]
            v0 = W[3] + w1 * o[2] - w2 * o[1]
            v1 = W[4] + w2 * o[0] - w0 * o[2]
            v2 = W[5] + w0 * o[1] - w1 * o[0]
        if asked == ASKED:
            b = w.b[i]
            w0, w1, w2, v0, v1, v2 = w0 + b[0], w1 + b[1], w2 + b[2], v0 + b[3], v1 + b[4], v2 + b[5]
        if w.held[i] or sys.kind[i] == FIXED:
            pass
        elif sys.kind[i] == BALL:
            ball, u = w.ball[i], w.u[i]
            a0, a1, a2 = symmetric_times(ball, w0, w1, w2)
            a0 += ball[6] * v0 + ball[7] * v1 + ball[8] * v2 + u[0]
            a1 += ball[9] * v0 + ball[10] * v1 + ball[11] * v2 + u[1]
            a2 += ball[12] * v0 + ball[13] * v1 + ball[14] * v2 + u[2]
            x, y, z = symmetric_times(ball[15:21], a0, a1, a2)
            w.qd[i, 0], w.qd[i, 1], w.qd[i, 2] = -x, -y, -z
            w0, w1, w2 = w0 - x, w1 - y, w2 - z
        else:
            U, s = w.U[i], w.axis[i]
            d = U[0] * w0 + U[1] * w1 + U[2] * w2 + U[3] * v0 + U[4] * v1 + U[5] * v2
            d = -(d + w.u[i, 0]) * w.D[i]
            w.qd[i, 0] = d
            if sys.kind[i] == HINGE:
                w0, w1, w2 = w0 + s[0] * d, w1 + s[1] * d, w2 + s[2] * d
            else:
                v0, v1, v2 = v0 + s[0] * d, v1 + s[1] * d, v2 + s[2] * d
        p, out = w.p[i], V[i]
        p[0], p[1], p[2], p[3], p[4], p[5] = w0, w1, w2, v0, v1, v2
        out[0], out[1], out[2], out[3], out[4], out[5] = w0, w1, w2, v0, v1, v2
        _to_center(out, w.arm[i])


@inner
def _to_center(V, r):
    """V from the anchor to the centre of mass: v += ω × arm."""
    V[3] += V[1] * r[2] - V[2] * r[1]
    V[4] += V[2] * r[0] - V[0] * r[2]
    V[5] += V[0] * r[1] - V[1] * r[0]


@inner
def carry_down(sys, w, wrench):
    """wrench (nb, 6) about the centres of mass becomes what each joint carries, about its anchor.

    f_i = wrench_i + Σ_children f, each moved to this body's anchor
    """
    for i in range(wrench.shape[0]):
        f, r = wrench[i], w.arm[i]
        f[0] += r[1] * f[5] - r[2] * f[4]
        f[1] += r[2] * f[3] - r[0] * f[5]
        f[2] += r[0] * f[4] - r[1] * f[3]
    for i in range(wrench.shape[0] - 1, -1, -1):
        if sys.parent[i] >= 0:
            f, g, o = wrench[i], wrench[sys.parent[i]], w.reach[i]
            g[0] += f[0] + o[1] * f[5] - o[2] * f[4]
            g[1] += f[1] + o[2] * f[3] - o[0] * f[5]
            g[2] += f[2] + o[0] * f[4] - o[1] * f[3]
            for k in range(3, 6):
                g[k] += f[k]


@inner
def momentum_of(mass, moments, R, V):
    """[angular; linear] = (R diag(I) Rᵀ ω; m v) of one body, V at its centre of mass."""
    l0, l1, l2 = rotate_back(R, V)
    m0, m1, m2 = rotate(R, (moments[0] * l0, moments[1] * l1, moments[2] * l2))
    return m0, m1, m2, mass * V[3], mass * V[4], mass * V[5]
