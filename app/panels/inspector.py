"""The Inspector tab: what is selected, in live numbers."""

from __future__ import annotations

from PyQt6.QtGui import QColor, QPainter, QPixmap
from PyQt6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.inspection import Section, sections
from app.session import Session
from app.theme import CONTROL_GAP, SECTION_GAP, THEMES
from app.widgets.section import Bled, column, label, scrolled
from app.widgets.value_row import ValueRow
from sim.state import Snapshot

HINT = "Click a body or a target in the view to see its numbers here."
DOT = 10  # [px]


class InspectorPanel(QWidget):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.theme = "light"
        self.rows: list[ValueRow] = []
        self._dots: list[tuple[QLabel, int]] = []
        self._layout: object = None  # what the rows were made for
        self._content: QWidget | None = None
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        session.shown.selection_changed.connect(lambda _: self.refresh(session.snapshot))
        session.shown.units_changed.connect(lambda: self.refresh(session.snapshot))
        self.refresh(session.snapshot)

    def set_theme(self, name: str) -> None:
        self.theme = name
        self._paint_dots()

    @property
    def needs_forces(self) -> bool:
        """Whether the physics should tell what the joints carry."""
        return self.isVisible() and self.session.shown.selection.body >= 0

    def refresh(self, snapshot: Snapshot) -> None:
        """Show what holds now; the rows are made anew only where there are other ones."""
        shown = sections(self.session.stage, snapshot, self.session.shown.selection)
        layout = self.session.shown.selection, [(s.title, [row.name for row in s.rows]) for s in shown]
        if layout != self._layout:
            self._layout = layout
            self._build(shown)
        rows = (row for section in shown for row in section.rows)
        for widget, row in zip(self.rows, rows, strict=True):
            widget.show_row(row, self.session.shown.degrees)

    def _build(self, shown: tuple[Section, ...]) -> None:
        self.rows, self._dots = [], []
        content = QWidget()
        layout = column(content)
        layout.setSpacing(0)
        selection = self.session.shown.selection
        if shown:
            layout.addWidget(label(selection.name(self.session.stage.model), "title", wrap=True))
        else:
            layout.addWidget(label(HINT, "muted", wrap=True))
        for section in shown:
            layout.addSpacing(SECTION_GAP - CONTROL_GAP)
            layout.addLayout(self._heading(section))
            layout.addSpacing(CONTROL_GAP // 2)
            for row in section.rows:
                widget = ValueRow(row)
                self.rows.append(widget)
                layout.addLayout(Bled(widget))
        layout.addStretch(1)
        area = scrolled(content)
        if self._content is not None:
            self.layout().removeWidget(self._content)
            self._content.deleteLater()
        self._content = area
        self.layout().addWidget(area)
        self._paint_dots()

    def _heading(self, section: Section) -> QHBoxLayout:
        """The title, behind a dot in the joint's colour where it is about a joint."""
        line = QHBoxLayout()
        line.setSpacing(6)
        if section.joint >= 0:
            dot = QLabel()
            self._dots.append((dot, section.joint))
            line.addWidget(dot)
        line.addWidget(label(section.title, "section"), 1)
        return line

    def _paint_dots(self) -> None:
        scale = self.devicePixelRatioF()
        for dot, joint in self._dots:
            pixmap = QPixmap(round(DOT * scale), round(DOT * scale))
            pixmap.setDevicePixelRatio(scale)
            pixmap.fill(QColor(0, 0, 0, 0))
            painter = QPainter(pixmap)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QColor(0, 0, 0, 0))
            painter.setBrush(QColor(THEMES[self.theme].curve(joint)))
            painter.drawEllipse(0, 0, DOT, DOT)
            painter.end()
            dot.setPixmap(pixmap)
