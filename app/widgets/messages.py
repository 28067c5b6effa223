"""Every message of this run, to read again and to copy."""

from __future__ import annotations

from datetime import datetime

from PyQt6.QtWidgets import QDialog, QPlainTextEdit, QVBoxLayout, QWidget

from app.session import LEVELS, Message


class MessageList(QDialog):
    def __init__(self, messages: list[Message], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Messages")
        self.resize(720, 320)
        lines = [f"{datetime.fromtimestamp(m.when):%H:%M:%S}  {LEVELS[m.level]}{m.text}" for m in messages]
        text = QPlainTextEdit("\n".join(lines) or "Nothing has been said yet.")
        text.setReadOnly(True)
        QVBoxLayout(self).addWidget(text)
