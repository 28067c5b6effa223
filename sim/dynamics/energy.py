"""Energy and momentum from reported poses and twists, the same for every engine."""

from __future__ import annotations

import math

from sim.jit import jit
from sim.spatial.kernels import cross, rotate, rotate_back


@jit
def energy_and_momentum(mass, center, inertia, gravity, p, R, twist, out):
    """Sums over the bodies, with c the centre of mass, v_c = v + ω × (c − p), ω in body axes for the tensor:

        out[0]   T = Σ ½ m v_c² + ½ ωᵀ I ω        out[1]   V = −Σ m g · c
        out[2:5] p = Σ m v_c                     out[5:8] L = Σ R I ω + (c − C) × m v_c   (about the common centre C)

    Reads   p (nb, 3), R (nb, 3, 3), twist (nb, 6) of the body origins; inertia (nb, 3, 3) about c
    """
    for k in range(8):
        out[k] = 0.0
    total, C0, C1, C2 = 0.0, 0.0, 0.0, 0.0
    for b in range(mass.shape[0]):
        m = mass[b]
        d0, d1, d2 = rotate(R[b], center[b])
        w0, w1, w2 = twist[b, 0], twist[b, 1], twist[b, 2]
        e0, e1, e2 = cross(w0, w1, w2, d0, d1, d2)
        v0, v1, v2 = twist[b, 3] + e0, twist[b, 4] + e1, twist[b, 5] + e2
        c0, c1, c2 = p[b, 0] + d0, p[b, 1] + d1, p[b, 2] + d2
        o = rotate_back(R[b], twist[b])
        h = rotate(inertia[b], o)
        out[0] += 0.5 * (m * (v0 * v0 + v1 * v1 + v2 * v2) + o[0] * h[0] + o[1] * h[1] + o[2] * h[2])
        out[1] -= m * (gravity[0] * c0 + gravity[1] * c1 + gravity[2] * c2)
        out[2] += m * v0
        out[3] += m * v1
        out[4] += m * v2
        total, C0, C1, C2 = total + m, C0 + m * c0, C1 + m * c1, C2 + m * c2
        l0, l1, l2 = rotate(R[b], h)
        a0, a1, a2 = cross(c0, c1, c2, m * v0, m * v1, m * v2)
        out[5] += l0 + a0
        out[6] += l1 + a1
        out[7] += l2 + a2
    a0, a1, a2 = cross(C0 / total, C1 / total, C2 / total, out[2], out[3], out[4])
    out[5] -= a0
    out[6] -= a1
    out[7] -= a2


@jit
def momentum_sizes(mass, center, inertia, p, R, twist, out):
    """What the bodies carry, however much of it cancels: C, V are place and velocity of the common centre of mass.

        out[0] = Σ |m v_c|        out[1] = Σ |R I ω + (c − C) × m (v_c − V)|
        out[2] = Σ |c| |m v_c|, whose rounding angular momenta carry

    Reads   as energy_and_momentum
    """
    out[0], out[1], out[2] = 0.0, 0.0, 0.0
    total, C0, C1, C2, V0, V1, V2 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for run in range(2):
        for b in range(mass.shape[0]):
            m = mass[b]
            d0, d1, d2 = rotate(R[b], center[b])
            e0, e1, e2 = cross(twist[b, 0], twist[b, 1], twist[b, 2], d0, d1, d2)
            v0, v1, v2 = twist[b, 3] + e0, twist[b, 4] + e1, twist[b, 5] + e2
            c0, c1, c2 = p[b, 0] + d0, p[b, 1] + d1, p[b, 2] + d2
            if run == 0:
                carried = m * math.sqrt(v0 * v0 + v1 * v1 + v2 * v2)
                out[0] += carried
                out[2] += carried * math.sqrt(c0 * c0 + c1 * c1 + c2 * c2)
                total, C0, C1, C2 = total + m, C0 + m * c0, C1 + m * c1, C2 + m * c2
                V0, V1, V2 = V0 + m * v0, V1 + m * v1, V2 + m * v2
            else:
                l0, l1, l2 = rotate(R[b], rotate(inertia[b], rotate_back(R[b], twist[b])))
                a0, a1, a2 = cross(c0 - C0, c1 - C1, c2 - C2, m * (v0 - V0), m * (v1 - V1), m * (v2 - V2))
                out[1] += math.sqrt((l0 + a0) ** 2 + (l1 + a1) ** 2 + (l2 + a2) ** 2)
        if run == 0:
            C0, C1, C2, V0, V1, V2 = C0 / total, C1 / total, C2 / total, V0 / total, V1 / total, V2 / total
