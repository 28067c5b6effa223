"""In which line of a TOML text each key stands.

`tomllib` gives values without places. This walks over a text that `tomllib` has already accepted, so it
only has to tell keys, strings and brackets apart, never to judge them.
"""

from __future__ import annotations

import re
import tomllib
from bisect import bisect_left

Path = tuple[str, ...]

_SPACE = re.compile(r"[ \t]*")
_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
KEY = re.compile(r"""[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*"|'[^']*'""")
_SCALAR = re.compile(
    r'"""(?:[^"\\]|\\.|"{1,2}(?!"))*"{3,5}'
    r"|'''(?:[^']|'{1,2}(?!'))*'{3,5}"
    r'|"(?:[^"\\]|\\.)*"'
    r"|'[^']*'"
    r"|[^,\]}\n#]+",
    re.DOTALL,
)


def line_index(text: str) -> dict[Path, int]:
    """Key path -> line, counted from 1; members of arrays have their number as key: ("plots", "0").

    A table that has no header of its own stands where it is first mentioned.
    """
    return _Walk(text).document()


class _Walk:
    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n")
        self.newlines = [m.start() for m in re.finditer("\n", self.text)]
        self.at = 0
        self.lines: dict[Path, int] = {}
        self.array_tables: dict[Path, int] = {}  # [[path]] -> how many so far

    def document(self) -> dict[Path, int]:
        table: Path = ()
        self.take(_BLANK)
        while self.at < len(self.text):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.take(_BLANK)
        return self.lines

    def header(self) -> Path:
        """[a.b], or [[a.b]] which begins the next member of an array."""
        line = self.line()
        many = self.text.startswith("[[", self.at)
        self.at += 2 if many else 1
        path: Path = ()
        for part in self.key():
            path = self.member(path)
            path = self.mention((*path, part), line)
        self.at += 2 if many else 1
        if many:
            self.array_tables[path] = self.array_tables.get(path, -1) + 1
        path = self.member(path)
        self.lines[path] = line
        return path

    def member(self, path: Path) -> Path:
        """The member of an array of tables that is being written, if the path is one."""
        return (*path, str(self.array_tables[path])) if path in self.array_tables else path

    def pair(self, table: Path) -> None:
        """key = value, where the key may be dotted."""
        line = self.line()
        path = table
        for part in self.key():
            path = self.mention((*path, part), line)
        self.at += 1  # the equals sign
        self.take(_SPACE)
        self.value(path)

    def key(self) -> list[str]:
        """Dotted parts; ends before `=` or `]`."""
        parts = []
        while True:
            self.take(_SPACE)
            parts.append(plain_key(self.take(KEY)))
            self.take(_SPACE)
            if self.text[self.at] != ".":
                return parts
            self.at += 1

    def value(self, path: Path) -> None:
        opening = self.text[self.at]
        if opening == "[":
            self.members(path, "]")
        elif opening == "{":
            self.members(path, "}")
        else:
            self.take(_SCALAR)

    def members(self, path: Path, closing: str) -> None:
        """What stands between brackets or braces, with its commas."""
        self.at += 1
        self.take(_BLANK)
        number = 0
        while self.text[self.at] != closing:
            if closing == "]":
                self.value(self.mention((*path, str(number)), self.line()))
            else:
                self.pair(path)
            number += 1
            self.take(_BLANK)
            if self.text[self.at] == ",":
                self.at += 1
                self.take(_BLANK)
        self.at += 1

    def mention(self, path: Path, line: int) -> Path:
        self.lines.setdefault(path, line)
        return path

    def line(self) -> int:
        return bisect_left(self.newlines, self.at) + 1

    def take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.at)
        assert match is not None, "not a TOML text"
        self.at = match.end()
        return match.group()


def plain_key(key: str) -> str:
    """A key without its quotes and escapes."""
    if key[0] not in "\"'":
        return key
    return str(tomllib.loads(f"key = {key}")["key"])
