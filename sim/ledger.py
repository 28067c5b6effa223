"""The account of a run: where the energy came from, and what should have stayed and did not.

    energy_drift = max |E(t) − E(0) − W(t)| / max (T + V − V_min)

over every step, W being the work of all that is not conservative as the engine reports it, and V_min the lowest
potential of the run. Momenta are compared with their value at the start, or where that is zero (to nine digits) with
the largest sum Σ|m v| or Σ|L| of what the bodies carry against each other. Where nothing turns at all, what rounding
leaves of an angular momentum is compared with Σ|c||m v|.
"""

from __future__ import annotations

import numpy as np

from sim.dynamics.energy import momentum_sizes
from sim.model import FREE, Model
from sim.state import Array, Reading

ZERO = 1e-9  # relative: a momentum below this part of what it is summed from is none
ROUNDING = 1e-10  # of |V|: energies in play below this drown in the rounding of V


class Ledger:
    """Fed with every step, the start first. Energies in J; a drift is None where nothing conserves the quantity."""

    def __init__(self, model: Model) -> None:
        held = bool(((model.joint_parent < 0) & (model.joint_type != FREE)).any())
        pushed = any(i.body is not None for i in model.scene.inputs)
        self._model = model
        self._kept = np.array([not (held or pushed or model.gravity.any()), not (held or pushed)])
        self._entries = 0
        self._imbalance = self._largest_v = 0.0
        self._highest, self._lowest_v = -np.inf, np.inf
        self._moved, self._sizes, self._size = np.zeros(2), np.zeros(3), np.zeros(3)
        self.joint_gap = 0.0  # largest of all steps [m]
        self.joint_angle_error = 0.0  # [rad]

    def enter(self, reading: Reading, energy: Array, pushed: bool = False) -> None:
        """One step: `energy` as sim.dynamics.energy gives it; `pushed` if something from outside acted on a body."""
        kinetic, potential = float(energy[0]), float(energy[1])
        momenta = energy[2:8].reshape(2, 3)
        if self._entries == 0:
            self.energy_start = kinetic + potential
            self._start = reading.work, reading.solves, momenta.copy()
        self._entries += 1
        self.energy_end = kinetic + potential
        self.energy_work = reading.work - self._start[0]
        self._solves = reading.solves - self._start[1]
        self._imbalance = max(self._imbalance, abs(self.energy_end - self.energy_start - self.energy_work))
        self._highest, self._lowest_v = max(self._highest, self.energy_end), min(self._lowest_v, potential)
        self._largest_v = max(self._largest_v, abs(potential))
        self.joint_gap = max(self.joint_gap, reading.joint_gap)
        self.joint_angle_error = max(self.joint_angle_error, reading.joint_angle_error)
        if pushed:
            self._kept[:] = False
        if self._kept.any():
            self._enter_momenta(reading, momenta - self._start[2])

    def _enter_momenta(self, reading: Reading, change: Array) -> None:
        model, r = self._model, reading
        inertia = model.body_mass, model.body_center, model.body_inertia
        momentum_sizes(*inertia, r.position, r.rotation, r.twist, self._size)
        np.maximum(self._sizes, self._size, out=self._sizes)
        np.maximum(self._moved, np.sqrt((change * change).sum(axis=1)), out=self._moved)

    @property
    def energy_drift(self) -> float:
        in_play = max(self._highest - self._lowest_v, ROUNDING * self._largest_v)
        return self._imbalance / in_play if self._imbalance else 0.0

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
        return self._solves / max(self._entries - 1, 1)

    def _drift(self, which: int) -> float | None:
        if not self._kept[which]:
            return None
        moved, parts, spread = float(self._moved[which]), float(self._sizes[which]), float(self._sizes[2 * which])
        start = float(np.linalg.norm(self._start[2][which]))
        scales = [scale for scale in (start, parts) if scale > ZERO * max(parts, spread)]
        return moved / (scales[0] if scales else spread) if moved else 0.0
