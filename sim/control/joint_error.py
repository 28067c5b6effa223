"""How far joints are from where they shall be, in the coordinates of v."""

from __future__ import annotations

import math

from sim.jit import inner
from sim.model import BALL, HINGE, SLIDER


@inner
def joint_errors(c, i, out):
    """The errors of the joints that controller i drives; 0 at the others.

        hinge, slider   q_target − q
        ball            log(q⁻¹ q_target), the rotation that is left, in child axes like v and tau

    Writes  out (nv,) [rad or m]
    """
    t, q, wanted = c.tree, c.q, c.q_target[i]
    for k in range(out.shape[0]):
        out[k] = 0.0
    for j in range(t.kind.shape[0]):
        iq, iv = t.q_start[j], t.v_start[j]
        if t.kind[j] == HINGE or t.kind[j] == SLIDER:
            out[iv] = wanted[iq] - q[iq]
        elif t.kind[j] == BALL:
            out[iv], out[iv + 1], out[iv + 2] = rotation_left(q[iq : iq + 4], wanted[iq : iq + 4])


@inner
def driven(c, k):
    """Whether velocity k is of a joint that PD controllers drive."""
    kind = c.tree.kind[c.joint[k]]
    return c.actuated[k] and not c.locked[k] and kind in (HINGE, SLIDER, BALL)


@inner
def rotation_left(a, b):
    """log(a⁻¹ b) of unit quaternions wxyz, the shorter way round."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2]
    y = a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3]
    z = a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1]
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    s = math.sqrt(x * x + y * y + z * z)
    f = 2.0 if s < 1e-12 else 2.0 * math.atan2(s, w) / s
    return f * x, f * y, f * z
