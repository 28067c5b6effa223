"""What an engine has achieved and cost since it began to be compared."""

from __future__ import annotations

from sim.ledger import Ledger
from sim.simulation import Simulation


class Tally:
    """Every change of step, gravity or moment opens another account: drift and gap are the largest of them all."""

    def __init__(self, world: Simulation) -> None:
        world.open_account()
        self.world, self.since = world, world.time
        self._ledger: Ledger = world.ledger
        self._closed = self._seen = 0.0, 0.0
        self._steps, self._simulated, self._seconds = 0, 0.0, 0.0

    def add(self, steps: int, simulated: float, seconds: float) -> None:
        """It has taken steps of the leading world in so much processor time."""
        self._steps += steps
        self._simulated += simulated
        self._seconds += seconds
        self.look()

    def look(self) -> None:
        """After everything that happened to the world."""
        ledger = self.world.ledger
        if ledger is not self._ledger:
            self._closed, self._ledger = self._seen, ledger
        drift, gap = self._closed
        self._seen = max(drift, ledger.energy_drift), max(gap, ledger.joint_gap)

    @property
    def drift(self) -> float:
        return self._seen[0]

    @property
    def gap(self) -> float:
        return self._seen[1]

    @property
    def cost(self) -> float:
        """Processor time of a step of the leading world [s]."""
        return self._seconds / max(self._steps, 1)

    @property
    def speed(self) -> float:
        """Simulated time by processor time; 0 before the first step."""
        return self._simulated / self._seconds if self._seconds > 0.0 else 0.0
