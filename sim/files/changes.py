"""Single values changed from outside a scene file: joint.elbow.damping=0.2."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from copy import copy
from typing import Any

from sim.files.document import EITHER, Document, is_own
from sim.files.line_index import KEY, plain_key
from sim.files.reader import shown
from sim.files.toml_file import KeyPath
from sim.scene import SceneError
from sim.wording import suggestion

# Things that a change must find in the scene; others, an input say, it may add.
_MUST_EXIST = ("body", "joint", "chain", "frame", "target")

_PATH = re.compile(rf"\s*(?:{KEY.pattern})(?:\s*\.\s*(?:{KEY.pattern}))*\s*")
_TEXT = re.compile(r"[^\"'\[{\s][^\n]*")


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


def apply_changes(document: Document, changes: Mapping[str, object], *, chains: bool) -> None:
    """Sets values at their key paths: those of chains and arms, to be expanded afterwards, or all the others."""
    for path, value in changes.items():
        where = _key_path(path)
        if (where[0] in ("chain", "dh")) != chains:
            continue
        try:
            _set(document, where, list(value) if isinstance(value, tuple) else value)
        except SceneError as error:
            raise SceneError(f"{path}: {error}", where) from None
        document.forget(where)
        for depth in range(1, len(where) + 1):
            document.places.setdefault(where[:depth], path)


def _key_path(path: str) -> KeyPath:
    if not _PATH.fullmatch(path):
        raise SceneError(f'"{path}" is not the path of a key; expected one such as joint.elbow.damping')
    return tuple(plain_key(part) for part in KEY.findall(path))


def _set(document: Document, where: KeyPath, value: object) -> None:
    """Copies the tables and lists on the way down: the links of a chain share theirs."""
    _refuse_unknown(document.data, where)
    holder: Any = document.data
    for above, key in zip(("", *where), where[:-1], strict=False):
        index = _index(holder, key, above)
        holder[index] = copy(holder[index]) if index in holder or isinstance(holder, list) else {}
        holder = holder[index]
    index = _index(holder, where[-1], where[-2] if len(where) > 1 else "")
    if is_own(where) and index in EITHER:
        holder.pop(EITHER[index], None)
        document.forget((*where[:-1], EITHER[index]))
    holder[index] = value


def _index(holder: object, key: str, name: str) -> Any:
    """A key of a table, or the number of a list's member."""
    if isinstance(holder, dict):
        return key
    if not isinstance(holder, list):
        raise SceneError(f"{name} is {shown(holder)}, which has no parts; expected a shorter path")
    if not key.isdigit() or int(key) >= len(holder):
        raise SceneError(f'{name} has no member "{key}"; expected 0 to {len(holder) - 1}')
    return int(key)


def _refuse_unknown(data: Mapping[str, Any], where: KeyPath) -> None:
    if where[0] in ("extends", "variant"):
        raise SceneError(f"{where[0]} cannot be changed from outside; expected a key of the scene itself")
    if len(where) < 2 or where[0] not in _MUST_EXIST:
        return
    names = data.get(where[0], {})
    if isinstance(names, dict) and where[1] not in names:
        raise SceneError(f'there is no {where[0]} "{where[1]}"; {suggestion(where[1], names)}')
