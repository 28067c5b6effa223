"""Files made of a moving disc, read back with a decoder."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pytest

from app.video import ROOT, Encoder, VideoError, frame_size

WIDTH, HEIGHT = 160, 120
BACKGROUND, DISC = (200, 190, 180), (20, 140, 240)  # BGR


def disc_centre(number: int) -> tuple[float, float]:
    return 30.0 + 2.0 * number, 60.0 + number


def image(number: int, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    x, y = disc_centre(number)
    row, column = np.mgrid[:height, :width]
    bgra = np.full((height, width, 4), (*BACKGROUND, 255), np.uint8)
    bgra[(column - x) ** 2 + (row - y) ** 2 < 15**2] = (*DISC, 255)
    return bgra


def make(path: Path, count: int, fps: float) -> Path:
    with Encoder(path, WIDTH, HEIGHT, fps) as film:
        for number in range(count):
            film.add(image(number))
    return path


def decoded(path: Path) -> list[av.VideoFrame]:
    with av.open(str(path)) as container:
        return list(container.decode(video=0))


def seen_disc(frame: av.VideoFrame) -> np.ndarray:
    """Centroid (x, y) of what looks like the disc."""
    rgb = frame.to_ndarray(format="rgb24").astype(float)
    row, column = np.nonzero(np.abs(rgb - DISC[::-1]).sum(axis=2) < 60)
    return np.array([column.mean(), row.mean()])


@pytest.mark.parametrize("fps", [60.0, 25.0, 29.97])
def test_mp4_has_every_frame_at_its_time(tmp_path: Path, fps: float) -> None:
    path = make(tmp_path / "disc.mp4", 31, fps)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        assert stream.codec_context.name == "h264"
        assert stream.codec_context.pix_fmt == "yuv420p"
        assert float(stream.average_rate) == pytest.approx(fps, abs=0.001)
        assert float(stream.duration * stream.time_base) == pytest.approx(31 / fps, abs=1e-3)
        times = [frame.time for frame in container.decode(stream)]
    assert times == pytest.approx([n / fps for n in range(31)], abs=1e-3)


@pytest.mark.parametrize("name", ["disc.mp4", "disc.gif"])
def test_film_shows_the_motion_in_its_colours(tmp_path: Path, name: str) -> None:
    frames = decoded(make(tmp_path / name, 20, 25.0))
    assert len(frames) == 20
    for number, frame in enumerate(frames):
        assert np.allclose(seen_disc(frame), disc_centre(number), atol=0.7)
        corner = frame.to_ndarray(format="rgb24")[:8, -8:].reshape(-1, 3).mean(axis=0)
        assert np.allclose(corner, BACKGROUND[::-1], atol=4)


def test_mp4_starts_with_its_index(tmp_path: Path) -> None:
    """So that a browser plays it before it is complete."""
    data = make(tmp_path / "disc.mp4", 10, 60).read_bytes()
    assert data.index(b"moov") < data.index(b"mdat")


@pytest.mark.parametrize(("fps", "count"), [(25.0, 20), (30.0, 30), (50.0, 25)])
def test_gif_runs_at_the_chosen_rate_for_ever(tmp_path: Path, fps: float, count: int) -> None:
    path = make(tmp_path / "disc.gif", count, fps)
    frames = decoded(path)
    assert len(frames) == count
    assert [f.pts * f.time_base for f in frames] == pytest.approx([n / fps for n in range(count)], abs=0.0051)
    with av.open(str(path)) as container:
        assert container.duration / av.time_base == pytest.approx(count / fps, abs=0.011)
    assert b"NETSCAPE2.0\x03\x01\x00\x00\x00" in path.read_bytes()
    assert path.stat().st_size < count * 2000


def test_png_is_the_last_image_exactly(tmp_path: Path) -> None:
    path = make(tmp_path / "disc.png", 3, 60)
    (frame,) = decoded(path)
    assert frame.format.name == "rgb24"
    assert np.array_equal(frame.to_ndarray(format="rgb24"), image(2)[:, :, 2::-1])


def test_odd_sizes_become_even_for_mp4_only(tmp_path: Path) -> None:
    assert frame_size("a.mp4", 161, 121) == (160, 120)
    assert frame_size("a.gif", 161, 121) == (161, 121)
    with Encoder(tmp_path / "odd.mp4", 161, 121) as film:
        film.add(image(0, film.width, film.height))
    (frame,) = decoded(tmp_path / "odd.mp4")
    assert (frame.width, frame.height) == (160, 120)
    with Encoder(tmp_path / "odd.gif", 161, 121, 25) as film:
        film.add(image(0, 161, 121))
    (frame,) = decoded(tmp_path / "odd.gif")
    assert (frame.width, frame.height) == (161, 121)


@pytest.mark.parametrize("name", ["disc.mp4", "disc.gif", "disc.png"])
def test_nothing_is_seen_before_the_end_and_nothing_left_by_abort(tmp_path: Path, name: str) -> None:
    film = Encoder(tmp_path / name, WIDTH, HEIGHT, 25)
    for number in range(30):
        film.add(image(number))
    assert not (tmp_path / name).exists()
    film.abort()
    assert os.listdir(tmp_path) == []


def test_an_exception_keeps_the_older_file(tmp_path: Path) -> None:
    path = make(tmp_path / "disc.mp4", 5, 60)
    before = path.read_bytes()
    with pytest.raises(KeyboardInterrupt), Encoder(path, WIDTH, HEIGHT) as film:
        film.add(image(0))
        raise KeyboardInterrupt
    assert path.read_bytes() == before
    make(path, 7, 60)
    assert len(decoded(path)) == 7
    assert os.listdir(tmp_path) == ["disc.mp4"]


REFUSED = {
    "film.avi": (160, 120, 25, "should end in one of"),
    "film": (160, 120, 25, "should end in one of"),
    "film.gif": (160, 120, 60, "1 to 50 images a second"),
    "film.mp4": (8, 120, 60, "16 to 8192 pixels"),
    "missing/film.mp4": (160, 120, 60, "there is no folder"),
    "folder.mp4": (160, 120, 60, "that is a folder"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_written_is_one_sentence(tmp_path: Path, name: str) -> None:
    width, height, fps, words = REFUSED[name]
    (tmp_path / "folder.mp4").mkdir()
    with pytest.raises(VideoError, match=words) as problem:
        Encoder(tmp_path / name, width, height, fps)
    assert str(problem.value).endswith(".")
    assert os.listdir(tmp_path) == ["folder.mp4"]


def test_a_film_without_frames_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VideoError, match="nothing to record"), Encoder(tmp_path / "disc.mp4", WIDTH, HEIGHT):
        pass
    assert os.listdir(tmp_path) == []


FULL_DISK = """
import resource, sys, numpy as np
from app.video import Encoder, VideoError
resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
noise = np.random.default_rng(1)
try:
    with Encoder(sys.argv[1], 320, 240, 25) as film:
        for _ in range(30):
            film.add(noise.integers(0, 256, (240, 320, 4), dtype=np.uint8))
except VideoError as problem:
    sys.exit(str(problem))
"""


@pytest.mark.parametrize("name", ["disc.mp4", "disc.gif", "disc.png"])
def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    done = subprocess.run([sys.executable, "-c", FULL_DISK, path], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith(f'Cannot write "{path}": ') and done.stderr.count("\n") == 1
    assert os.listdir(tmp_path) == []
