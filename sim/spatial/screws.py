"""Turning about an axis and sliding along it, the cheapest of all changes of frame. Tuples as in blocks.py.

A frame is reached by the turn (c, s) = (cos θ, sin θ) about z and the shift h along z. Screws about x are screws about
z of the cycled axes (y, z, x); cycling only renames numbers and costs nothing.
"""

from __future__ import annotations

from sim.jit import inlined


@inlined
def motion_into(c, s, h, w, v):
    """A motion (w; v) seen from the frame: v + w × p, then both turned back."""
    x, y = v[0] + h * w[1], v[1] - h * w[0]
    return (c * w[0] + s * w[1], c * w[1] - s * w[0], w[2]), (c * x + s * y, c * y - s * x, v[2])


@inlined
def force_out_of(c, s, h, n, f):
    """A force (n; f) of the frame seen from outside: both turned, then n + p × f."""
    x, y = c * f[0] - s * f[1], s * f[0] + c * f[1]
    return (c * n[0] - s * n[1] - h * y, s * n[0] + c * n[1] + h * x, n[2]), (x, y, f[2])


@inlined
def inertia_out_of(c, s, h, A, B, C):
    """An inertia [A B; Bᵀ C] of the frame seen from outside; see `moved_inertia`, here with 39 products for 186.

    With g = c (xx − yy) − s (xy + yx) the x-y block of R M Rᵀ is [yy + c g, xy + s g; yx + s g, xx − c g].
    """
    C = _turned(c, s, C)
    A = _turned(c, s, A)
    g = c * (B[0] - B[4]) - s * (B[1] + B[3])
    b0, b1, b3, b4 = B[4] + c * g, B[1] + s * g, B[3] + s * g, B[0] - c * g
    b2, b5 = c * B[2] - s * B[5], s * B[2] + c * B[5]
    b6, b7 = c * B[6] - s * B[7], s * B[6] + c * B[7]
    d0, d1, d2 = b0 - h * C[1], b1 - h * C[3], b2 - h * C[4]
    d3, d4, d5 = b3 + h * C[0], b4 + h * C[1], b5 + h * C[2]
    A = (A[0] - h * (b1 + d1), A[1] + h * (d0 - b4), A[2] - h * b7, A[3] + h * (b3 + d3), A[4] + h * b6, A[5])
    return A, (d0, d1, d2, d3, d4, d5, b6, b7, B[8]), C


@inlined
def _turned(c, s, M):
    """R M Rᵀ of a symmetric M."""
    g = c * (M[0] - M[3]) - 2.0 * s * M[1]
    return M[3] + c * g, M[1] + s * g, c * M[2] - s * M[4], M[0] - c * g, s * M[2] + c * M[4], M[5]


@inlined
def cycled(a):
    """(x, y, z) as (y, z, x)."""
    return a[1], a[2], a[0]


@inlined
def uncycled(a):
    return a[2], a[0], a[1]


@inlined
def cycled_inertia(A, B, C):
    B = B[4], B[5], B[3], B[7], B[8], B[6], B[1], B[2], B[0]
    return (A[3], A[4], A[1], A[5], A[2], A[0]), B, (C[3], C[4], C[1], C[5], C[2], C[0])


@inlined
def uncycled_inertia(A, B, C):
    B = B[8], B[6], B[7], B[2], B[0], B[1], B[5], B[3], B[4]
    return (A[5], A[2], A[4], A[0], A[1], A[3]), B, (C[5], C[2], C[4], C[0], C[1], C[3])
