"""Motion of single bodies: kicks by forces, drifts by momenta.

The state is the world angular momentum L and the principal axes R, so a drift without torque keeps L
to the last bit. Turning about one principal axis at a time is exact, explicit and symplectic.
"""

from __future__ import annotations

import math

from sim.jit import inner
from sim.spatial.kernels import copy_matrix, orthonormalise

# Sixth-order symmetric composition, solution A of Yoshida (1990): w3 w2 w1 w0 w1 w2 w3.
_W1, _W2, _W3 = -1.17767998417887, 0.235573213359357, 0.784513610477560
_W0 = 1.0 - 2.0 * (_W1 + _W2 + _W3)
_STAGES = (_W3, _W2, _W1, _W0, _W1, _W2, _W3)


@inner
def _turn(R, i, j, k, angle):
    """R ← R exp(angle e_k) for (i, j, k) cyclic: columns i and j turn about column k."""
    s, c = math.sin(angle), math.cos(angle)
    for r in range(3):
        a, b = R[r, i], R[r, j]
        R[r, i], R[r, j] = c * a + s * b, c * b - s * a


@inner
def split_turn(R, l0, l1, l2, moments, h):
    """Torque-free turning for a time h, second order: about x½ y½ z y½ x½ by h (e_k·L)/I_k.

    Source  Dullweber, Leimkuhler, McLachlan 1997
    """
    for stage in range(5):
        k = stage if stage < 3 else 4 - stage
        part = h if k == 2 else 0.5 * h
        i, j = (k + 1) % 3, (k + 2) % 3
        _turn(R, i, j, k, part * (R[0, k] * l0 + R[1, k] * l1 + R[2, k] * l2) / moments[k])


@inner
def free_turn(R, l0, l1, l2, moments, h):
    """The same to sixth order, for bodies without joints."""
    for w in _STAGES:
        split_turn(R, l0, l1, l2, moments, w * h)


@inner
def drift(x, R, P, L, mass, moments, jointed, h, x_new, R_new):
    """Positions after h with the momenta held: x' = x + h P/m, R' by the splitting."""
    for b in range(x.shape[0]):
        for k in range(3):
            x_new[b, k] = x[b, k] + h * P[b, k] / mass[b]
        copy_matrix(R[b], R_new[b])
        if jointed[b]:
            split_turn(R_new[b], L[b, 0], L[b, 1], L[b, 2], moments[b], h)
        else:
            free_turn(R_new[b], L[b, 0], L[b, 1], L[b, 2], moments[b], h)
        orthonormalise(R_new[b])


@inner
def kick(P, L, mass, gravity, wrench, h):
    """P += h (m g + f), L += h τ for wrench (nb, 6) [torque; force] about the centres of mass."""
    for b in range(P.shape[0]):
        for k in range(3):
            P[b, k] += h * (mass[b] * gravity[k] + wrench[b, 3 + k])
            L[b, k] += h * wrench[b, k]


@inner
def velocities(P, L, R, mass, moments, V):
    """V (nb, 6): ω = R diag(1/I) Rᵀ L and v = P/m of the centres of mass."""
    for b in range(P.shape[0]):
        V[b, 0], V[b, 1], V[b, 2] = 0.0, 0.0, 0.0
        for k in range(3):
            s = (R[b, 0, k] * L[b, 0] + R[b, 1, k] * L[b, 1] + R[b, 2, k] * L[b, 2]) / moments[b, k]
            V[b, 0] += R[b, 0, k] * s
            V[b, 1] += R[b, 1, k] * s
            V[b, 2] += R[b, 2, k] * s
            V[b, 3 + k] = P[b, k] / mass[b]
