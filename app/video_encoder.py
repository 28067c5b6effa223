"""Images to a file of one of the formats in app/video_formats.py; it appears complete or not at all."""

from __future__ import annotations

import contextlib
import importlib.util
import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from app.video_formats import FORMATS, FormatKind
from sim.files.draft import Draft, cannot_write

Array = np.ndarray[Any, np.dtype[Any]]

SMALLEST, LARGEST = 16, 8192  # sides of an image [px]


class VideoError(RuntimeError):
    """A picture or video that cannot be written, in one sentence."""


def format_of(path: str | os.PathLike[str]) -> FormatKind:
    """The format that the end of the name asks for."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        ends = ", ".join(FORMATS)
        raise VideoError(f'"{path}" should end in one of {ends}: the end of the name chooses the format.')
    return FORMATS[suffix]


def frame_size(path: str | os.PathLike[str], width: int, height: int) -> tuple[int, int]:
    """The size in which images for this file are drawn: H.264 wants even sides."""
    return (width & ~1, height & ~1) if format_of(path).even else (width, height)


class Encoder:
    """Writes images of one size to an .mp4, .gif or .png (the last image) file.

    `width` and `height` become those of `frame_size`. As a context it finishes on success and aborts
    on any exception. Every failure is a VideoError and leaves no file.
    """

    def __init__(self, path: str | os.PathLike[str], width: int, height: int, fps: float = 60.0) -> None:
        kind = format_of(path)
        if not 1 <= fps <= kind.fastest:
            raise VideoError(f"A {Path(path).suffix} file shows 1 to {kind.fastest:g} images a second, not {fps:g}.")
        if not all(SMALLEST <= side <= LARGEST for side in (width, height)):
            raise VideoError(f"Images are {SMALLEST} to {LARGEST} pixels wide and high, not {width}×{height}.")
        if importlib.util.find_spec("av") is None:
            raise VideoError("Pictures and videos are written by PyAV, which is not installed: `pip install av`.")
        self.path = Path(path)
        self.width, self.height = frame_size(path, width, height)
        self.frames = 0
        self._draft: Draft | None = None
        with self._failures_explained():
            self._draft = Draft(path)
            rate = Fraction(fps).limit_denominator(1001)
            self._writer = kind.writer(self._draft.path, self.width, self.height, rate)

    def add(self, bgra: Array) -> None:
        """One more image, (height, width, 4) uint8, the first row on top."""
        if bgra.shape != (self.height, self.width, 4):
            raise ValueError(f"an image of {(self.height, self.width, 4)} was expected, not {bgra.shape}")
        with self._failures_explained():
            self._writer.add(np.ascontiguousarray(bgra))
        self.frames += 1

    def finish(self) -> None:
        """Complete the file and give it its name."""
        if self.frames == 0:
            self.abort()
            raise VideoError(f'"{self.path}" was not written: there was nothing to record.')
        with self._failures_explained():
            self._writer.finish()
            if self._draft:
                self._draft.publish()

    def abort(self) -> None:
        """Leave no file."""
        with contextlib.suppress(*_failures()):
            self._writer.abort()
        if self._draft:
            self._draft.discard()

    @contextlib.contextmanager
    def _failures_explained(self) -> Iterator[None]:
        try:
            yield
        except _failures() as error:
            if self._draft:
                self._draft.discard()
            raise VideoError(_sentence(self.path, error)) from error

    def __enter__(self) -> Encoder:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.finish()
        else:
            self.abort()


def _failures() -> tuple[type[Exception], ...]:
    """What PyAV raises when a file cannot be written or an encoder is missing."""
    from av.codec.codec import UnknownCodecError
    from av.error import FFmpegError

    return (OSError, FFmpegError, UnknownCodecError)


def _sentence(path: Path, error: Exception) -> str:
    if isinstance(error, OSError):
        return cannot_write(path, error)
    reason = getattr(error, "strerror", None) or f'this PyAV has no encoder "{error}"; `pip install av` brings one'
    return f'Cannot write "{path}": {reason}.'
