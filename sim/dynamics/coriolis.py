"""The Coriolis matrix C(q, v) for which Ṁ − 2C is skew symmetric."""

from __future__ import annotations

from sim.dynamics.inertia import momentum
from sim.dynamics.motion import force_cross, motion_cross
from sim.jit import inlined, jit
from sim.spatial.blocks import get3


@jit
def body_rates(V, I, B):
    """The factor B of each body for which İ − 2B is skew and B V = V ×* I V:

        B x = ½ (V ×* I x − I (V × x) + x ×* I V)

    Reads   V (nb, 6), I (nb, 10) at the world origin
    Writes  B (nb, 6, 6)
    """
    for b in range(I.shape[0]):
        w, v = get3(V, b, 0), get3(V, b, 3)
        L, P = momentum(I, b, w, v)
        for k in range(6):
            x = 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2)
            y = 1.0 * (k == 3), 1.0 * (k == 4), 1.0 * (k == 5)
            n, f = momentum(I, b, x, y)
            n, f = force_cross(w, v, n, f)
            c, d = motion_cross(w, v, x, y)
            c, d = momentum(I, b, c, d)
            s, t = force_cross(x, y, L, P)
            for a in range(3):
                B[b, a, k] = 0.5 * (n[a] - c[a] + s[a])
                B[b, 3 + a, k] = 0.5 * (f[a] - d[a] + t[a])


@jit
def coriolis(tree, body_joint, S, dS, Ic, B, C):
    """C(q, v) with C v = the velocity-dependent joint forces.

        C = Σ_bodies Jᵀ (I J̇ + B J):   C_rk = S_r · (Ic Ṡ_k + Bc S_k),  Ic and Bc of the later of the joints of r and k

    Reads   tree; body_joint (nb,); S, dS (nv, 6); Ic (nb, 10) after `composite`; B (nb, 6, 6) of body_rates
    Writes  C (nv, nv); B is summed along the tree in place
    Source  Echeandia, Wensing 2021, "Numerical methods to compute the Coriolis matrix and Christoffel symbols"
    """
    for k in range(C.shape[0]):
        for r in range(C.shape[0]):
            C[k, r] = 0.0
    for j in tree.order[::-1]:
        c, p = tree.child[j], tree.parent[j]
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            b = c
            while b >= 0:
                i = body_joint[b]
                for r in range(tree.v_start[i], tree.v_start[i + 1]):
                    C[r, k] = _entry(S, dS, Ic, B, c, r, k)
                    C[k, r] = _entry(S, dS, Ic, B, c, k, r)
                b = tree.parent[i]
        if p >= 0:
            for s in range(6):
                for t in range(6):
                    B[p, s, t] += B[c, s, t]


@inlined
def _entry(S, dS, Ic, B, b, r, k):
    """S_r · (Ic Ṡ_k + Bc S_k)."""
    n, f = momentum(Ic, b, get3(dS, k, 0), get3(dS, k, 3))
    total = 0.0
    for t in range(6):
        x = n[t] if t < 3 else f[t - 3]
        for s in range(6):
            x += B[b, t, s] * S[k, s]
        total += S[r, t] * x
    return total
