"""How a point of a body moves with the joints, and how a force there acts on them."""

from __future__ import annotations

from sim.jit import jit
from sim.spatial.kernels import cross


@jit
def frame_jacobian(body_joint, parent, v_start, S, body, x, J):
    """J (6, nv): twist [angular; linear] of a frame of `body` at x, world axes, a unit of each joint velocity.

        J_k = (S_k.angular; S_k.linear + S_k.angular × x)     for the joints between the body and its base, else 0

    Reads   body_joint (nb,), parent (nj,), v_start (nj + 1,), S (nv, 6) at the world origin; x (3,) [m]
    """
    for k in range(J.shape[1]):
        for r in range(6):
            J[r, k] = 0.0
    b = body
    while b >= 0:
        j = body_joint[b]
        for k in range(v_start[j], v_start[j + 1]):
            c0, c1, c2 = cross(S[k, 0], S[k, 1], S[k, 2], x[0], x[1], x[2])
            J[0, k], J[1, k], J[2, k] = S[k, 0], S[k, 1], S[k, 2]
            J[3, k], J[4, k], J[5, k] = S[k, 3] + c0, S[k, 4] + c1, S[k, 5] + c2
        b = parent[j]


@jit
def frame_jacobian_rate(body_joint, parent, v_start, S, dS, V, body, x, dJ):
    """dJ/dt (6, nv) of `frame_jacobian`, with the frame's origin x moving along:

        J̇_k = (Ṡ_k.angular; Ṡ_k.linear + Ṡ_k.angular × x + S_k.angular × ẋ),   ẋ = V.linear + ω × x

    Reads   dS (nv, 6) of subspace_rates, V (nb, 6); the rest as above
    """
    frame_jacobian(body_joint, parent, v_start, dS, body, x, dJ)
    if body < 0:
        return
    e0, e1, e2 = cross(V[body, 0], V[body, 1], V[body, 2], x[0], x[1], x[2])
    e0, e1, e2 = V[body, 3] + e0, V[body, 4] + e1, V[body, 5] + e2
    b = body
    while b >= 0:
        j = body_joint[b]
        for k in range(v_start[j], v_start[j + 1]):
            c0, c1, c2 = cross(S[k, 0], S[k, 1], S[k, 2], e0, e1, e2)
            dJ[3, k] += c0
            dJ[4, k] += c1
            dJ[5, k] += c2
        b = parent[j]
