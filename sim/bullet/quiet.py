"""The one import of pybullet. Its C code announces its build time on stderr, which is kept from people."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def _silence() -> Iterator[None]:
    """File descriptors 1 and 2 lead nowhere; sys.stdout would not do, since C code writes past it."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = [(fd, os.dup(fd)) for fd in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for fd, _ in kept:
            os.dup2(nowhere, fd)
        yield
    finally:
        for fd, copy in kept:
            os.dup2(copy, fd)
            os.close(copy)
        os.close(nowhere)


with _silence():
    import pybullet

__all__ = ["pybullet"]
