"""V and P: films and pictures, and what closing the window does to them."""

from __future__ import annotations

import threading
from dataclasses import replace
from datetime import datetime

import av
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QGuiApplication, QImage

from app.filming import FilmSettings, output_path
from app.video import Recording
from sim.command import Record, SetSpeed
from sim.runner import Runner
from tests.app.window_bench import Bench

FRAMES = 12


@pytest.fixture
def folder(tmp_path, monkeypatch):
    folder = tmp_path / "out"
    monkeypatch.setenv("IMPULSE_OUTPUT", str(folder))
    return folder


@pytest.fixture
def bench(qtbot, tmp_path, folder):
    bench = Bench(qtbot, tmp_path)
    yield bench
    if bench.window.isVisible():
        bench.close()


def press(bench, key):
    bench.bot.keyClick(bench.viewport, key)


def shoot_frames(bench, count=FRAMES):
    for _ in range(count):
        bench.runner.frames.put(bench.runner.tick())
    bench.bot.waitUntil(bench.runner.frames.empty)


def length(path):
    with av.open(str(path)) as film:
        return sum(1 for _ in film.decode(video=0))


def test_v_records_and_v_again_writes_the_film(bench, folder):
    press(bench, Qt.Key.Key_V)
    assert bench.runner.sent == [Record(60.0)]
    shoot_frames(bench)
    assert bench.viewport.overlay().recording == "0:00.2"
    press(bench, Qt.Key.Key_V)
    assert bench.runner.sent[-1] == Record(None)
    bench.bot.waitUntil(lambda: not bench.window.filming.unfinished, timeout=30000)
    message = bench.session.messages[-1]
    assert message.level == "ok" and message.path is not None and message.path.parent == folder
    assert message.path.name.startswith("arm_reach 20") and list(folder.iterdir()) == [message.path]
    assert length(message.path) == FRAMES
    assert bench.viewport.overlay().recording == ""


def test_the_message_offers_folder_and_path(bench, folder):
    press(bench, Qt.Key.Key_P)
    bench.bot.waitUntil(lambda: not bench.window.filming.unfinished, timeout=30000)
    [picture] = folder.iterdir()
    image = QImage(str(picture))
    assert (image.width(), image.height()) == bench.viewport.pixels()
    status = bench.window.status
    assert status.folder.isVisible() and status.copy.isVisible()
    bench.bot.mouseClick(status.copy, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    assert QGuiApplication.clipboard().text() == str(picture)


def test_closing_while_recording_completes_the_film_and_leaves_no_thread(bench, folder):
    press(bench, Qt.Key.Key_V)
    shoot_frames(bench)
    bench.window.close()
    assert "film" in bench.session.messages[-1].text
    bench.bot.waitUntil(lambda: not bench.window.isVisible(), timeout=30000)
    [film] = folder.iterdir()
    assert length(film) == FRAMES
    assert bench.runner.stopped
    assert [t for t in threading.enumerate() if t is not threading.main_thread()] == []


def test_a_world_faster_than_the_drawing_waits_and_the_film_has_every_frame(qtbot, tmp_path, folder, monkeypatch):
    bench = Bench(qtbot, tmp_path, "free_body", Runner)
    filming, most = bench.window.filming, Record(60.0).most_waiting
    filming.settings = FilmSettings(".mp4", (64, 48), 60.0)
    bench.session.send(SetSpeed(64.0))
    with monkeypatch.context() as stuck:
        told = Recording.poll
        stuck.setattr(Recording, "poll", lambda film: replace(told(film), written=0))
        press(bench, Qt.Key.Key_V)
        film = filming._film
        qtbot.waitUntil(lambda: film.poll().added == most, timeout=60000)
        stands = bench.session.snapshot.step
        qtbot.wait(200)
        assert film.poll().added == most and bench.session.snapshot.step == stands
    qtbot.waitUntil(lambda: film.poll().added > most + 60, timeout=60000)  # drawn frames make room
    press(bench, Qt.Key.Key_V)
    qtbot.waitUntil(lambda: not filming.unfinished, timeout=60000)
    assert length(bench.session.messages[-1].path) == film.poll().added
    bench.close()


def test_another_scene_ends_the_film(bench, folder):
    press(bench, Qt.Key.Key_V)
    shoot_frames(bench)
    bench.session.open("free_body")
    bench.bot.waitUntil(lambda: bench.session.stage.scene.name == "free_body")
    bench.bot.waitUntil(lambda: not bench.window.filming.unfinished, timeout=30000)
    [film] = folder.iterdir()
    assert film.name.startswith("arm_reach") and length(film) == FRAMES


def test_a_folder_that_cannot_be_made_is_a_sentence(bench, tmp_path, monkeypatch):
    blocked = tmp_path / "a file"
    blocked.write_text("")
    monkeypatch.setenv("IMPULSE_OUTPUT", str(blocked / "below"))
    press(bench, Qt.Key.Key_V)
    assert bench.session.messages[-1].level == "error"
    assert not bench.window.filming.on and not bench.runner.of(Record)


def test_names_never_collide(folder):
    folder.mkdir()
    when = datetime(2026, 11, 18, 14, 3, 22)
    first = output_path("arm_reach", ".mp4", when)
    assert first.name == "arm_reach 2026-11-18 14.03.22.mp4"
    first.touch()
    assert output_path("arm_reach", ".mp4", when) != first


def test_a_film_that_is_not_drawn_yet_when_it_ends_says_so_and_then_where_it_is(bench, folder):
    press(bench, Qt.Key.Key_V)
    shoot_frames(bench, 120)
    press(bench, Qt.Key.Key_V)
    bench.bot.waitUntil(lambda: bool(bench.session.messages))
    assert "Completing the film" in bench.window.status.text.text()
    bench.bot.waitUntil(lambda: not bench.window.filming.unfinished, timeout=60000)
    first, last = bench.session.messages
    assert first.level == "info" and "still to be drawn" in first.text
    assert last.level == "ok" and last.path is not None and length(last.path) == 120
