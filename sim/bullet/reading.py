"""From Bullet's inertial frames to the body origins that are reported."""

from __future__ import annotations

from sim.jit import jit
from sim.spatial.kernels import cross, from_quat, multiply_transposed, rotate


@jit
def origins(frames, center, axes, square, position, rotation, twist):
    """Poses and twists of the body origins B from those of the inertial frames I.

        R_WB = R_WI R_BIᵀ        p_WB = p_WI − R_WB c        v_B = v_I − ω × R_WB c

    Reads   frames (nb, 13): p_WI, q_WI as xyzw, ω, v_I; center c (nb, 3), axes R_BI (nb, 3, 3)
    Writes  position (nb, 3), rotation (nb, 3, 3), twist (nb, 6); square (3, 3) is scratch
    """
    for b in range(frames.shape[0]):
        f = frames[b]
        from_quat(f[6], f[3], f[4], f[5], square)
        multiply_transposed(square, axes[b], rotation[b])
        d0, d1, d2 = rotate(rotation[b], center[b])
        e0, e1, e2 = cross(f[7], f[8], f[9], d0, d1, d2)
        position[b, 0], position[b, 1], position[b, 2] = f[0] - d0, f[1] - d1, f[2] - d2
        twist[b, 0], twist[b, 1], twist[b, 2] = f[7], f[8], f[9]
        twist[b, 3], twist[b, 4], twist[b, 5] = f[10] - e0, f[11] - e1, f[12] - e2
