"""The timeline: the span of time that one can go to exactly, and where in it one is."""

from __future__ import annotations

import math

from PyQt6.QtCore import QPointF, QRectF, QSize, Qt
from PyQt6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPalette, QPen
from PyQt6.QtWidgets import QAbstractSlider, QSizePolicy, QWidget

from app import style
from app.engine_colors import engine_color
from app.session import Session
from app.theme import BODY_PT, CAPTION_PT, CONTROL_GAP, FOCUS_RING, PADDING, TIMELINE_HEIGHT
from sim import command as cmd
from sim.state import Snapshot

HANDLE, GROOVE = 14, 4
LEAST_GROOVE = 90  # [px]
MARK = (2, 16)  # [px] wide and high
POSITIONS = 100_000  # what assistive technology is told the strip is divided into
KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
MANY_STEPS = 100  # with Shift
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Timeline(QAbstractSlider):
    """Click or drag to go to a moment.

    One wish at a time is on its way to the runner, and of those that wait only the newest counts.
    """

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.first = self.last = self.now = 0.0  # [s]
        self.marks: tuple[tuple[float, str], ...] = ()  # when which engine was first apart
        self._wish: float | None = None  # where one wants to be, until the world is there
        self._asked: cmd.GoTo | None = None  # what is on its way
        self.setRange(0, POSITIONS)
        self.setOrientation(Qt.Orientation.Horizontal)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click Space and arrows stay the view's
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(TIMELINE_HEIGHT)
        self.setAccessibleName("Timeline")
        self.setToolTip(
            "Go to a moment, exactly: click or drag; ← → one step, with Shift a hundred, Home and End.\n"
            "Play goes on from there, with the settings of now."
        )
        session.snapshot_changed.connect(self._follow)
        session.stage_changed.connect(lambda _: self._give_up())
        session.reported.connect(self._on_event)

    def sizeHint(self) -> QSize:
        return QSize(320, TIMELINE_HEIGHT)

    # --- what is shown ------------------------------------------------------------------------------

    @property
    def shown(self) -> float:
        """The wish at once, the world's time where there is none [s]."""
        return self.now if self._wish is None else self._wish

    def text(self) -> str:
        return f"{self.shown:.3f} s"

    def _follow(self, snapshot: Snapshot) -> None:
        before = self.first, self.last, self.now, self.marks
        self.now = snapshot.time
        self.first, self.last = min(snapshot.reach[0], self.now), max(snapshot.reach[1], self.now)
        self.marks = _first_apart(snapshot)
        if before != (self.first, self.last, self.now, self.marks):
            self._show()

    def _show(self) -> None:
        self.setValue(round(self._part(self.shown) * POSITIONS))
        self.update()

    def _part(self, time: float) -> float:
        """Where a moment lies in the span, 0 to 1; the present is at the end of one that has no length."""
        length = self.last - self.first
        return min(max((time - self.first) / length, 0.0), 1.0) if length > 0.0 else 1.0

    # --- wishes -------------------------------------------------------------------------------------

    def go_to(self, time: float) -> None:
        self._wish = min(max(time, self.first), self.last)
        self._show()
        if self._asked is None:
            self._ask()

    def _ask(self) -> None:
        assert self._wish is not None
        self._asked = cmd.GoTo(self._wish)
        self.session.send(self._asked)

    def _on_event(self, event: object) -> None:
        if not isinstance(event, cmd.Applied | cmd.Refused) or event.command is not self._asked:
            return
        if self._wish is not None and self._wish != self._asked.time:
            self._ask()
        else:
            self._give_up()

    def _give_up(self) -> None:
        self._wish = self._asked = None
        self._show()

    # --- mouse and keys -----------------------------------------------------------------------------

    def _groove(self) -> tuple[float, float]:
        """Where the span begins and ends [px], between the texts; of a short strip only the present is told."""
        right = self.width() - self._text_width(BODY_PT, "0000.000 s")
        left = self._text_width(CAPTION_PT, "0000.0 s")
        if right - left < LEAST_GROOVE:
            left = PADDING + HANDLE / 2
        return left, max(right, left + 1)

    def _text_width(self, points: int, widest: str) -> float:
        """What the text at an end takes of the strip, the gaps beside it included."""
        return PADDING + QFontMetricsF(style.font(points)).horizontalAdvance(widest) + CONTROL_GAP + HANDLE / 2

    def _follow_mouse(self, event: QMouseEvent) -> None:
        left, right = self._groove()
        part = min(max((event.position().x() - left) / (right - left), 0.0), 1.0)
        self.go_to(self.first + part * (self.last - self.first))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.setSliderDown(True)
            self._follow_mouse(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._follow_mouse(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.setSliderDown(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        ends = {Qt.Key.Key_Home: self.first, Qt.Key.Key_End: self.last}
        key = Qt.Key(event.key())
        if key in ends:
            self.go_to(ends[key])
        elif key in KEYS:
            many = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self.go_to(self.shown + KEYS[key] * (MANY_STEPS if many else 1) * self.session.snapshot.dt)
        else:
            event.ignore()

    # --- painting -----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        palette, middle = self.palette(), self.height() / 2
        painter.fillRect(self.rect(), palette.color(QPalette.ColorRole.Base))
        left, right = self._groove()
        x = left + self._part(self.shown) * (right - left)
        painter.setPen(Qt.PenStyle.NoPen)
        for start, end, role in ((left, right, QPalette.ColorRole.Mid), (left, x, QPalette.ColorRole.Highlight)):
            painter.setBrush(palette.color(role))
            painter.drawRoundedRect(QRectF(start, middle - GROOVE / 2, end - start, GROOVE), GROOVE / 2, GROOVE / 2)
        for time, name in self.marks:
            if self.first <= time <= self.last:
                at = left + self._part(time) * (right - left)
                painter.setBrush(QColor(engine_color(style.applied(), name, self.session.snapshot.backend)))
                painter.drawRect(QRectF(at - MARK[0] / 2, middle - MARK[1] / 2, *MARK))
        painter.setBrush(palette.color(QPalette.ColorRole.Base))
        if self.hasFocus():
            painter.setPen(QPen(palette.color(QPalette.ColorRole.Highlight), FOCUS_RING))
            painter.drawEllipse(QPointF(x, middle), HANDLE / 2 + 1, HANDLE / 2 + 1)
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Highlight), 1.5))
        painter.drawEllipse(QPointF(x, middle), HANDLE / 2 - 1.5, HANDLE / 2 - 1.5)
        self._paint_texts(painter)

    def _paint_texts(self, painter: QPainter) -> None:
        room = QRectF(self.rect()).adjusted(PADDING, 0, -PADDING, 0)
        texts = (
            (LEFT, f"{self.first:.1f} s", CAPTION_PT, QPalette.ColorRole.PlaceholderText),
            (RIGHT, self.text(), BODY_PT, QPalette.ColorRole.Text),
        )
        for side, text, points, role in texts[self._groove()[0] < self._text_width(CAPTION_PT, "") :]:
            painter.setFont(style.font(points))
            painter.setPen(self.palette().color(role))
            painter.drawText(room, int(side), text)


def _first_apart(snapshot: Snapshot) -> tuple[tuple[float, str], ...]:
    """When each engine of a comparison was first farther from the yardstick than the tolerance."""
    figures = {snapshot.backend: snapshot.lead, **{lane.name: lane.figures for lane in snapshot.beside}}
    return tuple((f.apart_first, name) for name, f in figures.items() if f and math.isfinite(f.apart_first))
