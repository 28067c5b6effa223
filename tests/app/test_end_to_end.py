"""The whole program on a virtual screen: real window, real physics, and a mouse and keyboard moved by xdotool."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import av
import numpy as np
import pytest
from PyQt6.QtCore import QPoint
from PyQt6.QtGui import QImage
from PyQt6.QtWidgets import QApplication, QWidget

from app.render.platform import choose_for_qt
from app.session import Session
from app.settings import Settings
from app.stage import load_stage
from app.window import Window
from sim.backend import unavailable
from sim.command import Applied, Record
from sim.state import Snapshot

PATIENCE = 180.0  # [s], with kernels to be compiled beside other work
SIZE = (1280, 800)


class Desk:
    """The window with its session, and hands on the X server's own mouse and keyboard."""

    def __init__(self, bot, folder: Path) -> None:
        choose_for_qt("xcb")
        self.bot = bot
        self.threads = set(threading.enumerate())
        self.session = Session(load_stage("arm_reach"))
        self.applied: list[Applied] = []
        self.session.reported.connect(lambda e: self.applied.append(e) if isinstance(e, Applied) else None)
        self.window = Window(self.session, Settings(folder / "settings.ini"), "light")
        self.window.take_place(SIZE)
        self.window.show()
        bot.waitExposed(self.window)
        self.view = self.window.viewport
        self.until(lambda: self.now.step > 0)
        self.xdo("windowfocus", "--sync", str(int(self.window.winId())))

    @property
    def now(self) -> Snapshot:
        return self.session.snapshot

    def until(self, condition: Callable[[], bool]) -> None:
        self.bot.waitUntil(condition, timeout=int(PATIENCE * 1000))

    def let_pass(self, seconds: float) -> None:
        """So much simulated time."""
        end = self.now.time + seconds
        self.until(lambda: self.now.time >= end)

    def let_paint(self) -> None:
        """Two more frames: the second was begun after whatever has happened by now."""
        for _ in range(2):
            with self.bot.waitSignal(self.view.frameSwapped, timeout=int(PATIENCE * 1000)):
                pass

    # --- hands --------------------------------------------------------------------------------------

    def xdo(self, *words: str) -> None:
        subprocess.run(["xdotool", *words], check=True, timeout=PATIENCE)
        QApplication.processEvents()

    def key(self, key: str) -> None:
        self.xdo("key", key)

    def move(self, widget: QWidget, x: float, y: float) -> None:
        at = widget.mapToGlobal(QPoint(round(x), round(y)))
        self.xdo("mousemove", "--sync", str(at.x()), str(at.y()))

    def click(self, widget: QWidget, x: float | None = None) -> None:
        self.move(widget, widget.width() / 2 if x is None else x, widget.height() / 2)
        self.xdo("click", "1")

    # --- eyes ---------------------------------------------------------------------------------------

    def screenshot(self) -> np.ndarray:
        """(h, w, 3) of the viewport as the screen shows it."""
        corner = self.view.mapToGlobal(QPoint(0, 0))
        picture = self.window.screen().grabWindow(0, corner.x(), corner.y(), self.view.width(), self.view.height())
        image = picture.toImage().convertToFormat(QImage.Format.Format_RGB888)
        rows = np.array(image.constBits().asarray(image.sizeInBytes())).reshape(image.height(), image.bytesPerLine())
        return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3)

    def target_pixel(self) -> tuple[float, float]:
        """Where the target's centre should be by the camera."""
        x, y = self.view.hand.camera.project(self.now.targets, self.view.width(), self.view.height())[0]
        return float(x), float(y)

    def tool_error(self) -> float:
        return float(np.linalg.norm(self.now.frames[0] - self.now.targets[0]))

    def settled_error(self) -> float:
        """The tool's distance once it has come to rest."""
        self.until(lambda: np.abs(self.now.v).max() < 0.02)
        return self.tool_error()


def amber_centroid(image: np.ndarray) -> tuple[float, float]:
    """Centre of the pixels of amber hue: also where the arm stands before the ball and it shines through.

    Mixed with grey in any part, amber (255, 176, 0) keeps (r − g)/(r − b) = 0.31; the orange joint has 0.56.
    """
    r, g, b = (image[..., k].astype(int) for k in range(3))
    y, x = np.nonzero((r - b > 60) & (r > g) & (r - g < 0.45 * (r - b)))
    assert len(x) > 100, "the target is not in the picture"
    return float(x.mean()), float(y.mean())


def decode(path: Path) -> tuple[list[np.ndarray], float]:
    with av.open(str(path)) as film:
        frames = [f.to_ndarray(format="rgb24") for f in film.decode(video=0)]
        return frames, float(film.streams.video[0].average_rate)


@pytest.fixture
def desk(qtbot, tmp_path, monkeypatch) -> Iterator[Desk]:
    monkeypatch.setenv("IMPULSE_OUTPUT", str(tmp_path / "out"))
    desk = Desk(qtbot, tmp_path)
    yield desk
    desk.xdo("mouseup", "1")
    if desk.window.isVisible():
        desk.window.close()
        desk.until(lambda: not desk.window.isVisible())


def press_target(desk: Desk) -> None:
    desk.move(desk.view, *desk.target_pixel())
    desk.until(lambda: desk.view.hand.hover_target == 0)
    desk.xdo("mousedown", "1")
    desk.until(lambda: desk.view.hand.gesture is not None)


def follow(desk: Desk, points: list[tuple[float, float]], look: Callable[[float, float], None]) -> None:
    """Move through the points, looking at each, and let go."""
    for x, y in points:
        desk.move(desk.view, x, y)
        look(x, y)
    desk.xdo("mouseup", "1")
    desk.until(lambda: desk.view.hand.gesture is None)


def path_of_points(desk: Desk, count: int = 10) -> list[tuple[float, float]]:
    """Up and round, within the arm's reach."""
    x, y = desk.target_pixel()
    return [(round(x - 60 * np.sin(0.6 * i)), round(y - 60 * (1 - np.cos(0.6 * i)))) for i in range(1, count + 1)]


def test_the_target_follows_the_cursor_and_the_tool_the_target(desk):
    misses = []

    def look(x: float, y: float) -> None:
        desk.let_pass(0.1)
        desk.let_paint()
        misses.append(np.subtract(amber_centroid(desk.screenshot()), (x, y)))

    # Paused, the ball stands still while the mouse goes to its centre.
    desk.key("space")
    desk.until(lambda: not desk.now.running)
    points = path_of_points(desk)
    press_target(desk)
    desk.key("space")
    desk.until(lambda: desk.now.running)
    follow(desk, points, look)
    assert len(misses) == 10
    assert np.abs(misses).max() < 3.0
    desk.let_pass(3.0)
    assert desk.tool_error() < 0.01


def test_switch_and_slider_change_what_the_arm_does(desk):
    desk.window.control.paths["target"].click()
    reach = desk.window.control.gains["reach", "kp"].slider
    gravity = desk.window.control.switches["gravity"]
    desk.let_pass(1.0)
    assert desk.settled_error() < 0.002
    desk.click(gravity)
    desk.until(lambda: not desk.now.controllers["gravity"])
    desk.let_pass(1.0)
    soft = desk.settled_error()
    assert soft > 0.02
    desk.click(reach, reach.width() - 4)
    desk.until(lambda: desk.now.gains["reach"]["kp"] > 2000)
    desk.let_pass(1.0)
    stiff = desk.settled_error()
    kp = desk.now.gains["reach"]["kp"]
    assert stiff == pytest.approx(soft * 300 / kp, rel=0.3)  # a spring ten times as stiff sags a tenth
    desk.click(gravity)
    desk.until(lambda: desk.now.controllers["gravity"])
    desk.let_pass(1.0)
    assert desk.settled_error() < 0.002


@pytest.mark.skipif(bool(unavailable("pybullet")), reason=unavailable("pybullet"))
def test_the_engine_is_changed_and_changed_back_without_a_jump(desk):
    desk.let_pass(0.5)
    desk.key("space")
    desk.until(lambda: not desk.now.running)
    time.sleep(0.1)
    q, v = desk.now.q.copy(), desk.now.v.copy()
    assert np.abs(v).max() > 1e-3
    desk.window.tabs.setCurrentWidget(desk.window.physics)
    engine = desk.window.physics.choices["backend"]
    for key, name in (("Down", "tree"), ("Down", "pybullet"), ("Up", "tree"), ("Up", "impulse")):
        engine.setFocus()
        desk.key(key)
        desk.until(lambda name=name: desk.now.backend == name)
        assert np.abs(desk.now.q - q).max() < 1e-6
        assert np.abs(desk.now.v - v).max() < 1e-6


def test_a_film_shows_what_the_cursor_did_and_closing_leaves_nothing_behind(desk, tmp_path):
    cursor: list[tuple[float, float]] = []
    desk.key("v")
    desk.until(lambda: desk.window.filming.on)

    def look(x: float, y: float) -> None:
        desk.let_pass(0.2)
        cursor.append(desk.target_pixel())

    points = path_of_points(desk, 6)
    press_target(desk)
    follow(desk, points, look)
    desk.key("v")
    desk.until(lambda: not desk.window.filming.on)
    desk.until(lambda: any(m.path for m in desk.session.messages))
    path = next(m.path for m in desk.session.messages if m.path)
    assert desk.window.filming.unfinished is False
    frames, rate = decode(path)
    assert rate == 60.0
    assert frames[0].shape[:2] == tuple(n - n % 2 for n in reversed(desk.view.pixels()))
    begun, ended = (e.step for e in desk.applied if isinstance(e.command, Record))
    assert len(frames) / rate == pytest.approx((ended - begun) * desk.now.dt, abs=1 / 60)
    seen = np.array([amber_centroid(f) for f in frames])
    for x, y in cursor:
        assert np.hypot(*(seen - (x, y)).T).min() < 4.0
    assert np.hypot(*(seen[-1] - seen[0])) > 60

    desk.window.close()
    desk.until(lambda: not desk.window.isVisible())
    assert set(threading.enumerate()) <= desk.threads
    left = [p.name for p in path.parent.iterdir()]
    assert left == [path.name]
