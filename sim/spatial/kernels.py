"""Three-vectors, rotations and small products, compiled. Scalars in registers, no temporaries."""

from __future__ import annotations

import math

from sim.jit import inner

LARGEST = 1.7976931348623157e308


@inner
def cross(a0, a1, a2, b0, b1, b2):
    """a × b."""
    return a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0


@inner
def finite(x):
    """Neither NaN nor infinite. (`math.isfinite` asks whether x − x is 0, which reassociation makes always true.)"""
    return abs(x) <= LARGEST


@inner
def rotate(R, a):
    """R a."""
    return (
        R[0, 0] * a[0] + R[0, 1] * a[1] + R[0, 2] * a[2],
        R[1, 0] * a[0] + R[1, 1] * a[1] + R[1, 2] * a[2],
        R[2, 0] * a[0] + R[2, 1] * a[1] + R[2, 2] * a[2],
    )


@inner
def rotate_back(R, a):
    """Rᵀ a."""
    return (
        R[0, 0] * a[0] + R[1, 0] * a[1] + R[2, 0] * a[2],
        R[0, 1] * a[0] + R[1, 1] * a[1] + R[2, 1] * a[2],
        R[0, 2] * a[0] + R[1, 2] * a[1] + R[2, 2] * a[2],
    )


@inner
def copy_matrix(A, out):
    """out = A for 3×3 matrices (numba's slice assignment compiles slowly)."""
    for i in range(3):
        for k in range(3):
            out[i, k] = A[i, k]


@inner
def copy_rows(A, out):
    """out = A for (n, 3) arrays."""
    for i in range(A.shape[0]):
        for k in range(3):
            out[i, k] = A[i, k]


@inner
def multiply(A, B, out):
    """out = A B for 3×3 matrices; out is neither A nor B."""
    for i in range(3):
        for k in range(3):
            out[i, k] = A[i, 0] * B[0, k] + A[i, 1] * B[1, k] + A[i, 2] * B[2, k]


@inner
def multiply_transposed(A, B, out):
    """out = A Bᵀ."""
    for i in range(3):
        for k in range(3):
            out[i, k] = A[i, 0] * B[k, 0] + A[i, 1] * B[k, 1] + A[i, 2] * B[k, 2]


@inner
def transposed_multiply(A, B, out):
    """out = Aᵀ B."""
    for i in range(3):
        for k in range(3):
            out[i, k] = A[0, i] * B[0, k] + A[1, i] * B[1, k] + A[2, i] * B[2, k]


@inner
def from_quat(w, x, y, z, out):
    """out = R of a unit quaternion."""
    out[0, 0] = 1 - 2 * (y * y + z * z)
    out[0, 1] = 2 * (x * y - w * z)
    out[0, 2] = 2 * (x * z + w * y)
    out[1, 0] = 2 * (x * y + w * z)
    out[1, 1] = 1 - 2 * (x * x + z * z)
    out[1, 2] = 2 * (y * z - w * x)
    out[2, 0] = 2 * (x * z - w * y)
    out[2, 1] = 2 * (y * z + w * x)
    out[2, 2] = 1 - 2 * (x * x + y * y)


@inner
def to_quat(R):
    """Unit quaternion wxyz, w ≥ 0, dividing by its largest component (Shepperd 1978)."""
    t = R[0, 0] + R[1, 1] + R[2, 2]
    if t >= R[0, 0] and t >= R[1, 1] and t >= R[2, 2]:
        w, x, y, z = 1 + t, R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    elif R[0, 0] >= R[1, 1] and R[0, 0] >= R[2, 2]:
        w, x, y, z = R[2, 1] - R[1, 2], 1 + 2 * R[0, 0] - t, R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]
    elif R[1, 1] >= R[2, 2]:
        w, x, y, z = R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 + 2 * R[1, 1] - t, R[1, 2] + R[2, 1]
    else:
        w, x, y, z = R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 + 2 * R[2, 2] - t
    s = 1.0 / math.sqrt(w * w + x * x + y * y + z * z)
    if w < 0.0:
        s = -s
    return w * s, x * s, y * s, z * s


@inner
def from_axis_angle(a, angle, out):
    """out = 1 + sin θ [a]× + (1 − cos θ) [a]×² for a unit axis a (Rodrigues)."""
    s, c = math.sin(angle), math.cos(angle)
    k = 1.0 - c
    out[0, 0] = c + k * a[0] * a[0]
    out[0, 1] = k * a[0] * a[1] - s * a[2]
    out[0, 2] = k * a[0] * a[2] + s * a[1]
    out[1, 0] = k * a[1] * a[0] + s * a[2]
    out[1, 1] = c + k * a[1] * a[1]
    out[1, 2] = k * a[1] * a[2] - s * a[0]
    out[2, 0] = k * a[2] * a[0] - s * a[1]
    out[2, 1] = k * a[2] * a[1] + s * a[0]
    out[2, 2] = c + k * a[2] * a[2]


@inner
def orthonormalise(R):
    """R ← R (3 − RᵀR)/2: one Newton step of the polar decomposition, for an R that is nearly a rotation."""
    a0, a1, a2 = R[0, 0], R[1, 0], R[2, 0]
    b0, b1, b2 = R[0, 1], R[1, 1], R[2, 1]
    c0, c1, c2 = R[0, 2], R[1, 2], R[2, 2]
    aa = 1.5 - 0.5 * (a0 * a0 + a1 * a1 + a2 * a2)
    bb = 1.5 - 0.5 * (b0 * b0 + b1 * b1 + b2 * b2)
    cc = 1.5 - 0.5 * (c0 * c0 + c1 * c1 + c2 * c2)
    ab = -0.5 * (a0 * b0 + a1 * b1 + a2 * b2)
    ac = -0.5 * (a0 * c0 + a1 * c1 + a2 * c2)
    bc = -0.5 * (b0 * c0 + b1 * c1 + b2 * c2)
    R[0, 0], R[1, 0], R[2, 0] = aa * a0 + ab * b0 + ac * c0, aa * a1 + ab * b1 + ac * c1, aa * a2 + ab * b2 + ac * c2
    R[0, 1], R[1, 1], R[2, 1] = ab * a0 + bb * b0 + bc * c0, ab * a1 + bb * b1 + bc * c1, ab * a2 + bb * b2 + bc * c2
    R[0, 2], R[1, 2], R[2, 2] = ac * a0 + bc * b0 + cc * c0, ac * a1 + bc * b1 + cc * c1, ac * a2 + bc * b2 + cc * c2
