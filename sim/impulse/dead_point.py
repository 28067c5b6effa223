"""Through dead points: a step that impulses along the joints' rows at the old pose cannot take.

At a dead point the rows of a loop lose rank. Whatever is second order there (a velocity that lies on no branch,
or merely on a curved one) no impulse along them corrects, however short the step. Such a step moves the bodies as
the joints allow at the old pose, and then puts the joints together from where that led, by Newton's method
on the poses alone,

    x ← x − M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁺ C      with J at x,

which ends on the branch nearest to the free motion. The velocities are those that this branch allows: what
pointed along another one is lost, and nothing is gained.
"""

from __future__ import annotations

import math

from sim.impulse.block import RANK_THRESHOLD
from sim.impulse.geometry import measure
from sim.impulse.integrate import drift
from sim.impulse.positions import MOST_ITERATIONS, enough, joint_errors
from sim.impulse.project import factor, give_momenta, place, solve, solve_errors, take_momenta
from sim.impulse.tree import STANDING
from sim.impulse.world import DEAD_POINTS
from sim.jit import inner
from sim.spatial.kernels import copy_matrix, copy_rows, from_axis_angle, multiply, orthonormalise

# Poses may follow rows that are too weak for impulses: near a dead point C is of second order where J is of first.
WEAKEST_ROW = 1e-13


@inner
def follow_branch(sys, w, s, h):
    """w.x_new, w.R_new after h from s, whose momenta become those that the joints allow, and whose pose moves along.

    Returns whether the joints hold there, and the one that is furthest from it.
    """
    s.ledger[DEAD_POINTS] += 1
    _allow(sys, w, s)
    for b in range(w.J.shape[0]):
        for k in range(6):
            w.J[b, k] = 0.0
    drift(s.x, s.R, s.P, s.L, w.J, sys.lightness, sys.lone, h, w.x_new, w.R_new)
    _let_rotors_follow(sys, w, s, h)
    w.block.threshold[0] = WEAKEST_ROW
    converged, where = False, -1
    for _ in range(MOST_ITERATIONS):
        copy_rows(w.x_new, s.x)
        for b in range(s.x.shape[0]):
            copy_matrix(w.R_new[b], s.R[b])
        worst, where = joint_errors(sys, w, s, h)
        if not worst < math.inf or worst < enough(s.x, h):
            converged = worst < math.inf
            break
        place(sys, w, s)
        factor(sys, w, s)
        worst, where = joint_errors(sys, w, s, h)  # the factors have overwritten some of what they leave
        solve_errors(sys, w)
        _shift(sys, w, h)
    w.block.threshold[0] = RANK_THRESHOLD
    w.fresh[0] = 0
    return converged, where


@inner
def _allow(sys, w, s):
    """Momenta that the joints allow at the old pose."""
    factor(sys, w, s)
    take_momenta(s, w)
    for j in range(sys.kind.shape[0]):
        w.pi[j] = sys.rotor[j] * w.rotor_speed[j]
    solve(sys, w, STANDING)
    give_momenta(sys, s, w)


@inner
def _let_rotors_follow(sys, w, s, h):
    """Rotors that turned as far as their joints did."""
    for j in range(sys.kind.shape[0]):
        if sys.rotor[j] > 0.0 and not w.held[j]:
            near = s.coordinate[j, 0]
            c, _ = measure(sys, w.x_new, w.R_new, j, near, w.frames[0], w.frames[1], w.directions)
            w.rotor_speed[j] = (c - near) / h


@inner
def _shift(sys, w, h):
    """w.x_new, w.R_new moved by h w.V."""
    turn, turned = w.frames[0], w.frames[1]
    for b in range(w.V.shape[0]):
        if sys.lone[b]:
            continue
        V = w.V[b]
        rate = math.sqrt(V[0] * V[0] + V[1] * V[1] + V[2] * V[2])
        f = 1.0 / max(rate, 1e-300)
        from_axis_angle((f * V[0], f * V[1], f * V[2]), h * rate, turn)
        multiply(turn, w.R_new[b], turned)
        copy_matrix(turned, w.R_new[b])
        orthonormalise(w.R_new[b])
        for k in range(3):
            w.x_new[b, k] += h * V[3 + k]
