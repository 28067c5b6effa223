"""Where the frame is that shall reach a target."""

from __future__ import annotations

import math

from sim.jit import inner
from sim.spatial.kernels import multiply, multiply_transposed, rotate, to_quat


@inner
def locate(c, t):
    """The origin x (3,) of target t's frame in the world [m], and the body it is on (-1: the world)."""
    b, at = c.tool_body[t], c.tool_at[t]
    if b < 0:
        return (at[0], at[1], at[2]), b
    d0, d1, d2 = rotate(c.R[b], at)
    return (c.p[b, 0] + d0, c.p[b, 1] + d1, c.p[b, 2] + d2), b


@inner
def turn_left(c, t):
    """The rotation vector from the frame's attitude to the target's, world axes: log(R_t Rᵀ) [rad]."""
    b, F, E = c.tool_body[t], c.frames[0], c.frames[1]
    if b < 0:
        return 0.0, 0.0, 0.0
    multiply(c.R[b], c.tool_turn[t], F)
    multiply_transposed(c.turn[t], F, E)
    w, x, y, z = to_quat(E)
    s = math.sqrt(x * x + y * y + z * z)
    f = 2.0 if s < 1e-12 else 2.0 * math.atan2(s, w) / s
    return f * x, f * y, f * z
