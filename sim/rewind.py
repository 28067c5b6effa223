"""Going back in time exactly: a keyframe now and then, and the steps after it taken again.

A keyframe is a State with the settings that held. One is kept every SPACING steps and before the first step
under changed settings, so the steps that follow a keyframe depend on nothing but it. Where one goes back from is kept
too, so that one can go forward again, until a step is taken or a setting changed.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING

from sim.command import Command, FollowPath, SetTarget
from sim.history import History
from sim.holding import hold, settings_of
from sim.past import Keyframe
from sim.simulation import Simulation

if TYPE_CHECKING:
    from sim.journal import Journal

SPACING = 100  # steps
MOST_BYTES = 64_000_000


class Rewind:
    """The keyframes of one world; `note` before every step, `change` after every command."""

    def __init__(
        self, world: Simulation, journal: Journal | None = None, spacing: int = SPACING, most_bytes: int | None = None
    ) -> None:
        self.world, self.journal = world, journal
        self._spacing, self._most_bytes = spacing, most_bytes or MOST_BYTES
        self._frames: deque[Keyframe] = deque()
        self._bytes = 0
        self._changed = True
        self._end: tuple[History, int] | None = None  # while in the past: the history, and how many rows it had
        self._paths: dict[str, Command] = {}  # targets that were told to leave or to take their path

    def change(self, command: Command) -> None:
        """The next step needs a keyframe before it, and what came after is not to come again."""
        self._changed = True
        self._end = None
        self._forget_from(self.world.step_count + 1)
        if self.journal:
            self.journal.note(command)
        if isinstance(command, SetTarget):
            self._paths[command.target] = FollowPath(command.target, False)
        elif isinstance(command, FollowPath):
            self._paths[command.target] = command

    def fail(self) -> None:
        """A step was tried in vain, which the controllers remember."""
        self._changed = True
        if self.journal:
            self.journal.fail()

    def note(self) -> None:
        """Before a step: keep a keyframe if this is the place for one."""
        if self._changed or self.world.step_count - self._frames[-1].state.step >= self._spacing:
            self._changed = False
            self._end = None
            self._keep()
            while self._bytes > self._most_bytes and len(self._frames) > 1:
                self._bytes -= self._frames.popleft().size

    @property
    def reach(self) -> tuple[float, float]:
        """The first and the last moment that can be gone to [s]."""
        now = self.world.time
        if not self._frames:
            return now, now
        return min(self._frames[0].state.time, now), max(self._frames[-1].state.time, now)

    def back(self, count: int) -> None:
        """To the state `count` steps ago, or the oldest that is known; settings stay as they are now.

        Raises ValueError where nothing earlier is known.
        """
        step = self.world.step_count
        if not self._frames or self._frames[0].state.step >= step:
            raise ValueError("Nothing before this moment is known.")
        self._visit(max(step - count, self._frames[0].state.step))

    def go_to(self, time: float) -> None:
        """To the known state nearest to a moment; settings stay as they are now."""
        self._keep_end()
        frames = self._frames
        at = max((i for i, f in enumerate(frames) if f.state.time <= time), default=0)
        steps = max(round((time - frames[at].state.time) / frames[at].dt), 0) if math.isfinite(time) else 0
        last = frames[min(at + 1, len(frames) - 1)].state.step
        self._visit(min(frames[at].state.step + steps, last))

    def _visit(self, goal: int) -> None:
        """To the state of a step that is known."""
        self._keep_end()
        world = self.world
        frame = next(f for f in reversed(self._frames) if f.state.step <= goal)
        now = (*settings_of(world), *self._paths.values())
        hold(world, frame.settings, frame.state)
        self._recall()
        world._since = frame.since
        world.history.cut(world.time)
        world.step(goal - frame.state.step)
        hold(world, now, world.state)
        if self.journal:
            self.journal.arrive(now)
        self._changed = True

    def _keep_end(self) -> None:
        """Before going from the present: what one can come forward to again."""
        if self._end is None:
            self._end = self.world.history, self.world.history.count
            if self.journal:
                self.journal.leave()
            self._keep()

    def _recall(self) -> None:
        """All rows of the history, as when one went from the present."""
        if self._end:
            history, count = self._end
            # Steps taken again write the same rows to the same places, so all of them are still there.
            history.counter[0] = count
            if history is not self.world.history:  # the step has changed between then and now
                self.world.history.fill(history.rows_from(0))

    def _keep(self) -> None:
        self._forget_from(self.world.step_count)
        self._frames.append(Keyframe(self.world.state, settings_of(self.world), self.world._since))
        self._bytes += self._frames[-1].size

    def _forget_from(self, step: int) -> None:
        while self._frames and self._frames[-1].state.step >= step:
            self._bytes -= self._frames.pop().size

