"""Frames to files. Files appear complete or not at all.

An `Encoder` takes finished images. A `Recording` takes snapshots and has them drawn and encoded by a
process of its own (app/video_process.py), so that neither the window nor the physics waits for it.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import queue
import struct
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from app.video_encoder import Encoder, VideoError, format_of, frame_size
from sim.files.draft import discard_drafts

if TYPE_CHECKING:
    from app.render.view import View
    from sim.scene import Scene
    from sim.state import Snapshot

__all__ = ["Encoder", "Progress", "Recording", "VideoError", "format_of", "frame_size", "take_picture"]

ROOT = Path(__file__).resolve().parent.parent
LENGTH = struct.Struct("<Q")  # stands before every pickle in the pipe to the process


@dataclass(frozen=True)
class Progress:
    """How far a recording is. `state`: recording, finishing, done, cancelled or failed (then `sentence` says why)."""

    state: str
    written: int  # frames in the file
    added: int  # frames given to it
    path: Path
    sentence: str = ""

    @property
    def over(self) -> bool:
        return self.state in ("done", "cancelled", "failed")


class Recording:
    """A film being made in a process of its own.

    Nothing here blocks except `wait`. The process takes frames in faster than it draws them: once
    `handed_over` is true this program may end and the film is still completed. If this program dies,
    the process completes the film from the frames it has.
    """

    def __init__(self, path: str | os.PathLike[str], scene: Scene, width: int, height: int, fps: float = 60.0) -> None:
        self.path = Path(os.path.abspath(path))
        self.width, self.height = frame_size(path, width, height)
        self._state, self._sentence = "recording", ""
        self._written = self._added = 0
        self._noise = tempfile.TemporaryFile()  # noqa: SIM115 (what the process says on stderr)
        self._process = _start_process(self._noise)
        self._outbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._outbox.put((str(self.path), scene, self.width, self.height, fps))
        self._writer = threading.Thread(target=self._write, name="recording-writer", daemon=True)
        self._reader = threading.Thread(target=self._read, name="recording-reader", daemon=True)
        self._writer.start()
        self._reader.start()

    def add(self, snapshot: Snapshot, view: View) -> None:
        """One more frame."""
        if self._state == "recording":
            self._added += 1
            self._outbox.put((snapshot, view))

    def finish(self) -> None:
        """No more frames: complete the file. `poll` tells when that is done."""
        if self._state == "recording":
            self._state = "finishing"
            self._outbox.put(None)

    def cancel(self) -> None:
        """Stop and leave no file."""
        if not self.poll().over:
            self._state = "cancelled"
            self._process.kill()
            self._outbox.put(None)

    def poll(self) -> Progress:
        return Progress(self._state, self._written, self._added, self.path, self._sentence)

    @property
    def process_id(self) -> int:
        return self._process.pid

    @property
    def handed_over(self) -> bool:
        """Everything, the end included, has reached the process."""
        return not self._writer.is_alive()

    def wait(self, timeout: float | None = None) -> Progress:
        """Until the process has ended, at most `timeout` seconds."""
        self._reader.join(timeout)
        return self.poll()

    def _write(self) -> None:
        pipe = self._process.stdin
        assert pipe is not None
        # A process that has gone closes the pipe; `_read` says why.
        with contextlib.suppress(OSError), pipe:
            while (item := self._outbox.get()) is not None:
                data = pickle.dumps(item, pickle.HIGHEST_PROTOCOL)
                pipe.write(LENGTH.pack(len(data)) + data)
                pipe.flush()

    def _read(self) -> None:
        pipe = self._process.stdout
        assert pipe is not None
        report: dict[str, Any] = {}
        with pipe:
            for line in pipe:
                report = json.loads(line)
                self._written = report.get("written", self._written)
        code = self._process.wait()
        discard_drafts(self.path, self._process.pid)
        if self._state == "cancelled":
            if "done" in report:
                self.path.unlink(missing_ok=True)
        elif "done" in report:
            self._state = "done"
        else:
            self._sentence = report.get("failed") or self._last_words(code)
            self._state = "failed"
        self._outbox.put(None)
        self._noise.close()

    def _last_words(self, code: int) -> str:
        self._noise.seek(0)
        lines = self._noise.read().decode(errors="replace").strip().splitlines()
        reason = lines[-1] if lines else f"exit code {code}"
        return f'"{self.path.name}" was not written: the recording process ended unexpectedly ({reason}).'


def take_picture(
    path: str | os.PathLike[str], scene: Scene, snapshot: Snapshot, view: View, width: int, height: int
) -> Recording:
    """A picture, drawn and written by the same process; `poll` tells when it is there."""
    picture = Recording(path, scene, width, height)
    picture.add(snapshot, view)
    picture.finish()
    return picture


def _start_process(stderr: IO[bytes]) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "app.video_process"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            start_new_session=True,  # Ctrl+C in the terminal ends this program, not the film
        )
    except OSError as error:
        raise VideoError(f"The recording process did not start: {error.strerror or error}.") from error
