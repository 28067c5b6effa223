"""The mouse spring while the world is held: shown where it was grabbed, with the force it would have."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sim.command import PullBody, Reset
from sim.files import load
from sim.simulation import Simulation
from tests.worlds import ENGINES


@pytest.mark.parametrize("engine", ENGINES)
def test_a_pull_of_a_held_world_tells_its_own_point_and_force(engine):
    world = Simulation(load("arm_reach"), engine)
    world.apply(PullBody("upper", (0.0, 0.0, 0.2), (1.0, 1.0, 1.0)))
    world.step(50)
    world.apply(Reset())
    before = world.state.digest()
    body, point = world.model.body_names.index("forearm"), np.array([0.0, 0.0, 0.1])
    seen = world.reading
    grabbed = seen.position[body] + seen.rotation[body] @ point
    anchor = grabbed + np.array([0.01, -0.02, 0.005])
    world.apply(PullBody("forearm", tuple(point), tuple(anchor)))
    pull = world.desk.pull()
    stiffness = world.model.body_mass[body] * (2.0 * math.pi * 4.0) ** 2  # critically damped at 4 Hz, here at rest
    assert pull.point == pytest.approx(grabbed, abs=1e-12)
    assert pull.force == pytest.approx(stiffness * (anchor - grabbed), rel=1e-9)
    assert world.state.digest() == before
