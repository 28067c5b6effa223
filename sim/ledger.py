"""The account of a run: where the energy came from, and what should have stayed and did not.

    energy_drift = max |E(t) − E(0) − W(t)| / max (T + V − V_min)

over every step, W being the work of all that is not conservative as the engine reports it, and V_min the lowest
potential of the run. Momenta are compared with their value at the start, or where that is zero (to nine digits) with
the largest sum Σ|m v| or Σ|L| of what the bodies carry against each other. Where nothing turns at all, what rounding
leaves of an angular momentum is compared with Σ|c||m v|.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sim.dynamics.energy import momentum_sizes
from sim.jit import jit
from sim.model import FREE, Model
from sim.state import Array

ZERO = 1e-9  # relative: a momentum below this part of what it is summed from is none
ROUNDING = 1e-10  # of |V|: energies in play below this drown in the rounding of V

# Places in Book.total: how many entries, energy and work and solves at the first and at the last, and the extremes.
ENTRIES, START, START_WORK, START_SOLVES, END, WORK, SOLVES = range(7)
IMBALANCE, HIGHEST, LOWEST_V, LARGEST_V, GAP, ANGLE_ERROR = range(7, 13)


class Book(NamedTuple):
    """What an account consists of, for the kernel that enters steps."""

    total: Array  # (13,)
    kept: Array  # (2,) bool: whether momentum and angular momentum should stay
    start: Array  # (6,) both at the first entry
    moved: Array  # (2,) how far they were away from that
    sizes: Array  # (3,) the largest of sim.dynamics.energy.momentum_sizes
    size: Array  # (3,) scratch


class Ledger:
    """Fed with every step, the start first. Energies in J; a drift is None where nothing conserves the quantity."""

    def __init__(self, model: Model) -> None:
        held = bool(((model.joint_parent < 0) & (model.joint_type != FREE)).any())
        pushed = any(i.body is not None for i in model.scene.inputs)
        total = np.zeros(13)
        total[HIGHEST], total[LOWEST_V] = -np.inf, np.inf
        kept = np.array([not (held or pushed or model.gravity.any()), not (held or pushed)])
        self.book = Book(total, kept, np.zeros(6), np.zeros(2), np.zeros(3), np.zeros(3))

    @property
    def energy_start(self) -> float:
        return float(self.book.total[START])

    @property
    def energy_end(self) -> float:
        return float(self.book.total[END])

    @property
    def energy_work(self) -> float:
        return float(self.book.total[WORK])

    @property
    def joint_gap(self) -> float:
        """Largest of all steps [m]."""
        return float(self.book.total[GAP])

    @property
    def joint_angle_error(self) -> float:
        """[rad]"""
        return float(self.book.total[ANGLE_ERROR])

    @property
    def energy_drift(self) -> float:
        t = self.book.total
        in_play = max(t[HIGHEST] - t[LOWEST_V], ROUNDING * t[LARGEST_V])
        return float(t[IMBALANCE] / in_play) if t[IMBALANCE] else 0.0

    @property
    def momentum_drift(self) -> float | None:
        return self._drift(0)

    @property
    def angular_momentum_drift(self) -> float | None:
        """About the common centre of mass."""
        return self._drift(1)

    @property
    def solves_per_step(self) -> float:
        """Joint position solves of engines that have them."""
        return float(self.book.total[SOLVES] / max(self.book.total[ENTRIES] - 1, 1))

    def _drift(self, which: int) -> float | None:
        book = self.book
        if not book.kept[which]:
            return None
        moved, parts, spread = float(book.moved[which]), float(book.sizes[which]), float(book.sizes[2 * which])
        start = float(np.linalg.norm(book.start.reshape(2, 3)[which]))
        scales = [scale for scale in (start, parts) if scale > ZERO * max(parts, spread)]
        return moved / (scales[0] if scales else spread) if moved else 0.0


@jit
def enter(b, energy, work, solves, gap, angle, pushed):
    """One step: `energy` as sim.dynamics.energy gives it; `pushed` if something from outside acted on a body."""
    t, E, V = b.total, energy[0] + energy[1], energy[1]
    if t[ENTRIES] == 0.0:
        t[START], t[START_WORK], t[START_SOLVES] = E, work, solves
        for k in range(6):
            b.start[k] = energy[2 + k]
    t[ENTRIES] += 1.0
    t[END], t[WORK], t[SOLVES] = E, work - t[START_WORK], solves - t[START_SOLVES]
    t[IMBALANCE] = max(t[IMBALANCE], abs(E - t[START] - t[WORK]))
    t[HIGHEST], t[LOWEST_V] = max(t[HIGHEST], E), min(t[LOWEST_V], V)
    t[LARGEST_V] = max(t[LARGEST_V], abs(V))
    t[GAP], t[ANGLE_ERROR] = max(t[GAP], gap), max(t[ANGLE_ERROR], angle)
    if pushed:
        b.kept[0], b.kept[1] = False, False


@jit
def enter_momenta(b, energy, mass, center, inertia, p, R, twist):
    """Where momenta should stay: how far they are from where they were, and from how large parts they add up."""
    momentum_sizes(mass, center, inertia, p, R, twist, b.size)
    for k in range(3):
        b.sizes[k] = max(b.sizes[k], b.size[k])
    for which in range(2):
        moved = 0.0
        for k in range(3):
            moved += (energy[2 + 3 * which + k] - b.start[3 * which + k]) ** 2
        b.moved[which] = max(b.moved[which], np.sqrt(moved))
