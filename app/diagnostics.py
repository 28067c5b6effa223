"""What somebody who helps wants to know first, as text to paste."""

from __future__ import annotations

import platform
import tomllib
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from PyQt6.QtCore import QT_VERSION_STR
from PyQt6.QtGui import QGuiApplication

from app.numbers import compact
from app.session import LEVELS, Message, Session
from app.settings import NAME

PACKAGES = ("numpy", "numba", "PyQt6", "pyqtgraph", "PyOpenGL", "av", "pybullet")
LAST_MESSAGES = 20


def program_version() -> str:
    with (Path(__file__).parents[1] / "pyproject.toml").open("rb") as file:
        return str(tomllib.load(file)["project"]["version"])


def diagnostics(session: Session, gl_renderer: str, quality: str) -> str:
    now, scene = session.snapshot, session.stage.scene
    pace = f"{now.real_time_factor:.2f}×" if now.running else "paused"
    lines = [
        f"{NAME} {program_version()}, Python {platform.python_version()}, {platform.platform()}",
        ", ".join(f"{name} {_version(name)}" for name in PACKAGES),
        f"Qt {QT_VERSION_STR} on {QGuiApplication.platformName()}, OpenGL by {gl_renderer or 'nobody'}, {quality}",
        f"Scene {scene.address}: {len(scene.bodies)} bodies, {len(scene.joints)} joints",
        f"Engine {now.backend}, step {compact(now.dt * 1e3)} ms, t {now.time:.3f} s, {pace}, "
        f"{compact(now.step_time * 1e6, 3)} µs a step",
        *(f"Stopped: {session.stopped}" for _ in range(bool(session.stopped))),
        *map(message_line, session.messages[-LAST_MESSAGES:]),
    ]
    return "\n".join(lines) + "\n"


def message_line(message: Message) -> str:
    return f"{datetime.fromtimestamp(message.when):%H:%M:%S}  {LEVELS[message.level]}{message.text}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
