"""Motors at their limits, for controllers that foresee the motion: a full motor is a given torque."""

from __future__ import annotations

from sim.jit import inner

FULL_BACK, FREE, FULL_AHEAD = -1.0, 0.0, 1.0


@inner
def full(c, state, k):
    """All that motor k can give, the way it is full [N·m or N]."""
    return c.limit[k] if state[k] > 0.0 else -c.limit[k]


@inner
def saturate(c, tau, state):
    """Whether torques of free motors, on top of c.total, pass their limits; those are full from now on.

    What full motors give is written to tau (nv,).
    """
    found = False
    for k in range(tau.shape[0]):
        if state[k] == FREE and abs(c.total[k] + tau[k]) > c.limit[k]:
            state[k] = FULL_AHEAD if c.total[k] + tau[k] > 0.0 else FULL_BACK
            found = True
        if state[k] != FREE:
            tau[k] = full(c, state, k) - c.total[k]
    return found
