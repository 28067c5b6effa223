"""Many steps in one compiled call, and what they look like from outside: q, v, poses, twists, gaps."""

from __future__ import annotations

from sim.impulse.integrate import velocities
from sim.impulse.rows import row_velocity, velocity_rows
from sim.impulse.step import JOINTS_FAIL, MOST_PARTS, OK, check, gaps, measure_joints, place, prepare, step
from sim.jit import inner, jit
from sim.model import BALL, FREE, HINGE, SLIDER
from sim.spatial.kernels import cross, multiply_transposed, rotate, to_quat, transposed_multiply


@jit
def advance(sys, work, x, R, P, L, lam, position, good, tau, wrench, h, n, prepared):
    """n steps of h with tau and wrench held. Returns (status, body or joint, steps done).

    A step whose position solve fails is taken again in 2, 4, 8… equal parts. On any failure x, R, P, L
    are those of the last good step, which `good` (nb, 18) keeps meanwhile.
    """
    for done in range(n):
        _keep(good, x, R, P, L)
        parts, status, where = 1, JOINTS_FAIL, 0
        while status == JOINTS_FAIL and parts <= MOST_PARTS:
            if (prepared and parts == 1) or prepare(sys, work, x, R, h / parts):
                for _ in range(parts):
                    status, where = step(sys, work, x, R, P, L, lam, position, tau, wrench, h / parts)
                    if status != OK:
                        break
            if status != OK:
                _restore(good, x, R, P, L)
                for r in range(lam.shape[0]):
                    lam[r] = 0.0
            prepared = status == OK and parts == 1
            parts *= 2
        if status == OK:
            status, where = check(sys, work, x, R, P, L, h)
        if status != OK:
            _restore(good, x, R, P, L)
            measure_joints(sys, work, x, R, position)
            return status, where, done
    if not prepared:
        prepare(sys, work, x, R, h)
    return OK, -1, n


@inner
def _keep(good, x, R, P, L):
    for b in range(x.shape[0]):
        for k in range(3):
            good[b, k], good[b, 3 + k], good[b, 6 + k] = x[b, k], P[b, k], L[b, k]
            for r in range(3):
                good[b, 9 + 3 * r + k] = R[b, r, k]


@inner
def _restore(good, x, R, P, L):
    for b in range(x.shape[0]):
        for k in range(3):
            x[b, k], P[b, k], L[b, k] = good[b, k], good[b, 3 + k], good[b, 6 + k]
            for r in range(3):
                R[b, r, k] = good[b, 9 + 3 * r + k]


@jit
def read(sys, work, x, R, P, L, joint_position, center, axes, q_start, q, v, position, rotation, twist, errors):
    """Derived quantities of a state.

    work.G is written again with the values it has: rows of this pose.

    Reads   center (nb, 3), axes (nb, 3, 3): centre of mass and principal axes in body axes
    Writes  q, v; position, rotation, twist of the body origins; errors = (largest gap [m], axis error [rad])
    """
    velocities(P, L, R, sys.mass, sys.moments, work.V)
    for b in range(x.shape[0]):
        multiply_transposed(R[b], axes[b], rotation[b])
        d0, d1, d2 = rotate(rotation[b], center[b])
        w0, w1, w2 = work.V[b, 0], work.V[b, 1], work.V[b, 2]
        e0, e1, e2 = cross(w0, w1, w2, d0, d1, d2)
        position[b, 0], position[b, 1], position[b, 2] = x[b, 0] - d0, x[b, 1] - d1, x[b, 2] - d2
        twist[b, 0], twist[b, 1], twist[b, 2] = w0, w1, w2
        twist[b, 3], twist[b, 4], twist[b, 5] = work.V[b, 3] - e0, work.V[b, 4] - e1, work.V[b, 5] - e2
    gaps(sys, work, x, R)
    errors[0], errors[1] = 0.0, 0.0
    for j in range(sys.kind.shape[0]):
        kind, iq, iv = sys.kind[j], q_start[j], sys.v_start[j]
        place(sys, work, x, R, j)
        if kind == FREE:
            c = sys.child[j]
            q[iq], q[iq + 1], q[iq + 2] = position[c, 0], position[c, 1], position[c, 2]
            q[iq + 3], q[iq + 4], q[iq + 5], q[iq + 6] = to_quat(rotation[c])
            for k in range(6):
                v[iv + k] = twist[c, k]
            continue
        frame_p, frame_c = work.frames[0], work.frames[1]
        velocity_rows(kind, frame_p, frame_c, work.points[0], work.points[1], work.points[2], work.G[iv:])
        if kind in (HINGE, SLIDER):
            q[iq] = joint_position[j]
        elif kind == BALL:
            transposed_multiply(frame_p, frame_c, work.points)
            q[iq], q[iq + 1], q[iq + 2], q[iq + 3] = to_quat(work.points)
        for k in range(iv, sys.v_start[j + 1]):
            v[k] = row_velocity(work.G[k], sys.parent[j], sys.child[j], work.V)
        linear = 2 if kind == SLIDER else 3
        for r in range(sys.row_start[j], sys.row_start[j + 1]):
            i = 0 if r - sys.row_start[j] < linear else 1
            errors[i] = max(errors[i], abs(work.C[r]))
