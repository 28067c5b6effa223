"""How a point of a body moves with the joints, and how a force there acts on them."""

from __future__ import annotations

from sim.jit import jit
from sim.spatial.kernels import cross


@jit
def point_jacobian(body_joint, parent, v_start, S, body, x0, x1, x2, J):
    """J (3, nv): velocity of the point x of `body` a unit of each joint velocity.

        J_k = S_k.linear + S_k.angular × x     for the joints between the body and its base, else 0
    """
    for k in range(J.shape[1]):
        J[0, k], J[1, k], J[2, k] = 0.0, 0.0, 0.0
    b = body
    while b >= 0:
        j = body_joint[b]
        for k in range(v_start[j], v_start[j + 1]):
            c0, c1, c2 = cross(S[k, 0], S[k, 1], S[k, 2], x0, x1, x2)
            J[0, k], J[1, k], J[2, k] = S[k, 3] + c0, S[k, 4] + c1, S[k, 5] + c2
        b = parent[j]
