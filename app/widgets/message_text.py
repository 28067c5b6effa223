"""Messages as text to read, select and copy: a line each, its sign beside it and the word of its level in colour."""

from __future__ import annotations

from datetime import datetime

from PyQt6.QtCore import QEvent, QPointF, Qt
from PyQt6.QtGui import QColor, QFont, QPainter, QPaintEvent, QResizeEvent, QTextCharFormat, QTextCursor
from PyQt6.QtWidgets import QPlainTextEdit, QWidget

from app.icons import tinted
from app.session import LEVELS, Message
from app.style import applied
from app.theme import CONTROL_GAP

# level -> its icon and the colour of icon and word
SIGNS = {"info": ("info", "muted"), "ok": ("ok", "ok"), "warning": ("warning", "warn"), "error": ("error", "error")}
SIGN_SIZE = 16  # [px]
_ORDER = tuple(SIGNS)  # a line of the text keeps the number of its level


class MessageText(QPlainTextEdit):
    def __init__(self) -> None:
        super().__init__()
        self.setReadOnly(True)
        by_hand, by_key = Qt.TextInteractionFlag.TextSelectableByMouse, Qt.TextInteractionFlag.TextSelectableByKeyboard
        self.setTextInteractionFlags(by_hand | by_key)
        self.setToolTip("Ctrl+A selects everything, Ctrl+C copies")
        self._messages: list[Message] = []
        self._margin = _Signs(self)
        self.setViewportMargins(SIGN_SIZE + CONTROL_GAP, 0, 0, 0)
        self.updateRequest.connect(lambda *_: self._margin.update())

    def add(self, message: Message) -> None:
        """One more line; who reads the end goes on reading it."""
        bar = self.verticalScrollBar()
        at_end = bar.value() == bar.maximum()
        self._messages.append(message)
        self._write(message)
        if at_end:
            bar.setValue(bar.maximum())

    def _write(self, message: Message) -> None:
        theme, cursor = applied(), QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if cursor.position() > 0:
            cursor.insertBlock()
        cursor.block().setUserState(_ORDER.index(message.level))
        _, token = SIGNS[message.level]
        cursor.insertText(f"{datetime.fromtimestamp(message.when):%H:%M:%S}  ", _written_in(theme.muted))
        cursor.insertText(LEVELS[message.level], _written_in(getattr(theme, token), QFont.Weight.DemiBold))
        cursor.insertText(message.text.replace("\n", " "), _written_in(theme.text))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._margin.setGeometry(inside.x(), inside.y(), SIGN_SIZE + CONTROL_GAP, inside.height())

    def changeEvent(self, event: QEvent) -> None:
        """Another theme: the same words in its colours."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_messages"):
            self.clear()
            for message in self._messages:
                self._write(message)


class _Signs(QWidget):
    """The icons at the left of the lines."""

    def __init__(self, text: MessageText) -> None:
        super().__init__(text)
        self._text = text

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, text, theme = QPainter(self), self._text, applied()
        painter.fillRect(self.rect(), QColor(theme.panel))
        block = text.firstVisibleBlock()
        while block.isValid() and block.userState() >= 0:
            box = text.blockBoundingGeometry(block).translated(text.contentOffset())
            if box.top() > self.height():
                break
            icon, token = SIGNS[_ORDER[block.userState()]]
            sign = tinted(icon, getattr(theme, token), SIGN_SIZE, self.devicePixelRatioF())
            line = text.fontMetrics().lineSpacing()  # of a text in several lines beside the first
            painter.drawPixmap(QPointF(CONTROL_GAP / 2, box.top() + max(0.0, (line - SIGN_SIZE) / 2) + 1), sign)
            block = block.next()
        painter.end()


def _written_in(color: str, weight: QFont.Weight = QFont.Weight.Normal) -> QTextCharFormat:
    result = QTextCharFormat()
    result.setForeground(QColor(color))
    result.setFontWeight(weight)
    return result
