"""Coordinates near a pose: u, as many numbers as v, measured from q.

    hinge, slider   q + u               u̇ = v
    ball            q exp(u)            u̇ = ω + ½ u × ω + 1/12 u × (u × ω)        ω in child axes
    free            exp(u) q, p + u'    u̇ = ω − ½ u × ω + 1/12 u × (u × ω)        ω in world axes; u̇' = ṗ

In these coordinates rotations are integrated like anything else and keep the integrator's order, since the series
of the inverse differential of exp is cut only at the fourth power of u (its third is zero), which is of the step's
size. Source: Munthe-Kaas 1998; Hairer, Lubich, Wanner, Geometric Numerical Integration, IV.8.2.
"""

from __future__ import annotations

import math

from sim.jit import inlined, inner
from sim.model import BALL, FREE
from sim.spatial.blocks import add3, cross3, dot3, scale3


@inner
def displace(kinds, q_start, v_start, q0, u, q):
    """q = q0 moved by u."""
    for i in range(kinds.shape[0]):
        kind, iq, iv = kinds[i], q_start[i], v_start[i]
        if kind == BALL:
            _turn(q0, iq, u, iv, kind == FREE, q)
        elif kind == FREE:
            _turn(q0, iq + 3, u, iv, kind == FREE, q)
            for k in range(3):
                q[iq + k] = q0[iq + k] + u[iv + 3 + k]
        else:
            q[iq] = q0[iq] + u[iv]


@inner
def rates(kinds, v_start, u, v, du):
    """u̇ at u."""
    for i in range(kinds.shape[0]):
        kind, iv = kinds[i], v_start[i]
        if kind in (BALL, FREE):
            x, w = (u[iv], u[iv + 1], u[iv + 2]), (v[iv], v[iv + 1], v[iv + 2])
            c = cross3(x, w)
            r = add3(w, add3(scale3(0.5 if kind == BALL else -0.5, c), scale3(1 / 12, cross3(x, c))))
            du[iv], du[iv + 1], du[iv + 2] = r
            if kind == FREE:
                du[iv + 3], du[iv + 4], du[iv + 5] = v[iv + 3], v[iv + 4], v[iv + 5]
        else:
            du[iv] = v[iv]


@inner
def distance(kinds, q_start, v_start, q0, q, u):
    """u of the rotations of q, measured from q0; the others are not looked at and stay as they are."""
    for i in range(kinds.shape[0]):
        kind, iq, iv = kinds[i], q_start[i], v_start[i]
        if kind in (BALL, FREE):
            k = iq if kind == BALL else iq + 3
            a = q0[k], -q0[k + 1], -q0[k + 2], -q0[k + 3]
            b = q[k], q[k + 1], q[k + 2], q[k + 3]
            r = quat_product(a, b) if kind == BALL else quat_product(b, a)
            u[iv], u[iv + 1], u[iv + 2] = _log(r)


@inner
def _turn(q0, k, u, iv, before, q):
    """The quaternion at k, times exp(u) from the left (before) or the right; not a bit changes for u = 0."""
    x = u[iv], u[iv + 1], u[iv + 2]
    a = q0[k], q0[k + 1], q0[k + 2], q0[k + 3]
    if x[0] != 0.0 or x[1] != 0.0 or x[2] != 0.0:
        a = quat_product(_exp(x), a) if before else quat_product(a, _exp(x))
        f = 1.5 - 0.5 * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3])  # 1/|a| for |a| near 1
        a = f * a[0], f * a[1], f * a[2], f * a[3]
    q[k], q[k + 1], q[k + 2], q[k + 3] = a


@inlined
def quat_product(a, b):
    """Hamilton's a b."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@inlined
def _exp(x):
    """(cos θ/2, sin(θ/2) x/θ), θ = |x|; Taylor's series to rounding for the small angles of a step."""
    z = 0.25 * dot3(x, x)
    if z < 0.01:
        c = 1.0 + z * (-1 / 2 + z * (1 / 24 + z * (-1 / 720 + z * (1 / 40320 - z / 3628800))))
        s = 0.5 * (1.0 + z * (-1 / 6 + z * (1 / 120 + z * (-1 / 5040 + z / 362880))))
    else:
        half = math.sqrt(z)
        c, s = math.cos(half), 0.5 * math.sin(half) / half
    return c, s * x[0], s * x[1], s * x[2]


@inlined
def _log(r):
    """The rotation vector of a unit quaternion, |θ| ≤ π."""
    n = math.sqrt(r[1] * r[1] + r[2] * r[2] + r[3] * r[3])
    w = r[0] if r[0] >= 0.0 else -r[0]
    f = 2.0 / w if n < 1e-8 else 2.0 * math.atan2(n, w) / n
    f = f if r[0] >= 0.0 else -f
    return f * r[1], f * r[2], f * r[3]
