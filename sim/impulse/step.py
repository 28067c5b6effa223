"""One step in maximal coordinates.

RATTLE, the default:

    kick ½     P, L += h/2 (forces at the old pose); friction and stops over h/2
    positions  λ so that the joints hold at the new pose
    kick ½     P, L += h/2 (forces at the new pose)
    velocities μ so that the joints hold for the velocities; friction and stops over h/2

Symmetric, second order; no energy is lost to the joints. Source: Andersen 1983; Hairer, Lubich, Wanner,
Geometric Numerical Integration, VII.1.4. An axis that friction or a stop holds after the first kick is held
for the positions too, so what rests does not creep.

Damping is trapezoidal: an explicit part (1 − θ) of its impulse before the first kick, an implicit part θ
in the velocity solve. θ = ½, and larger where the damping would stop the bodies within the step
(rate·h > 2), so that it never overshoots.

Feedback, as the documents have it: velocities first, J v⁺ = −α J v, then positions with them. They drift.
"""

from __future__ import annotations

import math

from sim.impulse.bounds import catch, find_bounds, free_axes, let_go, solve_bounded
from sim.impulse.forces import gather, power
from sim.impulse.geometry import frames, measure, misalignment
from sim.impulse.integrate import drift, kick
from sim.impulse.positions import accept, solve_positions
from sim.impulse.project import factor, give_momenta, joint_rates, observe, place, push, solve, take_momenta
from sim.impulse.rows import row_velocity
from sim.impulse.tree import ASKED, STANDING
from sim.impulse.world import ACTED_ON, BOUNDED, STEPS, WORK
from sim.jit import inner
from sim.model import BALL, FREE, HINGE, SLIDER
from sim.spatial.kernels import copy_matrix, copy_rows, orthonormalise, transposed_multiply

OK, NOT_FINITE, TURNS_TOO_FAST, JOINTS_FAIL, GAINS_ENERGY = range(5)
ALPHA = 0.25  # of the documents' feedback
CLEANING = 16  # steps after which rotations are made orthonormal to the last bit


@inner
def rattle(sys, w, s, control, time, h):
    """One step of h from the world that `arrive` saw. Returns (status, joint); one that failed is taken back."""
    work = 0.0
    if w.switches[ACTED_ON]:
        work = _prepare(sys, w, s, control, time, h)
    kick(s.P, s.L, sys.mass, sys.gravity, w.wrench, 0.5 * h)
    rubs = w.switches[BOUNDED] and _rub_first(sys, w, s, h)
    converged, where = _find_positions(sys, w, s, h)
    if not converged:
        return JOINTS_FAIL, where
    if w.switches[BOUNDED]:
        _average_rates(sys, w, s, h)
        work += _rub(sys, w, w.rate) if rubs else 0.0
    accept(sys, w, s, h)
    _move(sys, w, s)
    if w.switches[ACTED_ON]:
        gather(sys, w, s, control, time + h)
        soften(sys, w, h)
    kick(s.P, s.L, sys.mass, sys.gravity, w.wrench, 0.5 * h)
    if w.switches[BOUNDED] and find_bounds(sys, w, s, 0.5 * h):
        solve_bounded(sys, w, s, STANDING)
        _rates(sys, w, w.rate_end)
        work += _rub(sys, w, w.rate_end)
    else:
        _solve_freely(sys, w, s)
    give_momenta(sys, s, w)
    _carry_on(sys, w, s, h)
    observe(sys, w, s)
    if w.switches[ACTED_ON]:
        s.ledger[WORK] += work + 0.5 * h * power(w) - _damped(sys, w, h)
    return OK, -1


@inner
def _find_positions(sys, w, s, h):
    """The new pose, with the joints that it would drive into their stops held there."""
    while True:
        factor(sys, w, s)
        converged, where = solve_positions(sys, w, s, h)
        if not w.switches[BOUNDED] or not (catch(sys, w, s) if converged else let_go(sys, w)):
            return converged, where
        _spin_rotors(sys, w, w.rate_half)


@inner
def _prepare(sys, w, s, control, time, h):
    """What acts at the start of a step, with the explicit part of the damping; returns the work of its first half."""
    copy_coordinates(s.coordinate, w.start)
    gather(sys, w, s, control, time)
    work = 0.5 * h * power(w) + _damp(sys, w, s, h)
    soften(sys, w, 0.0)
    _spin_rotors(sys, w, w.rate)
    free_axes(sys, w)
    copy_rates(w.rate, w.rate_half)
    return work


@inner
def _rub_first(sys, w, s, h):
    """Friction and stops over the first half of the step; returns whether there are any."""
    if not find_bounds(sys, w, s, 0.5 * h):
        return False
    solve_bounded(sys, w, s, STANDING)
    _rates(sys, w, w.rate_half)
    give_momenta(sys, s, w)
    soften(sys, w, 0.0)
    _spin_rotors(sys, w, w.rate_half)
    return True


@inner
def feedback(sys, w, s, control, time, h):
    """One step of the documents' scheme, damping and stops implicit at its end. Returns (status, joint)."""
    copy_coordinates(s.coordinate, w.start)
    for j in range(sys.kind.shape[0]):
        w.theta[j] = 1.0
    soften(sys, w, h)
    _spin_rotors(sys, w, w.rate)
    gather(sys, w, s, control, time)
    work = 0.5 * h * power(w)
    find_bounds(sys, w, s, h)
    _meet_stops(sys, w, s, h)
    free_axes(sys, w)
    factor(sys, w, s)
    _feed_back(sys, w)
    for j in range(sys.kind.shape[0]):
        w.middle[j, 0] = w.rate[j, 0] if sys.kind[j] != BALL else 0.0
        w.middle[j, 1] = 0.0
        w.middle[j, 2] = math.sqrt(w.rate[j, 0] ** 2 + w.rate[j, 1] ** 2 + w.rate[j, 2] ** 2)
    kick(s.P, s.L, sys.mass, sys.gravity, w.wrench, h)
    solve_bounded(sys, w, s, ASKED)
    _rates(sys, w, w.rate_end)
    work += _rub(sys, w, w.rate_end)
    give_momenta(sys, s, w)
    for b in range(w.J.shape[0]):
        for k in range(6):
            w.J[b, k] = 0.0
    drift(s.x, s.R, s.P, s.L, w.J, sys.mass, sys.moments, sys.lone, h, w.x_new, w.R_new)
    _move(sys, w, s)
    _carry_on(sys, w, s, h)
    observe(sys, w, s)
    s.ledger[WORK] += work + 0.5 * h * power(w) - _damped(sys, w, h)
    return OK, -1


@inner
def _solve_freely(sys, w, s):
    """w.V without bounds: one factor, one solve."""
    if w.switches[BOUNDED]:
        free_axes(sys, w)
    factor(sys, w, s)
    take_momenta(s, w)
    for j in range(sys.kind.shape[0]):
        w.tree.pi[j] = sys.rotor[j] * w.rotor_speed[j]
    solve(sys, w, STANDING)


@inner
def _spin_rotors(sys, w, rates):
    """Rotors turn with their joints."""
    for j in range(sys.kind.shape[0]):
        w.rotor_speed[j] = rates[j, 0]


@inner
def soften(sys, w, h):
    """What rotors and, over h, the implicit damping add to the joints' inertia."""
    for j in range(sys.kind.shape[0]):
        w.soft[j] = sys.rotor[j] + h * w.theta[j] * sys.damping[j]
        w.slip[j, 0] = 0.0


@inner
def _damp(sys, w, s, h):
    """The explicit part of the damping, −(1 − θ) h d v; returns its work."""
    work = 0.0
    for j in range(sys.kind.shape[0]):
        w.theta[j] = max(0.5, 1.0 - 1.0 / max(sys.damping_rate[j] * h, 1e-300))
        if sys.damping[j] > 0.0:
            f = (1.0 - w.theta[j]) * h * sys.damping[j]
            for k in range(3 if sys.kind[j] == BALL else 1):
                push(sys, w, s, j, k, -f * w.rate[j, k])
                work -= f * w.rate[j, k] ** 2
    return work


@inner
def _damped(sys, w, h):
    """What the implicit part took: θ h d v²."""
    loss = 0.0
    for j in range(sys.kind.shape[0]):
        if sys.damping[j] > 0.0:
            for k in range(3 if sys.kind[j] == BALL else 1):
                loss += h * w.theta[j] * sys.damping[j] * w.rate[j, k] ** 2
    return loss


@inner
def _rates(sys, w, out):
    """Of the active joints, at w.V."""
    for j in range(sys.kind.shape[0]):
        if w.active[j]:
            joint_rates(sys, w, j, out[j])


@inner
def _average_rates(sys, w, s, h):
    """w.middle: how far joints go from the old pose to the new one, over h."""
    for j in range(sys.kind.shape[0]):
        if sys.limited[j] or (sys.friction[j] > 0.0 and sys.kind[j] != BALL):
            c = measure(sys, w.x_new, w.R_new, j, s.coordinate[j, 0], w.frames[0], w.frames[1], w.directions)
            for k in range(2):
                w.middle[j, k] = (c[k] - s.coordinate[j, k]) / h
        if sys.kind[j] == BALL and sys.friction[j] > 0.0:
            frames(sys, s.R, j, w.frames[0], w.frames[1])
            transposed_multiply(w.frames[0], w.frames[1], w.frames[2])
            frames(sys, w.R_new, j, w.frames[0], w.frames[1])
            transposed_multiply(w.frames[0], w.frames[1], w.frames[3])
            e0, e1, e2 = misalignment(w.frames[2], w.frames[3])
            w.middle[j, 2] = math.sqrt(e0 * e0 + e1 * e1 + e2 * e2) / h


@inner
def _rub(sys, w, rates):
    """The work of friction and stops in one half of a step, between `rates` at its outer end and w.middle.

    A ball that is at its stop does not move into it at the outer end.
    """
    work = 0.0
    for j in range(sys.kind.shape[0]):
        if sys.kind[j] == HINGE or sys.kind[j] == SLIDER:
            work += 0.5 * w.impulse[j, 0] * (rates[j, 0] + w.middle[j, 0])
        elif sys.kind[j] == BALL:
            torque = w.impulse[j, 2] if w.held[j] else w.high[j, 2]
            speed = math.sqrt(rates[j, 0] ** 2 + rates[j, 1] ** 2 + rates[j, 2] ** 2)
            work -= 0.5 * torque * (speed + w.middle[j, 2])
            work += 0.5 * (w.impulse[j, 0] * w.middle[j, 0] + w.impulse[j, 1] * w.middle[j, 1])
    return work


@inner
def _move(sys, w, s):
    """The new pose, its rows, and the coordinates that something looks at."""
    s.ledger[STEPS] += 1
    clean = s.ledger[STEPS] % CLEANING == 0
    copy_rows(w.x_new, s.x)
    for b in range(s.x.shape[0]):
        copy_matrix(w.R_new[b], s.R[b])
        if clean:
            orthonormalise(s.R[b])
    loops = w.block.size[0] > 0
    for j in range(sys.kind.shape[0]):
        if w.active[j] or (loops and sys.kind[j] != FREE):
            s.coordinate[j, 0], s.coordinate[j, 1] = measure(
                sys, s.x, s.R, j, s.coordinate[j, 0], w.frames[0], w.frames[1], w.directions
            )
    place(sys, w, s)


@inner
def _carry_on(sys, w, s, h):
    """Angles that nothing looks at, with the rates just solved for: no turn is missed until `settle` measures them."""
    if w.block.size[0] == 0:
        for j in range(sys.kind.shape[0]):
            if sys.kind[j] == HINGE and not w.active[j]:
                s.coordinate[j, 0] += h * w.tree.rate[j, 0]


@inner
def settle(sys, w, s):
    """Exact coordinates of all joints."""
    for j in range(sys.kind.shape[0]):
        s.coordinate[j, 0], s.coordinate[j, 1] = measure(
            sys, s.x, s.R, j, s.coordinate[j, 0], w.frames[0], w.frames[1], w.directions
        )


@inner
def _meet_stops(sys, w, s, h):
    """Feedback has no impacts: a joint that would pass its stop within the step arrives at its end."""
    for j in range(sys.kind.shape[0]):
        if not sys.limited[j] or (sys.kind[j] != HINGE and sys.kind[j] != SLIDER):
            continue
        ahead = s.coordinate[j, 0] + h * w.rate[j, 0]
        if ahead > sys.high[j, 0] - abs(h * w.rate[j, 0]):
            w.low[j, 0], w.target[j, 0] = -math.inf, (sys.high[j, 0] - s.coordinate[j, 0]) / h
        elif ahead < sys.low[j, 0] + abs(h * w.rate[j, 0]):
            w.high[j, 0], w.target[j, 0] = math.inf, (sys.low[j, 0] - s.coordinate[j, 0]) / h


@inner
def _feed_back(sys, w):
    """w.base, w.base_rows = −α times how fast the joints come apart now."""
    V, t = w.V, w.tree
    for i in range(V.shape[0]):
        b, p, r = w.base[i], sys.parent[i], t.arm[i]
        W = V[i]
        b[0], b[1], b[2] = W[0], W[1], W[2]
        b[3] = W[3] - (W[1] * r[2] - W[2] * r[1])
        b[4] = W[4] - (W[2] * r[0] - W[0] * r[2])
        b[5] = W[5] - (W[0] * r[1] - W[1] * r[0])
        if p >= 0:
            U = V[p]
            o0, o1, o2 = t.reach[i, 0] - t.arm[p, 0], t.reach[i, 1] - t.arm[p, 1], t.reach[i, 2] - t.arm[p, 2]
            b[0], b[1], b[2] = b[0] - U[0], b[1] - U[1], b[2] - U[2]
            b[3] -= U[3] + U[1] * o2 - U[2] * o1
            b[4] -= U[4] + U[2] * o0 - U[0] * o2
            b[5] -= U[5] + U[0] * o1 - U[1] * o0
        free = sys.kind[i]
        a = t.axis[i]
        if free in (HINGE, SLIDER):
            o = 0 if free == HINGE else 3
            along = a[0] * b[o] + a[1] * b[o + 1] + a[2] * b[o + 2]
            for k in range(3):
                b[o + k] -= along * a[k]
        for k in range(6):
            b[k] = 0.0 if free == FREE or (free == BALL and k < 3) else -ALPHA * b[k]
    for r in range(sys.row_start[-1]):
        j = w.block.joint[r]
        w.base_rows[r] = -ALPHA * row_velocity(w.block.J[r], sys.parent[j], sys.child[j], V)


@inner
def copy_coordinates(a, out):
    for j in range(a.shape[0]):
        out[j, 0], out[j, 1] = a[j, 0], a[j, 1]


@inner
def copy_rates(a, out):
    for j in range(a.shape[0]):
        out[j, 0], out[j, 1], out[j, 2] = a[j, 0], a[j, 1], a[j, 2]
