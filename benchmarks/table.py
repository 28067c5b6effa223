"""Measured values with their bounds, and the lines they are printed in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

AT_MOST, AT_LEAST = "at most", "at least"
WIDTH = 64  # of what was measured


@dataclass(frozen=True)
class Row:
    """One promise: what was measured, and the bound it has to keep."""

    what: str
    value: float
    bound: float
    unit: str = ""
    side: str = AT_MOST

    @property
    def kept(self) -> bool:
        """A value that could not be measured is nan, and keeps no bound."""
        return self.value <= self.bound if self.side == AT_MOST else self.value >= self.bound

    def __str__(self) -> str:
        mark = "ok  " if self.kept else "PAST"
        value, bound = number(self.value), number(self.bound)
        return f"{mark} {self.what:{WIDTH}} {value:>9} {self.unit:3}  {self.side} {bound} {self.unit}".rstrip()


def at_most(what: str, value: float, bound: float, unit: str = "") -> Row:
    return Row(what, value, bound, unit, AT_MOST)


def at_least(what: str, value: float, bound: float, unit: str = "") -> Row:
    return Row(what, value, bound, unit, AT_LEAST)


def number(value: float) -> str:
    """Three digits, without an exponent where people read one badly; "none" for what was not measured."""
    if math.isnan(value):
        return "none"
    return f"{value:.0f}" if 1e3 <= abs(value) < 1e6 else f"{value:.3g}"


def columns(heads: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    """Values without bounds: heads and lines in columns, words to the left, numbers to the right."""
    cells = [[number(cell) if isinstance(cell, float) else str(cell) for cell in line] for line in lines]
    widths = [max(len(row[k]) for row in [heads, *cells]) for k in range(len(heads))]
    left = [any(isinstance(line[k], str) for line in lines) for k in range(len(heads))]
    return "\n".join(
        "     "
        + "   ".join(
            f"{cell:<{width}}" if words else f"{cell:>{width}}"
            for cell, width, words in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in [heads, *cells]
    )
