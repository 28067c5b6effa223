"""A field for one number: typed, stepped with the arrow keys, or shown live while nobody types in it."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtCore import QEvent, Qt, pyqtSignal
from PyQt6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PyQt6.QtWidgets import QLineEdit, QWidget

from app import numbers


class NumberField(QLineEdit):
    edited = pyqtSignal(float)

    def __init__(
        self,
        low: float,
        high: float,
        step: Callable[[float], float],
        text: Callable[[float], str] = numbers.compact,
        parent: QWidget | None = None,
    ) -> None:
        """`step(value)` is how far the arrow keys go from a value; `text` how values are written."""
        super().__init__(parent)
        self.low, self.high = low, high
        self.value = low
        self._step, self._text = step, text
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.editingFinished.connect(self._commit)

    def show_value(self, value: float) -> None:
        """Show a value from outside; what is being typed is left alone."""
        self.value = value
        if not (self.hasFocus() and self.isModified()):
            text = self._text(value)
            if text != self.text():
                self.setText(text)

    def _commit(self) -> None:
        typed = numbers.parse(self.text())
        if typed is not None and self.isModified():
            self._set(typed)
        else:
            self._restore()

    def _set(self, value: float) -> None:
        self.value = min(max(value, self.low), self.high)
        self._restore()
        self.edited.emit(self.value)

    def _restore(self) -> None:
        self.setText(self._text(self.value))
        self.setModified(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        direction = {Qt.Key.Key_Up: 1.0, Qt.Key.Key_Down: -1.0}.get(Qt.Key(event.key()), 0.0)
        if direction:
            self._set(self.value + direction * self._step(self.value))
        elif event.key() == Qt.Key.Key_Escape and self.isModified():
            self._restore()
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        """Undo and redo are the window's, except of what is being typed."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and not self.isModified():
            keys = QKeySequence.StandardKey
            if event.matches(keys.Undo) or event.matches(keys.Redo):
                event.ignore()
                return True
        return super().event(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.selectAll()
