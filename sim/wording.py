"""How sentences about scenes name places and offer alternatives."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

Where = tuple[str, ...]  # the key path of something in a scene file


def place(where: Where) -> str:
    """A table of a scene in words: ("body", "arm", "shapes", "0") is: shape 1 of body "arm"."""
    if len(where) == 0:
        return "the scene"
    if len(where) == 1:
        return f"the {where[0]}"
    if len(where) == 2 and where[0] != "world":
        return f'{where[0]} "{where[1]}"'
    if where[-1].isdigit():
        return f"{where[-2].removesuffix('s')} {int(where[-1]) + 1} of {place(where[:-2])}"
    return f"{where[-1]} of {place(where[:-1])}"


def at(table: Where, sentence: str) -> str:
    """A sentence about something in a table."""
    return f"{place(table)}: {sentence}" if table else sentence


def numbers(count: int) -> str:
    """How many of them, in words: 1 number, 2 numbers."""
    return "1 number" if count == 1 else f"{count} numbers"


def suggestion(name: str, known: Iterable[str]) -> str:
    """What may have been meant instead of `name`."""
    known = list(known)
    close = difflib.get_close_matches(name.lower(), known, n=1)
    if close:
        return f'did you mean "{close[0]}"?'
    return f"expected {listing(known, 'or')}" if known else "there is none"


def listing(words: Iterable[str], last: str = "and") -> str:
    """a, b and c"""
    *front, end = words
    return f"{', '.join(front)} {last} {end}" if front else end


def find(names: tuple[str, ...], name: str, what: str) -> int:
    """The place of a name, or a sentence about those there are."""
    if name not in names:
        raise ValueError(f'There is no {what} "{name}" in this scene; there are {", ".join(names) or "none"}.')
    return names.index(name)
