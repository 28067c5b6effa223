"""Symmetric positive matrices of any size: M = L Lᵀ, in place."""

from __future__ import annotations

import math

from sim.jit import inner


@inner
def factor(M):
    """The lower triangle of M becomes L."""
    for i in range(M.shape[0]):
        for j in range(i + 1):
            s = M[i, j]
            for k in range(j):
                s -= M[i, k] * M[j, k]
            M[i, j] = math.sqrt(s) if i == j else s / M[j, j]


@inner
def solve(L, b):
    """b ← (L Lᵀ)⁻¹ b."""
    n = L.shape[0]
    for i in range(n):
        s = b[i]
        for k in range(i):
            s -= L[i, k] * b[k]
        b[i] = s / L[i, i]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for k in range(i + 1, n):
            s -= L[k, i] * b[k]
        b[i] = s / L[i, i]
