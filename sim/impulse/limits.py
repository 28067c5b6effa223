"""Joint limits: bounded impulses at the end of the step, with the joints held.

A joint near its stop may move at most so fast that it lands on the stop at the end of the next step:

    v ≤ gap/h,   impulse ≤ 0,   impulse · (gap/h − v) = 0      (and likewise at the lower stop)

An impulse s on the joint's row G is answered by impulses −A⁻¹ J M⁻¹ Gᵀ s on the constraint rows, so that
the joints stay as they are; d = G M⁻¹ Gᵀ − (J M⁻¹ Gᵀ)ᵀ A⁻¹ (J M⁻¹ Gᵀ) is the speed it gives.
"""

from __future__ import annotations

import math

from sim.impulse.integrate import velocities
from sim.impulse.rows import add_impulse, row_velocity
from sim.impulse.solve import coupling, inverse_mass_rows, solve_leading
from sim.jit import inner
from sim.model import HINGE, SLIDER

NEAR = 0.01  # [rad, m] within which a stop is looked at
SWEEPS = 20
RETURN_RATE = 0.2  # of an overshoot, a step
RETURN_SPEED = 0.5  # [rad/s, m/s] at most


@inner
def hold_limits(sys, work, R, P, L, position, h):
    """Stops the joints that would pass their limits. `position` (nj,) holds hinge angles and slides."""
    near = 0
    for j in range(sys.kind.shape[0]):
        if sys.kind[j] != HINGE and sys.kind[j] != SLIDER:
            continue
        low, high = sys.limits[j, 0], sys.limits[j, 1]
        if not (math.isfinite(low) or math.isfinite(high)):
            continue
        if near == 0:
            velocities(P, L, R, sys.mass, sys.moments, work.V)
        v = row_velocity(work.G[sys.v_start[j]], sys.parent[j], sys.child[j], work.V)
        ahead = position[j] + h * v
        if ahead > high - NEAR:
            near = _add_stop(sys, work, R, near, j, -1.0, high - position[j], h)
        elif ahead < low + NEAR:
            near = _add_stop(sys, work, R, near, j, 1.0, position[j] - low, h)
    for _ in range(SWEEPS if near > 1 else near):
        for i in range(near):
            _push(sys, work, R, P, L, i)


@inner
def _add_stop(sys, work, R, i, j, sign, gap, h):
    """Stop i: joint j may approach by gap/h at most; its row, answer and inverse mass into work.stop_*."""
    k = sys.v_start[j]
    n = work.J.shape[0]
    parent, child = sys.parent[j], sys.child[j]
    work.stop_joint[i] = j
    work.stop_sign[i] = sign
    work.stop_impulse[i] = 0.0
    work.stop_speed[i] = gap / h if gap > 0.0 else max(RETURN_RATE * gap / h, -RETURN_SPEED)
    work.row_of_stop[0, 0], work.row_of_stop[1, 0] = parent, child
    inverse_mass_rows(
        work.G[k : k + 1], work.row_of_stop[0], work.row_of_stop[1], sys.mass, sys.moments, R, work.Y_stop
    )
    Y = work.Y_stop[0]
    answer = work.stop_answer[i]
    for r in range(n):
        answer[r] = coupling(work.J[r], work.row_parent[r], work.row_child[r], Y, parent, child)
        work.C[r] = answer[r]
    solve_leading(work.A, n, answer)
    d = coupling(work.G[k], parent, child, Y, parent, child)
    for r in range(n):
        d -= work.C[r] * answer[r]
    work.stop_inverse[i] = d
    return i + 1


@inner
def _push(sys, work, R, P, L, i):
    """One sweep at stop i: the impulse that reaches its speed bound, never pulling."""
    j, sign = work.stop_joint[i], work.stop_sign[i]
    k = sys.v_start[j]
    velocities(P, L, R, sys.mass, sys.moments, work.V)
    approach = -sign * row_velocity(work.G[k], sys.parent[j], sys.child[j], work.V)
    total = max(0.0, work.stop_impulse[i] + (approach - work.stop_speed[i]) / work.stop_inverse[i])
    s = sign * (total - work.stop_impulse[i])
    work.stop_impulse[i] = total
    add_impulse(work.G[k], sys.parent[j], sys.child[j], s, P, L)
    for r in range(work.J.shape[0]):
        add_impulse(work.J[r], work.row_parent[r], work.row_child[r], -work.stop_answer[i, r] * s, P, L)
