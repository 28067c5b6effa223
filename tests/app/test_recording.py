"""Films made by the recording process: complete, cancelled, failed or orphaned, and never half a file."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest

from app.render.view import View
from app.stage import Stage, load_stage
from app.theme import LIGHT, rgb
from app.video import ROOT, Recording, VideoError, take_picture
from sim.state import Snapshot

WIDTH, HEIGHT, FPS = 240, 180, 30.0
PATIENCE = 60.0  # [s]


@pytest.fixture(scope="module")
def stage() -> Stage:
    return load_stage("arm_reach")


def snapshots(stage: Stage, count: int) -> list[Snapshot]:
    """The arm at rest while its target rises in front of it."""
    return [replace(stage.rest, time=n / FPS, targets=np.array([[0.6, -0.3, 0.1 + 0.05 * n]])) for n in range(count)]


def start(stage: Stage, path: Path, count: int) -> Recording:
    film = Recording(path, stage.scene, WIDTH, HEIGHT, FPS)
    for snapshot in snapshots(stage, count):
        film.add(snapshot, View(stage.home()))
    return film


def until(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def decoded(path: Path) -> list[av.VideoFrame]:
    with av.open(str(path)) as container:
        return list(container.decode(video=0))


def seen_target(frame: av.VideoFrame) -> np.ndarray:
    image = frame.to_ndarray(format="rgb24") / 255.0
    row, column = np.nonzero(np.abs(image - rgb(LIGHT.target)).sum(axis=2) < 0.15)
    return np.array([column.mean() + 0.5, row.mean() + 0.5])


def no_threads_left() -> bool:
    return not [t for t in threading.enumerate() if t.name.startswith("recording")]


def test_a_film_shows_every_snapshot_in_its_place(stage: Stage, tmp_path: Path) -> None:
    film = start(stage, tmp_path / "film.mp4", 16)
    assert film.poll().state == "recording" and film.poll().added == 16
    film.finish()
    done = film.wait(PATIENCE)
    assert (done.state, done.written, done.sentence) == ("done", 16, "")
    assert film.handed_over
    frames = decoded(tmp_path / "film.mp4")
    assert [f.time for f in frames] == pytest.approx([n / FPS for n in range(16)])
    camera = stage.home()
    for snapshot, frame in zip(snapshots(stage, 16), frames, strict=True):
        assert np.allclose(seen_target(frame), camera.project(snapshot.targets, WIDTH, HEIGHT)[0], atol=1.5)
    assert os.listdir(tmp_path) == ["film.mp4"]
    assert no_threads_left()


def test_a_picture_is_taken_by_the_same_process(stage: Stage, tmp_path: Path) -> None:
    (snapshot,) = snapshots(stage, 1)
    picture = take_picture(tmp_path / "view.png", stage.scene, snapshot, View(stage.home(), "dark"), 301, 201)
    assert picture.wait(PATIENCE).state == "done"
    (frame,) = decoded(tmp_path / "view.png")
    assert (frame.width, frame.height) == (301, 201)
    assert frame.to_ndarray(format="gray").std() > 10


def test_cancelling_leaves_no_file_and_no_thread(stage: Stage, tmp_path: Path) -> None:
    film = start(stage, tmp_path / "film.mp4", 40)
    until(lambda: film.poll().written > 2)
    film.cancel()
    assert film.poll().state == "cancelled"
    film.add(stage.rest, View(stage.home()))
    film.finish()
    assert film.wait(PATIENCE).state == "cancelled"
    until(no_threads_left)
    assert os.listdir(tmp_path) == []


def test_cancelling_while_it_is_completed_leaves_no_file(stage: Stage, tmp_path: Path) -> None:
    film = start(stage, tmp_path / "film.mp4", 40)
    film.finish()
    film.cancel()
    assert film.wait(PATIENCE).state == "cancelled"
    assert os.listdir(tmp_path) == []


def test_a_killed_process_is_told_and_leaves_no_file(stage: Stage, tmp_path: Path) -> None:
    film = start(stage, tmp_path / "film.mp4", 40)
    until(lambda: film.poll().written > 2)
    os.kill(film.process_id, signal.SIGKILL)
    failed = film.wait(PATIENCE)
    assert failed.state == "failed"
    assert '"film.mp4" was not written' in failed.sentence and failed.sentence.count("\n") == 0
    until(no_threads_left)
    assert os.listdir(tmp_path) == []


def test_a_folder_that_is_not_there_is_one_sentence(stage: Stage, tmp_path: Path) -> None:
    film = start(stage, tmp_path / "missing" / "film.mp4", 1)
    failed = film.wait(PATIENCE)
    assert failed.state == "failed" and "there is no folder" in failed.sentence
    until(no_threads_left)


def test_an_unknown_format_is_refused_at_once(stage: Stage, tmp_path: Path) -> None:
    with pytest.raises(VideoError, match=r"should end in one of \.mp4, \.gif, \.png"):
        Recording(tmp_path / "film.avi", stage.scene, WIDTH, HEIGHT)


def test_a_film_without_frames_says_so(stage: Stage, tmp_path: Path) -> None:
    film = start(stage, tmp_path / "film.mp4", 0)
    film.finish()
    failed = film.wait(PATIENCE)
    assert failed.state == "failed" and "nothing to record" in failed.sentence
    assert os.listdir(tmp_path) == []


ORPHANED = """
import os, signal, sys, time
from pathlib import Path
from tests.app.test_recording import load_stage, start
film = start(load_stage("arm_reach"), Path(sys.argv[1]), 12)
while film.poll().written < 3:
    assert not film.poll().over
    time.sleep(0.01)
print(film.process_id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_if_the_window_is_killed_the_film_is_completed(tmp_path: Path) -> None:
    path = tmp_path / "film.mp4"
    window = subprocess.run([sys.executable, "-c", ORPHANED, path], cwd=ROOT, capture_output=True, text=True)
    assert window.returncode == -signal.SIGKILL, window.stderr
    assert window.stderr == ""
    until(path.exists)
    frames = decoded(path)
    assert 3 <= len(frames) <= 12
    assert seen_target(frames[2])[1] < seen_target(frames[0])[1] - 2
    assert os.listdir(tmp_path) == ["film.mp4"]
