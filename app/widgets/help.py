"""What keys and mouse do: a card over the window, made from the table of actions."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QHideEvent, QKeyEvent, QMouseEvent
from PyQt6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.actions import ACTIONS, MOUSE, Action
from app.theme import CONTROL_GAP, SECTION_GAP
from app.widgets.icon_button import IconButton
from app.widgets.section import label, scrolled

TITLES = {"File": "Files", "Edit": "Files", "": "Help"}  # of sections, where they are not called like the menu
COLUMNS = (("Mouse", "Files"), ("Simulation", "Help"), ("View", "Selection"))
GLYPHS = {"Right": "→", "Left": "←", "-": "−"}  # of single keys


def help_rows() -> dict[str, list[tuple[str, str]]]:
    """Section -> (keys, what they do)."""
    sections: dict[str, list[tuple[str, str]]] = {"Mouse": list(MOUSE)}
    for row in ACTIONS:
        if row.keys and row.help != "-":
            menu = row.menu.partition("/")[0]
            section = TITLES.get(menu, menu)
            sections.setdefault(section, []).append((_keys(row), _words(row)))
    return sections


def _keys(row: Action) -> str:
    return row.help_keys or " or ".join(key_text(key) for key in row.keys)


def key_text(key: str) -> str:
    """A key as people write it: "Shift+→", "Ctrl+−"."""
    held, plus, last = key.rpartition("+") if not key.endswith("+") else ("", "", key)
    return f"{held}{plus}{GLYPHS.get(last, last)}"


def _words(row: Action) -> str:
    if row.help:
        return row.help
    return row.text if isinstance(row.text, str) else row.tip


class HelpCard(QFrame):
    """Closed by Escape, F1, a click or its cross."""

    closed = pyqtSignal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        rows = help_rows()
        close = IconButton("close", "Close (Esc)")
        close.clicked.connect(self.hide)
        head = QHBoxLayout()
        head.addWidget(label("Keys and mouse", "title"))
        head.addStretch(1)
        head.addWidget(close)
        content = QWidget()
        columns = QHBoxLayout(content)
        columns.setContentsMargins(0, 0, 0, 0)
        columns.setSpacing(2 * SECTION_GAP)
        for sections in COLUMNS:
            column = QVBoxLayout()
            column.setSpacing(CONTROL_GAP // 2)
            for section in sections:
                column.addWidget(label(section, "section"))
                column.addLayout(_table(rows[section]))
                column.addSpacing(SECTION_GAP)
            column.addStretch(1)
            columns.addLayout(column)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 16, 20, 12)
        layout.addLayout(head)
        self._area = scrolled(content)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        layout.addWidget(self._area)
        layout.addWidget(label("Keys without Ctrl work while the view has the focus: click into it.", "caption"))

    def open(self) -> None:
        """In the middle of its parent, as large as it has to be; it scrolls where there is no room."""
        room, text = self.parentWidget().rect(), self._area.widget().sizeHint()
        around = self.sizeHint() - self._area.sizeHint()
        size = (text + around).boundedTo(room.size())
        self.resize(size)
        self.move(max((room.width() - size.width()) // 2, 0), max((room.height() - size.height()) // 2, 0))
        self.show()
        self.raise_()
        self.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.hide()


def _table(rows: list[tuple[str, str]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(SECTION_GAP)
    grid.setVerticalSpacing(CONTROL_GAP // 2)
    for n, (keys, words) in enumerate(rows):
        grid.addWidget(label(words), n, 0)
        name = QLabel(keys)
        name.setProperty("role", "muted")
        grid.addWidget(name, n, 1, Qt.AlignmentFlag.AlignRight)
    grid.setColumnStretch(0, 1)
    return grid
