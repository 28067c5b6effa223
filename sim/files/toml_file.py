"""A TOML file: its values, the line of every key in it, and one sentence for whatever keeps it from being one."""

from __future__ import annotations

import os
import re
import tomllib
from typing import Any

from sim.files.line_index import line_index
from sim.past import is_run_file
from sim.scene import SceneError

KeyPath = tuple[str, ...]

LARGEST_FILE = 10_000_000  # bytes

_TOML_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", re.DOTALL)
_TWICE = ("Cannot overwrite a value", "Cannot declare", "Cannot mutate immutable", "Duplicate inline table key")


def read_toml(file: str) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    """Values and lines; raises SceneError that begins with "FILE:LINE: "."""
    return parse_toml(file, read_text(file))


def read_text(file: str) -> str:
    """UTF-8 with or without a byte order mark, line ends of any system."""
    if is_run_file(file):
        raise SceneError(f"{file}:1: this is a saved run, not a scene; `main.py replay {file}` takes it again")
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


def parse_toml(file: str, text: str) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    """The same of a text that is to be the file's."""
    if not text.strip():
        raise SceneError(f"{file}:1: the file is empty; expected a scene with at least one [body.NAME]")
    try:
        return tomllib.loads(text), line_index(text)
    except tomllib.TOMLDecodeError as error:
        raise _syntax_error(file, text, str(error)) from None
    except ValueError:  # Python refuses to read whole numbers of more than 4300 digits
        digits = re.search(r"[0-9_]{4300}", text)
        line = text.count("\n", 0, digits.start()) + 1 if digits else 1
        raise SceneError(f"{file}:{line}: a number has thousands of digits; expected fewer") from None
    except RecursionError:
        raise SceneError(f"{file}:1: brackets are nested too deeply; expected a scene file (.toml)") from None


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
