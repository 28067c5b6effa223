"""One of our engines as a world to measure."""

from __future__ import annotations

from benchmarks.mechanics import Motion, no_control
from sim.backend import create
from sim.model import Model


class OurWorld:
    """Any engine of BACKENDS, through its protocol alone: many steps in one call."""

    def __init__(self, model: Model, dt: float, engine: str = "impulse") -> None:
        self.backend = create(engine, model)
        self._control, self._dt = no_control(model), dt

    def advance(self, steps: int) -> None:
        self.backend.advance(self._control, self._dt, steps)

    def motion(self) -> Motion:
        reading = self.backend.read()
        return Motion(reading.position, reading.rotation, reading.twist)

    def close(self) -> None:
        self.backend.close()
