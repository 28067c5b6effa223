"""The dense solver: A = J M⁻¹ Jᵀ as the textbook writes it, factored by Cholesky."""

from __future__ import annotations

import math

from sim.jit import inner


@inner
def inverse_mass_rows(J, parent, child, mass, moments, R, Y):
    """Y_i = M⁻¹ J_iᵀ: for each body R diag(1/I) Rᵀ on the angular part, 1/m on the linear one.

    Reads   J (n, 12); parent, child (n,) bodies of each row, -1: world; R (nb, 3, 3) principal axes
    Writes  Y (n, 12)
    """
    for i in range(J.shape[0]):
        for side in range(2):
            b = parent[i] if side == 0 else child[i]
            o = 6 * side
            for k in range(6):
                Y[i, o + k] = 0.0
            if b < 0:
                continue
            for k in range(3):
                s = R[b, 0, k] * J[i, o] + R[b, 1, k] * J[i, o + 1] + R[b, 2, k] * J[i, o + 2]
                s /= moments[b, k]
                Y[i, o] += R[b, 0, k] * s
                Y[i, o + 1] += R[b, 1, k] * s
                Y[i, o + 2] += R[b, 2, k] * s
                Y[i, o + 3 + k] = J[i, o + 3 + k] / mass[b]


@inner
def coupling(Ji, pi, ci, Yj, pj, cj):
    """J_i M⁻¹ J_jᵀ over the bodies that the two rows share."""
    s = 0.0
    for side_i in range(2):
        b = pi if side_i == 0 else ci
        if b < 0:
            continue
        for side_j in range(2):
            if b == (pj if side_j == 0 else cj):
                for k in range(6):
                    s += Ji[6 * side_i + k] * Yj[6 * side_j + k]
    return s


@inner
def assemble(J, Y, parent, child, compliance, A):
    """Lower triangle of A = J M⁻¹ Jᵀ + diag(compliance)."""
    for i in range(J.shape[0]):
        for j in range(i + 1):
            A[i, j] = coupling(J[i], parent[i], child[i], Y[j], parent[j], child[j])
        A[i, i] += compliance[i]


@inner
def factor(A):
    """A = L Lᵀ in place (lower triangle); False if A is not positive definite."""
    n = A.shape[0]
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j]
            for k in range(j):
                s -= A[i, k] * A[j, k]
            if i == j:
                if not s > 0.0:
                    return False
                A[i, i] = math.sqrt(s)
            else:
                A[i, j] = s / A[j, j]
    return True


@inner
def solve_leading(L, n, b):
    """b ← A⁻¹ b for the leading n×n block of the factored matrix."""
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


@inner
def newton_matrix(J_new, Y, parent, child, n, B):
    """B = J(x') M⁻¹ J(x)ᵀ, the exact derivative of the position residual by the impulses λ, over h."""
    for i in range(n):
        for j in range(n):
            B[i, j] = coupling(J_new[i], parent[i], child[i], Y[j], parent[j], child[j])


@inner
def solve_general(B, n, b):
    """b ← B⁻¹ b by elimination with row pivots; destroys B. False if B is singular."""
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(B[i, k]) > abs(B[pivot, k]):
                pivot = i
        if B[pivot, k] == 0.0:
            return False
        if pivot != k:
            for j in range(k, n):
                B[k, j], B[pivot, j] = B[pivot, j], B[k, j]
            b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            f = B[i, k] / B[k, k]
            for j in range(k + 1, n):
                B[i, j] -= f * B[k, j]
            b[i] -= f * b[k]
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= B[i, j] * b[j]
        b[i] = s / B[i, i]
    return True
