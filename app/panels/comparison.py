"""The Comparison tab: which engines run beside the leading one, their figures, and plots of their differences."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PyQt6.QtCore import QSize, Qt
from PyQt6.QtGui import QResizeEvent
from PyQt6.QtWidgets import QGridLayout, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.comparison_file import ask_and_save, refusal
from app.engine_colors import engine_color
from app.numbers import MINUS, brief
from app.session import Session
from app.stage import Stage
from app.theme import BOTTOM_DOCK, CONTROL_GAP, PADDING, PLOT_WINDOW, THEMES
from app.widgets.engine_row import EngineRow, number_width
from app.widgets.number_field import NumberField
from app.widgets.section import label, scrolled
from sim.apart import apart_unit
from sim.command import Compare, SetTolerance
from sim.lane_names import LANES, REFERENCE, lane_refusal, lane_title, yardstick_of
from sim.plots import PlotInfo
from sim.state import Figures, Snapshot

if TYPE_CHECKING:
    from app.widgets.compared_plot import ComparedPlot

DIGITS = 7  # characters of a figure
TABLE_PART = 0.62  # of the panel's width, at most
LEAST_WIDTH = 320  # [px]
PLOT_WIDTH = 170  # [px] that a plot wants
LOW, HIGH = 1e-12, 10.0  # tolerances
HINT = "Switch engines on: all begin where the leading one is now, under the same hands, and are drawn as ghosts."
REFERENCE_TIP = (
    "The most precise engine that runs this scene, in steps an eighth as long, under controllers that decide as often "
    "as everywhere. While it runs, all engines are compared with it."
)


@dataclass(frozen=True)
class Column:
    title: str  # {unit} stands for that of joint coordinates
    tip: str
    value: Callable[[Figures], float]
    is_distance: bool = False  # from the yardstick, which has none itself


COLUMNS = (
    Column("Apart [{unit}]", "How far the worst joint is from {yardstick} now", lambda f: f.apart, True),
    Column("First [s]", "When that was first more than the tolerance", lambda f: f.apart_first, True),
    Column("Drift", "Energy from nowhere or to nowhere, as a part of all that moved", lambda f: f.energy_drift),
    Column("Gap [m]", "The largest distance between two halves of a joint", lambda f: f.gap),
    Column("Step [µs]", "Processor time of a step", lambda f: 1e6 * f.cost),
)
# column of what is written down -> title, unit ("" that of coordinates) and the smallest that is shown
PLOTS = {"apart": ("Apart", "", 1e-9), "energy": ("Energy apart", "J", 1e-9), "gap": ("Joint gap", "m", 1e-12)}


class ComparisonPanel(QWidget):
    def __init__(self, session: Session) -> None:
        super().__init__()
        self.session = session
        self.theme = "light"
        self.plots: list[ComparedPlot] = []
        self._plotted: tuple[str, ...] = ()
        self.rows: dict[str, EngineRow] = {}
        self.tolerance = NumberField(LOW, HIGH, lambda value: 0.1 * value, _tolerance_text)
        self.again, self.save = QPushButton("Again"), QPushButton("Save…")
        self.hint = label(HINT, "muted", wrap=True)
        self._lay_out()
        session.stage_changed.connect(self._on_stage)
        session.shown.units_changed.connect(self._rebuild_plots)
        self._on_stage(session.stage)

    # --- layout ---------------------------------------------------------------------------------------

    def _lay_out(self) -> None:
        self.table = QWidget()
        table = QVBoxLayout(self.table)
        table.setContentsMargins(PADDING, CONTROL_GAP, CONTROL_GAP, CONTROL_GAP)
        table.setSpacing(2)
        self.grid = QGridLayout()
        table.addLayout(self.grid)
        self.grid.setHorizontalSpacing(CONTROL_GAP)
        self.grid.setVerticalSpacing(0)
        self.grid.setColumnStretch(1, 1)
        self.heads = [label("", "caption") for _ in COLUMNS]
        for column, head in enumerate(self.heads, 2):
            head.setAlignment(Qt.AlignmentFlag.AlignRight)
            self.grid.addWidget(head, 0, column)
        for row, name in enumerate(LANES, 1):
            self.rows[name] = self._row(name, row)
        self.tools = self._tools()
        table.addLayout(self.tools)
        table.addStretch(1)
        self.area = scrolled(self.table)
        self.field = QHBoxLayout()
        self.field.setSpacing(1)
        self.field.addWidget(self.hint, 1)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(1)
        whole.addWidget(self.area)
        whole.addLayout(self.field, 1)
        self.hint.setContentsMargins(PADDING, PADDING, PADDING, PADDING)
        self.hint.setAlignment(Qt.AlignmentFlag.AlignCenter)

    def _row(self, name: str, row: int) -> EngineRow:
        made = EngineRow(lane_title(name), tuple(c.title.partition(" [")[0] for c in COLUMNS), self.grid, row)
        made.switch.setObjectName(f"beside:{name}")
        made.switch.clicked.connect(lambda _: self.session.toggle_beside(name))
        return made

    def _tools(self) -> QHBoxLayout:
        self.tolerance.setFixedWidth(number_width())
        self.tolerance.setObjectName("tolerance")
        self.tolerance.setAccessibleName("Tolerance")
        self.tolerance.setToolTip("From this distance on two engines are apart. Type a number, or use ↑ and ↓.")
        self.tolerance.edited.connect(lambda value: self.session.send(SetTolerance(value / self._angles())))
        self.again.setToolTip("Let all engines begin anew from where the leading one is")
        self.again.clicked.connect(lambda: self.session.send(Compare(self.session.beside)))
        self.save.setToolTip("Write these figures as a page (HTML) or as CSV")
        self.save.clicked.connect(lambda: ask_and_save(self.session, self))
        tools = QHBoxLayout()
        tools.setSpacing(CONTROL_GAP)
        caption = label("Tolerance", "muted")
        caption.setBuddy(self.tolerance)
        for part in (caption, self.tolerance, self.again, self.save):
            tools.addWidget(part)
        tools.addStretch(1)
        return tools

    def minimumSizeHint(self) -> QSize:
        """Small: what is inside takes the room there is."""
        return QSize(LEAST_WIDTH, BOTTOM_DOCK // 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """As many columns as the table's part of the width holds; the plots have the rest."""
        column = number_width() + CONTROL_GAP
        names = max(part.sizeHint().width() for row in self.rows.values() for part in (row.switch, row.leader))
        names += self.rows[REFERENCE].dot.width() + 2 * CONTROL_GAP + PADDING
        count = min(max(int((TABLE_PART * self.width() - names) / column), 1), len(COLUMNS))
        for i, head in enumerate(self.heads):
            for part in (head, *(row.values[i] for row in self.rows.values())):
                part.setVisible(i < count)
        tools = self.tools.minimumSize().width() + PADDING + CONTROL_GAP
        self.area.setFixedWidth(max(names + count * column, tools))
        self.grid.invalidate()  # cells hidden before the table is first shown would keep their room
        room = self.width() - self.area.width()
        for i, plot in enumerate(self.plots):
            plot.setVisible(i == 0 or (i + 1) * PLOT_WIDTH <= room)

    # --- what it shows --------------------------------------------------------------------------------

    def _on_stage(self, stage: Stage) -> None:
        for name, row in self.rows.items():
            reason = lane_refusal(name, stage.model)
            row.switch.setEnabled(not reason)
            tip = REFERENCE_TIP if name == REFERENCE else f"{lane_title(name)} beside the leading engine, as a ghost"
            row.switch.setToolTip(reason or tip)
        self.refresh(self.session.snapshot)

    def set_theme(self, name: str) -> None:
        self.theme = name
        for plot in self.plots:
            plot.set_theme(THEMES[name])
        self.refresh(self.session.snapshot)

    def rebuild(self) -> None:
        """After a change of the size of text."""
        self._rebuild_plots()
        self._share_room()

    def refresh(self, snapshot: Snapshot) -> None:
        beside = {lane.name: lane for lane in snapshot.beside}
        running = (snapshot.backend, *beside)
        yardstick = running[yardstick_of(running)]
        for name, row in self.rows.items():
            lane = beside.get(name)
            row.show_role(name == snapshot.backend)
            if not self.session.waits_for(Compare(())):
                row.switch.setChecked(lane is not None)
            is_shown = snapshot.lead is not None and name in running
            row.dot.show_color(engine_color(THEMES[self.theme], name, snapshot.backend) if is_shown else "")
            figures = snapshot.lead if name == snapshot.backend else lane.figures if lane else None
            texts = _texts(figures, name == yardstick, self._angles())
            if lane and lane.stopped:
                texts[0] = "waits" if lane.figures.since > snapshot.time else "stopped"
            row.show_values(texts, lane.stopped if lane else "")
        self._show_heads("the reference" if yardstick == REFERENCE else "the leading engine")
        if not self.session.waits_for(SetTolerance(1.0)):
            self.tolerance.show_value(snapshot.tolerance * self._angles())
        self.again.setEnabled(bool(beside))
        self.save.setEnabled(not refusal(self.session))

    def _show_heads(self, yardstick: str) -> None:
        unit = self._unit()
        for head, column in zip(self.heads, COLUMNS, strict=True):
            head.setText(column.title.format(unit=unit))
            head.setToolTip(column.tip.format(yardstick=yardstick))

    # --- plots ----------------------------------------------------------------------------------------

    def draw(self) -> None:
        """What the comparison has written down until now."""
        course = self.session.runner.course if self.session.runner else None
        if not self.isVisible():
            return
        names = course.names if course else ()
        if names != self._plotted:
            self._plotted = names
            self._rebuild_plots()
        now = time.perf_counter()
        for plot in self.plots:
            if course is not None and plot.isVisible():
                column = plot.info.name
                times, values = course.read(column, PLOT_WINDOW)
                shown = [i for i in range(len(names)) if column == "gap" or i != course.yardstick]
                factor = self._angles() if column == "apart" else 1.0
                plot.show_values(times, values[:, shown] * factor, now)
                if column == "apart":
                    self._mark(plot, shown, times)

    def _mark(self, plot: ComparedPlot, shown: list[int], times: Sequence[float]) -> None:
        snapshot = self.session.snapshot
        figures = [snapshot.lead, *(lane.figures for lane in snapshot.beside)]
        if len(times) and len(figures) == len(self._plotted):
            plot.mark([f.apart_first if (f := figures[i]) else math.nan for i in shown], float(times[-1]))

    def _angles(self) -> float:
        """Times which distances are shown: in degrees where people want them and all joints turn."""
        turns = apart_unit(self.session.stage.model) == "rad"
        return math.degrees(1.0) if self.session.shown.degrees and turns else 1.0

    def _unit(self) -> str:
        return "°" if self._angles() != 1.0 else apart_unit(self.session.stage.model)

    def _infos(self) -> list[PlotInfo]:
        names, infos = self._plotted, []
        yardstick = yardstick_of(names)
        for column, (title, unit, least) in PLOTS.items():
            shown = [i for i in range(len(names)) if column == "gap" or i != yardstick]
            labels = tuple(names[i] for i in shown)
            infos.append(PlotInfo(column, title, unit or self._unit(), least, labels, tuple(shown), logarithmic=True))
        return infos

    def _rebuild_plots(self) -> None:
        from app.widgets.compared_plot import ComparedPlot

        for plot in self.plots:
            self.field.removeWidget(plot)
            plot.deleteLater()
        infos = self._infos() if self._plotted else []
        self.plots = [ComparedPlot(info, THEMES[self.theme], PLOT_WINDOW, self._plotted[0]) for info in infos]
        for plot in self.plots:
            plot.pointed.connect(self._point)
            self.field.addWidget(plot, 1)
        self.hint.setVisible(not self.plots)
        self._share_room()

    def _point(self, age: float | None) -> None:
        for plot in self.plots:
            plot.show_crosshair(age)


def _tolerance_text(value: float) -> str:
    """As short as its field: "0.001", "1e−6"."""
    return f"{value:.3g}".replace("e-0", "e-").replace("-", MINUS)


def _texts(figures: Figures | None, is_yardstick: bool, angles: float) -> list[str]:
    """The figures of a row; an engine that does not run has none."""
    if figures is None:
        return ["" for _ in COLUMNS]
    values = [column.value(figures) * (angles if column is COLUMNS[0] else 1.0) for column in COLUMNS]
    texts = zip(COLUMNS, values, strict=True)
    return ["–" if column.is_distance and is_yardstick else brief(value, DIGITS) for column, value in texts]
