"""The way round: where a stop keeps the tool from its target, another posture may reach it.

A tool that is pulled straight at its target stays hanging where a joint is pressed against its stop, or where the arm
is stretched along the pull. Then a posture within the limits is looked for that has the tool at the target, by damped
least squares from here and from postures strewn over the joint range. As long as the arm is on its way there, it is
pulled along that way,

    tau = kp (Jᵀ J + l²) (q* − q)    instead of    tau = kp Jᵀ (x_t − x),

which are the same near the target but for the short lever l: J (q* − q) = x_t − x + O(|q* − q|²). The distance to the
posture only shrinks, and the range of the joints is convex, so nothing is in the way. Hinges and sliders turn; balls
stay.
"""

from __future__ import annotations

import math

from sim.control.tool import locate
from sim.dynamics.cholesky import factor, solve
from sim.dynamics.jacobian import frame_jacobian
from sim.jit import call, inner, jit
from sim.model import HINGE, SLIDER

# Places in c.memory[i]: whether the arm goes round, the target for which a posture was last looked for, the posture.
ROUND, SOUGHT, POSTURE = 0, 1, 4
STARTS = 32
ITERATIONS = 60
REFINEMENTS = 4
NEAR = 1e-3  # [rad, m] from a stop
REACHED = 1e-7  # [m]
AWAY = 1e-3  # [m] of the tool from a target that is worth a detour
MOVED = 5e-3  # [m] after which a target is another one
THERE = 0.15  # [rad, m] of the posture, from which on the tool is pulled straight again
LONGEST_STEP = 0.4  # [rad, m]
LEVER = 0.1  # [m] with which a pull has to act at the joints to get anywhere
SLOW = 0.05  # [m/s]


@jit
def way_round(c, i):
    """Looks after the memory of controller i, c.J being that of its tool: whether the arm goes round, and where to."""
    t, m = c.target[i], c.memory[i]
    x, _ = locate(c, t)
    e = c.point[t, 0] - x[0], c.point[t, 1] - x[1], c.point[t, 2] - x[2]
    away = math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2])
    if m[ROUND] == 1.0:
        for k in range(c.q.shape[0]):
            c.trial[k] = m[POSTURE + k]
        if not _descend(c, t, REFINEMENTS):
            m[ROUND] = 0.0
        _remember(c, i)
        if _distance(c, m) < THERE:
            m[ROUND] = 0.0
    elif away > AWAY and _moved(c, m, t) and _hangs(c, e, away):
        if _search(c, i, t) and _distance(c, m) > THERE:
            m[ROUND] = 1.0
    else:
        return
    call(c.place[0], (c, c.q))
    _tool(c, t)


@inner
def _tool(c, t):
    """Where the tool is, and c.J there."""
    x, body = locate(c, t)
    frame_jacobian(c.body_joint, c.tree.parent, c.tree.v_start, c.S, body, x, c.J)
    return x


@inner
def way_left(c, i, k):
    """q* − q along velocity k."""
    q = c.tree.q_start[c.joint[k]]
    return c.memory[i, POSTURE + q] - c.q[q] if _turns(c, k) else 0.0


@inner
def along(c, i):
    """J (q* − q), where the tool has to go to get round."""
    J, f0, f1, f2 = c.J, 0.0, 0.0, 0.0
    for k in range(c.v.shape[0]):
        d = way_left(c, i, k)
        f0, f1, f2 = f0 + J[3, k] * d, f1 + J[4, k] * d, f2 + J[5, k] * d
    return f0, f1, f2


@inner
def _turns(c, k):
    kind = c.tree.kind[c.joint[k]]
    return c.actuated[k] and not c.locked[k] and kind in (HINGE, SLIDER)


@inner
def _hangs(c, e, away):
    """Whether a pull along e presses a joint against its stop, or finds no lever while the tool stands."""
    J, lever, speed = c.J, 0.0, 0.0
    for k in range(c.v.shape[0]):
        push = J[3, k] * e[0] + J[4, k] * e[1] + J[5, k] * e[2]
        lever += push * push
        speed += abs(c.v[k]) * math.sqrt(J[3, k] * J[3, k] + J[4, k] * J[4, k] + J[5, k] * J[5, k])
        if _turns(c, k):
            q = c.q[c.tree.q_start[c.joint[k]]]
            if (push > 0.0 and q > c.span[k, 1] - NEAR) or (push < 0.0 and q < c.span[k, 0] + NEAR):
                return True
    return lever < (LEVER * away) ** 2 and speed < SLOW


@inner
def _moved(c, m, t):
    """Whether this target was not looked for yet."""
    d = 0.0
    for r in range(3):
        d += (c.point[t, r] - m[SOUGHT + r]) ** 2
    return not d <= MOVED * MOVED


@inner
def _distance(c, m):
    """The longest way that a joint has to the posture."""
    most = 0.0
    for k in range(c.v.shape[0]):
        if _turns(c, k):
            q = c.tree.q_start[c.joint[k]]
            most = max(most, abs(m[POSTURE + q] - c.q[q]))
    return most


@inner
def _search(c, i, t):
    """The nearest posture that reaches the target, into the memory; returns whether there is one."""
    m, nearest, seed = c.memory[i], math.inf, 1
    for r in range(3):
        m[SOUGHT + r] = c.point[t, r]
    for start in range(STARTS):
        for k in range(c.q.shape[0]):
            c.trial[k] = c.q[k]
        for k in range(c.v.shape[0]):
            if start > 0 and _turns(c, k):
                seed = (seed * 1103515245 + 12345) % 2147483648
                q, low, high = c.tree.q_start[c.joint[k]], c.span[k, 0], c.span[k, 1]
                if high - low > 2.0 * math.pi:
                    low, high = c.q[q] - math.pi, c.q[q] + math.pi
                c.trial[q] = low + (high - low) * seed / 2147483648.0
        if _descend(c, t, ITERATIONS):
            far = 0.0
            for k in range(c.q.shape[0]):
                far += (c.trial[k] - c.q[k]) ** 2
            if far < nearest:
                nearest = far
                _remember(c, i)
    return nearest < math.inf


@inner
def _remember(c, i):
    for k in range(c.q.shape[0]):
        c.memory[i, POSTURE + k] = c.trial[k]


@inner
def _descend(c, t, iterations):
    """c.trial closer to the target by damped least squares, λ ∝ |error|², within the limits; whether it gets there."""
    A, J, barred = c.frames[0], c.J, c.row[5]
    for k in range(c.v.shape[0]):
        barred[k] = 0.0
    for _ in range(iterations):
        call(c.place[0], (c, c.trial))
        x = _tool(c, t)
        e0, e1, e2 = c.point[t, 0] - x[0], c.point[t, 1] - x[1], c.point[t, 2] - x[2]
        error = e0 * e0 + e1 * e1 + e2 * e2
        if error < REACHED * REACHED:
            return True
        for r in range(3):
            for s in range(3):
                A[r, s] = (1e-9 + 0.1 * error) * (r == s)
                for k in range(c.v.shape[0]):
                    if _turns(c, k) and barred[k] == 0.0:
                        A[r, s] += J[3 + r, k] * J[3 + s, k]
        f = c.frames[1, 0]
        f[0], f[1], f[2] = e0, e1, e2
        factor(A)
        solve(A, f)
        for k in range(c.v.shape[0]):
            if not _turns(c, k) or barred[k] == 1.0:
                barred[k] = 0.0  # for one iteration, in which the others do what it could not
                continue
            q, step = c.tree.q_start[c.joint[k]], J[3, k] * f[0] + J[4, k] * f[1] + J[5, k] * f[2]
            wanted = c.trial[q] + max(-LONGEST_STEP, min(LONGEST_STEP, step))
            c.trial[q] = max(c.span[k, 0], min(c.span[k, 1], wanted))
            barred[k] = 1.0 * (c.trial[q] != wanted)
    return False
