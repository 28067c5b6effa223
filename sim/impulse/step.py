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
"""

from __future__ import annotations

import math

from sim.impulse.bounds import catch, find_bounds, free_axes, let_go, solve_bounded
from sim.impulse.dead_point import follow_branch
from sim.impulse.forces import gather, power
from sim.impulse.geometry import frames, hinge_angle, measure, misalignment
from sim.impulse.integrate import kick
from sim.impulse.positions import accept, solve_positions
from sim.impulse.project import factor, give_momenta, joint_rates, observe, place, push, solve, take_momenta
from sim.impulse.tree import STANDING
from sim.impulse.world import ACTED_ON, AT_DEAD_POINT, BOUNDED, STEPS, WORK
from sim.jit import inner, pasted
from sim.model import BALL, FREE, HINGE, SLIDER
from sim.spatial.kernels import copy_matrix, orthonormalise, transposed_multiply

OK, NOT_FINITE, TURNS_TOO_FAST, JOINTS_FAIL, GAINS_ENERGY = range(5)
CLEANING = 16  # steps after which rotations are made orthonormal to the last bit
FAST_TURN = 0.1  # [rad] in a step: rates times h no longer tell the angle over CLEANING steps


@inner
def rattle(sys, w, s, time, h):
    """One step of h from the world that `arrive` saw. Returns (status, joint); one that failed is taken back."""
    work = 0.0
    if w.switches[ACTED_ON]:
        work = _prepare(sys, w, s, time, h)
    kick(s.P, s.L, sys.mass, sys.gravity, w.wrench, 0.5 * h)
    rubs = w.switches[BOUNDED] and _rub_first(sys, w, s, h)
    if w.switches[AT_DEAD_POINT]:
        converged, where = follow_branch(sys, w, s, h)
    else:
        converged, where = _find_positions(sys, w, s, h)
    if not converged:
        return JOINTS_FAIL, where
    if w.switches[BOUNDED]:
        _average_rates(sys, w, s, h)
        work += rub(sys, w, w.rate) if rubs else 0.0
    move(sys, w, s)
    if w.switches[ACTED_ON]:
        gather(sys, w, s, time + h)
        soften(sys, w, h)
    kick(s.P, s.L, sys.mass, sys.gravity, w.wrench, 0.5 * h)
    if w.switches[BOUNDED] and find_bounds(sys, w, s, 0.5 * h):
        solve_bounded(sys, w, s, STANDING)
        rates(sys, w, w.rate_end)
        work += rub(sys, w, w.rate_end)
    else:
        _solve_freely(sys, w, s)
    give_momenta(sys, s, w)
    carry_on(sys, w, s, h)
    if w.switches[ACTED_ON]:
        observe(sys, w, s)
        s.ledger[WORK] += work + 0.5 * h * power(w) - damped(sys, w, h)
    return OK, -1


@pasted
def _find_positions(sys, w, s, h):
    """The new pose, with the joints that it would drive into their stops held there, and the impulses to it."""
    while True:
        factor(sys, w, s)
        converged, where = solve_positions(sys, w, s, h)
        if not w.switches[BOUNDED] or not (catch(sys, w, s) if converged else let_go(sys, w)):
            break
        spin_rotors(sys, w, w.rate_half)
    if converged:
        accept(sys, w, s, h)
    return converged, where


@pasted
def _prepare(sys, w, s, time, h):
    """What acts at the start of a step, with the explicit part of the damping; returns the work of its first half."""
    copy_coordinates(s.coordinate, w.start)
    gather(sys, w, s, time)
    work = 0.5 * h * power(w) + _damp(sys, w, s, h)
    soften(sys, w, 0.0)
    spin_rotors(sys, w, w.rate)
    free_axes(sys, w)
    copy_rates(w.rate, w.rate_half)
    return work


@pasted
def _rub_first(sys, w, s, h):
    """Friction and stops over the first half of the step; returns whether there are any."""
    if not find_bounds(sys, w, s, 0.5 * h):
        return False
    solve_bounded(sys, w, s, STANDING)
    rates(sys, w, w.rate_half)
    give_momenta(sys, s, w)
    soften(sys, w, 0.0)
    spin_rotors(sys, w, w.rate_half)
    return True


@pasted
def _solve_freely(sys, w, s):
    """w.V without bounds: one factor, one solve."""
    if w.switches[BOUNDED]:
        free_axes(sys, w)
    factor(sys, w, s)
    take_momenta(s, w)
    for j in range(sys.kind.shape[0] * w.switches[ACTED_ON]):
        w.pi[j] = sys.rotor[j] * w.rotor_speed[j]
    solve(sys, w, STANDING)


@inner
def spin_rotors(sys, w, turning):
    """Rotors turn with their joints."""
    for j in range(sys.kind.shape[0]):
        w.rotor_speed[j] = turning[j, 0]


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
def damped(sys, w, h):
    """What the implicit part took: θ h d v²."""
    loss = 0.0
    for j in range(sys.kind.shape[0]):
        if sys.damping[j] > 0.0:
            for k in range(3 if sys.kind[j] == BALL else 1):
                loss += h * w.theta[j] * sys.damping[j] * w.rate[j, k] ** 2
    return loss


@inner
def rates(sys, w, out):
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
def rub(sys, w, outer):
    """The work of friction and stops in one half of a step, between the rates at its outer end and w.middle.

    A ball that is at its stop does not move into it at the outer end.
    """
    work = 0.0
    for j in range(sys.kind.shape[0]):
        if sys.kind[j] == HINGE or sys.kind[j] == SLIDER:
            work += 0.5 * w.impulse[j, 0] * (outer[j, 0] + w.middle[j, 0])
        elif sys.kind[j] == BALL:
            torque = w.impulse[j, 2] if w.held[j] else w.high[j, 2]
            speed = math.sqrt(outer[j, 0] ** 2 + outer[j, 1] ** 2 + outer[j, 2] ** 2)
            work -= 0.5 * torque * (speed + w.middle[j, 2])
            work += 0.5 * (w.impulse[j, 0] * w.middle[j, 0] + w.impulse[j, 1] * w.middle[j, 1])
    return work


@inner
def move(sys, w, s):
    """The new pose, its rows, and the coordinates that something looks at."""
    s.ledger[STEPS] += 1
    clean = s.ledger[STEPS] % CLEANING == 0
    for b in range(s.x.shape[0]):
        s.x[b, 0], s.x[b, 1], s.x[b, 2] = w.x_new[b, 0], w.x_new[b, 1], w.x_new[b, 2]
        copy_matrix(w.R_new[b], s.R[b])
        if clean:
            orthonormalise(s.R[b])
    for j in range(sys.kind.shape[0] * (w.switches[ACTED_ON] or sys.cut[0])):
        if w.active[j] or (sys.cut[0] and sys.kind[j] != FREE):
            s.coordinate[j, 0], s.coordinate[j, 1] = measure(
                sys, s.x, s.R, j, s.coordinate[j, 0], w.frames[0], w.frames[1], w.directions
            )
    place(sys, w, s)


@inner
def carry_on(sys, w, s, h):
    """Angles that nothing looks at, with the rates just solved for, measured before a turn could be missed."""
    rate = w.qd
    if not sys.cut[0]:
        clean = s.ledger[STEPS] % CLEANING == 0
        for j in range(sys.kind.shape[0]):
            if sys.kind[j] == HINGE and not w.active[j]:
                turn = h * rate[j, 0]
                s.coordinate[j, 0] += turn
                if clean or abs(turn) > FAST_TURN:
                    s.coordinate[j, 0] = hinge_angle(sys, s.R, j, s.coordinate[j, 0])


@inner
def settle(sys, w, s):
    """Exact coordinates of all joints."""
    for j in range(sys.kind.shape[0]):
        s.coordinate[j, 0], s.coordinate[j, 1] = measure(
            sys, s.x, s.R, j, s.coordinate[j, 0], w.frames[0], w.frames[1], w.directions
        )


@inner
def copy_coordinates(a, out):
    for j in range(a.shape[0]):
        out[j, 0], out[j, 1] = a[j, 0], a[j, 1]


@inner
def copy_rates(a, out):
    for j in range(a.shape[0]):
        out[j, 0], out[j, 1], out[j, 2] = a[j, 0], a[j, 1], a[j, 2]
