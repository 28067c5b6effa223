"""A chevron at an edge of the view that folds the panel beside it away, and brings it back."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, QObject, QPointF, Qt
from PyQt6.QtGui import QPainter, QPaintEvent
from PyQt6.QtWidgets import QDockWidget, QToolButton, QWidget

from app.icons import tinted
from app.style import applied
from app.theme import FOLD_HANDLE, FOLD_SIGN

# edge -> degrees that turn "down" towards it, and where along the view's width and height the handle lies
EDGES = {"left": (90.0, 0.0, 0.5), "right": (-90.0, 1.0, 0.5), "bottom": (0.0, 0.5, 1.0)}


class FoldHandle(QToolButton):
    def __init__(self, view: QWidget, dock: QDockWidget, edge: str, fold: Callable[[], None]) -> None:
        super().__init__(view)
        self._dock, self._edge = dock, edge
        long, short = FOLD_HANDLE
        self.setFixedSize(*((long, short) if edge == "bottom" else (short, long)))
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(lambda: fold())
        view.installEventFilter(self)
        dock.visibilityChanged.connect(lambda _: self._say())
        self._say()

    def _say(self) -> None:
        words = f"{'Show' if self._dock.isHidden() else 'Fold away'} {self._dock.windowTitle()}"
        self.setToolTip(words)
        self.setAccessibleName(words)
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            view = self.parentWidget()
            _, across, down = EDGES[self._edge]
            self.move(round(across * (view.width() - self.width())), round(down * (view.height() - self.height())))
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        """Towards the edge while the panel is there, away from it while it is folded."""
        super().paintEvent(event)
        turn, _, _ = EDGES[self._edge]
        color = applied().accent if self.hasFocus() else applied().text if self.underMouse() else applied().muted
        painter = QPainter(self)
        painter.translate(QPointF(self.rect().center()) + QPointF(0.5, 0.5))
        painter.rotate(turn + (180.0 if self._dock.isHidden() else 0.0))
        sign = tinted("down", color, FOLD_SIGN, self.devicePixelRatioF())
        painter.drawPixmap(QPointF(-FOLD_SIGN / 2, -FOLD_SIGN / 2), sign)
        painter.end()
