"""Rigid-body inertias at the world origin: ten numbers a body, which add up along the tree."""

from __future__ import annotations

from sim.jit import inlined, jit
from sim.spatial.blocks import add3, cross3, get3, get6, scale3, symmetric
from sim.spatial.kernels import rotate


@jit
def world_inertias(mass, center, inertia, p, R, I):
    """m, h = m c and the tensor about the world origin, R I_C Rᵀ + m (c² 1 − c cᵀ).

    Reads   mass (nb,), center (nb, 3), inertia (nb, 3, 3) in body axes; p (nb, 3), R (nb, 3, 3) body poses
    Writes  I (nb, 10): m [kg], h (3) [kg·m], xx, xy, xz, yy, yz, zz [kg·m²]
    """
    for b in range(mass.shape[0]):
        m = mass[b]
        d0, d1, d2 = rotate(R[b], center[b])
        x, y, z = p[b, 0] + d0, p[b, 1] + d1, p[b, 2] + d2
        I[b, 0], I[b, 1], I[b, 2], I[b, 3] = m, m * x, m * y, m * z
        k = 4
        for i in range(3):
            for j in range(i, 3):
                t = 0.0
                for a in range(3):
                    for c in range(3):
                        t += R[b, i, a] * inertia[b, a, c] * R[b, j, c]
                I[b, k] = t
                k += 1
        I[b, 4] += m * (y * y + z * z)
        I[b, 5] -= m * x * y
        I[b, 6] -= m * x * z
        I[b, 7] += m * (x * x + z * z)
        I[b, 8] -= m * y * z
        I[b, 9] += m * (x * x + y * y)


@jit
def composite(tree, I):
    """I_p += I_c from the tips to the base: each body with everything that hangs from it.

    Writes  I (nb, 10) in place
    """
    for i in range(tree.order.shape[0] - 1, -1, -1):
        j = tree.order[i]
        if tree.parent[j] >= 0:
            for k in range(10):
                I[tree.parent[j], k] += I[tree.child[j], k]


@inlined
def momentum(I, b, w, v):
    """I V = (I_O ω + h × v; m v + ω × h) of body b."""
    h = get3(I, b, 1)
    return add3(symmetric(get6(I, b, 4), w), cross3(h, v)), add3(scale3(I[b, 0], v), cross3(w, h))


@jit
def center_of_mass(mass, center, p, R, out):
    """out (3,) = Σ m c / Σ m in world axes [m]."""
    total = 0.0
    x = (0.0, 0.0, 0.0)
    for b in range(mass.shape[0]):
        d0, d1, d2 = rotate(R[b], center[b])
        x = add3(x, scale3(mass[b], (p[b, 0] + d0, p[b, 1] + d1, p[b, 2] + d2)))
        total += mass[b]
    for k in range(3):
        out[k] = x[k] / total
