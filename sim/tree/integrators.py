"""One kernel an integrator: from the state at `time` to that at time + h.

Each starts from the first evaluation, w.dv[0] and w.power[0], and integrates the work of what is not conservative
along with the motion. Rotations are integrated in coordinates near the start of the step (lie.py).
"""

from __future__ import annotations

import math

from sim.jit import inner
from sim.tree.forces import evaluate
from sim.tree.lie import displace, distance, rates
from sim.tree.world import PAST, PAST_STEP, WORK

RK4, EULER, EXPLICIT_EULER, AB4, GAUSS4 = range(5)  # in the order of sim.backend.INTEGRATORS
# The largest h · rate up to which damping is part of the force at every stage, in the same order.
EXPLICIT_BELOW = (1.0, 0.0, 0.0, 0.3, 1.0)

TOLERANCE = 1e-13  # of the stages of gauss4: relative to what a step changes, and to 1
MOST_ITERATIONS = 60
_R = math.sqrt(3.0) / 6.0


@inner
def integrate(sys, w, s, time, h, method):
    """A step of `method`. Returns the velocity whose stages do not converge, or −1."""
    if method == RK4:
        _rk4(sys, w, s, time, h)
    elif method == AB4:
        _ab4(sys, w, s, h)
    elif method == GAUSS4:
        return _gauss4(sys, w, s, time, h)
    else:
        _euler(sys, w, s, h, method == EULER)
    return -1


@inner
def _euler(sys, w, s, h, semi_implicit):
    """v' = v + h a, and q' = q + h v' (semi-implicit) or q + h v (explicit); work with the mean of v and v'."""
    u, du, dv = w.u[0], w.du[0], w.dv[0]
    gain = 0.0
    for k in range(s.v.shape[0]):
        du[k] = s.v[k] + h * dv[k]
        u[k] = h * (du[k] if semi_implicit else s.v[k])
        gain += (w.tau[k] - w.soft[k] * dv[k]) * (du[k] - s.v[k])
        s.v[k] = du[k]
    displace(sys.links, s.q, u, w.q)
    copy(w.q, s.q)
    s.ledger[WORK] += h * (w.power[0] + 0.5 * gain)


@inner
def _stage(sys, w, s, time, stage, u, v):
    """Evaluates at u from s.q."""
    displace(sys.links, s.q, u, w.q)
    w.power[stage] = evaluate(sys, w, s, time, w.q, v, w.dv[stage])
    rates(sys.links, u, v, w.du[stage])


@inner
def _rk4(sys, w, s, time, h):
    """Runge and Kutta's classical method."""
    u, v = w.u[0], w.v[0]
    copy(s.v, w.du[0])
    for stage in range(1, 4):
        c = h if stage == 3 else 0.5 * h
        du, dv = w.du[stage - 1], w.dv[stage - 1]
        for k in range(u.shape[0]):
            u[k] = c * du[k]
            v[k] = s.v[k] + c * dv[k]
        _stage(sys, w, s, time + c, stage, u, v)
    f = h / 6.0
    for k in range(u.shape[0]):
        u[k] = f * (w.du[0, k] + 2.0 * (w.du[1, k] + w.du[2, k]) + w.du[3, k])
        s.v[k] += f * (w.dv[0, k] + 2.0 * (w.dv[1, k] + w.dv[2, k]) + w.dv[3, k])
    s.ledger[WORK] += f * (w.power[0] + 2.0 * (w.power[1] + w.power[2]) + w.power[3])
    displace(sys.links, s.q, u, w.q)
    copy(w.q, s.q)


@inner
def _ab4(sys, w, s, h):
    """Adams and Bashforth's method of order 4, in coordinates near the present pose:

        u' = h/24 (55 f₀ − 59 f₁ + 37 f₂ − 9 f₃),   f_i = u̇ of the pose i steps ago

    Where that pose was is known exactly, so the coordinates being new ones at every step costs no order.
    """
    u, total = w.u[0], w.u[1]
    f = h / 24.0
    for k in range(total.shape[0]):
        total[k] = 55.0 * f * s.v[k]
        s.v[k] += 55.0 * f * w.dv[0, k]
    work = 55.0 * f * w.power[0]
    for i in range(3):
        b = f * (-59.0 if i == 0 else 37.0 if i == 1 else -9.0)
        distance(sys.links, s.q, s.past_q[i], u)
        rates(sys.links, u, s.past_v[i], w.du[1])
        for k in range(total.shape[0]):
            total[k] += b * w.du[1, k]
            s.v[k] += b * s.past_a[i, k]
        work += b * s.past_power[i]
    s.ledger[WORK] += work
    displace(sys.links, s.q, total, w.q)
    copy(w.q, s.q)


@inner
def remember(w, s, h):
    """The step that began at w.q0[0], w.v0[0] with the first evaluation, for ab4."""
    for i in range(2, 0, -1):
        copy(s.past_q[i - 1], s.past_q[i])
        copy(s.past_v[i - 1], s.past_v[i])
        copy(s.past_a[i - 1], s.past_a[i])
        s.past_power[i] = s.past_power[i - 1]
    copy(w.q0[0], s.past_q[0])
    copy(w.v0[0], s.past_v[0])
    copy(w.dv[0], s.past_a[0])
    s.past_power[0] = w.power[0]
    s.ledger[PAST] = min(s.ledger[PAST] + 1, 3)
    s.ledger[PAST_STEP] = h


@inner
def _gauss4(sys, w, s, time, h):
    """Gauss and Legendre's method of two stages, iterated until they stand still: symmetric, order 4.

        u_i = h Σ_j a_ij u̇_j,   a = [¼, ¼ − √3/6; ¼ + √3/6, ¼],   at times (½ ∓ √3/6) h

    w.du[2:], w.dv[2:] hold the stages' rates, w.du[:2], w.dv[:2] those being computed.
    """
    n = s.v.shape[0]
    for i in range(2, 4):
        for k in range(n):
            w.du[i, k] = s.v[k] + (0.5 - _R if i == 2 else 0.5 + _R) * h * w.dv[0, k]
            w.dv[i, k] = w.dv[0, k]
    last, worst = math.inf, 0
    for _ in range(MOST_ITERATIONS):
        for k in range(n):
            w.u[0, k] = h * (0.25 * w.du[2, k] + (0.25 - _R) * w.du[3, k])
            w.u[1, k] = h * ((0.25 + _R) * w.du[2, k] + 0.25 * w.du[3, k])
            w.v[0, k] = s.v[k] + h * (0.25 * w.dv[2, k] + (0.25 - _R) * w.dv[3, k])
            w.v[1, k] = s.v[k] + h * ((0.25 + _R) * w.dv[2, k] + 0.25 * w.dv[3, k])
        _stage(sys, w, s, time + (0.5 - _R) * h, 0, w.u[0], w.v[0])
        _stage(sys, w, s, time + (0.5 + _R) * h, 1, w.u[1], w.v[1])
        change, size = 0.0, 0.0
        for i in range(2):
            for k in range(n):
                moved = max(abs(w.du[i, k] - w.du[i + 2, k]), abs(w.dv[i, k] - w.dv[i + 2, k]))
                if not moved <= change:
                    change, worst = moved, k
                size = max(size, abs(w.du[i, k]), abs(w.dv[i, k]))
                w.du[i + 2, k], w.dv[i + 2, k] = w.du[i, k], w.dv[i, k]
        # Rounding may keep it from coming closer; and what is no number, `check` looks for.
        stuck = change >= last and h * change <= 100.0 * TOLERANCE * (1.0 + size)
        if h * change <= TOLERANCE * (1.0 + h * size) or stuck or math.isnan(change):
            _finish_gauss(sys, w, s, h)
            return -1
        last = change
    return worst


@inner
def _finish_gauss(sys, w, s, h):
    for k in range(s.v.shape[0]):
        w.u[0, k] = 0.5 * h * (w.du[2, k] + w.du[3, k])
        s.v[k] += 0.5 * h * (w.dv[2, k] + w.dv[3, k])
    s.ledger[WORK] += 0.5 * h * (w.power[0] + w.power[1])
    displace(sys.links, s.q, w.u[0], w.q)
    copy(w.q, s.q)


@inner
def copy(a, out):
    for k in range(a.shape[0]):
        out[k] = a[k]
