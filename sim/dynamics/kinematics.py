"""Where the bodies are, and along which motions the joints move them."""

from __future__ import annotations

from sim.jit import inner, jit
from sim.model import BALL, FREE, HINGE, SLIDER
from sim.spatial.kernels import copy_matrix, cross, from_axis_angle, from_quat, multiply, multiply_transposed, rotate


@jit
def kinematics(tree, q, p, R, S, J, T):
    """Poses of the body origins, and the motion subspaces of the joints at the world origin.

        R_WC = R_WP R_PJ R_q R_CJᵀ        p_WC = p_WP + R_WP (p_PJ + R_PJ d_q) − R_WC p_CJ
        twist of the world origin's points fixed to the child  V_C = V_P + Σ_k S_k v_k

    An axis a through the point r moves the world origin's point with (a; r × a); a slide with (0; a).

    Reads   tree (sim.dynamics.tree.Tree), q (nq,)
    Writes  p (nb, 3) [m], R (nb, 3, 3), S (nv, 6) [angular; linear]; J, T (3, 3) are scratch
    """
    for j in tree.order:
        c, b = tree.child[j], tree.parent[j]
        iq, iv = tree.q_start[j], tree.v_start[j]
        kind = tree.kind[j]
        if kind == FREE:
            p[c, 0], p[c, 1], p[c, 2] = q[iq], q[iq + 1], q[iq + 2]
            from_quat(q[iq + 3], q[iq + 4], q[iq + 5], q[iq + 6], R[c])
            _free_columns(p[c], S, iv)
            continue
        if b >= 0:
            multiply(R[b], tree.rotation[j], J)
            r0, r1, r2 = rotate(R[b], tree.position[j])
            r0, r1, r2 = p[b, 0] + r0, p[b, 1] + r1, p[b, 2] + r2
        else:
            copy_matrix(tree.rotation[j], J)
            r0, r1, r2 = tree.position[j, 0], tree.position[j, 1], tree.position[j, 2]
        if kind == HINGE:
            from_axis_angle(tree.axis[j], q[iq], T)
            multiply(J, T, R[c])
        elif kind == BALL:
            from_quat(q[iq], q[iq + 1], q[iq + 2], q[iq + 3], T)
            multiply(J, T, R[c])
        else:
            copy_matrix(J, R[c])
        a0, a1, a2 = rotate(J, tree.axis[j])
        if kind == SLIDER:
            r0, r1, r2 = r0 + q[iq] * a0, r1 + q[iq] * a1, r2 + q[iq] * a2
            _column(S, iv, 0.0, 0.0, 0.0, a0, a1, a2)
        elif kind == HINGE:
            l0, l1, l2 = cross(r0, r1, r2, a0, a1, a2)
            _column(S, iv, a0, a1, a2, l0, l1, l2)
        elif kind == BALL:
            for k in range(3):
                a0, a1, a2 = R[c, 0, k], R[c, 1, k], R[c, 2, k]
                l0, l1, l2 = cross(r0, r1, r2, a0, a1, a2)
                _column(S, iv + k, a0, a1, a2, l0, l1, l2)
        multiply_transposed(R[c], tree.child_rotation[j], T)
        copy_matrix(T, R[c])
        d0, d1, d2 = rotate(R[c], tree.child_position[j])
        p[c, 0], p[c, 1], p[c, 2] = r0 - d0, r1 - d1, r2 - d2


@jit
def frame_points(frame_body, frame_position, p, R, out):
    """out (nf, 3): the frames' origins in the world, x = p + R r; body -1 is the world."""
    for f in range(frame_body.shape[0]):
        b, r = frame_body[f], frame_position[f]
        if b < 0:
            out[f, 0], out[f, 1], out[f, 2] = r[0], r[1], r[2]
        else:
            d0, d1, d2 = rotate(R[b], r)
            out[f, 0], out[f, 1], out[f, 2] = p[b, 0] + d0, p[b, 1] + d1, p[b, 2] + d2


@inner
def _column(S, k, w0, w1, w2, v0, v1, v2):
    S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 4], S[k, 5] = w0, w1, w2, v0, v1, v2


@inner
def _free_columns(p, S, iv):
    """v of a free body is [ω; v] of its origin, world axes: turning about p, and shifting."""
    for k in range(3):
        e0, e1, e2 = 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2)
        l0, l1, l2 = cross(p[0], p[1], p[2], e0, e1, e2)
        _column(S, iv + k, e0, e1, e2, l0, l1, l2)
        _column(S, iv + 3 + k, 0.0, 0.0, 0.0, e0, e1, e2)
