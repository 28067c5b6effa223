"""What the runner knows of engines beside its world: those that are wanted, and the comparison while there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sim.backend import BackendError
from sim.command import Busy, Command, Compare, Event, Reset, SetBackend, SetTolerance, Told
from sim.comparison import Comparison, Course, check_tolerance, rehearse
from sim.lane_names import TOLERANCE, lane_refusal
from sim.scene import SceneError
from sim.simulation import Simulation
from sim.state import Snapshot


class Companions:
    def __init__(self, say: Callable[[Event], None]) -> None:
        self.names: tuple[str, ...] = ()
        self.tolerance = TOLERANCE
        self._comparison: Comparison | None = None
        self._say = say

    def close(self) -> None:
        if self._comparison:
            self._comparison.close()
            self._comparison = None

    # --- what people ask for ---

    def compare(self, world: Simulation, command: Compare) -> Command:
        """From now on; raises before anything has changed."""
        inverse = Compare(self.names)
        self._begin(world, command.beside, is_new=True)
        return inverse

    def set_tolerance(self, command: SetTolerance) -> Command:
        check_tolerance(command.tolerance)
        inverse, self.tolerance = SetTolerance(self.tolerance), command.tolerance
        if self._comparison:
            self._comparison.set_tolerance(command.tolerance)
        return inverse

    # --- what happens to the world ---

    def enter(self, world: Simulation) -> None:
        """Another scene: the same engines beside it, as far as they can run it."""
        reasons = {name: lane_refusal(name, world.model) for name in self.names if name != world.backend_name}
        for reason in filter(None, reasons.values()):
            self._say(Told(reason))
        try:
            self._begin(world, tuple(name for name, reason in reasons.items() if not reason), is_new=True)
        except (SceneError, BackendError) as error:
            self.close()
            self.names = ()
            self._say(Told(str(error)))

    def follow(self, seconds: float) -> None:
        """The world has taken steps in so much processor time."""
        if self._comparison:
            self._tell(self._comparison.follow(seconds))

    def hear(self, world: Simulation, command: Command) -> None:
        """The world has obeyed a command."""
        if self._comparison is None:
            return
        if isinstance(command, SetBackend):
            self._begin(world, _swapped(self.names, self._comparison.course.names[0], command.backend))
        elif isinstance(command, Reset):
            self._begin(world, self.names)
        else:
            self._tell(self._comparison.obey(command))

    def jump(self, world: Simulation) -> None:
        """The world has gone to another moment; before the comparison began there is nothing to compare."""
        if self._comparison and not self._comparison.jump():
            self._begin(world, self.names)

    def _begin(self, world: Simulation, names: tuple[str, ...], is_new: bool = False) -> None:
        if is_new and names:
            self._say(Busy("Preparing the comparison…"))
            try:
                rehearse(world, names)
            finally:
                self._say(Busy(""))
        fresh = Comparison(world, names, self.tolerance) if names else None
        self.close()
        self._comparison, self.names = fresh, names

    def _tell(self, news: list[str]) -> None:
        for sentence in news:
            self._say(Told(sentence))

    # --- what is shown ---

    @property
    def course(self) -> Course | None:
        return self._comparison.course if self._comparison else None

    def enrich(self, snapshot: Snapshot) -> Snapshot:
        """The snapshot with what is beside; the cost of a step is that of the leading engine alone."""
        if self._comparison is None:
            return replace(snapshot, tolerance=self.tolerance)
        lead, beside = self._comparison.shown()
        return replace(snapshot, tolerance=self.tolerance, lead=lead, beside=beside, step_time=lead.cost)


def _swapped(names: tuple[str, ...], old: str, new: str) -> tuple[str, ...]:
    """The lanes after another engine has taken the lead: where it ran beside, the one that led now does."""
    return tuple(old if name == new else name for name in names)
