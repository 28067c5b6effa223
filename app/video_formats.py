"""The file formats an `app.video.Encoder` writes: MP4 (H.264), GIF and PNG."""

from __future__ import annotations

import itertools
import struct
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    import av

Array = np.ndarray[Any, np.dtype[Any]]

CENTISECOND = Fraction(1, 100)  # the clock of a GIF


class Format(Protocol):
    """Writes the images of one file to `path`; raises OSError or an error of FFmpeg.

    Images are (height, width, 4) uint8 BGRA, the first row on top.
    """

    def __init__(self, path: str, width: int, height: int, rate: Fraction) -> None: ...

    def add(self, bgra: Array) -> None: ...

    def finish(self) -> None: ...

    def abort(self) -> None:
        """Lets go of the file; what has been written does not matter any more."""


class Mp4:
    """H.264 at a constant rate: image i stands from i/rate to (i+1)/rate.

    The colours are BT.709 and say so: players guess about video that does not.
    """

    def __init__(self, path: str, width: int, height: int, rate: Fraction) -> None:
        import av
        from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc

        self._tick = 1 / rate
        self._count = 0
        self._container = av.open(path, "w", format="mp4", options={"movflags": "+faststart"})
        self._stream = self._container.add_stream("libx264", rate=rate, options={"preset": "veryfast", "crf": "18"})
        self._stream.width, self._stream.height, self._stream.pix_fmt = width, height, "yuv420p"
        codec = self._stream.codec_context
        codec.color_range, codec.colorspace = ColorRange.MPEG, Colorspace.ITU709
        codec.color_primaries, codec.color_trc = ColorPrimaries.BT709, ColorTrc.IEC61966_2_1

    def add(self, bgra: Array) -> None:
        frame = _frame(bgra, "bgra").reformat(format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG")
        frame.pts, frame.time_base = self._count, self._tick
        self._count += 1
        self._container.mux(self._stream.encode(frame))

    def finish(self) -> None:
        self._container.mux(self._stream.encode(None))
        self._container.close()

    def abort(self) -> None:
        self._container.close()


class Gif:
    """One palette for the whole film: counted while the images come in, applied to all of them at the end.

    Until then the images wait, packed, in a temporary file without a name.
    """

    def __init__(self, path: str, width: int, height: int, rate: Fraction) -> None:
        self._path, self._rate, self._shape = path, rate, (height, width, 3)
        self._count = 0
        self._counter = _Filter("palettegen", "reserve_transparent=0", (width, height, "bgr24"))
        self._spool = tempfile.TemporaryFile()  # noqa: SIM115 (closed by finish and abort)

    def add(self, bgra: Array) -> None:
        bgr = np.ascontiguousarray(bgra[:, :, :3])
        self._counter.push(self._timed(bgr, self._count))
        packed = zlib.compress(bgr.data, 1)
        self._spool.write(struct.pack("<Q", len(packed)) + packed)
        self._count += 1

    def finish(self) -> None:
        import av

        self._counter.push(None)
        (palette,) = self._counter.pull()
        height, width, _ = self._shape
        # The ordered (Bayer) pattern stands still where the picture does, so that still parts cost nothing.
        painter = _Filter(
            "paletteuse",
            "dither=bayer:bayer_scale=4:diff_mode=rectangle",
            (width, height, "bgr24"),
            (palette.width, palette.height, palette.format.name),
        )
        painter.push(palette, 1)
        painter.push(None, 1)
        with av.open(self._path, "w", format="gif") as container:
            stream = container.add_stream("gif", rate=self._rate)
            stream.width, stream.height, stream.pix_fmt = width, height, "pal8"
            stream.codec_context.time_base = CENTISECOND
            for frame in itertools.chain(self._waiting(), [None]):
                painter.push(frame)
                for indexed in painter.pull():
                    container.mux(stream.encode(indexed))
            container.mux(stream.encode(None))
        self._spool.close()

    def abort(self) -> None:
        self._spool.close()

    def _waiting(self) -> Iterator[av.VideoFrame]:
        self._spool.seek(0)
        for number in range(self._count):
            (size,) = struct.unpack("<Q", self._spool.read(8))
            bgr = np.frombuffer(zlib.decompress(self._spool.read(size)), np.uint8).reshape(self._shape)
            yield self._timed(bgr, number)

    def _timed(self, bgr: Array, number: int) -> av.VideoFrame:
        frame = _frame(bgr, "bgr24")
        frame.pts, frame.time_base = round(number * 100 / self._rate), CENTISECOND
        return frame


class Png:
    """The last image."""

    def __init__(self, path: str, width: int, height: int, rate: Fraction) -> None:
        self._path = path
        self._last: Array | None = None

    def add(self, bgra: Array) -> None:
        self._last = bgra

    def finish(self) -> None:
        import av

        assert self._last is not None
        frame = _frame(self._last, "bgra").reformat(format="rgb24")
        codec = av.CodecContext.create("png", "w")
        codec.width, codec.height, codec.pix_fmt = frame.width, frame.height, "rgb24"
        codec.time_base = CENTISECOND
        codec.options = {"pred": "none", "compression_level": "9"}  # drawn pictures: the smallest of its ways
        packets = [*codec.encode(frame), *codec.encode(None)]
        Path(self._path).write_bytes(b"".join(bytes(p) for p in packets))

    def abort(self) -> None:
        self._last = None


class _Filter:
    """One FFmpeg filter with as many inputs as `sources`, each (width, height, pixel format)."""

    def __init__(self, name: str, options: str, *sources: tuple[int, int, str]) -> None:
        import av
        import av.filter

        self._graph = av.filter.Graph()
        self._inputs = [
            self._graph.add_buffer(width=w, height=h, format=av.VideoFormat(pixels), time_base=CENTISECOND)
            for w, h, pixels in sources
        ]
        node, self._sink = self._graph.add(name, options), self._graph.add("buffersink")
        for number, source in enumerate(self._inputs):
            source.link_to(node, 0, number)
        node.link_to(self._sink)
        self._graph.configure()
        self._empty = (av.error.BlockingIOError, av.error.EOFError)

    def push(self, frame: av.VideoFrame | None, number: int = 0) -> None:
        self._inputs[number].push(frame)

    def pull(self) -> Iterator[Any]:
        while True:
            try:
                yield self._sink.pull()
            except self._empty:
                return


def _frame(image: Array, pixels: str) -> av.VideoFrame:
    import av

    return av.VideoFrame.from_ndarray(image, format=pixels)


@dataclass(frozen=True)
class FormatKind:
    writer: type[Format]
    moves: bool  # a film, not a picture
    even: bool  # both sides of its images are even
    usual: float  # images a second
    fastest: float


FORMATS = {
    ".mp4": FormatKind(Mp4, moves=True, even=True, usual=60.0, fastest=240.0),
    # Browsers slow delays below 2 centiseconds down to a tenth of a second.
    ".gif": FormatKind(Gif, moves=True, even=False, usual=25.0, fastest=50.0),
    ".png": FormatKind(Png, moves=False, even=False, usual=60.0, fastest=240.0),
}
