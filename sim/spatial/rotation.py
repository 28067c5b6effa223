"""Rotations in plain NumPy, for setting up and for looking; the compiled ones are in kernels.py."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]


def skew(w: Array) -> Array:
    """[w]×, so that [w]× a = w × a."""
    return np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])


def quat_to_matrix(q: Array) -> Array:
    """R of a quaternion wxyz of any length but zero."""
    w, x, y, z = np.asarray(q, dtype=float) / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def matrix_to_quat(R: Array) -> Array:
    """Unit quaternion wxyz with w ≥ 0; divides by the largest component (Shepperd 1978)."""
    d = np.array(
        [
            1 + R[0, 0] + R[1, 1] + R[2, 2],
            1 + R[0, 0] - R[1, 1] - R[2, 2],
            1 - R[0, 0] + R[1, 1] - R[2, 2],
            1 - R[0, 0] - R[1, 1] + R[2, 2],
        ]
    )
    a, b, c = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    s, t, u = R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1]
    rows = ((d[0], a, b, c), (a, d[1], s, t), (b, s, d[2], u), (c, t, u, d[3]))
    q = np.array(rows[int(np.argmax(d))])
    q /= np.linalg.norm(q)
    return q if q[0] >= 0 else -q


def axis_angle_to_matrix(axis: Array, angle: float) -> Array:
    """Rodrigues: R = 1 + sin θ [a]× + (1 − cos θ) [a]×²."""
    K = skew(np.asarray(axis, dtype=float) / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def rotation_vector(R: Array) -> Array:
    """log R: the axis times the angle, |angle| ≤ π."""
    q = matrix_to_quat(R)
    s = float(np.linalg.norm(q[1:]))
    if s < 1e-12:
        return 2.0 * q[1:]
    return 2.0 * np.arctan2(s, q[0]) / s * q[1:]


def rotation_exp(w: Array) -> Array:
    """exp of a rotation vector as a unit quaternion wxyz."""
    angle = float(np.linalg.norm(w))
    return np.concatenate([[np.cos(angle / 2)], 0.5 * np.sinc(angle / (2 * np.pi)) * np.asarray(w)])


def quat_product(a: Array, b: Array) -> Array:
    """Hamilton's a b."""
    return np.concatenate([[a[0] * b[0] - a[1:] @ b[1:]], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])])


def log_rate(w: Array) -> Array:
    """The matrix that takes ω to the rate of w = log R, where Ṙ = [ω]× R.

    1 − [w]×/2 + (1 − θ/2 cot θ/2)/θ² [w]×²,   θ = |w|
    """
    half, K = float(np.linalg.norm(w)) / 2, skew(w)
    factor = (1 - half / np.tan(half)) / (4 * half * half) if half > 1e-3 else (1 + half * half / 15) / 12
    rate: Array = np.eye(3) - 0.5 * K + factor * (K @ K)
    return rate


def across(axis: Array) -> Array:
    """(2, 3) unit vectors that complete a unit axis to a right-handed frame (first, second, axis)."""
    first = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(axis, first)])
