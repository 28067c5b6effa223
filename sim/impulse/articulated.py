"""Articulated inertias and what a joint's own motion takes out of them.

An inertia is kept as 21 numbers of [A H; Hᵀ M]: A and M symmetric (xx xy xz yy yz zz), H by rows.
"""

from __future__ import annotations

import math

from sim.jit import inner
from sim.model import HINGE


@inner
def own_inertia(m, moments, R, r, q):
    """A = R diag(I) Rᵀ + m (r² 1 − r rᵀ), H = m [r]×, M = m 1 about the point −r from the centre of mass."""
    d0, d1, d2 = moments[0], moments[1], moments[2]
    x, y, z = r[0], r[1], r[2]
    a0, a1, a2 = R[0, 0] * d0, R[0, 1] * d1, R[0, 2] * d2
    b0, b1, b2 = R[1, 0] * d0, R[1, 1] * d1, R[1, 2] * d2
    q[0] = a0 * R[0, 0] + a1 * R[0, 1] + a2 * R[0, 2] + m * (y * y + z * z)
    q[1] = a0 * R[1, 0] + a1 * R[1, 1] + a2 * R[1, 2] - m * x * y
    q[2] = a0 * R[2, 0] + a1 * R[2, 1] + a2 * R[2, 2] - m * x * z
    q[3] = b0 * R[1, 0] + b1 * R[1, 1] + b2 * R[1, 2] + m * (x * x + z * z)
    q[4] = b0 * R[2, 0] + b1 * R[2, 1] + b2 * R[2, 2] - m * y * z
    q[5] = d0 * R[2, 0] * R[2, 0] + d1 * R[2, 1] * R[2, 1] + d2 * R[2, 2] * R[2, 2] + m * (x * x + y * y)
    q[6], q[7], q[8] = 0.0, -m * z, m * y
    q[9], q[10], q[11] = m * z, 0.0, -m * x
    q[12], q[13], q[14] = -m * y, m * x, 0.0
    q[15], q[16], q[17], q[18], q[19], q[20] = m, 0.0, 0.0, m, 0.0, m


@inner
def add_shifted(q, o, out):
    """out += the inertia q seen from a point −o away: H' = H + [o] M, A' = A − H [o] + [o] H'ᵀ."""
    x, y, z = o[0], o[1], o[2]
    h0 = q[6] + y * q[17] - z * q[16]
    h1 = q[7] + y * q[19] - z * q[18]
    h2 = q[8] + y * q[20] - z * q[19]
    h3 = q[9] + z * q[15] - x * q[17]
    h4 = q[10] + z * q[16] - x * q[19]
    h5 = q[11] + z * q[17] - x * q[20]
    h6 = q[12] + x * q[16] - y * q[15]
    h7 = q[13] + x * q[18] - y * q[16]
    h8 = q[14] + x * q[19] - y * q[17]
    out[0] += q[0] + y * (q[8] + h2) - z * (q[7] + h1)
    out[1] += q[1] + z * q[6] - x * q[8] + y * h5 - z * h4
    out[2] += q[2] + x * q[7] - y * q[6] + y * h8 - z * h7
    out[3] += q[3] + z * (q[9] + h3) - x * (q[11] + h5)
    out[4] += q[4] + x * q[10] - y * q[9] + z * h6 - x * h8
    out[5] += q[5] + x * (q[13] + h7) - y * (q[12] + h6)
    out[6] += h0
    out[7] += h1
    out[8] += h2
    out[9] += h3
    out[10] += h4
    out[11] += h5
    out[12] += h6
    out[13] += h7
    out[14] += h8
    for k in range(15, 21):
        out[k] += q[k]


@inner
def times(q, v0, v1, v2, v3, v4, v5):
    """[A H; Hᵀ M] V."""
    return (
        q[0] * v0 + q[1] * v1 + q[2] * v2 + q[6] * v3 + q[7] * v4 + q[8] * v5,
        q[1] * v0 + q[3] * v1 + q[4] * v2 + q[9] * v3 + q[10] * v4 + q[11] * v5,
        q[2] * v0 + q[4] * v1 + q[5] * v2 + q[12] * v3 + q[13] * v4 + q[14] * v5,
        q[6] * v0 + q[9] * v1 + q[12] * v2 + q[15] * v3 + q[16] * v4 + q[17] * v5,
        q[7] * v0 + q[10] * v1 + q[13] * v2 + q[16] * v3 + q[18] * v4 + q[19] * v5,
        q[8] * v0 + q[11] * v1 + q[14] * v2 + q[17] * v3 + q[19] * v4 + q[20] * v5,
    )


@inner
def project_axis(q, kind, s, soft, held, U):
    """q −= U Uᵀ/D for one axis s of turning (hinge) or sliding; returns 1/D, 0 if the joint is held."""
    if held:
        return 0.0
    if kind == HINGE:
        u0 = q[0] * s[0] + q[1] * s[1] + q[2] * s[2]
        u1 = q[1] * s[0] + q[3] * s[1] + q[4] * s[2]
        u2 = q[2] * s[0] + q[4] * s[1] + q[5] * s[2]
        u3 = q[6] * s[0] + q[9] * s[1] + q[12] * s[2]
        u4 = q[7] * s[0] + q[10] * s[1] + q[13] * s[2]
        u5 = q[8] * s[0] + q[11] * s[1] + q[14] * s[2]
        d = 1.0 / (s[0] * u0 + s[1] * u1 + s[2] * u2 + soft)
    else:
        u0 = q[6] * s[0] + q[7] * s[1] + q[8] * s[2]
        u1 = q[9] * s[0] + q[10] * s[1] + q[11] * s[2]
        u2 = q[12] * s[0] + q[13] * s[1] + q[14] * s[2]
        u3 = q[15] * s[0] + q[16] * s[1] + q[17] * s[2]
        u4 = q[16] * s[0] + q[18] * s[1] + q[19] * s[2]
        u5 = q[17] * s[0] + q[19] * s[1] + q[20] * s[2]
        d = 1.0 / (s[0] * u3 + s[1] * u4 + s[2] * u5 + soft)
    U[0], U[1], U[2], U[3], U[4], U[5] = u0, u1, u2, u3, u4, u5
    e0, e1, e2, e3, e4, e5 = u0 * d, u1 * d, u2 * d, u3 * d, u4 * d, u5 * d
    q[0] -= e0 * u0
    q[1] -= e0 * u1
    q[2] -= e0 * u2
    q[3] -= e1 * u1
    q[4] -= e1 * u2
    q[5] -= e2 * u2
    q[6] -= e0 * u3
    q[7] -= e0 * u4
    q[8] -= e0 * u5
    q[9] -= e1 * u3
    q[10] -= e1 * u4
    q[11] -= e1 * u5
    q[12] -= e2 * u3
    q[13] -= e2 * u4
    q[14] -= e2 * u5
    q[15] -= e3 * u3
    q[16] -= e3 * u4
    q[17] -= e3 * u5
    q[18] -= e4 * u4
    q[19] -= e4 * u5
    q[20] -= e5 * u5
    return d


@inner
def _invert_symmetric(a, b, c, d, e, f):
    """Inverse of [a b c; b d e; c e f]."""
    A, B, C = d * f - e * e, c * e - b * f, b * e - c * d
    s = 1.0 / (a * A + b * B + c * C)
    return s * A, s * B, s * C, s * (a * f - c * c), s * (b * c - a * e), s * (a * d - b * b)


@inner
def symmetric_times(w, x, y, z):
    """[w0 w1 w2; w1 w3 w4; w2 w4 w5] (x, y, z)."""
    return w[0] * x + w[1] * y + w[2] * z, w[1] * x + w[3] * y + w[4] * z, w[2] * x + w[4] * y + w[5] * z


@inner
def project_ball(q, soft, slip, rows, directions, ball):
    """q −= U D⁻¹ Uᵀ for turning about every axis, except about `rows` held directions; D = A + soft + slip (1 − u uᵀ).

    A held direction n takes its part out of D⁻¹: W −= W n nᵀ W / (nᵀ W n).
    """
    for k in range(15):
        ball[k] = q[k]
    W = ball[15:21]
    f, u, v, w = slip[0], slip[1], slip[2], slip[3]
    d = soft + f
    W[0], W[1], W[2], W[3], W[4], W[5] = _invert_symmetric(
        q[0] + d - f * u * u,
        q[1] - f * u * v,
        q[2] - f * u * w,
        q[3] + d - f * v * v,
        q[4] - f * v * w,
        q[5] + d - f * w * w,
    )
    for i in range(rows):
        n = directions[i]
        w0, w1, w2 = symmetric_times(W, n[0], n[1], n[2])
        e = 1.0 / (n[0] * w0 + n[1] * w1 + n[2] * w2)
        W[0] -= e * w0 * w0
        W[1] -= e * w0 * w1
        W[2] -= e * w0 * w2
        W[3] -= e * w1 * w1
        W[4] -= e * w1 * w2
        W[5] -= e * w2 * w2
    if d == 0.0 and rows == 0:
        for k in range(15):
            q[k] = 0.0
    else:
        for j in range(3):  # columns of W A and W H
            x, y, z = symmetric_times(W, ball[j], ball[1 + j + (j > 0)], ball[2 + j + (j > 0)])
            a = symmetric_times(ball, x, y, z)
            h = symmetric_times(W, ball[6 + j], ball[9 + j], ball[12 + j])
            g = symmetric_times(ball, h[0], h[1], h[2])
            q[6 + j] -= g[0]
            q[9 + j] -= g[1]
            q[12 + j] -= g[2]
            if j == 0:
                q[0] -= a[0]
                q[1] -= a[1]
                q[2] -= a[2]
            elif j == 1:
                q[3] -= a[1]
                q[4] -= a[2]
            else:
                q[5] -= a[2]
    for j in range(3):  # M −= Hᵀ W H
        x, y, z = symmetric_times(W, ball[6 + j], ball[9 + j], ball[12 + j])
        m0 = ball[6] * x + ball[9] * y + ball[12] * z
        m1 = ball[7] * x + ball[10] * y + ball[13] * z
        m2 = ball[8] * x + ball[11] * y + ball[14] * z
        if j == 0:
            q[15] -= m0
        elif j == 1:
            q[16] -= m0
            q[18] -= m1
        else:
            q[17] -= m0
            q[19] -= m1
            q[20] -= m2


@inner
def factor_root(q, F):
    """F Fᵀ = the 6×6 inertia q, lower triangle."""
    for i in range(3):
        for j in range(i + 1):
            F[i, j] = q[j * (5 - j) // 2 + i]
            F[3 + i, 3 + j] = q[15 + j * (5 - j) // 2 + i]
        for j in range(3):
            F[3 + i, j] = q[6 + 3 * j + i]
    for i in range(6):
        for j in range(i + 1):
            s = F[i, j]
            for k in range(j):
                s -= F[i, k] * F[j, k]
            F[i, j] = math.sqrt(s) if i == j else s / F[j, j]


@inner
def solve_root(F, p, V):
    """V = −(F Fᵀ)⁻¹ p."""
    for i in range(6):
        s = -p[i]
        for k in range(i):
            s -= F[i, k] * V[k]
        V[i] = s / F[i, i]
    for i in range(5, -1, -1):
        s = V[i]
        for k in range(i + 1, 6):
            s -= F[k, i] * V[k]
        V[i] = s / F[i, i]
