"""Live plots of the running scene, side by side at the bottom.

pyqtgraph is imported by `wake`, after the first picture: until then the space is kept free.
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from PyQt6.QtWidgets import QHBoxLayout, QWidget

from app.selection import carrying_joint
from app.session import Session
from app.stage import Stage
from app.theme import BOTTOM_DOCK, PLOT_WINDOW, THEMES
from sim.model import FIXED, FREE
from sim.plots import CAUSE_ROWS, JOINT_PLOTS, OF_JOINT, PLOTS, PlotInfo, cause_plots, plot_info

if TYPE_CHECKING:
    from app.widgets.live_plot import LivePlot

IN_DEGREES = {"rad": "°", "rad/s": "°/s"}  # units that degrees replace


class PlotsPanel(QWidget):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.theme = "light"
        self.plots: list[LivePlot] = []
        self.offered: dict[str, str] = {}  # titles of plots that have something to show in this scene, by name
        self.own: dict[str, str] = {}  # those of the selected body's joint alone, by kind
        self._factors: list[float] = []
        self._awake = False
        self.setMinimumHeight(BOTTOM_DOCK // 2)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(1)
        session.stage_changed.connect(self._on_stage)
        session.shown.plots_changed.connect(self._build)
        session.shown.selection_changed.connect(self._offer)
        session.shown.units_changed.connect(self._on_units)
        self._on_stage(session.stage)

    def wake(self) -> None:
        """Import the plotting library and fill the space."""
        self._awake = True
        self._build()

    def set_theme(self, name: str) -> None:
        self.theme = name
        for plot in self.plots:
            plot.set_theme(THEMES[name])

    def _on_stage(self, stage: Stage) -> None:
        self._offer()
        self._build()

    def _on_units(self) -> None:
        self._offer()
        self._build()

    def _offer(self) -> None:
        model, body = self.session.stage.model, self.session.shown.selection.body
        joint = carrying_joint(model, body) if body >= 0 else -1
        moves = joint >= 0 and model.joint_type[joint] not in (FREE, FIXED)
        self.own = {kind: f"{kind}{OF_JOINT}{model.joint_names[joint]}" for kind in JOINT_PLOTS if moves}
        if moves:
            self.own |= dict(zip(CAUSE_ROWS, cause_plots(model, joint), strict=False))
        infos = (self._in_units(plot_info(model, name))[0] for name in (*PLOTS, *self.own.values()))
        self.offered = {info.name: f"{info.title} [{info.unit}]" for info in infos if info.labels}

    def rebuild(self) -> None:
        """After a change of the size of text."""
        self._build()

    def _build(self) -> None:
        if not self._awake:
            return
        from app.widgets.live_plot import LivePlot
        from app.widgets.stacked_plot import StackedPlot

        for plot in self.plots:
            self.layout().removeWidget(plot)
            plot.deleteLater()
        model = self.session.stage.model
        infos = (plot_info(model, name) for name in self.session.shown.plots)
        shown = [self._in_units(info) for info in infos if info.labels]
        kinds = [StackedPlot if info.stacked else LivePlot for info, _ in shown]
        self.plots = [kind(info, THEMES[self.theme], PLOT_WINDOW) for kind, (info, _) in zip(kinds, shown, strict=True)]
        for plot in self.plots:
            plot.pointed.connect(self._point)
        self._factors = [factor for _, factor in shown]
        for plot in self.plots:
            self.layout().addWidget(plot, 1)

    @property
    def needs_causes(self) -> bool:
        """Whether a plot shows torques by cause, which only the physics can tell."""
        return self.isVisible() and any(plot.info.stacked for plot in self.plots)

    def _point(self, age: float | None) -> None:
        """One line through all plots."""
        for plot in self.plots:
            plot.show_crosshair(age)

    def _in_units(self, info: PlotInfo) -> tuple[PlotInfo, float]:
        """The plot as people want angles shown, and the factor on its values; a mixed one stays as it is."""
        unit = IN_DEGREES.get(info.unit) if self.session.shown.degrees else None
        if unit is None:
            return info, 1.0
        return replace(info, unit=unit, min_span=math.degrees(info.min_span)), math.degrees(1.0)

    def refresh(self) -> None:
        """Draw what the history holds now."""
        history = self.session.runner.history if self.session.runner else None
        if history is None or not self.isVisible():
            return
        now = time.perf_counter()
        for plot, factor in zip(self.plots, self._factors, strict=True):
            times, values = history.read(plot.info.name, PLOT_WINDOW)
            if values.shape[1] == len(plot.info.labels):
                plot.show_values(times, values * factor, now)
