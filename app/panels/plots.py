"""Live plots of the running scene, side by side at the bottom.

pyqtgraph is imported by `wake`, after the first picture: until then the space is kept free.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QHBoxLayout, QWidget

from app.session import Session
from app.stage import Stage
from app.theme import BOTTOM_DOCK, THEMES
from sim.history import PLOTS, plot_info

if TYPE_CHECKING:
    from app.widgets.live_plot import LivePlot

SECONDS = 10.0  # what a plot shows
SHOWN = 2


class PlotsPanel(QWidget):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.theme = "light"
        self.plots: list[LivePlot] = []
        self._awake = False
        self.setMinimumHeight(BOTTOM_DOCK // 2)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(1)
        session.stage_changed.connect(self._build)

    def wake(self) -> None:
        """Import the plotting library and fill the space."""
        self._awake = True
        self._build(self.session.stage)

    def set_theme(self, name: str) -> None:
        self.theme = name
        for plot in self.plots:
            plot.set_theme(THEMES[name])

    def _build(self, stage: Stage) -> None:
        if not self._awake:
            return
        from app.widgets.live_plot import LivePlot

        for plot in self.plots:
            self.layout().removeWidget(plot)
            plot.deleteLater()
        names = [name for name in stage.scene.plots if name in PLOTS][:SHOWN]
        infos = [plot_info(stage.model, name) for name in names]
        self.plots = [LivePlot(info, THEMES[self.theme], SECONDS) for info in infos if info.labels]
        for plot in self.plots:
            self.layout().addWidget(plot, 1)

    def refresh(self) -> None:
        """Draw what the history holds now."""
        history = self.session.runner.history if self.session.runner else None
        if history is None or not self.isVisible():
            return
        now = time.perf_counter()
        for plot in self.plots:
            times, values = history.read(plot.info.name, SECONDS)
            if values.shape[1] == len(plot.info.labels):
                plot.show_values(times, values, now)
