"""Small vectors and matrices as tuples: pasted into their callers, they live in registers.

A 3-vector is (x, y, z); a matrix has its nine entries by rows; a symmetric one is (xx, xy, xz, yy, yz, zz). A spatial
inertia [A B; Bᵀ C] is its three blocks, A and C symmetric. All of it works on numbers in compiled code only.
"""

from __future__ import annotations

from sim.jit import inlined

ZERO3 = (0.0,) * 3
ZERO6 = (0.0,) * 6
ZERO9 = (0.0,) * 9


@inlined
def get3(M, i, k):
    return M[i, k], M[i, k + 1], M[i, k + 2]


@inlined
def get6(M, i, k):
    return M[i, k], M[i, k + 1], M[i, k + 2], M[i, k + 3], M[i, k + 4], M[i, k + 5]


@inlined
def get9(M, i, k):
    return (
        M[i, k],
        M[i, k + 1],
        M[i, k + 2],
        M[i, k + 3],
        M[i, k + 4],
        M[i, k + 5],
        M[i, k + 6],
        M[i, k + 7],
        M[i, k + 8],
    )


@inlined
def put(a, M, i, k):
    """M[i, k:] = a."""
    for j in range(len(a)):
        M[i, k + j] = a[j]


@inlined
def add3(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@inlined
def add6(a, b):
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@inlined
def add9(a, b):
    return (
        a[0] + b[0],
        a[1] + b[1],
        a[2] + b[2],
        a[3] + b[3],
        a[4] + b[4],
        a[5] + b[5],
        a[6] + b[6],
        a[7] + b[7],
        a[8] + b[8],
    )


@inlined
def scale3(s, a):
    return s * a[0], s * a[1], s * a[2]


@inlined
def dot3(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@inlined
def cross3(a, b):
    """a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@inlined
def forth(R, a):
    """R a."""
    return (
        R[0] * a[0] + R[1] * a[1] + R[2] * a[2],
        R[3] * a[0] + R[4] * a[1] + R[5] * a[2],
        R[6] * a[0] + R[7] * a[1] + R[8] * a[2],
    )


@inlined
def back(R, a):
    """Rᵀ a."""
    return (
        R[0] * a[0] + R[3] * a[1] + R[6] * a[2],
        R[1] * a[0] + R[4] * a[1] + R[7] * a[2],
        R[2] * a[0] + R[5] * a[1] + R[8] * a[2],
    )


@inlined
def product(A, B):
    """A B."""
    x = back(B, (A[0], A[1], A[2]))
    y = back(B, (A[3], A[4], A[5]))
    z = back(B, (A[6], A[7], A[8]))
    return x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]


@inlined
def symmetric(M, a):
    """M a for a symmetric M."""
    return (
        M[0] * a[0] + M[1] * a[1] + M[2] * a[2],
        M[1] * a[0] + M[3] * a[1] + M[4] * a[2],
        M[2] * a[0] + M[4] * a[1] + M[5] * a[2],
    )


@inlined
def turned(R, M):
    """R M Rᵀ."""
    x = forth(R, (M[0], M[3], M[6]))
    y = forth(R, (M[1], M[4], M[7]))
    z = forth(R, (M[2], M[5], M[8]))
    a = forth(R, (x[0], y[0], z[0]))
    b = forth(R, (x[1], y[1], z[1]))
    c = forth(R, (x[2], y[2], z[2]))
    return a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]


@inlined
def turned_symmetric(R, M):
    """R M Rᵀ for a symmetric M."""
    x = forth(R, (M[0], M[1], M[2]))
    y = forth(R, (M[1], M[3], M[4]))
    z = forth(R, (M[2], M[4], M[5]))
    return (
        R[0] * x[0] + R[1] * y[0] + R[2] * z[0],
        R[3] * x[0] + R[4] * y[0] + R[5] * z[0],
        R[6] * x[0] + R[7] * y[0] + R[8] * z[0],
        R[3] * x[1] + R[4] * y[1] + R[5] * z[1],
        R[6] * x[1] + R[7] * y[1] + R[8] * z[1],
        R[6] * x[2] + R[7] * y[2] + R[8] * z[2],
    )


@inlined
def moved_inertia(R, p, A, B, C):
    """The inertia in axes that see its own turned by R and shifted by p.

    C' = R C Rᵀ,  B' = R B Rᵀ + [p]× C',  A' = R A Rᵀ + [p]× (R B Rᵀ)ᵀ − B' [p]×
    """
    x, y, z = p
    a, b, c = turned_symmetric(R, A), turned(R, B), turned_symmetric(R, C)
    d0, d3, d6 = b[0] + y * c[2] - z * c[1], b[3] + z * c[0] - x * c[2], b[6] + x * c[1] - y * c[0]
    d1, d4, d7 = b[1] + y * c[4] - z * c[3], b[4] + z * c[1] - x * c[4], b[7] + x * c[3] - y * c[1]
    d2, d5, d8 = b[2] + y * c[5] - z * c[4], b[5] + z * c[2] - x * c[5], b[8] + x * c[4] - y * c[2]
    a = (
        a[0] + y * b[2] - z * b[1] - d1 * z + d2 * y,
        a[1] + y * b[5] - z * b[4] - d2 * x + d0 * z,
        a[2] + y * b[8] - z * b[7] - d0 * y + d1 * x,
        a[3] + z * b[3] - x * b[5] - d5 * x + d3 * z,
        a[4] + z * b[6] - x * b[8] - d3 * y + d4 * x,
        a[5] + x * b[7] - y * b[6] - d6 * y + d7 * x,
    )
    return a, (d0, d1, d2, d3, d4, d5, d6, d7, d8), c


@inlined
def column(A, B, C, s):
    """Column s of [A B; Bᵀ C], its angular and its linear half."""
    if s == 0:
        return (A[0], A[1], A[2]), (B[0], B[1], B[2])
    if s == 1:
        return (A[1], A[3], A[4]), (B[3], B[4], B[5])
    if s == 2:
        return (A[2], A[4], A[5]), (B[6], B[7], B[8])
    if s == 3:
        return (B[0], B[3], B[6]), (C[0], C[1], C[2])
    if s == 4:
        return (B[1], B[4], B[7]), (C[1], C[3], C[4])
    return (B[2], B[5], B[8]), (C[2], C[4], C[5])


@inlined
def less_square(A, B, C, e, a, b):
    """[A B; Bᵀ C] − e U Uᵀ with U = (a; b)."""
    x, y = scale3(e, a), scale3(e, b)
    A = (
        A[0] - x[0] * a[0],
        A[1] - x[0] * a[1],
        A[2] - x[0] * a[2],
        A[3] - x[1] * a[1],
        A[4] - x[1] * a[2],
        A[5] - x[2] * a[2],
    )
    B = (
        B[0] - x[0] * b[0],
        B[1] - x[0] * b[1],
        B[2] - x[0] * b[2],
        B[3] - x[1] * b[0],
        B[4] - x[1] * b[1],
        B[5] - x[1] * b[2],
        B[6] - x[2] * b[0],
        B[7] - x[2] * b[1],
        B[8] - x[2] * b[2],
    )
    C = (
        C[0] - y[0] * b[0],
        C[1] - y[0] * b[1],
        C[2] - y[0] * b[2],
        C[3] - y[1] * b[1],
        C[4] - y[1] * b[2],
        C[5] - y[2] * b[2],
    )
    return A, B, C
