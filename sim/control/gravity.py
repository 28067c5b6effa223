"""Gravity compensation: an arm at rest stays at rest in any pose; pushed, it floats."""

from __future__ import annotations

from sim.dynamics.gravity import gravity_torques
from sim.jit import jit


@jit
def gravity(c, i):
    """tau = g(q)."""
    t = c.tree
    gravity_torques(
        t.order, t.parent, t.child, t.v_start, c.mass, c.center, c.gravity, c.p, c.R, c.S, c.f, c.tau[i]
    )
