"""The Control tab: what to try, the controllers with their switches and gains, the targets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from app.numbers import MINUS
from app.session import Session
from app.stage import Stage
from app.theme import CONTROL_GAP, FIELD_GAP, SECTION_GAP
from app.widgets.gain_row import GainRow
from app.widgets.joint_targets import JointTargets
from app.widgets.number_field import NumberField
from app.widgets.section import Bled, column, label, scrolled
from app.widgets.switch import SwitchRow
from sim.command import SetGain, SetJointTarget, SetSwitch, SetTarget
from sim.control import CONTROLLERS
from sim.model import Model
from sim.scene import CirclePath, ControllerSpec, Target
from sim.state import Snapshot

Array = np.ndarray[Any, np.dtype[Any]]

AXES = "xyz"
REACH = 1000.0  # [m]
COORDINATE_STEP = 0.01  # [m]


def _coordinate(value: float) -> str:
    return f"{value:.3f}".replace("-", MINUS)


def start_targets(model: Model, spec: ControllerSpec) -> Array:
    """(nq,) what a controller of joints holds at first."""
    q = np.array(model.q0)
    for name, own in spec.joint_target.items():
        j = model.joint_names.index(name)
        q[model.joint_q[j] : model.joint_q[j + 1]] = own
    return q


class ControlPanel(QWidget):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.switches: dict[str, SwitchRow] = {}
        self.gains: dict[tuple[str, str], GainRow] = {}
        self.coordinates: dict[tuple[int, int], NumberField] = {}
        self.paths: dict[str, SwitchRow] = {}
        self.joint_targets: dict[str, JointTargets] = {}
        self.theme = "light"
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        self._content: QWidget | None = None
        self._build(session.stage)
        session.stage_changed.connect(self._build)
        session.saved.connect(self._build)
        session.shown.units_changed.connect(self._show_units)

    def rebuild(self) -> None:
        self._build(self.session.stage)

    def _build(self, stage: Stage) -> None:
        for rows in (self.switches, self.gains, self.coordinates, self.paths, self.joint_targets):
            rows.clear()
        content = QWidget()
        layout = column(content)
        self._add_words(layout, stage)
        if stage.scene.controllers:
            layout.addSpacing(SECTION_GAP - CONTROL_GAP)
            layout.addWidget(label("Controllers", "section"))
        for number, spec in enumerate(stage.scene.controllers, 1):
            self._add_controller(layout, number, spec)
        for index, target in enumerate(stage.scene.targets):
            self._add_target(layout, index, target)
        layout.addStretch(1)
        area = scrolled(content)
        if self._content is not None:
            self.layout().removeWidget(self._content)
            self._content.deleteLater()
        self._content = area
        self.layout().addWidget(area)
        self.refresh(self.session.snapshot)

    def _add_words(self, layout: QVBoxLayout, stage: Stage) -> None:
        layout.addWidget(label(stage.scene.title, "title", wrap=True))
        if stage.scene.try_this:
            for sentence in stage.scene.try_this:
                layout.addWidget(label(sentence, wrap=True))
        elif stage.scene.summary:
            layout.addWidget(label(stage.scene.summary, wrap=True))

    def _add_controller(self, layout: QVBoxLayout, number: int, spec: ControllerSpec) -> None:
        kind = CONTROLLERS[spec.kind]
        switch = SwitchRow(kind.title, f"Ctrl+{number}" if number <= 9 else "")
        switch.setObjectName(f"switch:{spec.name}")
        switch.setToolTip(kind.summary)
        switch.clicked.connect(lambda on, name=spec.name: self.session.send(SetSwitch(name, on)))
        self.switches[spec.name] = switch
        layout.addLayout(Bled(switch))
        for gain in kind.gains:
            row = GainRow(gain, spec.gains.get(gain.name, gain.default))
            row.setObjectName(f"gain:{spec.name}:{gain.name}")
            row.changed.connect(
                lambda value, name=spec.name, gain=gain.name: self.session.send(SetGain(name, gain, value))
            )
            self.gains[spec.name, gain.name] = row
            layout.addWidget(row)
        if kind.holds_joints:
            self._add_joint_targets(layout, spec)

    def _add_joint_targets(self, layout: QVBoxLayout, spec: ControllerSpec) -> None:
        model = self.session.stage.model
        rows = JointTargets(model, start_targets(model, spec))
        rows.show_units(self.session.shown.degrees)
        rows.changed.connect(lambda joint, q, name=spec.name: self.session.send(SetJointTarget(name, joint, q)))
        self.joint_targets[spec.name] = rows
        layout.addWidget(label("Held at", "caption"))
        layout.addWidget(rows)

    def _show_units(self) -> None:
        for rows in self.joint_targets.values():
            rows.show_units(self.session.shown.degrees)

    def set_theme(self, name: str) -> None:
        self.theme = name
        self.refresh(self.session.snapshot)

    def _add_target(self, layout: QVBoxLayout, index: int, target: Target) -> None:
        layout.addSpacing(SECTION_GAP - CONTROL_GAP)
        layout.addWidget(label(f"Target of {target.frame}", "section"))
        grid = QGridLayout()
        grid.setHorizontalSpacing(FIELD_GAP)
        for axis, letter in enumerate(AXES):
            field = NumberField(-REACH, REACH, lambda _: COORDINATE_STEP, _coordinate)
            field.setObjectName(f"target:{target.name}:{letter}")
            field.setToolTip(f"<b>{letter}</b> [m]: where the target stands. Type a number, or use ↑ and ↓.")
            field.setAccessibleName(f"{letter} of {target.name} in metres")
            field.edited.connect(lambda value, axis=axis: self._move(index, axis, value))
            self.coordinates[index, axis] = field
            grid.addWidget(QLabel(letter), 0, 2 * axis, Qt.AlignmentFlag.AlignRight)
            grid.addWidget(field, 0, 2 * axis + 1)
            grid.setColumnStretch(2 * axis + 1, 1)
        grid.addWidget(label("m", "muted"), 0, 6)
        layout.addLayout(grid)
        if target.path is not None:
            path = SwitchRow(f"Moves on its {'circle' if isinstance(target.path, CirclePath) else 'path'}")
            path.setObjectName(f"path:{target.name}")
            path.setToolTip(target.path.words)
            path.clicked.connect(lambda on, name=target.name: self.session.follow_path(name, on))
            self.paths[target.name] = path
            layout.addLayout(Bled(path))

    def _move(self, index: int, axis: int, value: float) -> None:
        position = [self.coordinates[index, a].value for a in range(3)]
        position[axis] = value
        self.session.set_target(index, (position[0], position[1], position[2]))

    def refresh(self, snapshot: Snapshot) -> None:
        """Show what holds now; controls whose command is on its way keep what was asked for."""
        waits = self.session.waits_for
        for name, switch in self.switches.items():
            if not waits(SetSwitch(name, True)):
                switch.setChecked(snapshot.controllers.get(name, False))
        for (name, gain), row in self.gains.items():
            if not waits(SetGain(name, gain, 0.0)):
                row.show_value(snapshot.gains.get(name, {}).get(gain, row.default))
        for (index, axis), field in self.coordinates.items():
            target = self.session.stage.scene.targets[index].name
            if not waits(SetTarget(target, (0.0, 0.0, 0.0))) and index < len(snapshot.targets):
                value = float(snapshot.targets[index][axis])
                field.show_value(value if math.isfinite(value) else 0.0)
        for name, rows in self.joint_targets.items():
            self._refresh_joint_targets(name, rows, snapshot)
        for name, path in self.paths.items():
            path.setChecked(self.session.paths_on[name])

    def _refresh_joint_targets(self, name: str, rows: JointTargets, snapshot: Snapshot) -> None:
        waited = {j for j in rows.model.joint_names if self.session.waits_for(SetJointTarget(name, j, ()))}
        if name in snapshot.joint_targets:
            rows.show_targets(snapshot.joint_targets[name], waited)
        rows.show_measured(snapshot.q, self.theme)
