"""A TOML file with what it extends, merged, and the file and line of every key in it."""

from __future__ import annotations

import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sim.files.builtin import SCENES, builtin_names
from sim.files.line_index import line_index
from sim.scene import SceneError
from sim.wording import suggestion

KeyPath = tuple[str, ...]

LARGEST_FILE = 10_000_000  # bytes

# Keys of one thing that exclude each other: an extending file that gives one takes the other back.
_EITHER = {"shape": "shapes", "shapes": "shape", "mass": "density", "density": "mass"}
# Tables that are one value; they replace instead of merging.
_VALUES = ("shape", "rotation", "child_rotation")

_TOML_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", re.DOTALL)
_TWICE = ("Cannot overwrite a value", "Cannot declare", "Cannot mutate immutable", "Duplicate inline table key")


@dataclass
class Document:
    """`file` as the user wrote it; `places` is key path -> (file, line)."""

    file: str
    data: dict[str, Any]
    places: dict[KeyPath, tuple[str, int]]

    def place(self, where: KeyPath) -> tuple[str, int]:
        """File and line of a key, or of the table it should stand in."""
        if len(where) >= 4 and where[2:4] == ("shapes", "0") and where[:3] not in self.places:
            where = (*where[:2], "shape", *where[4:])
        while where and where not in self.places:
            where = where[:-1]
        return self.places.get(where, (self.file, 1))

    def located(self, error: SceneError) -> SceneError:
        """The same mistake with file and line in front."""
        file, line = self.place(error.where)
        sentence = " ".join(str(error).split())  # names may contain line breaks
        return SceneError(f"{file}:{line}: {sentence}", error.where)


def read_document(path: str | os.PathLike[str], extending: tuple[Path, ...] = ()) -> Document:
    """Reads a file and what it extends; `extending` are the files that led here."""
    file = os.fspath(path)
    text = _read_text(file)
    document = _parse(file, text)
    if "extends" not in document.data:
        return document
    chain = (*extending, Path(file).resolve())
    try:
        base = _base_path(document, chain)
    except SceneError as error:
        raise document.located(error) from None
    return _merged(read_document(base, chain), document)


def _read_text(file: str) -> str:
    if os.path.exists(file) and not os.path.isfile(file):
        kind = "a directory" if os.path.isdir(file) else "not a regular file"
        raise SceneError(f"{file}:1: this is {kind}; expected a scene file (.toml)")
    try:
        with open(file, "rb") as stream:
            raw = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise SceneError(f"{file}:1: there is no such file; expected a scene file (.toml)") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SceneError(f"{file}:1: the file cannot be read ({reason}); expected a scene file (.toml)") from None
    if len(raw) > LARGEST_FILE:
        raise SceneError(f"{file}:1: the file is larger than 10 MB; expected a scene file (.toml)")
    try:
        return raw.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise SceneError(f"{file}:{line}: this is not UTF-8 text; expected a scene file (.toml)") from None


def _parse(file: str, text: str) -> Document:
    if not text.strip():
        raise SceneError(f"{file}:1: the file is empty; expected a scene with at least one [body.NAME]")
    try:
        data = tomllib.loads(text)
        lines = line_index(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(file, text, str(error)) from None
    except ValueError:  # Python refuses to read whole numbers of more than 4300 digits
        digits = re.search(r"[0-9_]{4300}", text)
        line = text.count("\n", 0, digits.start()) + 1 if digits else 1
        raise SceneError(f"{file}:{line}: a number has thousands of digits; expected fewer") from None
    except RecursionError:
        raise SceneError(f"{file}:1: brackets are nested too deeply; expected a scene file (.toml)") from None
    return Document(file, data, {key: (file, line) for key, line in lines.items()})


def _syntax_error(file: str, text: str, message: str) -> SceneError:
    """tomllib's message, with the line in front and without the column."""
    match = _TOML_PLACE.fullmatch(message)
    reason, line = (match[1], match[2]) if match else (message, None)
    rows = text.rstrip().split("\n")
    number = int(line) if line else len(rows)
    row = rows[number - 1].strip() if number <= len(rows) else ""
    if reason.startswith(_TWICE):
        return SceneError(f"{file}:{number}: {_twice(reason, row)}")
    reason = reason[:1].lower() + reason[1:]
    return SceneError(f"{file}:{number}: this is not valid TOML: {reason}")


def _twice(reason: str, row: str) -> str:
    """What is there already, from tomllib's reason and the row it stands in."""
    if row.startswith("[") and "overwrite" in reason:
        return f"the table {row} clashes with a key further up; expected another name"
    if row.startswith("["):
        return f"the table {row} is given twice; expected it once"
    inline = re.fullmatch(r"Duplicate inline table key '(.*)'", reason)
    key = inline[1] if inline else row.partition("=")[0].strip()
    return f'the key "{key}" is given twice; expected it once'


def _base_path(document: Document, chain: tuple[Path, ...]) -> str:
    """Where `extends` leads: to a built-in scene or to a file beside this one."""
    name = document.data["extends"]
    where = ("extends",)
    if not isinstance(name, str) or not name:
        raise SceneError("extends is not a name; expected a built-in scene or a file in quotes", where)
    if name in builtin_names():
        base = str(SCENES / f"{name}.toml")
    else:
        base = os.path.join(os.path.dirname(document.file), name)
        if not os.path.isfile(base):
            hint = suggestion(name, builtin_names())
            raise SceneError(f'extends names "{name}", but there is no such scene or file; {hint}', where)
    if Path(base).resolve() in chain:
        raise SceneError(f'extends leads back to "{name}"; expected a scene that does not extend this one', where)
    return base


def _merged(base: Document, over: Document) -> Document:
    """Tables merge, everything else replaces."""
    data, places = dict(base.data), dict(base.places)
    del over.data["extends"]
    _merge(data, over.data, (), places)
    return Document(over.file, data, places | over.places)


def _merge(data: dict[str, Any], over: dict[str, Any], path: KeyPath, places: dict[KeyPath, Any]) -> None:
    for key, value in over.items():
        where = (*path, key)
        old = data.get(key)
        one_value = len(where) == 3 and key in _VALUES
        if isinstance(value, dict) and isinstance(old, dict) and not one_value:
            data[key] = dict(old)
            _merge(data[key], value, where, places)
            continue
        if len(where) == 3 and key in _EITHER:
            data.pop(_EITHER[key], None)
            _forget(places, (*path, _EITHER[key]))
        data[key] = value
        _forget(places, where)


def _forget(places: dict[KeyPath, Any], where: KeyPath) -> None:
    for path in [path for path in places if path[: len(where)] == where]:
        del places[path]
