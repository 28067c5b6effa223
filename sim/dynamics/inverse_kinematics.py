"""Joint coordinates that bring a frame to a place: damped least squares along the joints that carry it."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sim.jit import inlined, inner, jit
from sim.spatial.blocks import ZERO3, add3, cross3, dot3, forth, get3, get9, product, put, scale3
from sim.spatial.trig import sine_and_cosine

Array = np.ndarray[Any, np.dtype[Any]]

REACHED = 1e-9  # |e| [m, rad]
DAMPING, LEAST_DAMPING = 0.05, 1e-12  # λ = DAMPING |e|², at most DAMPING
PULL, FADES = 0.5, 1e-3  # towards the middle of the range; |e|² [m², rad²] about which that fades
FAR = 1e9  # [rad², m²]
LONGEST_STEP = 1.0  # [rad, m]
ITERATIONS = 20  # from each start
SETTLING = 400  # at the end, if nothing reaches the place
CORRECTIONS = 20  # of each point of a line
HALF_TURN = -0.9  # cosine below which a rotation's axis is read from the symmetric part

AXIS, POINT = 0, 3  # columns of the work array `at`: a joint's axis in the world, and a point on it
# What is told of a place: distance and angle away from it, iterations from all starts together, starts.
DISTANCE, ANGLE, ITERATED, STARTED, TOLD = 0, 1, 2, 3, 4


class Arm(NamedTuple):
    """The n hinges and sliders between the world and a frame, each along the z axis of its own frame."""

    slides: Array  # (n,) bool
    held: Array  # (n,) bool: locked, moved by nothing
    place: Array  # (n, 12) R by rows and p of the joint in the one before at q = 0 [m]
    tool: Array  # (1, 12) the frame in the last joint
    low: Array  # (n,) limits, ±inf where there are none
    high: Array
    middle: Array  # (n,) of the range
    draw: Array  # (n,) 1/range²; 0 without limits to both sides, and where held
    reach: Array  # (1,) [m] how far sliders without limits are moved to begin elsewhere


def scratch(n: int, rows: int) -> tuple[Array, ...]:
    """For n joints and 3 rows (the frame's point) or 6 (its attitude as well): at, J, A, e, pull, barred, q."""
    shapes = (n, 6), (6, n), (rows, rows), (rows,), (n,), (n,), (n,)
    return tuple(np.empty(shape) for shape in shapes)


@jit
def find_postures(arm, start, places, starts, choice, work, Q, told):
    """A posture within the limits for each place: from `start`, or else the nearest of those few that are found
    first from all over the range.

    Where none is found, the posture of the least error |e| that was.

    Reads   arm, start (n,) within the limits, places (m, 12) R by rows and p of the frame, starts at most, choice: how
            many postures to find before the nearest is taken
    Writes  Q (m, n), told (m, TOLD); work is `scratch`
    """
    n = start.shape[0]
    at, J, A, e, pull, barred, q = work
    for k in range(places.shape[0]):
        seed, least, iterated, begun, found, most = 1, math.inf, 0, 0, 0, starts
        while begun < most and found < choice:
            seed = _begin(arm, start, begun, seed, q)
            error, count = _descend(arm, places, k, q, at, J, A, e, pull, barred)
            iterated += count
            begun += 1
            if error < REACHED:
                _unwind(arm, start, q)
                error = _apart(q, start) - FAR  # any posture that reaches the place comes before those that do not
                if found == 0:
                    most = min(starts, 2 * begun + choice) if begun > 1 else 1
                found += 1
            if error < least:
                least = error
                _tell(e, told, k)
                for i in range(n):
                    Q[k, i] = q[i]
        if found == 0:
            _settle(arm, places, k, Q[k], at, J, A, e, pull, q)
            _unwind(arm, start, Q[k])
            _tell(e, told, k)
        told[k, ITERATED], told[k, STARTED] = iterated, begun


@jit
def follow(arm, start, places, gain, work, Q, told):
    """The frame's point through one place after the other, its joints drawn to the middle of their range meanwhile.

        q ← q + J⁺ (x_k − x) − gain (1 − J⁺ J) ∇H,    H = Σ ((q − q̄) / (q_max − q_min))²

    and then q ← q + J⁺ (x_k − x) until the point is there. Limits are not looked at. Returns how many places were
    reached before the first that was not.

    Reads   arm, start (n,), places (m, 12), gain
    Writes  Q (m, n), told (m, TOLD); work is `scratch` of 3 rows
    """
    n = start.shape[0]
    at, J, A, e, pull, _, q = work
    for i in range(n):
        q[i] = start[i]
    for k in range(places.shape[0]):
        s, count = _error(arm, places, k, q, at, J, e), 0
        while count == 0 or (count < CORRECTIONS and not s < REACHED * REACHED):
            _pull(arm, q, 2.0 * gain if count == 0 else 0.0, pull)
            _least_squares(J, A, e, pull, _damping(s))
            for i in range(n):
                q[i] += pull[i]
            s, count = _error(arm, places, k, q, at, J, e), count + 1
        if not s < REACHED * REACHED:
            return k
        _tell(e, told, k)
        told[k, ITERATED], told[k, STARTED] = count, 1.0
        for i in range(n):
            Q[k, i] = q[i]
    return places.shape[0]


@inner
def _descend(arm, places, k, q, at, J, A, e, pull, barred):
    """q closer to the place, within the limits; returns |e| and how many steps it took.

        dq = g + Jᵀ (J Jᵀ + λ 1)⁻¹ (e − J g),    λ ∝ |e|²,    g to the middle of the range, fading with |e|

    A joint that is pushed past its limit stops there, and does not count in the next step: the others do what it
    could not.
    """
    n, s = q.shape[0], math.inf
    for i in range(n):
        barred[i] = 0.0
    for count in range(ITERATIONS + 1):
        s = _error(arm, places, k, q, at, J, e)
        if s < REACHED * REACHED or count == ITERATIONS:
            return math.sqrt(s), count
        _pull(arm, q, PULL * s / (s + FADES), pull)
        for i in range(n):
            if barred[i] == 1.0:
                _bar(J, pull, i)
        _least_squares(J, A, e, pull, _damping(s))
        for i in range(n):
            wanted = q[i] + max(-LONGEST_STEP, min(LONGEST_STEP, pull[i]))
            q[i] = max(arm.low[i], min(arm.high[i], wanted))
            barred[i] = 1.0 * (q[i] != wanted)
    return math.sqrt(s), ITERATIONS


@inner
def _settle(arm, places, k, q, at, J, A, e, pull, trial):
    """q where the error is least nearby, by Levenberg–Marquardt: a step that does not help is damped more."""
    n, damping = q.shape[0], DAMPING
    s = _error(arm, places, k, q, at, J, e)
    for _ in range(SETTLING):
        for i in range(n):
            push, pull[i] = 0.0, 0.0
            for r in range(e.shape[0]):
                push += J[r, i] * e[r]
            if (push > 0.0 and q[i] >= arm.high[i]) or (push < 0.0 and q[i] <= arm.low[i]):
                _bar(J, pull, i)
        _least_squares(J, A, e, pull, damping)
        for i in range(n):
            trial[i] = max(arm.low[i], min(arm.high[i], q[i] + pull[i]))
        better = _error(arm, places, k, trial, at, J, e)
        if better < s:
            s, damping = better, max(0.3 * damping, LEAST_DAMPING)
            for i in range(n):
                q[i] = trial[i]
        else:
            damping *= 4.0
        _error(arm, places, k, q, at, J, e)


@inner
def _tell(e, told, k):
    told[k, DISTANCE], told[k, ANGLE] = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]), 0.0
    if e.shape[0] == 6:
        told[k, ANGLE] = math.sqrt(e[3] * e[3] + e[4] * e[4] + e[5] * e[5])


@inner
def _damping(s):
    return LEAST_DAMPING + DAMPING * min(1.0, s)


@inner
def _bar(J, pull, i):
    """Joint i does not take part."""
    pull[i] = 0.0
    for r in range(6):
        J[r, i] = 0.0


@inner
def _pull(arm, q, gain, pull):
    """−gain/2 ∇H: from the limits to the middle, for joints that have both."""
    for i in range(q.shape[0]):
        pull[i] = -gain * arm.draw[i] * (q[i] - arm.middle[i])


@inner
def _least_squares(J, A, e, pull, damping):
    """pull ← pull + Jᵀ (J Jᵀ + λ 1)⁻¹ (e − J pull), for as many rows as e has.

    By Cholesky's L Lᵀ with the reciprocals of its diagonal in place: divisions would take a third of the time.
    """
    n, rows = pull.shape[0], e.shape[0]
    for r in range(rows):
        x = e[r]
        for i in range(n):
            x -= J[r, i] * pull[i]
        for c in range(r + 1):
            y = damping * (r == c)
            for i in range(n):
                y += J[r, i] * J[c, i]
            for k in range(c):
                y -= A[r, k] * A[c, k]
            A[r, c] = y * A[c, c] if c < r else 1.0 / math.sqrt(y)
        for k in range(r):
            x -= A[r, k] * e[k]
        e[r] = x * A[r, r]
    for r in range(rows - 1, -1, -1):
        x = e[r]
        for k in range(r + 1, rows):
            x -= A[k, r] * e[k]
        e[r] = x * A[r, r]
        for i in range(n):
            pull[i] += J[r, i] * e[r]


@inner
def _error(arm, places, k, q, at, J, e):
    """e = (x_k − x; log R_k Rᵀ) and J at q; returns |e|²."""
    R, p = locate(arm, q, at, J)
    x = get3(places, k, 9)
    x = x[0] - p[0], x[1] - p[1], x[2] - p[2]
    e[0], e[1], e[2] = x
    s = dot3(x, x)
    if e.shape[0] == 6:
        w = _turn_to(get9(places, k, 0), R)
        e[3], e[4], e[5] = w
        s += dot3(w, w)
    return s


@inlined
def _turn_to(D, R):
    """log D Rᵀ: the rotation vector from R to D, of a length up to π."""
    x = (  # sin θ a, half the sum of the columns' products r × d
        0.5 * (R[3] * D[6] - R[6] * D[3] + R[4] * D[7] - R[7] * D[4] + R[5] * D[8] - R[8] * D[5]),
        0.5 * (R[6] * D[0] - R[0] * D[6] + R[7] * D[1] - R[1] * D[7] + R[8] * D[2] - R[2] * D[8]),
        0.5 * (R[0] * D[3] - R[3] * D[0] + R[1] * D[4] - R[4] * D[1] + R[2] * D[5] - R[5] * D[2]),
    )
    trace = R[0] * D[0] + R[1] * D[1] + R[2] * D[2] + R[3] * D[3] + R[4] * D[4] + R[5] * D[5]
    trace += R[6] * D[6] + R[7] * D[7] + R[8] * D[8]
    sine, cosine = math.sqrt(dot3(x, x)), 0.5 * (trace - 1.0)
    if cosine > HALF_TURN:
        return scale3(math.atan2(sine, cosine) / sine if sine > 1e-9 else 1.0, x)
    return _nearly_half_a_turn(D, R, x, sine, cosine)


@inner
def _nearly_half_a_turn(D, R, x, sine, cosine):
    """The axis from the largest column of (1 − cos θ) a aᵀ = (E + Eᵀ)/2 − cos θ 1, E = D Rᵀ; its sign from sin θ a."""
    E = product(D, (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]))
    a, b, c = E[0] - cosine, E[4] - cosine, E[8] - cosine
    xy, xz, yz = 0.5 * (E[1] + E[3]), 0.5 * (E[2] + E[6]), 0.5 * (E[5] + E[7])
    axis = (a, xy, xz) if a >= b and a >= c else ((xy, b, yz) if b >= c else (xz, yz, c))
    angle = math.atan2(sine, cosine)
    return scale3((angle if dot3(axis, x) >= 0.0 else -angle) / math.sqrt(dot3(axis, axis)), axis)


@inlined
def locate(arm, q, at, J):
    """R (9), p (3) of the frame in the world, and its Jacobian J (6, n) [linear; angular]."""
    R, p = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0), ZERO3
    n = q.shape[0]
    for i in range(n):
        p = add3(p, forth(R, get3(arm.place, i, 9)))
        R = product(R, get9(arm.place, i, 0))
        z = R[2], R[5], R[8]
        put(z, at, i, AXIS)
        put(p, at, i, POINT)
        if arm.slides[i]:
            p = add3(p, scale3(q[i], z))
        else:
            s, c = sine_and_cosine(q[i])
            R = _turned(R, s, c)
    p = add3(p, forth(R, get3(arm.tool, 0, 9)))
    R = product(R, get9(arm.tool, 0, 0))
    for i in range(n):
        z, r = get3(at, i, AXIS), get3(at, i, POINT)
        x, y = cross3(z, (p[0] - r[0], p[1] - r[1], p[2] - r[2])), z
        if arm.slides[i]:
            x, y = z, ZERO3
        if arm.held[i]:
            x, y = ZERO3, ZERO3
        J[0, i], J[1, i], J[2, i] = x
        J[3, i], J[4, i], J[5, i] = y
    return R, p


@inlined
def _turned(R, s, c):
    """R R_z of an angle with sine s and cosine c."""
    return (
        *(c * R[0] + s * R[1], c * R[1] - s * R[0], R[2]),
        *(c * R[3] + s * R[4], c * R[4] - s * R[3], R[5]),
        *(c * R[6] + s * R[7], c * R[7] - s * R[6], R[8]),
    )


@inner
def _begin(arm, start, number, seed, q):
    """Where a descent begins: first at `start`, then anywhere in the joint range; returns the next seed."""
    for i in range(q.shape[0]):
        q[i] = start[i]
        if number > 0 and not arm.held[i]:
            seed = (seed * 1103515245 + 12345) % 2147483648
            low, high = arm.low[i], arm.high[i]
            if not high - low < math.inf:
                half = arm.reach[0] if arm.slides[i] else math.pi
                low, high = max(low, start[i] - half), min(high, start[i] + half)
            q[i] = low + (high - low) * seed / 2147483648.0
    return seed


@inner
def _apart(q, start):
    """Σ (q − start)²"""
    s = 0.0
    for i in range(q.shape[0]):
        s += (q[i] - start[i]) ** 2
    return s


@inner
def _unwind(arm, start, q):
    """Hinges without limits by the shorter way round from `start`."""
    for i in range(q.shape[0]):
        if not arm.slides[i] and not arm.high[i] < math.inf and not arm.low[i] > -math.inf:
            q[i] -= 2.0 * math.pi * math.floor((q[i] - start[i]) / (2.0 * math.pi) + 0.5)
