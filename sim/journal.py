"""What leads from where a world began to where it is now, to the bit: see sim/past.py."""

from __future__ import annotations

from sim.command import Command, Reset, TellRun
from sim.holding import held, settings_of
from sim.past import End, Entry, Fail, Keyframe, Run, RunTold
from sim.simulation import Simulation


class Journal:
    """Begins anew at every Reset. In the past it leads to the past, and still knows the way to where one came from."""

    def __init__(self, world: Simulation) -> None:
        self.world = world
        self._begin()

    def _begin(self) -> None:
        world = self.world
        self._scene = world.scene
        self._start = Keyframe(world.state, settings_of(world), world._since)
        self._entries: list[Entry] = []
        self._whole: list[Entry] = []  # in the past: the way to where one went from

    def note(self, command: Command) -> None:
        """The world has obeyed."""
        if isinstance(command, Reset):
            self._begin()
        else:
            self._entries.append(Entry(self.world.step_count, command))

    def fail(self) -> None:
        """The world could not take its next step."""
        self.note(Fail())

    def leave(self) -> None:
        """One goes from the present, and may come back."""
        self._whole = self._entries

    def arrive(self, settings: tuple[Command, ...]) -> None:
        """One has come to another moment; settings stay as they are."""
        step = self.world.step_count
        way = [entry for entry in self._whole if entry.step <= step]
        self._entries = [*way, Entry(step, held(self.world, settings))]

    def tell(self, command: TellRun) -> RunTold:
        return RunTold(command, self.run())

    def run(self) -> Run:
        """Everything until now, complete in itself."""
        world = self.world
        end = End(world.step_count, world.time, world.state.digest(), tuple(world.q.tolist()), tuple(world.v.tolist()))
        return Run(self._scene, self._start, tuple(self._entries), end)
