"""Swing and twist of a ball joint about its axis, and the turning that changes them."""

from __future__ import annotations

import math

from sim.jit import inner
from sim.spatial.blocks import add3, cross3, dot3, get3, scale3


@inner
def ball_angles(sys, q, i):
    """Of the turn w, (x, y, z) = cos θ/2, sin θ/2 n about the axis e:

    swing  2 atan(|n × e| sin θ/2 / …): the angle between e on both sides        twist  2 atan(z_e/w)
    """
    k, e = sys.q_start[i], get3(sys.axis, i, 0)
    w, x = q[k], (q[k + 1], q[k + 2], q[k + 3])
    along = dot3(x, e)
    across = cross3(x, e)
    swing = 2.0 * math.atan2(math.sqrt(dot3(across, across)), math.sqrt(w * w + along * along))
    twist = 2.0 * math.atan2(along, w) if w >= 0.0 else 2.0 * math.atan2(-along, -w)
    return swing, twist


@inner
def ball_direction(sys, q, i, which):
    """n, in child axes, with ω·n the rate of swing (0) or twist (1). With p the parent's axis seen from the child:

    swing  p × e / |p × e|        twist  (p + e)/(1 + p·e)
    """
    k, e = sys.q_start[i], get3(sys.axis, i, 0)
    w, x = q[k], (q[k + 1], q[k + 2], q[k + 3])
    t = scale3(-2.0, cross3(x, e))
    p = add3(e, add3(scale3(w, t), cross3(scale3(-1.0, x), t)))  # Rᵀ e
    if which == 0:
        c = cross3(p, e)
        return scale3(1.0 / max(math.sqrt(dot3(c, c)), 1e-300), c)
    return scale3(1.0 / max(1.0 + dot3(p, e), 1e-9), add3(p, e))
