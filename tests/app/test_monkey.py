"""A seeded monkey at the real window and the real physics: nothing breaks, warns, leaks or is left behind."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import time

import pytest
from PyQt6 import sip
from PyQt6.QtWidgets import QFileDialog

from app import style
from app.render.overlays import OVERLAYS, Overlays
from app.session import Session
from sim.backend import BACKENDS
from sim.command import Play, SetBackend, SetSpeed
from sim.runner import Runner
from tests.app.monkey import Monkey
from tests.app.window_bench import Bench

SEEDS = (1, 2, 3, 4, 5)
SECONDS = 4.0  # of each, once everything is compiled
SCENES = ("arm_reach", "arm_pd", "hinge_chain", "free_bodies")
MOST_MEMORY = 50.0  # [MB] that a run may leave behind
HOUR = 3600.0  # simulated
LIVELY = 0.6  # part of the deeds that change something


def memory(bench) -> float:
    """Resident at rest, in MB: a scene just loaded, in a window as at first, without what can be given back.

    The history of a scene is as large as its step is small, but goes with it: that is no leak. Nor are the larger
    framebuffers of a larger view, or the frames that a film still has to draw.
    """
    look_as_at_first(bench)
    before = bench.session.snapshot.scene_id
    bench.session.open(SCENES[0])
    bench.bot.waitUntil(lambda: bench.session.snapshot.scene_id > before, timeout=100_000)
    bench.bot.wait(500)
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def look_as_at_first(bench) -> None:
    window = bench.window
    if window.is_viewport_only:
        window.toggle_viewport_only()
    for dock in window.docks.values():
        dock.show()
    window.choose_quality("fine")  # whatever the machine can do meanwhile
    window.choose_theme("light")
    bench.viewport.overlays = Overlays()
    style.set_text_scale(1.0)
    window.fit_text()
    window.filming.stop()
    bench.bot.waitUntil(lambda: window.filming._film is None, timeout=60_000)
    for film in window.filming._completing:  # at 64 times real time each second has 3840 frames: minutes of drawing
        film.cancel()
    bench.bot.waitUntil(lambda: not window.filming.unfinished, timeout=60_000)
    for command in (SetSpeed(1.0), Play(True)):
        bench.session.send(command)


@pytest.fixture
def faults(monkeypatch):
    """Exceptions of any thread."""
    found: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: found.append(repr(args.exc_value)))
    monkeypatch.setattr(sys, "unraisablehook", lambda args: found.append(repr(args.exc_value)))
    return found


@pytest.fixture
def bench(qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("IMPULSE_OUTPUT", str(tmp_path / "films"))
    saved = (str(tmp_path / "saved.toml"), "")
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: saved)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: saved)
    monkeypatch.setattr("app.widgets.status.QDesktopServices.openUrl", lambda _: True)
    bench = Bench(qtbot, tmp_path, "arm_reach", Runner)
    yield bench
    if not sip.isdeleted(bench.window) and bench.window.isVisible():
        bench.close()
    style.set_text_scale(1.0)


def warm_up(bench) -> None:
    """Everything is compiled, loaded and as large as it gets, before memory is measured."""
    for backend in (*BACKENDS, "impulse"):
        bench.session.send(SetBackend(backend))
        bench.bot.waitUntil(lambda backend=backend: bench.session.snapshot.backend == backend, timeout=100_000)
    for _ in range(2):
        bench.window.toggle_viewport_only()
        bench.bot.wait(300)
    for overlay in OVERLAYS:
        bench.window.toggle_overlay(overlay)
    for quality in ("fast", "fine", "auto"):
        bench.window.choose_quality(quality)
        bench.bot.wait(300)
    for name in (*SCENES[1:], SCENES[0]):
        bench.session.open(name)
        there = lambda name=name: bench.session.stage.scene.name == name and bench.session.snapshot.step > 0  # noqa: E731
        bench.bot.waitUntil(there, timeout=100_000)


def assert_whole(bench, monkey: Monkey, faults: list[str], qtlog, before: float) -> None:
    story = "\n".join(f"{'*' if changed else ' '} {deed}" for deed, changed in monkey.deeds)
    assert faults == [], story
    assert [record.message for record in qtlog.records] == [], story
    assert [m.text for m in bench.session.messages if "fault in the program" in m.text] == [], story
    assert gl_errors(bench) == [], story
    assert monkey.changing >= LIVELY, story
    left = memory(bench) - before
    print(f"{left:+.1f} MB, {len(monkey.deeds)} deeds, {monkey.changing:.0%} of them changed something")
    assert left < MOST_MEMORY, story
    bench.window.filming.stop()
    bench.bot.waitUntil(lambda: not bench.window.filming.unfinished, timeout=60_000)  # or a film outlives the window
    bench.close()
    others = lambda: [t for t in threading.enumerate() if t is not threading.main_thread()]  # noqa: E731
    bench.bot.waitUntil(lambda: others() == [], timeout=5000)


def gl_errors(bench) -> list[int]:
    from OpenGL import GL

    bench.viewport.makeCurrent()
    errors = []
    while error := int(GL.glGetError()):
        errors.append(error)
    bench.viewport.doneCurrent()
    return errors


@pytest.mark.parametrize("seed", SEEDS)
def test_a_monkey_breaks_nothing(bench, tmp_path, qtlog, faults, seed):
    warm_up(bench)
    monkey, before = Monkey(bench, seed, tmp_path, SCENES), memory(bench)
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        monkey.act()
    assert_whole(bench, monkey, faults, qtlog, before)


@pytest.mark.soak
def test_a_monkey_for_an_hour_of_simulated_time(bench, tmp_path, qtlog, faults):
    """As fast as the world goes; what counts is what was simulated, whatever was reset or loaded meanwhile."""
    warm_up(bench)
    monkey, before, simulated = Monkey(bench, 6, tmp_path, SCENES), memory(bench), 0.0
    last = bench.session.snapshot
    while simulated < HOUR:
        monkey.act()
        bench.session.send(SetSpeed(64.0))
        if not bench.session.snapshot.running and monkey.random.random() < 0.5:
            play(bench.session)
        now = bench.session.snapshot
        if now.scene_id == last.scene_id:
            simulated += max(now.time - last.time, 0.0)
        last = now
    assert_whole(bench, monkey, faults, qtlog, before)


def play(session: Session) -> None:
    if session.stopped:
        session.reset()
    session.toggle_play()
