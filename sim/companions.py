"""What the runner knows of engines beside its world: those that are wanted, and the comparison while there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sim.backend import BackendError, Diverged
from sim.command import Busy, Command, Compare, Event, Reset, SetBackend, SetTolerance, Told
from sim.comparison import Comparison, Course, check_tolerance, rehearse
from sim.lane_names import TOLERANCE, lane_refusal
from sim.scene import SceneError
from sim.simulation import Simulation
from sim.state import Snapshot

PROBLEMS = (SceneError, BackendError, Diverged, ValueError)


class Companions:
    """Whatever goes wrong here ends the comparison with a sentence; the world goes on."""

    def __init__(self, say: Callable[[Event], None]) -> None:
        self.wanted: tuple[str, ...] = ()  # in this scene and the next, as far as they can run it
        self.tolerance = TOLERANCE
        self._comparison: Comparison | None = None
        self._say = say

    @property
    def names(self) -> tuple[str, ...]:
        return self._comparison.names if self._comparison else ()

    def close(self) -> None:
        if self._comparison:
            self._comparison.close()
            self._comparison = None

    # --- what people ask for ---

    def compare(self, world: Simulation, command: Compare) -> Command:
        """From now on; raises before anything has changed. Who comes late would start from the errors of the leading
        engine, so with a new one, and with the same names once more, all begin anew.
        """
        inverse, names = Compare(self.names), command.beside
        fresh = tuple(name for name in names if name not in self.names)
        self._prepare(world, fresh)
        if self._comparison is None or fresh or names == self.names or self._comparison.is_before:
            self._begin(world, names)
        elif names:
            self._comparison.keep(names)
        else:
            self.close()
        self.wanted = names
        return inverse

    def set_tolerance(self, command: SetTolerance) -> Command:
        check_tolerance(command.tolerance)
        inverse, self.tolerance = SetTolerance(self.tolerance), command.tolerance
        if self._comparison:
            self._comparison.set_tolerance(command.tolerance)
        return inverse

    # --- what happens to the world ---

    def enter(self, world: Simulation) -> None:
        """Another scene: the engines that are wanted beside it, as far as they can run it."""
        self.close()
        names = tuple(name for name in self.wanted if name != world.backend_name)
        reasons = {name: lane_refusal(name, world.model) for name in names}
        for reason in filter(None, reasons.values()):
            self._say(Told(reason))
        try:
            able = tuple(name for name in names if not reasons[name])
            self._prepare(world, able)
            self._begin(world, able)
        except PROBLEMS as error:
            self._end(error)

    def follow(self, seconds: float) -> None:
        """The world has taken steps in so much processor time."""
        if self._comparison is None:
            return
        if self._comparison.is_before:
            self._begin_anew(self._comparison.lead)
        else:
            self._tell(self._comparison.follow(seconds))

    def hear(self, world: Simulation, command: Command) -> None:
        """The world has obeyed a command."""
        if self._comparison is None:
            return
        if isinstance(command, SetBackend):
            self._change_places(world)
        elif isinstance(command, Reset):
            self._begin_anew(world, "")
        elif self._comparison.is_before:
            self._begin_anew(world)
        else:
            self._tell(self._comparison.obey(command))

    def jump(self, world: Simulation) -> None:
        """The world has gone to another moment."""
        try:
            if self._comparison is None or self._comparison.jump():
                return
        except PROBLEMS as error:
            self._end(error)
            return
        if self._comparison.leader != world.backend_name:
            self._change_places(world)
        else:
            self._begin_anew(world)

    def _change_places(self, world: Simulation) -> None:
        """Another engine leads: where it ran beside, the one that led until now does."""
        assert self._comparison
        old, new = self._comparison.leader, world.backend_name
        self.wanted = tuple(old if name == new else name for name in self.wanted)
        names = tuple(old if name == new else name for name in self.names)
        self._begin_anew(world, f"The comparison begins anew at t = {world.time:.3f} s: another engine leads.", names)

    def _begin_anew(self, world: Simulation, why: str | None = None, names: tuple[str, ...] | None = None) -> None:
        usual = f"The comparison begins anew at t = {world.time:.3f} s: the others know no more of what was before."
        try:
            self._begin(world, self.names if names is None else names)
        except PROBLEMS as error:
            self._end(error)
        else:
            if sentence := usual if why is None else why:
                self._say(Told(sentence))

    def _prepare(self, world: Simulation, names: tuple[str, ...]) -> None:
        if names:
            self._say(Busy("Preparing the comparison… The first time on this machine takes a while."))
            try:
                rehearse(world, names)
            finally:
                self._say(Busy(""))

    def _begin(self, world: Simulation, names: tuple[str, ...]) -> None:
        fresh = Comparison(world, names, self.tolerance) if names else None
        self.close()
        self._comparison = fresh

    def _end(self, error: Exception) -> None:
        self.close()
        self._say(Told(f"The comparison has ended. {error}"))

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
