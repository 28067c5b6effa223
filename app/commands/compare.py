"""Run a scene on several engines in lockstep: who is how far from whom, from when on, and at what price."""

from __future__ import annotations

import argparse
import json
import sys
import textwrap
import time
from typing import TYPE_CHECKING

from app.commands.arguments import CommandError, add_simulation, number, output, scene_of, some_of, step_count
from app.commands.compiling import counted, prepared
from app.commands.progress import ProgressBar
from sim.apart import apart_unit
from sim.backend import Diverged
from sim.lane_names import LANES, TOLERANCE, lane_refusal
from sim.model import compile_model
from sim.scene import Scene
from sim.wording import listing

if TYPE_CHECKING:
    from sim.comparison import Comparison
    from sim.files.comparison_table import Table

EXAMPLES = """\
examples:
  main.py compare double_pendulum:b
  main.py compare hinge_chain --with pybullet --duration 10 --table chain.html
  main.py compare arm_reach --backend tree --with impulse,reference --tolerance 1e-4 --json
"""
BURST = 20  # steps between two looks at the clock
WIDTH = 100  # characters of a line
SHORT = {  # heads of columns where lines are short
    "step [s]": "h [s]",
    "processor time of a step": "step",
    "speed [× real time]": "speed",
    "energy drift": "drift",
    "largest joint gap": "gap",
    "apart at the end": "apart",
    "apart at most": "at most",
    "first apart by more than ": "first > ",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_simulation(parser)
    tolerance = number("a distance above 0", 1e-15, 1e6)
    beside = f"what runs beside it: {listing(LANES)} (default: all that can)"
    add = parser.add_argument
    add("--with", dest="beside", type=some_of(*LANES), metavar="A,B", help=beside)
    far = f"from which distance on two are apart, in rad and m (default: {TOLERANCE:g})"
    add("--tolerance", type=tolerance, default=TOLERANCE, metavar="D", help=far)
    add("--table", type=output(".html", ".csv"), metavar="FILE", help="write the result to a .html or .csv file")
    add("--json", action="store_true", help="print the result as one JSON object, in full digits")


def run(args: argparse.Namespace) -> int:
    scene = scene_of(args)
    names = _beside(scene, args.beside)
    steps = step_count(args.duration, scene.dt)
    comparison = _prepared(scene, names, args.tolerance)
    try:
        news, end = _simulate(comparison, steps)
        table = _table(comparison)
    finally:
        comparison.close()
        comparison.lead.close()
    if args.table:
        _save(args, table)
    told = {"title": table.title, "unit": apart_unit(comparison.lead.model), "tolerance": args.tolerance}
    print(json.dumps({**told, "engines": table.records}) if args.json else _text(table, news))
    if end:
        raise CommandError(end, 1)
    return 0


def _beside(scene: Scene, wanted: tuple[str, ...] | None) -> tuple[str, ...]:
    """What was asked for, each with a sentence where it cannot be; or everything that can."""
    model = compile_model(scene)
    refusals = {name: lane_refusal(name, model) for name in LANES if name != scene.backend}
    if wanted is None:
        return tuple(name for name, reason in refusals.items() if not reason)
    if not wanted:
        raise CommandError(f"--with names nobody to compare with; there are {listing(LANES)}.")
    if scene.backend in wanted:
        raise CommandError(f"--with names {scene.backend}, which leads; name others, or let another lead by --backend.")
    for name in wanted:
        if refusals[name]:
            raise CommandError(f"--with {name}: {refusals[name]}")
    return tuple(name for name in LANES if name in wanted)


def _prepared(scene: Scene, names: tuple[str, ...], tolerance: float) -> Comparison:
    """At the start, with everything compiled, so that compiling is no part of what a step costs."""
    from sim.comparison import Comparison, rehearse

    lead = prepared(scene)
    with counted(sys.stderr if sys.stderr.isatty() else None):
        rehearse(lead, names)
    return Comparison(lead, names, tolerance)


def _simulate(comparison: Comparison, steps: int) -> tuple[list[str], str]:
    """All steps, or as many as the leading engine can; returns what people should be told, and why it ended early."""
    lead, news, end = comparison.lead, list[str](), ""
    with ProgressBar(lead.scene.name, steps) as bar:
        while not end and (left := steps - lead.step_count) > 0:
            start = time.thread_time()
            try:
                lead.step(min(BURST, left))
            except Diverged as problem:
                end = f"Stopped at t = {lead.time:.6g} s: {problem}."
            news += comparison.follow(time.thread_time() - start)
            bar.at(lead.step_count)
    return news, end


def _table(comparison: Comparison) -> Table:
    from sim.files.comparison_table import comparison_table

    lead = comparison.lead
    return comparison_table(lead.scene.title, lead.model, lead.time, lead.dt, comparison.tolerance, *comparison.shown())


def _save(args: argparse.Namespace, table: Table) -> None:
    from sim.files.comparison_table import save_table
    from sim.files.draft import cannot_write

    try:
        save_table(args.table, table)
    except OSError as error:
        raise CommandError(cannot_write(args.table, error), 1) from error


def _text(table: Table, news: list[str]) -> str:
    """Columns under their heads, words to the left and numbers to the right; what no row has is left out."""
    shown = [i for i, _ in enumerate(table.columns) if any(row[i] is not None for row in table.rows)]
    cells = [[_short(table.columns[i]) for i in shown], *([_cell(row[i]) for i in shown] for row in table.rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(shown))]
    words = [isinstance(table.rows[0][i], str) for i in shown]
    lines = [
        "  ".join(c.ljust(w) if left else c.rjust(w) for c, w, left in zip(row, widths, words, strict=True)).rstrip()
        for row in cells
    ]
    return "\n".join([table.title, *textwrap.wrap(table.words, WIDTH), "", *lines, *news])


def _short(head: str) -> str:
    for long, short in SHORT.items():
        head = head.replace(long, short)
    return head


def _cell(value: str | float | None) -> str:
    return "–" if value is None else value if isinstance(value, str) else f"{value:.4g}"
