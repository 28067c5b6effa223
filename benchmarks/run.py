"""Everything the program promises about time and accuracy, measured and printed with its bound.

    python benchmarks/run.py [TOPIC …]      all topics, or these
    python benchmarks/run.py --list

Exits with 1 if a value is past its bound, or if a peer to measure against is missing.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

if not __package__:  # started as a file: imports are seen from the project's folder
    sys.path[0] = str(Path(__file__).parent.parent)

from benchmarks.peers import machine, missing
from benchmarks.table import Row
from sim.backend import BackendError, Diverged

# Each is a module of this folder with PEERS, the peers it needs, and measure(), which yields rows and lines of text.
TOPICS = ("startup", "reach", "control", "free", "double_pendulum", "chains", "trees", "ik", "render", "window")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks/run.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help=", ".join(TOPICS))
    parser.add_argument("--list", action="store_true", help="say what each topic measures")
    options = parser.parse_args(arguments)
    if unknown := [name for name in options.topics if name not in TOPICS]:
        parser.error(f'there is no topic "{unknown[0]}"; there are {", ".join(TOPICS)}')
    wanted = [name for name in TOPICS if name in options.topics or not options.topics]
    modules = {name: importlib.import_module(f"benchmarks.{name}") for name in wanted}
    if options.list:
        for name, topic in modules.items():
            print(f"{name:16} {(topic.__doc__ or '').splitlines()[0]}")
        return 0
    return report(modules)


def report(topics: dict[str, ModuleType]) -> int:
    """Prints what the topics yield; 1 if a bound was not kept or something could not be measured."""
    failed = False
    for name, topic in topics.items():
        print(f"\n{name}: {(topic.__doc__ or '').splitlines()[0]}", flush=True)
        for line in outcome(topic):
            failed |= isinstance(line, Failure) or (isinstance(line, Row) and not line.kept)
            print(line, flush=True)
    print(f"\n{machine()}")
    return int(failed)


class Failure(str):
    """A sentence that says why something could not be measured."""


def outcome(topic: ModuleType) -> Iterator[Row | str]:
    """What the topic yields, ended by a Failure where it cannot go on."""
    if absent := [sentence for peer in topic.PEERS if (sentence := missing(peer))]:
        yield from (Failure(f"PAST {sentence}") for sentence in absent)
        return
    try:
        yield from topic.measure()
    except (BackendError, Diverged, OSError, subprocess.SubprocessError) as reason:
        yield Failure(f"PAST not measured: {reason}")


if __name__ == "__main__":
    sys.exit(main())
