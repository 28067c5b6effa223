"""Runs from files, made ready to be taken again."""

from __future__ import annotations

import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from app.commands.arguments import CommandError
from app.commands.compiling import counted
from sim.backend import unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sim.past import Run
    from sim.replay import Replay


def prepared_replay(file: str, backend: str | None) -> Replay:
    """At its beginning, ready to step; notes of the model on stderr, and a count for people at a terminal."""
    from sim.files.run_file import read_run
    from sim.replay import Replay

    run = read_run(file)
    if backend is None:
        _check_engines(file, run)
    with counted(sys.stderr if sys.stderr.isatty() else None), telling(file):
        _rehearse(run, backend)
        replay = Replay(run, backend)
    for note in replay.world.notes:
        print(note, file=sys.stderr)
    return replay


@contextmanager
def telling(file: str) -> Iterator[None]:
    """Mistakes in a run are told with its file, a motion that cannot be followed with its time."""
    from sim.scene import SceneError

    try:
        yield
    except SceneError as problem:
        raise CommandError(f"{file}: {problem}") from problem


def _check_engines(file: str, run: Run) -> None:
    from sim.command import SetBackend

    changed = [entry.command.backend for entry in run.entries if isinstance(entry.command, SetBackend)]
    for name in (run.begin.state.backend, *changed):
        if reason := unavailable(name):
            raise CommandError(f"{file}: {reason.rstrip('.')}; --backend NAME takes the run again on another engine.")


def _rehearse(run: Run, backend: str | None) -> None:
    from sim.backend import Diverged
    from sim.replay import Replay

    rehearsal = Replay(run, backend)
    with suppress(Diverged):
        rehearsal.world.step(1)
    rehearsal.world.snapshot()
    rehearsal.world.close()
