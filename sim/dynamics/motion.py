"""Velocities and accelerations of the bodies, all at the world origin in world axes.

There is one spatial vector space then and nothing to transform: V is the velocity of the body's point that is passing
the origin, and a joint adds its columns S (see kinematics.py) to what its parent does.
"""

from __future__ import annotations

from sim.jit import inlined, jit
from sim.model import FREE
from sim.spatial.blocks import ZERO3, add3, cross3, get3, put


@jit
def velocities(tree, S, v, V):
    """V_c = V_p + Σ_k S_k v_k.

    Reads   tree (sim.dynamics.tree.Tree), S (nv, 6), v (nv,)
    Writes  V (nb, 6) [rad/s; m/s]
    """
    for j in tree.order:
        c, b = tree.child[j], tree.parent[j]
        for a in range(6):
            V[c, a] = V[b, a] if b >= 0 else 0.0
            for k in range(tree.v_start[j], tree.v_start[j + 1]):
                V[c, a] += S[k, a] * v[k]


@jit
def subspace_rates(tree, S, V, v, dS):
    """dS/dt. The axes of hinges, sliders and balls move with the child; those of a free body keep their directions
    and follow its origin:

        Ṡ_k = V_c × S_k              free: Ṡ_k = (0; ṗ × e_k) for the turns, 0 for the shifts

    Reads   S (nv, 6), V (nb, 6), v (nv,)
    Writes  dS (nv, 6)
    """
    for j in tree.order:
        c, first = tree.child[j], tree.v_start[j]
        for k in range(first, tree.v_start[j + 1]):
            s, t = get3(S, k, 0), get3(S, k, 3)
            if tree.kind[j] == FREE:
                put(ZERO3, dS, k, 0)
                put(cross3((v[first + 3], v[first + 4], v[first + 5]), s), dS, k, 3)
            else:
                x, y = motion_cross(get3(V, c, 0), get3(V, c, 3), s, t)
                put(x, dS, k, 0)
                put(y, dS, k, 3)


@jit
def accelerations(tree, S, dS, v, a, A):
    """A = dV/dt:  A_c = A_p + Σ_k S_k a_k + Ṡ_k v_k.

    The acceleration of the point that is passing the origin is not A but A.linear + ω × V.linear.

    Reads   S, dS (nv, 6); v, a (nv,)
    Writes  A (nb, 6) [rad/s²; m/s²]
    """
    for j in tree.order:
        c, b = tree.child[j], tree.parent[j]
        for i in range(6):
            A[c, i] = A[b, i] if b >= 0 else 0.0
            for k in range(tree.v_start[j], tree.v_start[j + 1]):
                A[c, i] += S[k, i] * a[k] + dS[k, i] * v[k]


@inlined
def motion_cross(w, v, a, b):
    """(w; v) × (a; b), the rate of a motion vector that is carried along."""
    return cross3(w, a), add3(cross3(w, b), cross3(v, a))


@inlined
def force_cross(w, v, n, f):
    """(w; v) ×* (n; f), the rate of a force vector that is carried along."""
    return add3(cross3(w, n), cross3(v, f)), cross3(w, f)
