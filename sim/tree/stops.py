"""Swing and twist of a ball joint about its axis, the turning that changes them, and how fast that turns.

With p the parent's axis seen from the child, ṗ = p × ω, and e the child's own, both rates are n·ω with

    swing  n = p × e / |p × e|        twist  n = (p + e)/(1 + p·e)

at right angles to each other.
"""

from __future__ import annotations

import math

from sim.jit import inner
from sim.spatial.blocks import add3, cross3, dot3, get3, scale3

FURTHEST_SWING = math.pi - 0.1  # from where a small turn changes the twist by any amount, and nothing stops it
TURN = 2.0 * math.pi


@inner
def ball_angles(sys, q, i):
    """Of the turn w, (x, y, z) = cos θ/2, sin θ/2 n about the axis e:

    swing  2 atan(|n × e| sin θ/2 / …): the angle between e on both sides        twist  2 atan(z_e/w)

    The twist is that of all its turns which is nearest to the middle of its range.
    """
    k, e = sys.q_start[i], get3(sys.axis, i, 0)
    w, x = q[k], (q[k + 1], q[k + 2], q[k + 3])
    along = dot3(x, e)
    across = cross3(x, e)
    swing = 2.0 * math.atan2(math.sqrt(dot3(across, across)), math.sqrt(w * w + along * along))
    twist = 2.0 * math.atan2(along, w)
    middle = 0.5 * (sys.low[i, 1] + sys.high[i, 1])
    if abs(middle) < math.inf:
        twist += TURN * math.floor((middle - twist) / TURN + 0.5)
    return swing, twist


@inner
def stop_side(sys, angles, i, which, band):
    """Which stop an angle of a ball is at, or past: 1 upper, −1 lower, 2 both at once, 0 none."""
    if which == 1 and angles[0] >= FURTHEST_SWING:
        return 0
    upper, lower = angles[which] >= sys.high[i, which] - band, angles[which] <= sys.low[i, which] + band
    return 2 if upper and lower else 1 if upper else -1 if lower else 0


@inner
def ball_direction(sys, q, i, which):
    """n, in child axes, with n·ω the rate of swing (0) or twist (1)."""
    e = get3(sys.axis, i, 0)
    p = _parent_axis(q, sys.q_start[i], e)
    if which == 0:
        c = cross3(p, e)
        return scale3(1.0 / max(math.sqrt(dot3(c, c)), 1e-300), c)
    return scale3(1.0 / max(1.0 + dot3(p, e), 1e-9), add3(p, e))


@inner
def ball_bias(sys, q, v, i, which):
    """ṅ·ω: what the angle's rate changes by itself while ω stays."""
    k, e = sys.v_start[i], get3(sys.axis, i, 0)
    p, omega = _parent_axis(q, sys.q_start[i], e), (v[k], v[k + 1], v[k + 2])
    turned = cross3(p, omega)
    if which == 0:
        c, dc = cross3(p, e), cross3(turned, e)
        f = 1.0 / max(math.sqrt(dot3(c, c)), 1e-300)
        return f * dot3(dc, omega) - f * f * f * dot3(c, dc) * dot3(c, omega)
    f = 1.0 / max(1.0 + dot3(p, e), 1e-9)
    return f * dot3(turned, omega) - f * f * dot3(turned, e) * dot3(add3(p, e), omega)


@inner
def _parent_axis(q, k, e):
    """Rᵀ e of the quaternion at k."""
    w, x = q[k], (q[k + 1], q[k + 2], q[k + 3])
    t = scale3(-2.0, cross3(x, e))
    return add3(e, add3(scale3(w, t), cross3(scale3(-1.0, x), t)))
