"""Motors at their limits, for controllers that foresee the motion: a full motor is a given torque.

What a motor should give depends on how its joint will move, and so on which motors are full. The motion is foreseen
with some of them full; those that then should be full and are not, or are and should not be, change, until all is
right (Newton's method on a law that is linear piece by piece).
"""

from __future__ import annotations

from sim.jit import inner

FULL_BACK, FREE, FULL_AHEAD = -1.0, 0.0, 1.0
MOST_PASSES = 30


@inner
def full(c, state, k):
    """All that motor k can give, the way it is full [N·m or N]."""
    return c.limit[k] if state[k] > 0.0 else -c.limit[k]


@inner
def saturate(c, tau, state):
    """Whether some motors are wrongly full or not full, tau (nv,) being what each should give on top of c.total.

    Puts them right, and writes to tau what full motors give.
    """
    wrong = False
    for k in range(tau.shape[0]):
        wanted, better = c.total[k] + tau[k], FREE
        if wanted > c.limit[k]:
            better = FULL_AHEAD
        elif wanted < -c.limit[k]:
            better = FULL_BACK
        wrong = wrong or better != state[k]
        state[k] = better
        if better != FREE:
            tau[k] = full(c, state, k) - c.total[k]
    return wrong
