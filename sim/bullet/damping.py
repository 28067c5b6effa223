"""Joint damping at the end of the step, which Bullet does not offer.

Measured with pybullet 3.2.7: its `jointDamping` d multiplies the speed by 1 − h d/I every step, the
explicit rule, which grows for h d/I > 2 (a slender link about its own axis is enough). Here the torque is

    tau_d = −D v⁺,   v⁺ = v + h a,   (M + h D) a = tau − c − D v

so that Bullet's own step, given tau + tau_d, arrives at v⁺: the speed is divided by 1 + h d/I, for any d.
c holds gravity, given wrenches, centrifugal and gyroscopic forces. Forces of joint limits are not foreseen
in a, which matters for the one step in which a limit is hit.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.kinematics import kinematics
from sim.dynamics.tree import Tree, body_joints
from sim.jit import inner, jit
from sim.model import FREE, Array, Model
from sim.spatial.kernels import cross, rotate, rotate_back


class ImplicitDamping:
    """The damping of one model in Bullet's coordinates (sim.bullet.frames)."""

    def __init__(self, model: Model, tree: Tree) -> None:
        nb, nv = len(model.body_names), model.nv
        self._constants = tree, body_joints(model), model.body_mass, model.body_moments, model.gravity
        self._damping = model.dof_damping
        self._M, self._c = np.zeros((nv, nv)), np.zeros(nv)
        self._places = np.zeros((nb, 3)), np.zeros((nb, 3, 3)), np.zeros((nv, 6))
        self._scratch = np.zeros((3, nb, 6)), np.zeros((nb, 10)), np.zeros((2, 3, 3))

    def torques(self, q: Array, v: Array, tau: Array, wrench: Array, dt: float) -> Array:
        """tau + tau_d for a step of dt from q, v."""
        equation_of_motion(*self._constants, q, v, wrench, *self._places, *self._scratch, self._c, self._M)
        D = self._damping
        self._M.flat[:: len(D) + 1] += dt * D
        a = np.linalg.solve(self._M, tau - self._c - D * v)
        damped: Array = tau - D * (v + dt * a)
        return damped


@jit
def equation_of_motion(
    tree, body_joint, mass, moments, gravity, q, v, wrench, p, R, S, spatial, composite, square, c, M
):
    """M(q) and c(q, v) of M a + c = tau. Writes all that follows v; body frames are inertial frames."""
    kinematics(tree, q, p, R, S, square[0], square[1])
    bias_forces(tree, mass, moments, gravity, wrench, v, p, R, S, spatial[0], spatial[1], spatial[2], c)
    mass_matrix(tree, body_joint, mass, moments, p, R, S, composite, M)


@inner
def bias_forces(tree, mass, moments, gravity, wrench, v, p, R, S, V, A, W, c):
    """The joint forces c(q, v) that keep v constant against gravity and the given wrenches.

        V_C = V_P + Σ S_k v_k        A_C = A_P + Σ Ṡ_k v_k = A_P + V_P × V_C    (free: Ṡ v = (0; −ω × ṗ))
        f = m (a − g) − F,  n = I α + ω × I ω − T at the centre of mass;  c_k = S_k · Σ_{behind k} (n + p × f; f)

    Body frames are inertial frames. V, A are twists at the world origin; a = A.linear + α × p + ω × v_com.

    Reads   wrench (nb, 6) about the centres of mass, v (nv,), p (nb, 3), R (nb, 3, 3), S (nv, 6)
    Writes  c (nv,) [N·m or N]; V, A, W (nb, 6) are scratch
    Source  Featherstone 2008, ch. 5.3, in world coordinates
    """
    for j in tree.order:
        b, par = tree.child[j], tree.parent[j]
        for k in range(6):
            V[b, k] = V[par, k] if par >= 0 else 0.0
            A[b, k] = A[par, k] if par >= 0 else 0.0
        for i in range(tree.v_start[j], tree.v_start[j + 1]):
            for k in range(6):
                V[b, k] += S[i, k] * v[i]
        w0, w1, w2 = V[b, 0], V[b, 1], V[b, 2]
        e0, e1, e2 = cross(w0, w1, w2, p[b, 0], p[b, 1], p[b, 2])
        u0, u1, u2 = V[b, 3] + e0, V[b, 4] + e1, V[b, 5] + e2
        if tree.kind[j] == FREE:
            e0, e1, e2 = cross(w0, w1, w2, u0, u1, u2)
            A[b, 3], A[b, 4], A[b, 5] = -e0, -e1, -e2
        elif par >= 0:
            o0, o1, o2 = V[par, 0], V[par, 1], V[par, 2]
            e0, e1, e2 = cross(o0, o1, o2, w0, w1, w2)
            f0, f1, f2 = cross(o0, o1, o2, V[b, 3], V[b, 4], V[b, 5])
            g0, g1, g2 = cross(V[par, 3], V[par, 4], V[par, 5], w0, w1, w2)
            A[b, 0], A[b, 1], A[b, 2] = A[b, 0] + e0, A[b, 1] + e1, A[b, 2] + e2
            A[b, 3], A[b, 4], A[b, 5] = A[b, 3] + f0 + g0, A[b, 4] + f1 + g1, A[b, 5] + f2 + g2
        _body_force(mass[b], moments[b], gravity, wrench[b], p[b], R[b], A[b], w0, w1, w2, u0, u1, u2, W[b])
    for i in range(tree.order.shape[0] - 1, -1, -1):
        j = tree.order[i]
        b, par = tree.child[j], tree.parent[j]
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            c[k] = 0.0
            for a in range(6):
                c[k] += S[k, a] * W[b, a]
        if par >= 0:
            for a in range(6):
                W[par, a] += W[b, a]


@inner
def _body_force(m, moments, gravity, wrench, p, R, A, w0, w1, w2, u0, u1, u2, W):
    """W (6,) at the world origin: what the body's motion (ω, v_com = u, A) needs beyond gravity and its wrench."""
    e0, e1, e2 = cross(A[0], A[1], A[2], p[0], p[1], p[2])
    d0, d1, d2 = cross(w0, w1, w2, u0, u1, u2)
    f0 = m * (A[3] + e0 + d0 - gravity[0]) - wrench[3]
    f1 = m * (A[4] + e1 + d1 - gravity[1]) - wrench[4]
    f2 = m * (A[5] + e2 + d2 - gravity[2]) - wrench[5]
    a0, a1, a2 = rotate_back(R, A)
    o0, o1, o2 = rotate_back(R, (w0, w1, w2))
    h0, h1, h2 = moments[0] * o0, moments[1] * o1, moments[2] * o2
    g0, g1, g2 = cross(o0, o1, o2, h0, h1, h2)
    n0, n1, n2 = rotate(R, (moments[0] * a0 + g0, moments[1] * a1 + g1, moments[2] * a2 + g2))
    t0, t1, t2 = cross(p[0], p[1], p[2], f0, f1, f2)
    W[0], W[1], W[2] = n0 - wrench[0] + t0, n1 - wrench[1] + t1, n2 - wrench[2] + t2
    W[3], W[4], W[5] = f0, f1, f2


@inner
def mass_matrix(tree, body_joint, mass, moments, p, R, S, composite, M):
    """M(q) by composite bodies, all at the world origin.

        I_j = Σ_{bodies behind j} (m, m p, R diag R^T + m (p² 1 − p pᵀ))        M_kl = S_l · I_j S_k

    Body frames are inertial frames. composite (nb, 10): m; m p; xx, yy, zz, xy, xz, yz, scratch.

    Writes  M (nv, nv), symmetric
    Source  Featherstone 2008, table 6.2, in world coordinates
    """
    M[:, :] = 0.0
    for b in range(mass.shape[0]):
        _point_inertia(mass[b], moments[b], p[b], R[b], composite[b])
    for i in range(tree.order.shape[0] - 1, -1, -1):
        j = tree.order[i]
        par = tree.parent[j]
        B = composite[tree.child[j]]
        if par >= 0:
            for a in range(10):
                composite[par, a] += B[a]
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            w0, w1, w2, u0, u1, u2 = S[k, 0], S[k, 1], S[k, 2], S[k, 3], S[k, 4], S[k, 5]
            e0, e1, e2 = cross(w0, w1, w2, B[1], B[2], B[3])
            d0, d1, d2 = cross(B[1], B[2], B[3], u0, u1, u2)
            l0 = B[4] * w0 + B[7] * w1 + B[8] * w2 + d0
            l1 = B[7] * w0 + B[5] * w1 + B[9] * w2 + d1
            l2 = B[8] * w0 + B[9] * w1 + B[6] * w2 + d2
            p0, p1, p2 = B[0] * u0 + e0, B[0] * u1 + e1, B[0] * u2 + e2
            _row(tree, body_joint, j, k, S, l0, l1, l2, p0, p1, p2, M)


@inner
def _point_inertia(m, moments, p, R, out):
    """A body's ten inertial numbers about the world origin."""
    pp = p[0] * p[0] + p[1] * p[1] + p[2] * p[2]
    out[0] = m
    for a in range(3):
        out[1 + a] = m * p[a]
        out[4 + a] = m * (pp - p[a] * p[a])
        for i in range(3):
            out[4 + a] += R[a, i] * R[a, i] * moments[i]
    out[7], out[8], out[9] = -m * p[0] * p[1], -m * p[0] * p[2], -m * p[1] * p[2]
    for i in range(3):
        out[7] += R[0, i] * R[1, i] * moments[i]
        out[8] += R[0, i] * R[2, i] * moments[i]
        out[9] += R[1, i] * R[2, i] * moments[i]


@inner
def _row(tree, body_joint, j, k, S, l0, l1, l2, p0, p1, p2, M):
    """M_kl for joint j and all before it, where (l; p) is the momentum of a unit speed of k."""
    b = tree.child[j]
    while b >= 0:
        at = body_joint[b]
        for i in range(tree.v_start[at], tree.v_start[at + 1]):
            M[k, i] = S[i, 0] * l0 + S[i, 1] * l1 + S[i, 2] * l2 + S[i, 3] * p0 + S[i, 4] * p1 + S[i, 5] * p2
            M[i, k] = M[k, i]
        b = tree.parent[at]
