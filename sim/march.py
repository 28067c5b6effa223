"""Many steps in one compiled call: controllers → engine → targets → record, without Python in between.

The parts are entries of their own, called by their addresses (sim/jit.py). An engine that can be called so gives its
two, `advance` and `look`, with the arguments that stay; PyBullet is stepped from Python by the same parts.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sim.bundle import opaque
from sim.control.controls import decide, move_targets
from sim.jit import address, ask, call, jit
from sim.record import WRITTEN, record
from sim.state import Array, Stepper


class Loop(NamedTuple):
    """Addresses and arguments of everything a step calls; the engine's bundles as addresses too."""

    addresses: Array  # (5,) decide, advance, look, move_targets, record
    advance: tuple[Any, ...]  # the engine's own arguments, before tau, wrench, time, h, n
    look: tuple[Any, ...]
    controls: Any
    tau: Array
    wrench: Array
    record: Any


def make_loop(stepper: Stepper, controls: Any, tau: Array, wrench: Array, kept: Any) -> Loop:
    addresses = (
        address(decide, controls, 0.0, 0.0),
        address(stepper.advance, *stepper.given, tau, wrench, 0.0, 0.0, 1),
        address(stepper.look, *stepper.seen),
        address(move_targets, controls, 0.0),
        address(record, kept, 0.0, WRITTEN),
    )
    at = np.array(addresses, dtype=np.int64)
    return Loop(at, opaque(stepper.given), opaque(stepper.seen), controls, tau, wrench, kept)


@jit
def march(addresses, advance, look, controls, tau, wrench, kept, times, h, first, every):
    """Steps of h from times[0] to times[-1]. Returns (status, where, steps done); a step that failed did not happen.

    `first` is the number of the first; controllers decide in every so manieth and hold what they gave in between.
    """
    for i in range(times.shape[0] - 1):
        if (first + i) % every == 0:
            call(addresses[0], (controls, times[i], h * every))
        status, where, _ = ask(addresses[1], (*advance, tau, wrench, times[i], h, 1))
        if status != 0:
            return status, where, i
        call(addresses[2], look)
        call(addresses[3], (controls, times[i + 1]))
        call(addresses[4], (kept, times[i + 1], WRITTEN))
    return 0, -1, times.shape[0] - 1
