"""What a run consists of, so that it can be taken again: where it began, every command with its step, and its end."""

from __future__ import annotations

import os
from dataclasses import dataclass

from sim.command import (
    Command,
    Event,
    FollowPath,
    PullBody,
    ReleaseBody,
    SetBackend,
    SetGain,
    SetGravity,
    SetIntegrator,
    SetJointTarget,
    SetSolver,
    SetStabilisation,
    SetStep,
    SetSwitch,
    SetTarget,
    TellRun,
)
from sim.scene import Scene
from sim.state import State

SUFFIX = ".run.json"  # of files with runs


def is_run_file(path: str | os.PathLike[str]) -> bool:
    return os.fspath(path).lower().endswith(SUFFIX)


@dataclass(frozen=True)
class Keyframe:
    state: State
    settings: tuple[Command, ...]
    since: tuple[int, float]  # from which step and time on the step size holds

    @property
    def dt(self) -> float:
        return next(command.dt for command in self.settings if isinstance(command, SetStep))

    @property
    def size(self) -> int:
        """Bytes, about."""
        return sum(a.nbytes for a in self.state.engine.values()) + 100 * len(self.settings) + 1000


@dataclass(frozen=True)
class Hold(Command):
    """Somebody came here from another moment, with these settings; solver and such hold where no engine heeds them."""

    settings: tuple[Command, ...]
    solver: str
    stabilise: str
    integrator: str | None


@dataclass(frozen=True)
class Fail(Command):
    """A step was tried and did not happen; the controllers have seen it."""


@dataclass(frozen=True)
class Entry:
    """A command that was obeyed before the step that leads from `step` on."""

    step: int
    command: Command


@dataclass(frozen=True)
class End:
    step: int
    time: float  # [s]
    digest: str  # of the state
    q: tuple[float, ...]
    v: tuple[float, ...]


@dataclass(frozen=True)
class Run:
    """`scene` as it was set at the beginning."""

    scene: Scene
    begin: Keyframe
    entries: tuple[Entry, ...]
    end: End
    program: str = ""  # the version that wrote it


@dataclass(frozen=True)
class RunTold(Event):
    command: TellRun
    run: Run


# What entries may consist of.
JOURNALLED: dict[str, type[Command]] = {
    command.__name__: command
    for command in (
        *(SetTarget, FollowPath, SetSwitch, SetGain, SetJointTarget, PullBody, ReleaseBody),
        *(SetBackend, SetSolver, SetStabilisation, SetIntegrator, SetStep, SetGravity, Hold, Fail),
    )
}
