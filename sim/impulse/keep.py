"""The world before a step, to take it back: all but lam and mu, which are only first guesses.

What only friction and stops change is kept only where there are any.
"""

from __future__ import annotations

from sim.impulse.world import BOUNDED
from sim.jit import inner

BODY = 18  # numbers a body
JOINT = 14  # numbers a joint: coordinates, modes, grip


@inner
def keep(w, s, flat):
    for b in range(s.x.shape[0]):
        at = BODY * b
        for i in range(3):
            flat[at + i], flat[at + 3 + i], flat[at + 6 + i] = s.x[b, i], s.P[b, i], s.L[b, i]
            for k in range(3):
                flat[at + 9 + 3 * i + k] = s.R[b, i, k]
    first = BODY * s.x.shape[0]
    for j in range(s.coordinate.shape[0]):
        at = first + JOINT * j
        flat[at], flat[at + 1] = s.coordinate[j, 0], s.coordinate[j, 1]
        if w.switches[BOUNDED]:
            for i in range(3):
                flat[at + 2 + i] = s.mode[j, i]
                for k in range(3):
                    flat[at + 5 + 3 * i + k] = s.grip[j, i, k]
    first += JOINT * s.coordinate.shape[0]
    for n in range(s.ledger.shape[0]):
        flat[first + n] = s.ledger[n]


@inner
def restore(w, s, flat):
    for b in range(s.x.shape[0]):
        at = BODY * b
        for i in range(3):
            s.x[b, i], s.P[b, i], s.L[b, i] = flat[at + i], flat[at + 3 + i], flat[at + 6 + i]
            for k in range(3):
                s.R[b, i, k] = flat[at + 9 + 3 * i + k]
    first = BODY * s.x.shape[0]
    for j in range(s.coordinate.shape[0]):
        at = first + JOINT * j
        s.coordinate[j, 0], s.coordinate[j, 1] = flat[at], flat[at + 1]
        if w.switches[BOUNDED]:
            for i in range(3):
                s.mode[j, i] = int(flat[at + 2 + i])
                for k in range(3):
                    s.grip[j, i, k] = flat[at + 5 + 3 * i + k]
    first += JOINT * s.coordinate.shape[0]
    for n in range(s.ledger.shape[0]):
        s.ledger[n] = flat[first + n]
