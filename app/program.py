"""One run of the program with a window: QApplication, session, window, and what is asked of them from outside."""

from __future__ import annotations

import signal
import sys
import tempfile
import traceback
from pathlib import Path
from types import TracebackType

import numpy as np
from PyQt6.QtCore import QTimer
from PyQt6.QtGui import QGuiApplication, QImage, QPixmap, QSurfaceFormat
from PyQt6.QtWidgets import QApplication, QMessageBox

from app import style
from app.garbage import spare_the_start
from app.render.platform import NoOpenGL, choose_for_qt
from app.render.qt_context import gl_format, opengl_problem
from app.session import Session
from app.settings import NAME, Settings
from app.stage import Stage
from app.startup import process_age, write_report
from app.video_encoder import Encoder, VideoError
from app.window import Window

CHECK = 20  # [ms]
SHOT_PATIENCE = 30.0  # a picture is taken at the latest so long after its time, compiling aside [s]


class Program:
    def __init__(
        self, arguments: list[str], stage: Stage, theme: str | None, size: tuple[int, int] | None, unattended: bool
    ) -> None:
        """`unattended`: nobody is there to answer, and nothing is remembered; raises NoOpenGL."""
        QSurfaceFormat.setDefaultFormat(gl_format())
        QApplication.setApplicationName(NAME)
        QApplication.setDesktopFileName(NAME.lower())
        self.app = QApplication(arguments)
        choose_for_qt(QGuiApplication.platformName())
        if problem := opengl_problem():
            if not unattended:
                QMessageBox.critical(None, NAME, f"{problem}.")
            raise NoOpenGL(problem)
        self.unattended = unattended
        self.exit_code = 0
        self._scratch = tempfile.TemporaryDirectory() if unattended else None
        settings = Settings(Path(self._scratch.name) / "settings.ini" if self._scratch else None)
        choice = theme or settings.text("theme", "system")
        style.apply(self.app, style.resolve(choice))
        self.session = Session(stage)
        spare_the_start(self.session)
        self.window = Window(self.session, settings, choice)
        self.window.take_place(size)
        self.window.first_frame.connect(self._on_first_frame)
        self.first_paint = 0.0
        self.first_motion = 0.0
        self._checks = QTimer(interval=CHECK)

    def run(self) -> int:
        self._listen_to_signals()
        self.window.show()
        self.window.activateWindow()  # without a window manager nobody else gives it the keyboard
        code = self.app.exec()
        if self._scratch is not None:
            self._scratch.cleanup()
        return self.exit_code or code

    # --- asked from outside -------------------------------------------------------------------------

    def shoot(self, path: Path, after: float) -> None:
        """Save what is on the screen at simulated time `after`, drawn as well as can be, then close."""
        self.window.viewport.quality.choose("fine")
        ready = 0.0  # when the world was last seen being prepared: compiling does not count as waiting

        def check() -> None:
            nonlocal ready
            if self.session.busy:
                ready = process_age()
            late = process_age() - max(ready, self.first_paint) > after + SHOT_PATIENCE
            if self.first_paint and (self.session.snapshot.time >= after or self.session.stopped or late):
                self._checks.timeout.disconnect(check)
                QTimer.singleShot(5 * CHECK, lambda: self._save_shot(path))

        self._checks.timeout.connect(check)
        self._checks.start()

    def _save_shot(self, path: Path) -> None:
        image = self._screen_picture().toImage().convertToFormat(QImage.Format.Format_RGB32)
        width, height, bits = image.width(), image.height(), image.constBits()
        assert bits is not None
        try:
            with Encoder(path, width, height) as file:
                file.add(np.frombuffer(bits.asarray(4 * width * height), dtype=np.uint8).reshape(height, width, 4))
        except VideoError as problem:
            print(f"impulse: {problem}", file=sys.stderr)
            self.exit_code = 1
        self.window.close()

    def _screen_picture(self) -> QPixmap:
        """The window as the screen shows it, or as Qt paints it where the screen does not hold all of it."""
        window = self.window
        if window.screen().geometry().contains(window.frameGeometry()):
            picture = window.screen().grabWindow(window.winId())
            if not picture.isNull():
                return picture
        return window.grab()

    def report(self, path: Path) -> None:
        """Write times and driver when the first moved frame has been drawn."""

        def check() -> None:
            if self.first_motion:
                self._checks.timeout.disconnect(check)
                write_report(path, self.start_report())

        self._checks.timeout.connect(check)
        self._checks.start()

    def start_report(self) -> dict[str, float | str]:
        renderer = self.window.viewport.renderer
        return {
            "first_paint": round(self.first_paint, 3),
            "first_motion": round(self.first_motion, 3),
            "gl_renderer": renderer.gl_renderer if renderer else "",
            "quality": self.window.viewport.quality.level,
        }

    # --- what happens -------------------------------------------------------------------------------

    def _on_first_frame(self) -> None:
        self.first_paint = process_age()
        self.window.viewport.frameSwapped.connect(self._on_frame)

    def _on_frame(self) -> None:
        if self.session.snapshot.step > 0:
            self.first_motion = process_age()
            self.window.viewport.frameSwapped.disconnect(self._on_frame)

    def _close_soon(self) -> None:
        """From the event loop: a signal or a fault may come in the middle of a painting."""
        QTimer.singleShot(0, self.window.close)

    def _listen_to_signals(self) -> None:
        """Ctrl+C and a polite kill close the window as a person would; a fault is told and the window stays."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: self._close_soon())
        sys.excepthook = self._on_fault

    def _on_fault(self, kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
        sentence = f"A fault in the program: {fault}. The terminal has the details."
        if sentence not in (message.text for message in self.session.messages):  # once, not at display rate
            traceback.print_exception(kind, fault, trace)
            self.session.say("error", sentence)
        if self.unattended:
            self.exit_code = 1
            self._close_soon()
