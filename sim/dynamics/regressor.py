"""Joint forces as linear functions of the inertial parameters: tau = Y π.

A body has ten: m, m c (3) and its tensor about the origin (xx, xy, xz, yy, yz, zz), all in its own axes. Its momentum
I V seen along a motion X is a symmetric form in X and V that is linear in them,

    B(X, V) = m (x · u) + m c · (u × s + x × w) + I : (s wᵀ),     X = (s; x), V = (w; u) at the body's origin, body axes

and everything is made of it: M_kl = Σ B(S_k, S_l), momenta p_k = Σ B(S_k, V), and the terms below.
"""

from __future__ import annotations

from sim.dynamics.kinematics import kinematics
from sim.dynamics.motion import accelerations, motion_cross, subspace_rates, velocities
from sim.jit import inlined, inner, jit
from sim.spatial.blocks import ZERO3, add3, back, cross3, dot3, get3

PARAMETERS = 10  # of a body


@jit
def state_regressors(tree, body_joint, gravity, Q, U, W, place, rates, Y):
    """Y of single states, from the recursive Newton–Euler equations:

        tau_k = Σ_b S_k · (I (A_b − g) + V_b ×* I V_b) = Σ_b B(S_k, A_b − g) − B(V_b × S_k, V_b)

    Reads   tree; body_joint (nb,); gravity (3,); Q (n, nq), U (n, nv) velocities, W (n, nv) accelerations
    Writes  Y (n, nv, 10 nb); place (p, R, S, and two scratch matrices) and rates (V, A, dS) are scratch
    """
    p, R, S, J, T = place
    V, A, dS = rates
    for i in range(Q.shape[0]):
        kinematics(tree, Q[i], p, R, S, J, T)
        velocities(tree, S, U[i], V)
        subspace_rates(tree, S, V, U[i], dS)
        accelerations(tree, S, dS, U[i], W[i], A)
        for b in range(body_joint.shape[0]):
            w, u = get3(V, b, 0), get3(V, b, 3)
            d, e = get3(A, b, 0), get3(A, b, 3)
            e = e[0] - gravity[0], e[1] - gravity[1], e[2] - gravity[2]
            parent = b
            while parent >= 0:
                j = body_joint[parent]
                for k in range(tree.v_start[j], tree.v_start[j + 1]):
                    s, x = get3(S, k, 0), get3(S, k, 3)
                    _add(R, p, b, 1.0, s, x, d, e, Y[i], k)
                    s, x = motion_cross(w, u, s, x)
                    _add(R, p, b, -1.0, s, x, w, u, Y[i], k)
                parent = tree.parent[j]


@jit
def momentum_regressors(tree, body_joint, gravity, Q, U, place, rates, P, Y):
    """What joint forces do over time: p_k(t₁) − p_k(t₀) = ∫ tau_k − Y_k π dt, which needs no accelerations.

        p_k = Σ_b B(S_k, V_b)        Y_k π = −Σ_b B(Ṡ_k, V_b) + B(S_k, g)

    Writes  P, Y (n, nv, 10 nb); the rest as above
    """
    p, R, S, J, T = place
    V, _, dS = rates
    g = gravity[0], gravity[1], gravity[2]
    for i in range(Q.shape[0]):
        kinematics(tree, Q[i], p, R, S, J, T)
        velocities(tree, S, U[i], V)
        subspace_rates(tree, S, V, U[i], dS)
        for b in range(body_joint.shape[0]):
            w, u = get3(V, b, 0), get3(V, b, 3)
            parent = b
            while parent >= 0:
                j = body_joint[parent]
                for k in range(tree.v_start[j], tree.v_start[j + 1]):
                    s, x = get3(S, k, 0), get3(S, k, 3)
                    _add(R, p, b, 1.0, s, x, w, u, P[i], k)
                    _add(R, p, b, -1.0, s, x, ZERO3, g, Y[i], k)
                    _add(R, p, b, -1.0, get3(dS, k, 0), get3(dS, k, 3), w, u, Y[i], k)
                parent = tree.parent[j]


@inner
def _add(R, p, b, factor, s, x, w, u, Y, k):
    """factor B(X, V) to row k, columns of body b; X = (s; x) and V = (w; u) at the world origin, world axes."""
    s, x = _seen_from(R, p, b, s, x)
    w, u = _seen_from(R, p, b, w, u)
    c = PARAMETERS * b
    Y[k, c] += factor * dot3(x, u)
    a, d = cross3(u, s), cross3(x, w)
    for i in range(3):
        Y[k, c + 1 + i] += factor * (a[i] + d[i])
    Y[k, c + 4] += factor * s[0] * w[0]
    Y[k, c + 5] += factor * (s[0] * w[1] + s[1] * w[0])
    Y[k, c + 6] += factor * (s[0] * w[2] + s[2] * w[0])
    Y[k, c + 7] += factor * s[1] * w[1]
    Y[k, c + 8] += factor * (s[1] * w[2] + s[2] * w[1])
    Y[k, c + 9] += factor * s[2] * w[2]


@inlined
def _seen_from(R, p, b, w, u):
    """A motion at the world origin as one at the origin of body b, in its axes."""
    u = add3(u, cross3(w, (p[b, 0], p[b, 1], p[b, 2])))
    turn = R[b, 0, 0], R[b, 0, 1], R[b, 0, 2], R[b, 1, 0], R[b, 1, 1], R[b, 1, 2], R[b, 2, 0], R[b, 2, 1], R[b, 2, 2]
    return back(turn, w), back(turn, u)
