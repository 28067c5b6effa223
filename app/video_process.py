"""The process in which a `Recording` is drawn and encoded: `python -m app.video_process`.

stdin: pickles, each after its length: first (path, scene, width, height, fps), then (snapshot, view) for
every frame; the end of the stream completes the film, whether the window asked for it or died.
stdout: one JSON object a line: {"written": n}, and at last {"done": n} or {"failed": sentence}.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import sys
import threading
from typing import IO, Any

from app.render.offscreen import NoOpenGL, OffscreenRenderer
from app.video import LENGTH
from app.video_encoder import Encoder, VideoError

NICENESS = 5  # the window and the physics come first


def main() -> int:
    reports = _take_stdout()
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    inbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(sys.stdin.buffer, inbox), daemon=True).start()
    first = inbox.get()
    if first is None:
        return 0
    try:
        _make_film(pickle.loads(first), inbox, reports)
    except (VideoError, NoOpenGL) as problem:
        _report(reports, failed=str(problem))
        return 1
    return 0


def _make_film(order: tuple[Any, ...], inbox: queue.SimpleQueue[bytes | None], reports: IO[str]) -> None:
    path, scene, width, height, fps = order
    with (
        Encoder(path, width, height, fps) as film,
        contextlib.closing(OffscreenRenderer(scene, film.width, film.height)) as renderer,
    ):
        while (frame := inbox.get()) is not None:
            film.add(renderer.render(*pickle.loads(frame)))
            _report(reports, written=film.frames)
    _report(reports, done=film.frames)


def _read(pipe: IO[bytes], inbox: queue.SimpleQueue[bytes | None]) -> None:
    """Takes in everything at once, so that the window never waits for the drawing; a torn last item is dropped."""
    while len(head := pipe.read(LENGTH.size)) == LENGTH.size:
        (length,) = LENGTH.unpack(head)
        if len(data := pipe.read(length)) < length:
            break
        inbox.put(data)
    inbox.put(None)


def _take_stdout() -> IO[str]:
    """stdout for reports alone: whatever libraries print goes to stderr."""
    reports = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    return reports


def _report(reports: IO[str], **report: Any) -> None:
    with contextlib.suppress(OSError):  # the window has gone; the film is completed all the same
        print(json.dumps(report), file=reports, flush=True)


if __name__ == "__main__":
    sys.exit(main())
