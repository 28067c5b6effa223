"""Take a run again that the window has saved, and say whether it ends in the same bits."""

from __future__ import annotations

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

from app.commands.arguments import CommandError, backend, output
from app.commands.progress import ProgressBar
from app.commands.run import BURST, result_of, save_log, summary_of
from app.commands.run_files import prepared_replay, telling

if TYPE_CHECKING:
    from sim.files.log import Log
    from sim.replay import Replay

EXAMPLES = """\
examples:
  main.py replay mine.run.json
  main.py replay mine.run.json --log mine.csv
  main.py replay mine.run.json --backend tree --json
  main.py record mine.run.json mine.mp4 --size 1920x1080
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="a run, from File ▸ Save run… in the window (.run.json)")
    add("--backend", type=backend, metavar="NAME", help="the same on another engine; then the bits may differ")
    add("--log", type=output(".csv", ".npz"), metavar="FILE", help="write every step to a .csv or .npz file")
    add("--json", action="store_true", help="print the result as one JSON object, in full digits")


def run(args: argparse.Namespace) -> int:
    from sim.backend import Diverged
    from sim.files.log import Log

    replay = prepared_replay(args.file, args.backend)
    log = Log(replay.world.model) if args.log else None
    try:
        with telling(args.file):
            seconds = _take_again(replay, log)
    except Diverged as problem:
        save_log(log, args.log)
        raise CommandError(f"Stopped at t = {replay.world.time:.6g} s: {problem}.", 1) from problem
    finally:
        replay.world.close()
    save_log(log, args.log)
    result = {**result_of(replay.world, seconds), **_comparison(replay)}
    print(json.dumps(result) if args.json else f"{summary_of(replay.world, result)}\n{_words(result)}")
    if not (replay.is_same or args.backend):
        raise CommandError(f"{args.file}: {_words(result).partition('  then')[2].strip()}.", 1)
    return 0


def _take_again(replay: Replay, log: Log | None) -> float:
    """All of it; returns the processor time of the steps [s]."""
    seconds, world = 0.0, replay.world
    if log:
        log.add(world.history)
    with ProgressBar(replay.run.scene.name, replay.run.end.step) as bar:
        while not replay.is_over:
            replay.obey()
            if log:
                log.go_on(world.history)
            before = time.process_time()
            try:
                replay.step(BURST)
            finally:
                seconds += time.process_time() - before
                if log:
                    log.add(world.history)
            bar.at(world.step_count)
    return seconds


def _comparison(replay: Replay) -> dict[str, Any]:
    return {"same_bits": replay.is_same, "q_difference": replay.distance, "recorded_by": replay.run.program}


def _words(result: dict[str, Any]) -> str:
    if result["same_bits"]:
        return "  then         it ended in the same bits"
    return (
        f"  then         it ended in other bits; q differs by at most {result['q_difference']:.2g} "
        f"(recorded by Impulse {result['recorded_by']})"
    )
