"""One way of stepping each: from the state at `time` to that at time + h.

All start from the first evaluation (stage 0, where the step begins), and integrate the work of what is not
conservative along with the motion. Rotations are integrated in coordinates near the start of the step (lie.py).
"""

from __future__ import annotations

import math

from sim.jit import inner
from sim.tree.forces import evaluate
from sim.tree.lie import displace, distance, rates
from sim.tree.world import PAST, PAST_STEP, WORK

RK4, EULER, EXPLICIT_EULER, AB4, GAUSS4 = range(5)  # in the order of sim.backend.INTEGRATORS
# The largest h · rate up to which damping is part of the force at every stage, in the same order: rk4 is stable below
# 2.78, and the iterations of gauss4 converge below 3.46.
EXPLICIT_BELOW = (2.5, 0.0, 0.0, 0.3, 2.5)

TOLERANCE = 1e-13  # of the stages of gauss4: relative to what a step changes, and to 1
MOST_ITERATIONS = 120
R = math.sqrt(3.0) / 6.0


@inner
def integrate(sys, w, s, time, h, method):
    """A step of `method`. Returns the velocity whose stages do not converge, or −1."""
    if method == RK4:
        for stage in range(1, 4):
            c = h if stage == 3 else 0.5 * h
            _explicit_stage(w, s, stage, c)
            evaluate(sys, w, s, time + c, stage)
        _finish_rk4(w, s, h)
    elif method == AB4:
        _look_back(sys, w, s, h)
    elif method == GAUSS4:
        _guess(w, s, h)
        last, worst, done = math.inf, 0, False
        for _ in range(MOST_ITERATIONS):
            for stage in range(2):
                evaluate(sys, w, s, time + (0.5 + (2 * stage - 1) * R) * h, stage)
            change, size, worst = _implicit_stages(w, s, h)
            # Rounding may keep it from coming closer; and what is no number, `check` looks for.
            stuck = change >= last and h * change <= 100.0 * TOLERANCE * (1.0 + size)
            if h * change <= TOLERANCE * (1.0 + h * size) or stuck or math.isnan(change):
                done = True
                break
            last = change
        if not done:
            return worst
        _finish_gauss4(w, s, h)
    else:
        _euler(w, s, h, method)
    q, u = s.q, w.u[0]
    if q.shape[0] == u.shape[0]:
        for k in range(u.shape[0]):
            q[k] += u[k]
    else:
        displace(sys.kind, sys.q_start, sys.v_start, q, u, q)
    return -1


@inner
def _euler(w, s, h, method):
    """v' = v + h a, and q' = q + h v' (semi-implicit) or q + h v (explicit); work with the mean of v and v'."""
    u, v, dv, tau, soft = w.u[0], s.v, w.dv[0], w.tau, w.soft
    gain = 0.0
    for k in range(v.shape[0]):
        change = h * dv[k]
        u[k] = h * (v[k] + change if method == EULER else v[k])
        gain += (tau[k] - soft[k] * dv[k]) * change
        v[k] += change
    s.ledger[WORK] += h * (w.power[0] + 0.5 * gain)


@inner
def _explicit_stage(w, s, stage, c):
    """Runge and Kutta's classical method: a stage goes on from the one before."""
    u, v, start, du, dv = w.u[stage], w.v[stage], s.v, w.du[stage - 1], w.dv[stage - 1]
    for k in range(u.shape[0]):
        u[k] = c * du[k]
        v[k] = start[k] + c * dv[k]


@inner
def _finish_rk4(w, s, h):
    f, u, v, du, dv = h / 6.0, w.u[0], s.v, w.du, w.dv
    for k in range(u.shape[0]):
        u[k] = f * (du[0, k] + 2.0 * (du[1, k] + du[2, k]) + du[3, k])
        v[k] += f * (dv[0, k] + 2.0 * (dv[1, k] + dv[2, k]) + dv[3, k])
    s.ledger[WORK] += f * (w.power[0] + 2.0 * (w.power[1] + w.power[2]) + w.power[3])


@inner
def _look_back(sys, w, s, h):
    """Adams and Bashforth's method of order 4, in coordinates near the present pose:

        u' = h/24 (55 f₀ − 59 f₁ + 37 f₂ − 9 f₃),   f_i = u̇ of the pose i steps ago

    Where that pose was is known exactly, so the coordinates being new ones at every step costs no order.
    """
    total, u, du = w.u[0], w.u[1], w.du[1]
    f = h / 24.0
    for k in range(total.shape[0]):
        total[k] = 55.0 * f * s.v[k]
        s.v[k] += 55.0 * f * w.dv[0, k]
    s.ledger[WORK] += 55.0 * f * w.power[0]
    for i in range(3):
        b = f * (-59.0 if i == 0 else 37.0 if i == 1 else -9.0)
        distance(sys.kind, sys.q_start, sys.v_start, s.q, s.past_q[i], u)
        rates(sys.kind, sys.v_start, u, s.past_v[i], du)
        for k in range(total.shape[0]):
            total[k] += b * du[k]
            s.v[k] += b * s.past_a[i, k]
        s.ledger[WORK] += b * s.past_power[i]


@inner
def remember(w, s, h):
    """The step that began at w.q0[0], w.v0[0] with the first evaluation, for ab4."""
    for i in range(2, -1, -1):
        for k in range(s.q.shape[0]):
            s.past_q[i, k] = s.past_q[i - 1, k] if i > 0 else w.q0[0, k]
        for k in range(s.v.shape[0]):
            s.past_v[i, k] = s.past_v[i - 1, k] if i > 0 else w.v0[0, k]
            s.past_a[i, k] = s.past_a[i - 1, k] if i > 0 else w.dv[0, k]
        s.past_power[i] = s.past_power[i - 1] if i > 0 else w.power[0]
    s.ledger[PAST] = min(s.ledger[PAST] + 1, 3)
    s.ledger[PAST_STEP] = h


@inner
def _guess(w, s, h):
    """Gauss and Legendre's method of two stages: symmetric, order 4. Its stages, with the first evaluation held:

    u_i = h Σ_j a_ij u̇_j,   a = [¼, ¼ − √3/6; ¼ + √3/6, ¼],   at times (½ ∓ √3/6) h
    """
    for k in range(s.v.shape[0]):
        v, a = s.v[k], w.dv[0, k]
        for i in range(2):
            c = (0.5 + (2 * i - 1) * R) * h
            w.u[i, k], w.v[i, k] = c * (v + 0.5 * c * a), v + c * a
            w.du[2 + i, k], w.dv[2 + i, k] = v + c * a, a


@inner
def _implicit_stages(w, s, h):
    """The stages from their rates, which are kept in du[2:], dv[2:]. Returns their change, their size and where."""
    change, size, worst = 0.0, 0.0, 0
    for k in range(s.v.shape[0]):
        for i in range(2):
            moved = max(abs(w.du[i, k] - w.du[i + 2, k]), abs(w.dv[i, k] - w.dv[i + 2, k]))
            if not moved <= change:
                change, worst = moved, k
            size = max(size, abs(w.du[i, k]), abs(w.dv[i, k]))
            w.du[i + 2, k], w.dv[i + 2, k] = w.du[i, k], w.dv[i, k]
        for i in range(2):
            o = (2 * i - 1) * R  # off the diagonal: ¼ ∓ √3/6
            own, other = i + 2, 3 - i
            w.u[i, k] = h * (0.25 * w.du[own, k] + (0.25 + o) * w.du[other, k])
            w.v[i, k] = s.v[k] + h * (0.25 * w.dv[own, k] + (0.25 + o) * w.dv[other, k])
    return change, size, worst


@inner
def _finish_gauss4(w, s, h):
    for k in range(s.v.shape[0]):
        w.u[0, k] = 0.5 * h * (w.du[2, k] + w.du[3, k])
        s.v[k] += 0.5 * h * (w.dv[2, k] + w.dv[3, k])
    s.ledger[WORK] += 0.5 * h * (w.power[0] + w.power[1])
