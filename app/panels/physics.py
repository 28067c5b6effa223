"""The Physics tab: engine, step, gravity and what the engine achieves."""

from __future__ import annotations

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QStandardItemModel
from PyQt6.QtWidgets import QFormLayout, QVBoxLayout, QWidget

from app.numbers import MINUS, compact, significant
from app.session import Session
from app.stage import Stage
from app.theme import CONTROL_GAP
from app.widgets.choice import Choice
from app.widgets.section import column, label, scrolled
from sim.backend import BACKENDS, unavailable
from sim.command import SetBackend
from sim.state import Snapshot


class PhysicsPanel(QWidget):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.engine = Choice()
        self.engine.setObjectName("engine")
        self.engine.setAccessibleName("Engine")
        self.engine.setToolTip("The engine that moves the bodies; changing it keeps positions and velocities.")
        self._fill_engines()
        self.engine.activated.connect(lambda i: session.send(SetBackend(self.engine.itemData(i))))
        self.step = label("")
        self.gravity = label("")
        self.gap = label("")
        self.cost = label("")
        self._lay_out()
        session.stage_changed.connect(self._on_stage)
        self._on_stage(session.stage)

    def _fill_engines(self) -> None:
        model = self.engine.model()
        assert isinstance(model, QStandardItemModel)
        for index, (name, (title, _)) in enumerate(BACKENDS.items()):
            self.engine.addItem(title, name)
            if reason := unavailable(name):
                item = model.item(index)
                item.setEnabled(False)
                item.setToolTip(reason)

    def _lay_out(self) -> None:
        content = QWidget()
        layout = column(content)
        layout.addWidget(label("Engine", "section"))
        layout.addWidget(self.engine)
        form = QFormLayout()
        form.setHorizontalSpacing(2 * CONTROL_GAP)
        form.setVerticalSpacing(CONTROL_GAP)
        rows = (
            ("Step h", self.step, "<b>h</b> [ms]: simulated time between two states"),
            ("Gravity g", self.gravity, "<b>g</b> [m/s²] along x, y and z"),
            ("Joint gap", self.gap, "[m]: the largest distance between two halves of a joint"),
            ("Cost of a step", self.cost, "[µs]: processor time, median"),
        )
        for name, value, tip in rows:
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            caption = label(name, "muted")
            for part in (caption, value):
                part.setToolTip(tip)
            form.addRow(caption, value)
        layout.addSpacing(CONTROL_GAP)
        layout.addLayout(form)
        layout.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(content))

    def _on_stage(self, stage: Stage) -> None:
        gravity = ", ".join(compact(g) for g in stage.scene.gravity)
        self.gravity.setText(f"({gravity}) m/s²".replace("-", MINUS))
        self.refresh(self.session.snapshot)

    def refresh(self, snapshot: Snapshot) -> None:
        if not self.session.waits_for(SetBackend("")) and not self.engine.view().isVisible():
            self.engine.setCurrentIndex(self.engine.findData(snapshot.backend))
        self.step.setText(f"{compact(snapshot.dt * 1e3)} ms")
        self.gap.setText(f"{significant(snapshot.joint_gap, 2)} m")
        self.cost.setText(f"{significant(snapshot.step_time * 1e6, 3)} µs")
