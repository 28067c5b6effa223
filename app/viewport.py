"""The 3D view as a widget: Qt events in, paintGL out. What the mouse means is in hand.py."""

from __future__ import annotations

import time
from collections import deque
from dataclasses import replace
from math import radians
from typing import TYPE_CHECKING

from PyQt6.QtCore import QEvent, QPoint, QPointF, Qt, pyqtSignal
from PyQt6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QWheelEvent,
)
from PyQt6.QtOpenGLWidgets import QOpenGLWidget
from PyQt6.QtWidgets import QWidget

from app.camera import ORBIT_SPEED, Camera, fit
from app.gestures import TargetDrag
from app.hand import Hand
from app.overlay import Overlay, lags, paint, status_line
from app.pacing import AutoQuality
from app.render.overlays import Overlays
from app.render.view import View
from app.selection import Selection
from app.session import Message, Session
from app.stage import Stage
from app.trails import Trails
from sim.scene import CameraSpec
from sim.state import Snapshot

if TYPE_CHECKING:
    from app.render.renderer import Renderer

MESSAGE_SECONDS = 6.0  # how long a warning or error stands in place of the status line
LAG_SECONDS = 2.0  # how long the world may be slower than asked before it is said
LIVE_SECONDS = 0.1  # between two readings of the status line
WHEEL_NOTCH = 120.0
PINCH_NOTCHES = 8.0  # zoom steps for a pinch to twice the size

_BUTTONS = {
    Qt.MouseButton.LeftButton: "left",
    Qt.MouseButton.MiddleButton: "middle",
    Qt.MouseButton.RightButton: "right",
}
_CURSORS = {
    "arrow": Qt.CursorShape.ArrowCursor,
    "open": Qt.CursorShape.OpenHandCursor,
    "closed": Qt.CursorShape.ClosedHandCursor,
    "move": Qt.CursorShape.SizeAllCursor,
    "cross": Qt.CursorShape.CrossCursor,
    "point": Qt.CursorShape.PointingHandCursor,
}
_BY_TAB = (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)


class Viewport(QOpenGLWidget):
    context_asked = pyqtSignal(QPoint)  # where on the screen its menu should open

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.hand = Hand(session)
        self.theme = "light"
        self.quality = AutoQuality()
        self.overlays = Overlays()
        self._trails = Trails(session.stage.model)
        self.show_pill = False
        self.recording = ""
        self.renderer: Renderer | None = None
        self._level = self.quality.level
        self._moving = False
        self._paint_began: float | None = None
        self._drawn_snapshot: Snapshot | None = None
        self._drawn: tuple[View, Overlay] | None = None
        self._swaps: deque[float] = deque(maxlen=120)
        self._line = ("", "info")
        self._line_time = self._hover_time = 0.0
        self._keeps_up = 0.0  # when the world last ran as fast as it was asked to
        self._message: Message | None = None
        self._message_until = 0.0
        self._ring = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(320, 200)
        self.setAccessibleName("View of the scene")
        self.hand.on_context = lambda x, y: self.context_asked.emit(self.mapToGlobal(QPointF(x, y).toPoint()))
        self.frameSwapped.connect(self._on_swap)
        session.stage_changed.connect(self._on_stage)
        session.said.connect(self._on_message)

    # --- painting -----------------------------------------------------------------------------------

    def initializeGL(self) -> None:
        from app.render.renderer import Renderer

        self.renderer = Renderer(self.session.stage.visuals, self.quality.level)

    def paintGL(self) -> None:
        if self.renderer is None:
            return
        self._paint_began = time.perf_counter()
        self.renderer.set_quality(self._level)
        width, height = self.pixels()
        self.renderer.draw(self.defaultFramebufferObject(), width, height, self.session.snapshot, self.view())
        painter = QPainter(self)
        paint(painter, self.width(), self.height(), self.overlay(), self.theme)
        painter.end()

    def pixels(self) -> tuple[int, int]:
        """Width and height in physical pixels."""
        ratio = self.devicePixelRatioF()
        return round(self.width() * ratio), round(self.height() * ratio)

    def _on_swap(self) -> None:
        """A frame is on the screen; swaps on behalf of other widgets, without a painting, do not count."""
        if self._paint_began is None:
            return
        now = time.perf_counter()
        self._swaps.append(now)
        if self._moving:
            self.quality.frame(now, now - self._paint_began, self.hand.gesture is not None)
        self._paint_began = None

    def release(self) -> None:
        """Give back what the renderer holds, while the context lives."""
        if self.renderer is not None:
            self.makeCurrent()
            self.renderer.release()
            self.renderer = None
            self.doneCurrent()

    def view(self) -> View:
        overlays = replace(self.overlays, trail=self._trails.path)
        return replace(self.hand.view(self.theme, self.devicePixelRatioF()), overlays=overlays)

    def tick(self) -> None:
        """Paint again if anything that is seen has changed; called at display rate."""
        now = time.perf_counter()
        self.hand.advance(now)
        self._follow()
        if now - self._hover_time >= LIVE_SECONDS:
            self._hover_time = now
            self.hand.hover_again()
            self._show_cursor()
        snapshot, seen = self.session.snapshot, (self.view(), self.overlay())
        self._moving = snapshot is not self._drawn_snapshot or seen != self._drawn
        level = self.quality.level if self._moving else self.quality.still_level(now)
        if self._moving or level != self._level:
            self._drawn_snapshot, self._drawn, self._level = snapshot, seen, level
            self.update()

    def _follow(self) -> None:
        """Trails grow while they are shown."""
        if "trails" in self.overlays.on:
            self._trails.observe(self.session.snapshot, self.session.shown.selection.body)
        elif self._trails.path is not None:
            self._trails = Trails(self.session.stage.model)

    def fps(self) -> float:
        """Frames of the last second."""
        now = time.perf_counter()
        recent = [t for t in self._swaps if now - t <= 1.0]
        return (len(recent) - 1) / (recent[-1] - recent[0]) if len(recent) > 2 else float(len(recent))

    def overlay(self) -> Overlay:
        gesture = self.hand.gesture
        line, level = self._words()
        caption = gesture.caption() if gesture else None
        return Overlay(line, level, self.recording, self.show_pill, caption, self.hand.letters(), self._ring)

    def _words(self) -> tuple[str, str]:
        """What stands at the top: something that needs saying, or else the status line."""
        snapshot, now = self.session.snapshot, time.perf_counter()
        if self.session.busy:
            return self.session.busy, "busy"
        if self._message is not None and now < self._message_until:
            return self._message.text, self._message.level
        if self.session.stopped:
            return f"{self.session.stopped} R starts again.", "error"
        if isinstance(self.hand.gesture, TargetDrag) and not snapshot.running:
            return "Paused: Space lets the world run.", "warning"
        if now - self._line_time >= LIVE_SECONDS:
            self._line_time = now
            self._keeps_up = now if not lags(snapshot) else self._keeps_up
            self._line = status_line(snapshot, self.fps(), now - self._keeps_up > LAG_SECONDS)
        return self._line

    def _on_message(self, message: Message) -> None:
        if message.level in ("warning", "error"):
            self._message, self._message_until = message, time.perf_counter() + MESSAGE_SECONDS

    def _on_stage(self, stage: Stage) -> None:
        self.hand.forget()
        self._message_until = 0.0
        self.overlays = Overlays(self.overlays.on)
        self._trails = Trails(stage.model)
        self.quality.choose(self.quality.choice)
        if self.renderer is not None:
            self.makeCurrent()
            self.renderer.set_visuals(stage.visuals)
            self.doneCurrent()

    # --- camera -------------------------------------------------------------------------------------

    def look(self, camera: Camera) -> None:
        self.hand.glide_to(camera, time.perf_counter())

    def look_from(self, spec: CameraSpec) -> None:
        """As a scene file says it."""
        stage = self.session.stage
        self.look(fit(*stage.visuals.bounds(stage.rest), spec))

    def seen_from(self) -> CameraSpec:
        """Where the view goes or stands, as a scene file would say it; what the scene says where that is home."""
        camera = self.hand.glide.end if self.hand.glide else self.hand.camera
        if camera == self.session.stage.home():
            return self.session.stage.scene.camera
        return CameraSpec(camera.azimuth, camera.elevation, camera.distance, camera.look_at)

    def frame_all(self) -> None:
        """Fit the scene as it stands now, from the same side."""
        self.look(self.hand.framing(Selection()))

    def frame_selection(self) -> None:
        self.look(self.hand.framing(self.session.shown.selection))

    def cancel(self) -> bool:
        """End the gesture at hand without effect; if there is none, select nothing. False if there was neither."""
        ended = self.hand.cancel()
        had = ended or self.session.shown.selection != Selection()
        if not ended:
            self.session.shown.select(Selection())
        self._show_cursor()
        return had

    # --- events -------------------------------------------------------------------------------------

    def resizeEvent(self, event) -> None:  # type: ignore[no-untyped-def]
        super().resizeEvent(event)
        self.hand.size = (self.width(), self.height())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._ring = False  # it is for those who came by Tab
        if button := _BUTTONS.get(event.button()):
            at, keys = event.position(), event.modifiers()
            shift = bool(keys & Qt.KeyboardModifier.ShiftModifier)
            self.hand.press(button, at.x(), at.y(), shift, bool(keys & Qt.KeyboardModifier.ControlModifier))
            self._show_cursor()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        self.hand.move(at.x(), at.y(), bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))
        self._show_cursor()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.hand.release()
        self.mouseMoveEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if event.button() == Qt.MouseButton.LeftButton and self.hand.cursor in ("arrow", "point"):
            self.hand.center_on(at.x(), at.y(), time.perf_counter())
        else:
            self.mousePressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """A wheel, or two fingers on a trackpad; when they have let go, nothing moves on by itself."""
        at = event.position()
        if event.phase() != Qt.ScrollPhase.ScrollMomentum:
            self.hand.zoom(event.angleDelta().y() / WHEEL_NOTCH, at.x(), at.y())

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent) and self._on_trackpad(event):
            return True
        return super().event(event)

    def _on_trackpad(self, event: QNativeGestureEvent) -> bool:
        """Pinch to zoom, turn two fingers to turn the view, tap with two to look there."""
        x, y = event.position().x(), event.position().y()
        match event.gestureType():
            case Qt.NativeGestureType.ZoomNativeGesture:
                self.hand.zoom(PINCH_NOTCHES * event.value(), x, y)
            case Qt.NativeGestureType.RotateNativeGesture:
                self.hand.turn(-radians(event.value()) / ORBIT_SPEED, 0.0)
            case Qt.NativeGestureType.SmartZoomNativeGesture:
                self.hand.center_on(x, y, time.perf_counter())
            case _:
                return False
        return True

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Of the menu key; the mouse may still begin to shift the view, so its menu opens on release."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            self.context_asked.emit(event.globalPos())

    def leaveEvent(self, event: QEvent) -> None:
        self.hand.leave()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self._hover_with(event, True)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        self._hover_with(event, False)

    def _hover_with(self, event: QKeyEvent, control: bool) -> None:
        """Ctrl shows which body would be pulled before the mouse moves."""
        if event.key() == Qt.Key.Key_Control and self.underMouse():
            at = self.mapFromGlobal(self.cursor().pos())
            self.hand.move(at.x(), at.y(), control)
            self._show_cursor()
        event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._ring = event.reason() in _BY_TAB

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._ring = False

    def _show_cursor(self) -> None:
        shape = _CURSORS[self.hand.cursor]
        if self.cursor().shape() != shape:
            self.setCursor(shape)
