"""Torques that are given: constant, or functions of time, held over each step."""

from __future__ import annotations

from sim.dynamics.inputs import evaluate
from sim.jit import jit


@jit
def torque(c, i):
    """tau = share · program(t) at the joints that have one.   gain share"""
    for k in range(c.v.shape[0]):
        first, last = c.program[i, k, 0], c.program[i, k, 1]
        c.tau[i, k] = 0.0
        if last > first:
            c.tau[i, k] = c.gains[i, 0] * evaluate(c.op, c.value, first, last, c.moment[0], c.stack)
