"""Operational space: the tool moves as if it were a lone unit mass on a spring and a damper to its target."""

from __future__ import annotations

from sim.control.equation import inverse_dynamics, mass_matrix
from sim.control.joint_error import driven, joint_errors
from sim.control.tool import locate
from sim.dynamics.cholesky import factor, solve
from sim.dynamics.jacobian import frame_jacobian
from sim.jit import inner, jit
from sim.spatial.blocks import add3, cross3, get3

SINGULAR = 1e-3  # of the largest entry of J M⁻¹ Jᵀ, added to its diagonal: forces stay finite where a way is barred


@jit
def operational_space(c, i):
    """tau = M a + D v + c(q, v) + Jᵀ Λ (ẍ − J̇ v − J a),   ẍ = kp (x_t − x) + kd (ẋ_t − ẋ).

    Λ = (J M⁻¹ Jᵀ)⁻¹ is the mass that the tool feels. What does not move the tool follows a = ¼ kn² error − kn v back to
    the joints' own targets.   gains kp [1/s²], kd [1/s], kn [1/s]

    Source  Khatib 1987, "A unified approach for motion and force control of robot manipulators"
    """
    t, g, tau, nv = c.target[i], c.gains[i], c.tau[i], c.v.shape[0]
    a, J, X = c.row[0], c.J, c.X
    joint_errors(c, i, a)
    for k in range(nv):
        a[k] = 0.25 * g[2] * g[2] * a[k] - g[2] * c.v[k] if driven(c, k) else 0.0
    inverse_dynamics(c, a, tau)  # leaves the bodies' accelerations with a: J̇ v + J a at the tool
    x, body = locate(c, t)
    if body < 0:
        return
    frame_jacobian(c.body_joint, c.tree.parent, c.tree.v_start, c.S, body, x, J)
    velocity, acceleration = _at(c, body, x)
    F = c.frames[0]
    for r in range(3):
        push = g[0] * (c.point[t, r] - x[r]) + g[1] * (c.velocity[t, r] - velocity[r])
        F[0, r] = push - acceleration[r]
    mass_matrix(c)
    factor(c.M)
    for r in range(3):
        for k in range(nv):
            X[r, k] = 0.0 if c.locked[k] else J[3 + r, k]
        solve(c.M, X[r])
    _divide(c, J, X, F[0])
    for k in range(nv):
        tau[k] += J[3, k] * F[0, 0] + J[4, k] * F[0, 1] + J[5, k] * F[0, 2]


@inner
def _at(c, body, x):
    """Velocity and acceleration of the point x of a body, from c.V and c.A at the world origin."""
    w, a = get3(c.V, body, 0), get3(c.A, body, 0)
    u = add3(get3(c.V, body, 3), cross3(w, x))
    return u, add3(add3(get3(c.A, body, 3), cross3(a, x)), cross3(w, u))


@inner
def _divide(c, J, X, force):
    """force ← (J Xᵀ)⁻¹ force, X = (M⁻¹ Jᵀ)ᵀ; bounded where the tool cannot move."""
    A = c.frames[1]
    largest = 0.0
    for r in range(3):
        for s in range(3):
            A[r, s] = 0.0
            for k in range(X.shape[1]):
                A[r, s] += J[3 + r, k] * X[s, k]
        largest = max(largest, A[r, r])
    for r in range(3):
        A[r, r] += SINGULAR * largest
    factor(A)
    solve(A, force)
