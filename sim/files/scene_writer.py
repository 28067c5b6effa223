"""Scenes written as scene files: what is read back is the same scene, to the last bit."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Item

from sim.check import check
from sim.files.document import EITHER
from sim.files.draft import Draft
from sim.files.scene_data import Data, scene_data
from sim.files.scene_file import parse_scene, read_scene
from sim.files.toml_file import read_text
from sim.scene import Scene, SceneError

# [camera] and [world] are tables of their own; of the others each member is one: [body.NAME].
_SINGLE = ("camera", "world")
_DEPTH = 2  # from which on tables are written in braces


def scene_text(scene: Scene) -> str:
    """A scene file that says this scene and nothing that is understood anyway."""
    check(scene)
    document = tomlkit.document()
    _change(document, {}, scene_data(scene), 0)
    return tomlkit.dumps(document)


def write_scene(scene: Scene, path: str | os.PathLike[str]) -> None:
    """Write a scene file, complete or not at all; raises SceneError and OSError.

    A scene that is there already keeps its comments, its order and its own ways of saying things where
    nothing has changed, if the result reads as exactly this scene; otherwise the file is written anew.
    Variants are kept or, where they cannot be, the file is left alone.
    """
    text = _edited(scene, path) or scene_text(scene)
    with Draft(path) as draft, open(draft.path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _edited(scene: Scene, path: str | os.PathLike[str]) -> str | None:
    """The text of the file with only the changes made in it; None if that is not possible."""
    try:
        before, text = read_scene(path), read_text(os.fspath(path))
    except SceneError:
        return None
    if not scene.variant:
        new = _with_changes(text, scene_data(before), scene_data(scene))
        if new is not None and _says(new, path, scene):
            return new
    if before.variants:
        raise SceneError(f'"{path}" has variants that would be lost; expected another name for this scene')
    return None


def _says(text: str, path: str | os.PathLike[str], scene: Scene) -> bool:
    try:
        return repr(scene_data(parse_scene(text, path))) == repr(scene_data(scene))
    except SceneError:
        return False


def _with_changes(text: str, old: Data, new: Data) -> str | None:
    document = tomlkit.parse(text)
    try:
        _change(document, old, new, 0)
    except (TOMLKitError, KeyError):
        return None
    return tomlkit.dumps(document)


def _change(holder: Any, old: Mapping[str, Any], new: Mapping[str, Any], depth: int) -> None:
    """Down to the keys of single things: what is gone goes, what is new or another value is set."""
    for key in [key for key in old if key not in new]:
        del holder[key]
    for key, value in new.items():
        if key in old and repr(old[key]) == repr(value):
            continue
        if depth < _DEPTH and isinstance(value, dict):
            named = depth == 0 and key not in _SINGLE
            if key not in holder:
                holder.add(key, tomlkit.table(is_super_table=named))
            _change(holder[key], old.get(key, {}), value, 1 if named else _DEPTH)
            continue
        if key in EITHER and EITHER[key] in holder:
            del holder[EITHER[key]]
        holder[key] = _item(value)


def _item(value: Any) -> Item:
    """Tables in braces; lists of tables and of sentences with a line for each member."""
    if isinstance(value, dict):
        members = (f"{tomlkit.key(key).as_string()} = {_item(member).as_string()}" for key, member in value.items())
        return tomlkit.value(f"{{ {', '.join(members)} }}")
    if isinstance(value, list):
        array = tomlkit.array()
        for member in value:
            array.append(_item(member))
        return array.multiline(any(isinstance(m, dict) or (isinstance(m, str) and " " in m) for m in value))
    return tomlkit.item(value)
