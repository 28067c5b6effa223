"""Friction of balls: a bound F on the length of the torque.

Held as a whole, or sliding with the torque −F û, û = ω/|ω|. That is found by Newton's method from the last
ω₀ = u₀ û₀,

    −F û  ≈  −F û₀ − (F/u₀) (1 − û₀ û₀ᵀ) ω

a push, and a damping across the direction of sliding. A ball that would slide back against û₀ is held instead,
and one that its bound cannot hold slides the way that it is pulled. At a stop, the stop carries what it can.
"""

from __future__ import annotations

import math

from sim.impulse.geometry import frames, measure
from sim.jit import inner
from sim.model import BALL
from sim.spatial.kernels import copy_matrix, transposed_multiply

HELD, SLIDING = 0, 1
SETTLED = 1e-9  # of the speed
NOISE = 1e-12  # [rad/s]
GRIP = 2e-10  # [rad, m] within which a joint is where it was held before; twice what a position solve leaves
FIRST_SPEED = 1e-3  # [rad/s] of a ball that begins to slide


@inner
def begin_slipping(sys, w, s):
    """The search begins at the velocities of the start of the step."""
    for j in range(sys.kind.shape[0]):
        if sys.kind[j] != BALL:
            continue
        r, G = w.rate[j], w.G[j]
        speed = math.sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
        w.slip_speed[j] = max(speed, FIRST_SPEED)
        if speed > NOISE:
            for i in range(3):
                w.slip[j, 1 + i] = (r[0] * G[0, 6 + i] + r[1] * G[1, 6 + i] + r[2] * G[2, 6 + i]) / speed
        else:
            s.mode[j, 2] = HELD


@inner
def slip(sys, w, s):
    """Damping and push of the balls that slide: w.slip, and on top of w.momentum."""
    for j in range(sys.kind.shape[0]):
        w.slip[j, 0] = 0.0
        if sys.kind[j] == BALL and w.high[j, 2] > 0.0 and s.mode[j, 2] == SLIDING:
            w.slip[j, 0] = w.high[j, 2] / w.slip_speed[j]
            p, c = sys.parent[j], sys.child[j]
            for i in range(3):
                push = -w.high[j, 2] * w.slip[j, 1 + i]
                w.momentum[c, i] += push
                if p >= 0:
                    w.momentum[p, i] -= push


@inner
def grip_ball(sys, w, s, j):
    """s.grip, where the ball is held for good: what is left of a position solve must not add up from step to step."""
    frames(sys, s.R, j, w.frames[0], w.frames[1])
    transposed_multiply(w.frames[0], w.frames[1], w.frames[2])
    away = 0.0
    for i in range(3):
        for k in range(3):
            away = max(away, abs(w.frames[2][i, k] - s.grip[j, i, k]))
    if away > GRIP:
        copy_matrix(w.frames[2], s.grip[j])


@inner
def measure_grip(sys, w, s, j, f):
    """w.impulse: what of a held ball's torque f (destroyed) its stops cannot carry; w.slip, the way it would slide.

    f − Σ n_k c_k with c_k within bounds and n₀ · n₁ = 0
    """
    measure(sys, s.x, s.R, j, 0.0, w.frames[0], w.frames[1], w.directions)
    for k in range(2):
        if w.low[j, k] < w.high[j, k]:
            n = w.directions[k]
            c = (n[0] * f[0] + n[1] * f[1] + n[2] * f[2]) / (n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
            c = min(max(c, w.low[j, k]), w.high[j, k])
            for i in range(3):
                f[i] -= c * n[i]
    size = math.sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2])
    w.impulse[j, 2] = size
    if size > 0.0:
        for i in range(3):
            w.slip[j, 1 + i] = -f[i] / size


@inner
def judge_ball(sys, w, s, j, change):
    """The mode that a ball's torque and velocity ask for; w.settling is 1 while its sliding is still looked for."""
    w.settling[j] = 0
    if s.mode[j, 2] == HELD:
        return HELD if w.impulse[j, 2] <= w.high[j, 2] * (1.0 + SETTLED) else SLIDING
    V, u, p, c = w.V, w.slip[j], sys.parent[j], sys.child[j]
    r0, r1, r2 = V[c, 0], V[c, 1], V[c, 2]
    if p >= 0:
        r0, r1, r2 = r0 - V[p, 0], r1 - V[p, 1], r2 - V[p, 2]
    if r0 * u[1] + r1 * u[2] + r2 * u[3] <= 0.0:
        return HELD
    speed = math.sqrt(r0 * r0 + r1 * r1 + r2 * r2)
    last = w.slip_speed[j]
    away = max(abs(r0 - last * u[1]), abs(r1 - last * u[2]), abs(r2 - last * u[3]))
    w.settling[j] = away > SETTLED * speed + NOISE
    if change:
        w.slip_speed[j] = speed
        u[1], u[2], u[3] = r0 / speed, r1 / speed, r2 / speed
    return SLIDING
