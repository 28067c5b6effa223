"""What a world of the impulse engine looks like from outside: q, v, poses, twists, joint errors."""

from __future__ import annotations

from sim.impulse.geometry import frames, largest_errors
from sim.impulse.integrate import velocities
from sim.impulse.rows import place_joint, row_velocity, velocity_rows
from sim.impulse.world import DEAD_POINTS, SOLVES, WORK
from sim.jit import jit
from sim.model import BALL, FREE, HINGE, SLIDER
from sim.spatial.kernels import cross, multiply_transposed, rotate, to_quat, transposed_multiply


@jit
def read(sys, w, s, center, axes, joints, q_start, v_start, q, v, position, rotation, twist, errors, account):
    """Derived quantities of a state, in the order of the scene.

    Reads   center (nb, 3), axes (nb, 3, 3): centre of mass and principal axes in body axes; joints (nj,) where the
            scene's joints are among the engine's; q_start, v_start (nj + 1,)
    Writes  q, v; position, rotation, twist of the body origins; errors = (largest gap [m], angle [rad]);
            account = (work [J], position solves, dead points since the start)
    """
    velocities(s.P, s.L, s.R, sys.mass, sys.moments, w.V)
    for i in range(s.x.shape[0]):
        b = sys.body[i]
        multiply_transposed(s.R[i], axes[b], rotation[b])
        d0, d1, d2 = rotate(rotation[b], center[b])
        w0, w1, w2 = w.V[i, 0], w.V[i, 1], w.V[i, 2]
        e0, e1, e2 = cross(w0, w1, w2, d0, d1, d2)
        position[b, 0], position[b, 1], position[b, 2] = s.x[i, 0] - d0, s.x[i, 1] - d1, s.x[i, 2] - d2
        twist[b, 0], twist[b, 1], twist[b, 2] = w0, w1, w2
        twist[b, 3], twist[b, 4], twist[b, 5] = w.V[i, 3] - e0, w.V[i, 4] - e1, w.V[i, 5] - e2
    P, C = w.frames[0], w.frames[1]
    for scene_joint in range(joints.shape[0]):
        j, iq, iv = joints[scene_joint], q_start[scene_joint], v_start[scene_joint]
        kind = sys.kind[j]
        if kind == FREE:
            b = sys.body[sys.child[j]]
            q[iq], q[iq + 1], q[iq + 2] = position[b, 0], position[b, 1], position[b, 2]
            q[iq + 3], q[iq + 4], q[iq + 5], q[iq + 6] = to_quat(rotation[b])
            for k in range(6):
                v[iv + k] = twist[b, k]
            continue
        if kind in (HINGE, SLIDER):
            q[iq] = s.coordinate[j, 0]
        elif kind == BALL:
            frames(sys, s.R, j, P, C)
            transposed_multiply(P, C, w.frames[2])
            q[iq], q[iq + 1], q[iq + 2], q[iq + 3] = to_quat(w.frames[2])
        place_joint(sys, s.x, s.R, j, P, C, w.points)
        velocity_rows(kind, P, C, w.points, w.G[j])
        for k in range(v_start[scene_joint + 1] - iv):
            v[iv + k] = row_velocity(w.G[j, k], sys.parent[j], sys.child[j], w.V) if sys.v_start[j] >= 0 else 0.0
    errors[0], errors[1] = largest_errors(sys, s.x, s.R, P, C)
    account[0], account[1], account[2] = s.ledger[WORK], s.ledger[SOLVES], s.ledger[DEAD_POINTS]
