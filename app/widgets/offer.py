"""A card over the view that offers unsaved changes of an earlier time."""

from __future__ import annotations

from datetime import date

from PyQt6.QtCore import QEvent, QObject, pyqtSignal
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from app.kept import Kept
from app.theme import CONTROL_GAP, PADDING, TOOLBAR_HEIGHT
from app.widgets.section import label


class OfferCard(QFrame):
    """At the top of its parent, in the middle; it waits there until the person decides or leaves the scene."""

    accepted = pyqtSignal()
    declined = pyqtSignal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.words = label("")
        self.restore = QPushButton("Restore")
        self.restore.setToolTip("Set again what was set")
        self.restore.clicked.connect(self.accepted)
        self.discard = QPushButton("Discard")
        self.discard.setToolTip("Forget it and go on with the scene as its file says it")
        self.discard.clicked.connect(self.declined)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(PADDING, CONTROL_GAP, CONTROL_GAP, CONTROL_GAP)
        layout.setSpacing(CONTROL_GAP)
        for part in (self.words, self.restore, self.discard):
            layout.addWidget(part)
        parent.installEventFilter(self)
        self.hide()

    def show_offer(self, kept: Kept | None) -> None:
        self.setVisible(kept is not None)
        if kept is not None:
            day = f"{kept.when:%H:%M}" if kept.when.date() == date.today() else f"{kept.when:%d %B, %H:%M}"
            self.words.setText(f"Unsaved changes of {day}")
            self._place()
            self.raise_()

    def _place(self) -> None:
        self.adjustSize()
        self.move(max((self.parentWidget().width() - self.width()) // 2, 0), TOOLBAR_HEIGHT)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False
