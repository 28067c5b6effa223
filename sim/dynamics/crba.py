"""The mass matrix: composite rigid bodies."""

from __future__ import annotations

from sim.dynamics.inertia import composite, momentum, world_inertias
from sim.dynamics.kinematics import kinematics
from sim.jit import jit
from sim.spatial.blocks import dot3, get3


@jit
def crba(tree, body_joint, S, Ic, rotor, M):
    """M(q), symmetric; rotors on its diagonal.

        M_rk = S_r · Ic_i S_k     for every column r of joint i and of the joints between it and the base, else 0

    Reads   tree; body_joint (nb,), the joint each body hangs from; S (nv, 6) at the world origin;
            Ic (nb, 10) of world_inertias after `composite`; rotor (nv,) [kg·m² or kg]
    Writes  M (nv, nv)
    Source  Featherstone 2008, table 6.2
    """
    for k in range(M.shape[0]):
        for r in range(M.shape[0]):
            M[k, r] = 0.0
    for j in tree.order:
        for k in range(tree.v_start[j], tree.v_start[j + 1]):
            n, f = momentum(Ic, tree.child[j], get3(S, k, 0), get3(S, k, 3))
            b = tree.child[j]
            while b >= 0:
                i = body_joint[b]
                for r in range(tree.v_start[i], tree.v_start[i + 1]):
                    M[r, k] = dot3(get3(S, r, 0), n) + dot3(get3(S, r, 3), f)
                    M[k, r] = M[r, k]
                b = tree.parent[i]
            M[k, k] += rotor[k]


@jit
def mass_matrices(tree, body_joint, masses, rotor, Q, p, R, S, Ic, J, T, M):
    """M(q) for many q at once.

    Reads   masses = (mass, center, inertia) of the bodies; Q (m, nq); the rest as in `crba`
    Writes  M (m, nv, nv); p, R, S, Ic, J, T are scratch, shaped as in `kinematics` and `world_inertias`
    """
    for i in range(Q.shape[0]):
        kinematics(tree, Q[i], p, R, S, J, T)
        world_inertias(masses[0], masses[1], masses[2], p, R, Ic)
        composite(tree, Ic)
        crba(tree, body_joint, S, Ic, rotor, M[i])
