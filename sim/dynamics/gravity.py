"""The joint forces that carry the bodies' weight."""

from __future__ import annotations

from sim.jit import jit
from sim.spatial.kernels import cross, rotate


@jit
def gravity_torques(order, parent, child, v_start, mass, center, gravity, p, R, S, W, tau):
    """g(q): from the tips to the base, each joint carries what hangs from it.

        W_i = Σ_{bodies behind joint i} (c × m g; m g)        tau_k = −S_k · W_i

    Reads   order, parent, child (nj,), v_start (nj + 1,); mass (nb,), center (nb, 3) in body axes;
            p, R poses of the body origins, S (nv, 6) motions at the world origin
    Writes  tau (nv,) [N·m or N]; W (nb, 6) is scratch
    """
    for b in range(mass.shape[0]):
        d0, d1, d2 = rotate(R[b], center[b])
        f0, f1, f2 = mass[b] * gravity[0], mass[b] * gravity[1], mass[b] * gravity[2]
        n0, n1, n2 = cross(p[b, 0] + d0, p[b, 1] + d1, p[b, 2] + d2, f0, f1, f2)
        W[b, 0], W[b, 1], W[b, 2], W[b, 3], W[b, 4], W[b, 5] = n0, n1, n2, f0, f1, f2
    for i in range(order.shape[0] - 1, -1, -1):
        j = order[i]
        c = child[j]
        for k in range(v_start[j], v_start[j + 1]):
            s = 0.0
            for a in range(6):
                s += S[k, a] * W[c, a]
            tau[k] = -s
        if parent[j] >= 0:
            for a in range(6):
                W[parent[j], a] += W[c, a]
