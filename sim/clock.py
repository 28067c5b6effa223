"""How simulated time follows the wall."""

from __future__ import annotations

import time

MOST_DEBT = 0.05  # [s] behind the clock before time is let go: a slow scene slows down


class Clock:
    """From an anchor, at a speed, letting go of what cannot be caught up."""

    def __init__(self) -> None:
        self.behind = False
        self.restart(0.0)

    def restart(self, simulated: float) -> None:
        now = time.perf_counter()
        self._wall = self._mark_wall = now
        self._simulated = self._mark_simulated = simulated
        self.factor = 0.0
        self.behind = False

    def owed(self, simulated: float, speed: float, dt: float) -> int:
        if simulated < self._simulated:  # the world was reset
            self.restart(simulated)
        due = self._simulated + (time.perf_counter() - self._wall) * speed
        return max(0, int((due - simulated) / dt))

    def settle(self, simulated: float, speed: float, behind: bool) -> None:
        """After a burst: measure the factor twice a second, and re-anchor where the debt is too large."""
        now = time.perf_counter()
        self.behind = behind
        if now - self._wall - (simulated - self._simulated) / speed > MOST_DEBT:
            self._wall, self._simulated = now, simulated
        if now - self._mark_wall >= 0.5 or self.factor == 0.0:
            if now > self._mark_wall:
                self.factor = (simulated - self._mark_simulated) / (now - self._mark_wall)
            self._mark_wall, self._mark_simulated = now, simulated
