"""The figures of a comparison as a page (HTML) or as CSV."""

from __future__ import annotations

import csv
import html
import io
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sim.apart import apart_unit
from sim.files.draft import Draft
from sim.lane_names import lane_title, yardstick_of
from sim.model import Model
from sim.state import Beside, Figures

COLUMNS = {  # name for programs -> head for people
    "engine": "engine",
    "integrator": "integrator",
    "step": "step [s]",
    "us_per_step": "processor time of a step [µs]",
    "speed": "speed [× real time]",
    "energy_drift": "energy drift",
    "joint_gap": "largest joint gap [m]",
    "apart_end": "apart at the end [{unit}]",
    "apart_most": "apart at most [{unit}]",
    "apart_first": "first apart by more than {tolerance:g} [s]",
    "stopped": "stopped",
}
DIGITS = 4  # significant, on the page; CSV has all


@dataclass(frozen=True)
class Table:
    """What was compared, and a row an engine: numbers, or None where there is none."""

    title: str
    words: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | None, ...], ...]

    @property
    def records(self) -> list[dict[str, str | float | None]]:
        """A row an engine, by the names for programs."""
        return [dict(zip(COLUMNS, row, strict=True)) for row in self.rows]


def comparison_table(
    title: str, model: Model, time: float, dt: float, tolerance: float, lead: Figures, beside: tuple[Beside, ...]
) -> Table:
    """As it stands at `time`: `lead` is how the leading engine fares, `beside` are the others."""
    names = (lead.backend, *(lane.name for lane in beside))
    yardstick = yardstick_of(names)
    figures, stopped = (lead, *(lane.figures for lane in beside)), ("", *(lane.stopped for lane in beside))
    unit = apart_unit(model)
    rows = tuple(
        (
            lane_title(name),
            f.integrator,
            f.dt,
            1e6 * f.cost,
            f.speed or None,
            f.energy_drift,
            f.gap,
            *((None, None, None) if i == yardstick else (f.apart, f.apart_most, f.apart_first)),
            why or None,
        )
        for i, (name, f, why) in enumerate(zip(names, figures, stopped, strict=True))
    )
    words = (
        f"{time - lead.since:g} s from t = {lead.since:g} s on, led by {lane_title(names[0])} in steps of {dt:g} s. "
        f"Apart is the distance from {'the reference' if yardstick else 'the leading engine'} at the joint that is "
        "farthest; drift is energy from nowhere or to nowhere as a part of all that moved."
    )
    columns = tuple(column.format(unit=unit, tolerance=tolerance) for column in COLUMNS.values())
    return Table(title, words, columns, tuple(tuple(_known(value) for value in row) for row in rows))


def save_table(path: str | os.PathLike[str], table: Table) -> None:
    """Write a .html or .csv file, complete or not at all; raises OSError."""
    text = WRITERS[Path(path).suffix.lower()](table)
    with Draft(path) as draft:
        Path(draft.path).write_text(text, encoding="utf-8", newline="")


def _known(value: str | float | None) -> str | float | None:
    return None if isinstance(value, float) and value != value else value


def _csv(table: Table) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(["" if value is None else value for value in row] for row in table.rows)
    return out.getvalue()


def _html(table: Table) -> str:
    heads = "".join(f"<th>{html.escape(column)}</th>" for column in table.columns)
    rows = "\n".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in table.rows)
    title = html.escape(table.title)
    return _PAGE.format(title=title, words=html.escape(table.words), heads=heads, rows=rows)


def _cell(value: str | float | None) -> str:
    text = "–" if value is None else value if isinstance(value, str) else f"{value:.{DIGITS}g}".replace("-", "−")
    kind = ' class="words"' if isinstance(value, str) else ""
    return f"<td{kind}>{html.escape(text)}</td>"


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>{title}: engines compared</title>
<style>
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 75em; margin: 2em auto; padding: 0 1em; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: 0.4em 0.8em; text-align: right; border-bottom: 1px solid; }}
th {{ vertical-align: bottom; font-weight: 600; }}
th:first-child, .words {{ text-align: left; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{words}</p>
<table>
<thead><tr>{heads}</tr></thead>
<tbody>
{rows}
</tbody>
</table>
</body>
</html>
"""

WRITERS: dict[str, Callable[[Table], str]] = {".html": _html, ".csv": _csv}
