"""What tests of the physics share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from sim.files import load
from sim.scene import Scene
from tests.sim.driver import Driver


@pytest.fixture
def drive() -> Iterator[Callable[..., Driver]]:
    drivers: list[Driver] = []

    def start(scene: Scene | str, running: bool = False) -> Driver:
        drivers.append(Driver(load(scene) if isinstance(scene, str) else scene, running))
        return drivers[-1]

    yield start
    for driver in drivers:
        driver.runner.stop()
