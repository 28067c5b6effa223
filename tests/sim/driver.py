"""A physics thread, by what goes in and comes out. Nothing here depends on how fast the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

from sim.command import Applied, Command, Event, Refused
from sim.runner import Runner
from sim.scene import Scene

PATIENCE = 60.0


class Driver:
    """Sends commands and collects what comes back."""

    def __init__(self, scene: Scene, running: bool) -> None:
        self.runner = Runner(scene, running)
        self.events: list[Event] = []
        self.runner.start()
        self.until(lambda: self.runner.latest is not None)

    def until(self, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, "the runner did not answer"
            time.sleep(0.002)

    def ask(self, command: Command) -> Event:
        """The answer to this command."""
        self.runner.send(command)
        while True:
            event = self.runner.events.get(timeout=PATIENCE)
            self.events.append(event)
            if isinstance(event, Applied | Refused) and event.command is command:
                return event
