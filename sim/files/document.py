"""A scene file with what it extends, its variants and changes laid over it, and the place of every key."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.files.builtin import SCENES, builtin_names, split_variant
from sim.files.toml_file import KeyPath, parse_toml, read_toml
from sim.scene import SceneError
from sim.wording import suggestion

# Keys of one thing that exclude each other: what is laid over and gives one takes the other back.
EITHER = {"shape": "shapes", "shapes": "shape", "mass": "density", "density": "mass"}
PATH_KINDS = ("circle", "line", "waypoints", "formula")
# Tables that are one value; they replace instead of merging.
_VALUES = ("shape", "rotation", "child_rotation", "q")


@dataclass
class Document:
    """`file` as the user wrote it; `places` is key path -> "FILE:LINE", or the change that the key came from."""

    file: str
    data: dict[str, Any]
    places: dict[KeyPath, str]

    def place(self, where: KeyPath) -> str:
        """Of a key, or of the table it should stand in."""
        if len(where) >= 4 and where[2:4] == ("shapes", "0") and where[:3] not in self.places:
            where = (*where[:2], "shape", *where[4:])
        while where and where not in self.places:
            where = where[:-1]
        return self.places.get(where, f"{self.file}:1")

    def located(self, error: SceneError) -> SceneError:
        """The same mistake with its place in front."""
        sentence = " ".join(str(error).split())  # names may contain line breaks
        return SceneError(f"{self.place(error.where)}: {sentence}", error.where)

    def lay_over(self, data: Mapping[str, Any], places: Mapping[KeyPath, str]) -> None:
        """Tables merge, everything else replaces."""
        self._merge(self.data, data, ())
        self.places.update(places)

    def below(self, where: KeyPath) -> dict[KeyPath, str]:
        """The places of a table and what stands in it, by the key paths within it."""
        n = len(where)
        return {path[n:]: place for path, place in self.places.items() if path[:n] == where}

    def forget(self, where: KeyPath) -> None:
        for path in [path for path in self.places if path[: len(where)] == where]:
            del self.places[path]

    def _merge(self, data: dict[str, Any], over: Mapping[str, Any], path: KeyPath) -> None:
        for key, value in over.items():
            where = (*path, key)
            old = data.get(key)
            own = is_own(where)
            if isinstance(value, dict) and isinstance(old, dict) and not (own and _is_whole(key, value)):
                data[key] = dict(old)
                self._merge(data[key], value, where)
                continue
            if own and key in EITHER:
                data.pop(EITHER[key], None)
                self.forget((*path, EITHER[key]))
            data[key] = value
            self.forget(where)


def _is_whole(key: str, value: Mapping[str, Any]) -> bool:
    """Is this table one value, or a path of another kind?"""
    return key in _VALUES or (key == "path" and any(kind in value for kind in PATH_KINDS))


def is_own(where: KeyPath) -> bool:
    """Is this the key of a body, a joint or the like, wherever that is described?"""
    if where[0] == "variant":
        where = where[2:]
    if where[:1] == ("chain",):
        where = (*where[2:3], *where[1:2], *where[3:])
    return len(where) == (2 if where[:1] == ("world",) else 3)


def read_document(path: str | os.PathLike[str], extending: tuple[Path, ...] = (), text: str | None = None) -> Document:
    """Reads a file, or takes `text` for what it says, and what it extends; `extending` are the files that led here."""
    file = os.fspath(path)
    data, lines = read_toml(file) if text is None else parse_toml(file, text)
    document = Document(file, data, {key: f"{file}:{line}" for key, line in lines.items()})
    if "extends" not in data:
        return document
    chain = (*extending, Path(file).resolve())
    try:
        base_path, variant = _base(document, chain)
    except SceneError as error:
        raise document.located(error) from None
    base = read_document(base_path, chain)
    try:
        choose_variant(base, variant)
    except SceneError as error:
        raise document.located(SceneError(f"extends: {error}", ("extends",))) from None
    del data["extends"]
    base.lay_over(data, document.places)
    base.file = file
    return base


def _base(document: Document, chain: tuple[Path, ...]) -> tuple[str, str | None]:
    """Where `extends` leads: to a built-in scene or to a file beside this one, and to which variant."""
    name = document.data["extends"]
    where = ("extends",)
    if not isinstance(name, str) or not name:
        raise SceneError("extends is not a name; expected a built-in scene or a file in quotes", where)
    folder = os.path.dirname(document.file)
    scene, variant = split_variant(name, folder)
    base = str(SCENES / f"{scene}.toml") if scene in builtin_names() else os.path.join(folder, scene)
    if not os.path.isfile(base):
        hint = suggestion(scene, builtin_names())
        raise SceneError(f'extends names "{name}", but there is no such scene or file; {hint}', where)
    if Path(base).resolve() in chain:
        raise SceneError(f'extends leads back to "{name}"; expected a scene that does not extend this one', where)
    return base, variant


def choose_variant(document: Document, name: str | None) -> None:
    """Lays the changes of a variant over the rest; raises SceneError if there is no such variant."""
    if name is None:
        return
    variants = document.data.get("variant", {})
    if not isinstance(variants, dict) or not isinstance(variants.get(name, {}), dict):
        return  # a mistake that the reader names
    if not variants:
        raise SceneError(f'the scene has no variants; expected it without ":{name}"')
    if name not in variants:
        raise SceneError(f'the scene has no variant "{name}"; {suggestion(name, variants)}', ("variant",))
    document.lay_over(
        variants[name], {where: place for where, place in document.below(("variant", name)).items() if where}
    )
