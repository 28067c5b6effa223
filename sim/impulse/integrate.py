"""Motion of single bodies: kicks by forces, drifts by momenta.

The state is the world angular momentum L and the principal axes R, so a drift without torque keeps L
to the last bit. Turning about one principal axis at a time is exact, explicit and symplectic.
"""

from __future__ import annotations

import math

from sim.jit import inner
from sim.spatial.kernels import copy_matrix

# Sixth-order symmetric composition, solution A of Yoshida (1990): w3 w2 w1 w0 w1 w2 w3.
_W1, _W2, _W3 = -1.17767998417887, 0.235573213359357, 0.784513610477560
_W0 = 1.0 - 2.0 * (_W1 + _W2 + _W3)
_STAGES = (_W3, _W2, _W1, _W0, _W1, _W2, _W3)


@inner
def _sin_cos(a):
    """Taylor's series, to rounding, for the small angles of a step; several times faster than the library."""
    z = a * a
    if z < 1e-3:
        s = 1.0 + z * (-1 / 6 + z * (1 / 120 - z / 5040))
        return a * s, 1.0 + z * (-1 / 2 + z * (1 / 24 + z * (-1 / 720 + z / 40320)))
    if z > 0.0625:
        return math.sin(a), math.cos(a)
    s = 1.0 + z * (-1 / 6 + z * (1 / 120 + z * (-1 / 5040 + z * (1 / 362880 + z * (-1 / 39916800)))))
    c = 1.0 + z * (-1 / 2 + z * (1 / 24 + z * (-1 / 720 + z * (1 / 40320 + z * (-1 / 3628800 + z / 479001600)))))
    return a * s, c


@inner
def _turn(a0, a1, a2, b0, b1, b2, angle):
    """The axes a and b, turned by `angle` about a × b."""
    s, c = _sin_cos(angle)
    return c * a0 + s * b0, c * a1 + s * b1, c * a2 + s * b2, c * b0 - s * a0, c * b1 - s * a1, c * b2 - s * a2


@inner
def split_turn(R, l0, l1, l2, lightness, h, out):
    """out = R after torque-free turning for a time h, second order: about x½ y½ z y½ x½ by h (e_k·L)/I_k.

    Reads   lightness = 1/I
    Source  Dullweber, Leimkuhler, McLachlan 1997
    """
    a0, a1, a2 = R[0, 0], R[1, 0], R[2, 0]
    b0, b1, b2 = R[0, 1], R[1, 1], R[2, 1]
    c0, c1, c2 = R[0, 2], R[1, 2], R[2, 2]
    ha, hb, hc = 0.5 * h * lightness[0], 0.5 * h * lightness[1], h * lightness[2]
    b0, b1, b2, c0, c1, c2 = _turn(b0, b1, b2, c0, c1, c2, ha * (a0 * l0 + a1 * l1 + a2 * l2))
    c0, c1, c2, a0, a1, a2 = _turn(c0, c1, c2, a0, a1, a2, hb * (b0 * l0 + b1 * l1 + b2 * l2))
    a0, a1, a2, b0, b1, b2 = _turn(a0, a1, a2, b0, b1, b2, hc * (c0 * l0 + c1 * l1 + c2 * l2))
    c0, c1, c2, a0, a1, a2 = _turn(c0, c1, c2, a0, a1, a2, hb * (b0 * l0 + b1 * l1 + b2 * l2))
    b0, b1, b2, c0, c1, c2 = _turn(b0, b1, b2, c0, c1, c2, ha * (a0 * l0 + a1 * l1 + a2 * l2))
    out[0, 0], out[1, 0], out[2, 0] = a0, a1, a2
    out[0, 1], out[1, 1], out[2, 1] = b0, b1, b2
    out[0, 2], out[1, 2], out[2, 2] = c0, c1, c2


@inner
def drift(x, R, P, L, extra, lightness, lone, h, x_new, R_new):
    """Poses after h with the momenta held, `extra` (nb, 6) [angular; linear] added to them.

    x' = x + h p/m, R' by the splitting; bodies without joints turn by its composition to sixth order.
    lightness (nb, 4) = 1/(I, m).
    """
    for b in range(x.shape[0]):
        f = h * lightness[b, 3]
        for k in range(3):
            x_new[b, k] = x[b, k] + f * (P[b, k] + extra[b, 3 + k])
        l0, l1, l2 = L[b, 0] + extra[b, 0], L[b, 1] + extra[b, 1], L[b, 2] + extra[b, 2]
        if lone[b]:
            copy_matrix(R[b], R_new[b])
            for w in _STAGES:
                split_turn(R_new[b], l0, l1, l2, lightness[b], w * h, R_new[b])
        else:
            split_turn(R[b], l0, l1, l2, lightness[b], h, R_new[b])


@inner
def kick(P, L, mass, gravity, wrench, h):
    """P += h (m g + f), L += h τ for wrench (nb, 6) [torque; force] about the centres of mass."""
    for b in range(P.shape[0]):
        for k in range(3):
            P[b, k] += h * (mass[b] * gravity[k] + wrench[b, 3 + k])
            L[b, k] += h * wrench[b, k]


@inner
def body_velocity(P, L, R, mass, moments, V):
    """V (6,): ω = R diag(1/I) Rᵀ L and v = P/m of the centre of mass."""
    V[0], V[1], V[2] = 0.0, 0.0, 0.0
    for k in range(3):
        s = (R[0, k] * L[0] + R[1, k] * L[1] + R[2, k] * L[2]) / moments[k]
        V[0] += R[0, k] * s
        V[1] += R[1, k] * s
        V[2] += R[2, k] * s
        V[3 + k] = P[k] / mass


@inner
def velocities(P, L, R, mass, moments, V):
    """V (nb, 6) of all bodies."""
    for b in range(P.shape[0]):
        body_velocity(P[b], L[b], R[b], mass[b], moments[b], V[b])
