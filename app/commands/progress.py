"""A progress bar on stderr for people at a terminal; silent in a pipe."""

from __future__ import annotations

import sys
import time

from app.commands.interrupt import check

WIDTH = 32
INTERVAL = 0.1  # [s]


class ProgressBar:
    def __init__(self, what: str, total: int) -> None:
        self._what, self._total = what, total
        self._shown = sys.stderr.isatty() and total > 0
        self._next = time.monotonic() + INTERVAL
        self._drawn = False

    def at(self, done: int) -> None:
        check()
        if self._shown and time.monotonic() >= self._next:
            filled = WIDTH * done // self._total
            bar = "█" * filled + "░" * (WIDTH - filled)
            print(f"\r{self._what} {bar} {100 * done // self._total:3d} %", end="", file=sys.stderr, flush=True)
            self._next = time.monotonic() + INTERVAL
            self._drawn = True

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)
