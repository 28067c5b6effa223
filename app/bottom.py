"""What is below the view: plots or the comparison, and the timeline under both."""

from __future__ import annotations

from PyQt6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from app.panels.comparison import ComparisonPanel
from app.panels.plots import PlotsPanel
from app.panels.timeline import Timeline
from app.session import Session
from app.theme import TIMELINE_HEIGHT

PLOTS, COMPARISON = range(2)


class BottomPanel(QWidget):
    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.plots, self.comparison, self.timeline = PlotsPanel(session), ComparisonPanel(session), Timeline(session)
        self.pages, self.tabs = QStackedWidget(), QTabBar()
        self.pages.addWidget(self.plots)
        self.pages.addWidget(self.comparison)
        self.tabs.addTab("Plots")
        self.tabs.addTab("Comparison")
        self.tabs.setTabToolTip(PLOTS, "What the running scene measures")
        self.tabs.setTabToolTip(COMPARISON, "Other engines beside the leading one")
        self.tabs.setObjectName("bottom tabs")
        self.tabs.setAccessibleName("Plots or comparison")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setFixedHeight(TIMELINE_HEIGHT)
        self.tabs.currentChanged.connect(self.pages.setCurrentIndex)
        session.shown.plots_changed.connect(lambda: self.tabs.setCurrentIndex(PLOTS))
        strip = QWidget()
        strip.setObjectName("panel")
        row = QHBoxLayout(strip)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.tabs)
        row.addWidget(self.timeline, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(1)
        column.addWidget(self.pages, 1)
        column.addWidget(strip)

    def show_comparison(self) -> None:
        self.tabs.setCurrentIndex(COMPARISON)

    def wake(self) -> None:
        """Import the plotting library and fill the space."""
        self.plots.wake()

    def set_theme(self, name: str) -> None:
        self.plots.set_theme(name)
        self.comparison.set_theme(name)

    def rebuild(self) -> None:
        """After a change of the size of text."""
        self.plots.rebuild()
        self.comparison.rebuild()

    def draw(self) -> None:
        self.plots.refresh()
        self.comparison.draw()
