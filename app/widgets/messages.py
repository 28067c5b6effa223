"""Windows with text: every message of this run, the notes of a scene, what the program is."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from app.session import Message, Session
from app.style import scaled
from app.theme import CONTROL_GAP, PADDING
from app.widgets.message_text import MessageText
from app.widgets.section import label

NOTHING = "Nothing has been said yet."


class MessageList(QDialog):
    """Grows while it is open."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Messages")
        self.resize(720, 320)
        self.text = MessageText()
        self.text.setPlaceholderText(NOTHING)
        self.text.setAccessibleName("Messages")
        for message in session.messages:
            self.text.add(message)
        QVBoxLayout(self).addWidget(self.text)
        session.said.connect(self._add)

    def _add(self, message: Message) -> None:
        self.text.add(message)


class Page(QDialog):
    """A title and some paragraphs, to read and to copy."""

    def __init__(self, title: str, paragraphs: list[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(title)
        self.setMinimumWidth(scaled(460))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(2 * PADDING, PADDING, 2 * PADDING, PADDING)
        layout.setSpacing(CONTROL_GAP)
        layout.addWidget(label(title, "title", wrap=True))
        self.words = [label(text, wrap=True) for text in paragraphs]
        for words in self.words:
            words.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
            layout.addWidget(words)
        buttons = QDialogButtonBox()
        buttons.addButton("Close", QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        layout.addStretch(1)
        layout.addSpacing(CONTROL_GAP)
        layout.addWidget(buttons)
        layout.activate()
        self.resize(self.width(), layout.heightForWidth(self.minimumWidth()))
