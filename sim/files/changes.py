"""Single values changed from outside a scene file: joint.elbow.damping=0.2."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, NamedTuple

from sim.files.document import EITHER, Document, is_own
from sim.files.line_index import KEY, plain_key
from sim.files.reader import shown
from sim.files.toml_file import KeyPath
from sim.scene import SceneError
from sim.wording import suggestion

# Things that a change must find in the scene; others, an input say, it may add.
_MUST_EXIST = ("body", "joint", "chain", "dh", "frame", "target")

_PATH = re.compile(rf"\s*(?:{KEY.pattern})(?:\s*\.\s*(?:{KEY.pattern}))*\s*")
_TEXT = re.compile(r"[^\"'\[{\s][^\n]*")


class Change(NamedTuple):
    path: str  # as the user wrote it
    where: KeyPath
    value: object


def parse_change(text: str) -> tuple[str, object]:
    """PATH=VALUE, the value as in a scene file; a word without quotes is text. Raises SceneError."""
    match = _PATH.match(text)
    if match is None or text[match.end() : match.end() + 1] != "=":
        raise SceneError(f'"{text}" is not a change; expected one such as joint.elbow.damping=0.2')
    path, value = match.group().strip(), text[match.end() + 1 :].strip()
    try:
        read = tomllib.loads(f"value = {value}")
        if list(read) == ["value"]:
            return path, read["value"]
    except (ValueError, RecursionError):
        if _TEXT.fullmatch(value):
            return path, value
    raise SceneError(f'{path}: "{value}" is not a value; expected one as in a scene file, such as 0.2 or [1, 2, 3]')


def key_paths(changes: Mapping[str, object]) -> list[Change]:
    """The changes with their paths taken apart; a name with dots is quoted as in a scene file."""
    for path in changes:
        if not _PATH.fullmatch(path):
            raise SceneError(f'"{path}" is not the path of a key; expected one such as joint.elbow.damping')
    return [Change(path, tuple(map(plain_key, KEY.findall(path))), value) for path, value in changes.items()]


def apply_changes(document: Document, changes: Sequence[Change], *, chains: bool) -> None:
    """Sets values at their key paths: those of chains and arms, to be expanded afterwards, or all the others."""
    for path, where, value in changes:
        if (where[0] in ("chain", "dh")) != chains:
            continue
        for depth in range(1, len(where)):
            document.places.setdefault(where[:depth], path)
        document.forget(where)
        document.places[where] = path
        _refuse_unknown(document.data, where)
        _set(document, where, list(value) if isinstance(value, tuple) else value)


def _set(document: Document, where: KeyPath, value: object) -> None:
    """Copies the tables and lists on the way down: the links of a chain share theirs."""
    holder: Any = document.data
    for depth in range(len(where) - 1):
        index = _index(holder, where, depth)
        holder[index] = copy(holder[index]) if isinstance(holder, list) or index in holder else {}
        holder = holder[index]
    index = _index(holder, where, len(where) - 1)
    if is_own(where) and index in EITHER:
        holder.pop(EITHER[index], None)
        document.forget((*where[:-1], EITHER[index]))
    holder[index] = value


def _index(holder: object, where: KeyPath, depth: int) -> Any:
    """A key of a table, or the number of a list's member."""
    key = where[depth]
    if isinstance(holder, dict):
        return key
    name = where[depth - 1]
    if not isinstance(holder, list):
        raise SceneError(f"{name} is {shown(holder)}, which has no parts; expected a shorter path", where)
    if not key.isdigit() or int(key) >= len(holder):
        raise SceneError(f'{name} has no member "{key}"; expected 0 to {len(holder) - 1}', where)
    return int(key)


def _refuse_unknown(data: Mapping[str, Any], where: KeyPath) -> None:
    if where[0] in ("extends", "variant"):
        raise SceneError(f"{where[0]} cannot be changed from outside; expected a key of the scene itself", where)
    names = data.get(where[0], {})
    if len(where) > 1 and where[0] in _MUST_EXIST and isinstance(names, dict) and where[1] not in names:
        raise SceneError(f'there is no {where[0]} "{where[1]}"; {suggestion(where[1], names)}', where)
