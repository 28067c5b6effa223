"""Arriving at stops: the time of it, and the rebound.

A step that would carry a joint past its stop is cut short where the joint reaches it, to 1e-9, and the rest
of the step follows the impact: v⁺ = −e v⁻ with the joints held, an impulse that only pushes. Slower than
EARLY there is no rebound, so a bouncing joint comes to rest.
"""

from __future__ import annotations

import math

from sim.impulse.bounds import AT_HIGH, AT_LOW, BAND, HELD, NOISE, free_axes, solve_bounded
from sim.impulse.energy import kinetic
from sim.impulse.geometry import has_stop, measure
from sim.impulse.project import give_momenta, observe
from sim.impulse.tree import STANDING
from sim.impulse.world import WORK
from sim.jit import inner, pasted
from sim.model import BALL

LIVELY, DEAD = 0.0, 1.0
MOST_IMPACTS = 20  # that rebound, in one part of a step
LANDED = 1e-9  # [rad, m]
EARLY = 0.01  # [rad/s, m/s]


@inner
def overshoot(sys, w, s):
    """How far the worst joint is past a stop that it was not at when the step began; −inf if there is none."""
    worst = -math.inf
    for j in range(sys.kind.shape[0]):
        for k in range(2):
            if has_stop(sys, j, k, s.coordinate[j, 0]):
                if w.start[j, k] < sys.high[j, k] - BAND:
                    worst = max(worst, s.coordinate[j, k] - sys.high[j, k])
                if w.start[j, k] > sys.low[j, k] + BAND:
                    worst = max(worst, sys.low[j, k] - s.coordinate[j, k])
    return worst


@inner
def meet_stops(sys, w, s, elastic):
    """Impacts until no joint moves into its stop; the last one dead if they do not end."""
    for i in range(MOST_IMPACTS + 1):
        if not rebound(sys, w, s, elastic if i < MOST_IMPACTS else DEAD):
            return


@pasted
def rebound(sys, w, s, elastic):
    """The impact of all joints that are at a stop and move into it. Returns whether there are any.

    Joints that move away from their stops have no part in it: with those at rest or moving in, T falls by
    ½ Σ impulse (1 − e) |v⁻|. What it sets moving into a stop is the next impact. If `elastic` is DEAD, all
    have part, and none rebounds.
    """
    found = False
    for j in range(sys.kind.shape[0]):
        for k in range(3):
            w.low[j, k], w.high[j, k] = 0.0, 0.0
        w.target[j, 0], w.target[j, 1] = 0.0, 0.0
        for k in range(2):
            if not has_stop(sys, j, k, s.coordinate[j, 0]):
                continue
            lower = s.coordinate[j, k] <= sys.low[j, k] + BAND
            upper = s.coordinate[j, k] >= sys.high[j, k] - BAND
            if not (lower or upper):
                continue
            v = w.rate[j, 0] if sys.kind[j] != BALL else _turning(sys, w, s, j, k)
            into = (lower and v < -NOISE) or (upper and v > NOISE)
            away = not into and abs(v) > NOISE
            s.mode[j, k] = (AT_LOW if lower else AT_HIGH) if away else HELD
            if away and elastic == LIVELY:
                continue
            w.high[j, k] = math.inf if lower else 0.0
            w.low[j, k] = -math.inf if upper else 0.0
            if into:
                found = True
                w.target[j, k] = -sys.restitution[j] * v if elastic == LIVELY and abs(v) > EARLY else 0.0
    if not found:
        return False
    before = kinetic(sys, w, s)
    for j in range(sys.kind.shape[0]):
        w.soft[j] = sys.rotor[j]
        w.rotor_speed[j] = w.rate[j, 0]
    for b in range(w.base.shape[0]):
        for k in range(6):
            w.base[b, k] = 0.0
    for r in range(w.base_rows.shape[0]):
        w.base_rows[r] = 0.0
    solve_bounded(sys, w, s, STANDING)
    give_momenta(sys, s, w)
    observe(sys, w, s)
    free_axes(sys, w)
    s.ledger[WORK] += kinetic(sys, w, s) - before
    return True


@inner
def _turning(sys, w, s, j, k):
    """How fast the swing or twist of a ball changes."""
    measure(sys, s.x, s.R, j, 0.0, w.frames[0], w.frames[1], w.directions)
    v = 0.0
    for i in range(3):
        v += w.directions[k, i] * w.V[sys.child[j], i]
        if sys.parent[j] >= 0:
            v -= w.directions[k, i] * w.V[sys.parent[j], i]
    return v
