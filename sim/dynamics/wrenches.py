"""Forces from outside, from where they are known to where the algorithms want them."""

from __future__ import annotations

from sim.jit import inner, jit
from sim.spatial.kernels import cross


@jit
def link_wrenches(link, p_LB, R_LB, p, R, wrench, f_ext):
    """Wrenches on the bodies, gathered on the links of `sim.dynamics.links` at their origins in link axes.

        R_WL = R_WB R_LBᵀ        force_L = R_WLᵀ force        torque_L = R_WLᵀ torque + p_LB × force_L

    Reads   link (nb,), p_LB (nb, 3), R_LB (nb, 3, 3) of BodyPlaces; p (nb, 3), R (nb, 3, 3) body poses;
            wrench (nb, 6) at the body origins in world axes [N·m; N]
    Writes  f_ext (n, 6) [N·m; N]
    """
    for i in range(f_ext.shape[0]):
        for k in range(6):
            f_ext[i, k] = 0.0
    for b in range(link.shape[0]):
        i = link[b]
        if i < 0:
            continue
        t0, t1, t2 = _in_link(R_LB[b], R[b], wrench[b, 0], wrench[b, 1], wrench[b, 2])
        f0, f1, f2 = _in_link(R_LB[b], R[b], wrench[b, 3], wrench[b, 4], wrench[b, 5])
        n0, n1, n2 = cross(p_LB[b, 0], p_LB[b, 1], p_LB[b, 2], f0, f1, f2)
        f_ext[i, 0] += t0 + n0
        f_ext[i, 1] += t1 + n1
        f_ext[i, 2] += t2 + n2
        f_ext[i, 3] += f0
        f_ext[i, 4] += f1
        f_ext[i, 5] += f2


@inner
def _in_link(R_LB, R_WB, a0, a1, a2):
    """R_LB R_WBᵀ a."""
    b0 = R_WB[0, 0] * a0 + R_WB[1, 0] * a1 + R_WB[2, 0] * a2
    b1 = R_WB[0, 1] * a0 + R_WB[1, 1] * a1 + R_WB[2, 1] * a2
    b2 = R_WB[0, 2] * a0 + R_WB[1, 2] * a1 + R_WB[2, 2] * a2
    return (
        R_LB[0, 0] * b0 + R_LB[0, 1] * b1 + R_LB[0, 2] * b2,
        R_LB[1, 0] * b0 + R_LB[1, 1] * b1 + R_LB[1, 2] * b2,
        R_LB[2, 0] * b0 + R_LB[2, 1] * b1 + R_LB[2, 2] * b2,
    )
