"""Inverse dynamics: recursive Newton–Euler."""

from __future__ import annotations

from sim.dynamics.inertia import momentum
from sim.dynamics.motion import force_cross
from sim.jit import jit
from sim.spatial.blocks import add3, cross3, get3, put


@jit
def rnea(tree, S, V, A, I, rotor, gravity, p, wrench, a, f, tau):
    """The joint forces that produce the accelerations A.

        f_i = I_i (A_i − g) + V_i ×* I_i V_i − (torque + p × force; force) + Σ_children f
        tau_k = S_k · f_i + rotor_k a_k

    Everything is at the world origin in world axes, so forces add up along the tree as they are.

    Reads   tree; S (nv, 6); V, A (nb, 6) of sim.dynamics.motion; I (nb, 10) of world_inertias; rotor, a (nv,);
            gravity (3,) [m/s²]; p (nb, 3), wrench (nb, 6) on the bodies at their origins, world axes [N·m; N]
    Writes  f (nb, 6), what each body's joint transmits; tau (nv,) [N·m or N]
    Source  Featherstone 2008, section 5.3
    """
    for b in range(I.shape[0]):
        w, v = get3(V, b, 0), get3(V, b, 3)
        x, y = momentum(I, b, w, v)
        n, m = force_cross(w, v, x, y)
        rise = A[b, 3] - gravity[0], A[b, 4] - gravity[1], A[b, 5] - gravity[2]
        x, y = momentum(I, b, get3(A, b, 0), rise)
        push = get3(wrench, b, 3)
        twist = add3(get3(wrench, b, 0), cross3(get3(p, b, 0), push))
        for k in range(3):
            f[b, k] = n[k] + x[k] - twist[k]
            f[b, 3 + k] = m[k] + y[k] - push[k]
    for i in range(tree.order.shape[0] - 1, -1, -1):
        j = tree.order[i]
        c, b = tree.child[j], tree.parent[j]
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            t = rotor[k] * a[k]
            for s in range(6):
                t += S[k, s] * f[c, s]
            tau[k] = t
        if b >= 0:
            put(add3(get3(f, b, 0), get3(f, c, 0)), f, b, 0)
            put(add3(get3(f, b, 3), get3(f, c, 3)), f, b, 3)
