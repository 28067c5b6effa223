"""`main.py record`, as people run it: in a process of its own and without a screen."""

from __future__ import annotations

import contextlib
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import av
import numpy as np
import pytest

from app.commands import interrupt
from app.commands.progress import ProgressBar
from app.theme import LIGHT, rgb
from app.video import ROOT
from tests.app.test_cli import WITHOUT_SCREEN, program


def decoded(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]


@pytest.mark.parametrize(("name", "fps"), [("film.mp4", 30), ("film.gif", 20)])
def test_record_needs_no_screen(tmp_path: Path, name: str, fps: int) -> None:
    path = tmp_path / name
    ended = program("record", "arm_reach", path, "--duration", "0.5", "--fps", str(fps), "--size", "241x180")
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == "" and str(path) in ended.stdout
    frames = decoded(path)
    assert len(frames) == fps // 2
    assert frames[0].shape == (180, 241 if name.endswith("gif") else 240, 3)
    assert all(frame.std() > 10 for frame in frames)
    amber = [np.argwhere(np.abs(frame / 255 - rgb(LIGHT.target)).sum(axis=2) < 0.15).mean(axis=0) for frame in frames]
    assert np.linalg.norm(amber[-1] - amber[0]) > 2, "the target moves on its path"
    assert os.listdir(tmp_path) == [name]


def test_a_picture_shows_the_end_in_the_chosen_theme(tmp_path: Path) -> None:
    pictures = {}
    for theme, duration in (("light", "0"), ("light", "0.5"), ("dark", "0.5")):
        path = tmp_path / f"{theme}{duration}.png"
        arguments = ("--duration", duration, "--size", "320x200", "--theme", theme)
        assert program("record", "hinge_chain", path, *arguments).returncode == 0
        (pictures[theme, duration],) = decoded(path)
    assert np.abs(pictures["light", "0"].astype(int) - pictures["light", "0.5"]).max() > 60
    assert pictures["light", "0.5"].mean() > 150 > 80 > pictures["dark", "0.5"].mean()


def test_ctrl_c_is_quiet_and_leaves_no_file(tmp_path: Path) -> None:
    """Pressed when the progress bar, shown to terminals only, has appeared."""
    terminal, child_side = pty.openpty()
    command = [sys.executable, ROOT / "main.py", "record", "arm_reach", tmp_path / "film.mp4", "--duration", "1000"]
    child = subprocess.Popen(command, env=WITHOUT_SCREEN, stdout=subprocess.PIPE, stderr=child_side)
    os.close(child_side)
    shown = b""
    while b"%" not in shown:
        shown += os.read(terminal, 1000)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate()
    while rest := read_to_end(terminal):
        shown += rest
    os.close(terminal)
    assert child.returncode == 130
    assert out == b"" and b"Traceback" not in shown and b"impulse:" not in shown
    assert os.listdir(tmp_path) == []


def test_an_interrupt_that_a_library_swallowed_still_ends_the_command() -> None:
    before = signal.getsignal(signal.SIGINT)
    try:
        interrupt.listen()
        bar = ProgressBar("film", 10)
        bar.at(1)
        with contextlib.suppress(KeyboardInterrupt):  # as callbacks of compiled libraries do
            signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            bar.at(2)
        interrupt.listen()
        bar.at(3)
    finally:
        signal.signal(signal.SIGINT, before)


def read_to_end(terminal: int) -> bytes:
    try:
        return os.read(terminal, 1000)
    except OSError:  # how Linux says that nobody has the other side open
        return b""


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_recording_leaves_no_file(tmp_path: Path, sign: signal.Signals) -> None:
    terminal, child_side = pty.openpty()
    command = [sys.executable, ROOT / "main.py", "record", "arm_reach", tmp_path / "film.mp4", "--duration", "1000"]
    child = subprocess.Popen(command, env=WITHOUT_SCREEN, stderr=child_side)
    os.close(child_side)
    while b"%" not in os.read(terminal, 1000):
        pass
    child.send_signal(sign)
    assert child.wait() in (128 + sign, -sign)
    os.close(terminal)
    assert os.listdir(tmp_path) == []
