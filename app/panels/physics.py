"""The Physics tab: engine, solver, stabilisation, integrator, step and gravity, and what the engine achieves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QStandardItemModel
from PyQt6.QtWidgets import QFormLayout, QGridLayout, QVBoxLayout, QWidget

from app.numbers import MINUS, compact, significant
from app.session import Session
from app.stage import Stage
from app.theme import CONTROL_GAP
from app.widgets.choice import Choice
from app.widgets.section import column, label, scrolled
from sim.backend import BACKENDS, INTEGRATORS, SETTINGS, without
from sim.command import Command, SetBackend, SetGravity, SetIntegrator, SetSolver, SetStabilisation, SetStep
from sim.scene import SOLVERS, STABILISATIONS, Scene, Vec3
from sim.state import Snapshot

STEPS = (1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2)  # [s]
GRAVITIES = {"None": 0.0, "Moon": 1.62, "Mars": 3.71, "Earth": 9.81, "Jupiter": 24.79}  # [m/s²]
NAMES = {
    "sparse": "Sparse",
    "dense": "Dense",
    "rattle": "RATTLE",
    "feedback": "Feedback",
    "rk4": "Runge–Kutta 4",
    "euler": "Euler",
    "explicit_euler": "Explicit Euler",
    "ab4": "Adams–Bashforth 4",
    "gauss4": "Gauss 4",
    "semi-implicit": "Semi-implicit",
}

Options = list[tuple[str, Any]]  # text and value


@dataclass(frozen=True)
class Setting:
    """A choice: what it is called, what there is to choose, what holds now, and the command that asks for another."""

    name: str
    title: str
    tip: str
    options: Callable[[Scene, str], Options]  # of a scene on an engine
    now: Callable[[Snapshot], Any]
    command: Callable[[Any], Command]


def _named(values: tuple[str, ...]) -> Callable[[Scene, str], Options]:
    return lambda *_: [(NAMES[value], value) for value in values]


def _integrators(_: Scene, backend: str) -> Options:
    return [(NAMES[name], name) for name in INTEGRATORS[backend]]


def _step_text(dt: float) -> str:
    return compact(dt * 1e3)


def _steps(scene: Scene, _: str) -> Options:
    return [(_step_text(dt), dt) for dt in sorted({*STEPS, scene.dt})]


def _gravities(scene: Scene, _: str) -> Options:
    """Weights known from the sky; and the scene's own where it is none of these."""
    known: Options = [
        (f"{name} {strength:g}" if strength else name, (0.0, 0.0, -strength)) for name, strength in GRAVITIES.items()
    ]
    own = scene.gravity in (value for _, value in known)
    return known if own else [(gravity_text(scene.gravity), scene.gravity), *known]


def gravity_text(gravity: Vec3) -> str:
    return ", ".join(compact(g) for g in gravity).replace("-", MINUS)


CHOICES = (
    Setting(
        "backend",
        "Engine",
        "The engine that moves the bodies; changing it keeps positions and velocities.",
        lambda *_: [(title, name) for name, (title, _) in BACKENDS.items()],
        lambda s: s.backend,
        SetBackend,
    ),
    Setting(
        "solver",
        "Solver",
        "How the joints' impulses are found: along the tree in linear time, or by the textbook's dense matrix.",
        _named(SOLVERS),
        lambda s: s.solver,
        SetSolver,
    ),
    Setting(
        "stabilise",
        "Stabilisation",
        "How joints are kept together: exactly at every step (RATTLE), or by feedback, which drifts.",
        _named(STABILISATIONS),
        lambda s: s.stabilise,
        SetStabilisation,
    ),
    Setting(
        "integrator",
        "Integrator",
        "How the articulated tree goes from one state to the next.",
        _integrators,
        lambda s: s.integrator,
        SetIntegrator,
    ),
    Setting("dt", "Step [ms]", "<b>h</b> [ms]: simulated time between two states", _steps, lambda s: s.dt, SetStep),
    Setting(
        "gravity",
        "Gravity [m/s²]",
        "<b>g</b> [m/s²]: how strongly things fall, straight down or along x, y and z",
        _gravities,
        lambda s: s.gravity,
        SetGravity,
    ),
)
ELSEWHERE: dict[str, Callable[[Any], str]] = {  # values that no list offers
    "dt": _step_text,
    "gravity": gravity_text,
    "integrator": lambda name: NAMES.get(name, name),
}


class PhysicsPanel(QWidget):
    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self._engine = ""  # whose choices are listed
        self.choices = {setting.name: self._choice(setting) for setting in CHOICES}
        self.gap = label("")
        self.cost = label("")
        self._lay_out()
        session.stage_changed.connect(self._on_stage)
        self._on_stage(session.stage)

    def _choice(self, setting: Setting) -> Choice:
        choice = Choice()
        choice.setObjectName(setting.name)
        choice.setAccessibleName(setting.title)
        choice.activated.connect(lambda i: self.session.send(setting.command(choice.itemData(i))))
        return choice

    def _lay_out(self) -> None:
        content = QWidget()
        layout = column(content)
        engine, *others = CHOICES
        layout.addWidget(label(engine.title, "section"))
        layout.addWidget(self.choices[engine.name])
        form = QFormLayout()
        form.setHorizontalSpacing(CONTROL_GAP)
        form.setVerticalSpacing(CONTROL_GAP)
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        for setting in others:
            caption = label(setting.title, "muted")
            caption.setToolTip(setting.tip)
            caption.setBuddy(self.choices[setting.name])
            form.addRow(caption, self.choices[setting.name])
        layout.addSpacing(CONTROL_GAP)
        layout.addLayout(form)
        layout.addSpacing(CONTROL_GAP)
        layout.addLayout(self._measured())
        layout.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scrolled(content))

    def _measured(self) -> QGridLayout:
        """What the engine achieves."""
        rows = (
            ("Joint gap", self.gap, "[m]: the largest distance between two halves of a joint"),
            ("Cost of a step", self.cost, "[µs]: processor time"),
        )
        grid = QGridLayout()
        grid.setVerticalSpacing(CONTROL_GAP)
        for row, (name, value, tip) in enumerate(rows):
            value.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            for side, part in enumerate((label(name, "muted"), value)):
                part.setToolTip(tip)
                edge = Qt.AlignmentFlag.AlignRight if part is value else Qt.AlignmentFlag.AlignLeft
                grid.addWidget(part, row, side, edge)
        return grid

    def _on_stage(self, stage: Stage) -> None:
        self._engine = self.session.snapshot.backend
        for setting in CHOICES:
            choice = self.choices[setting.name]
            choice.clear()
            for text, value in setting.options(stage.scene, self._engine):
                choice.addItem(text, value)
        self._grey_engines(stage)
        self.refresh(self.session.snapshot)

    def _grey_engines(self, stage: Stage) -> None:
        model = self.choices["backend"].model()
        assert isinstance(model, QStandardItemModel)
        for row, name in enumerate(BACKENDS):
            model.item(row).setEnabled(not stage.refusals[name])
            model.item(row).setToolTip(stage.refusals[name])

    def refresh(self, snapshot: Snapshot) -> None:
        """Show what holds now; choices whose command is on its way keep what was asked for."""
        if snapshot.backend != self._engine:
            self._on_stage(self.session.stage)  # another engine offers other integrators
            return
        for setting in CHOICES:
            choice, now = self.choices[setting.name], setting.now(snapshot)
            if not self.session.waits_for(setting.command(now)) and not choice.view().isVisible():
                choice.setCurrentIndex(self._row(setting, choice, now))
            reason = without(snapshot.backend, setting.name) if _is_of_some_engines(setting) else ""
            choice.setEnabled(not reason)
            choice.setToolTip(reason or setting.tip)
        self.gap.setText(f"{significant(snapshot.joint_gap, 2)} m")
        self.cost.setText(f"{significant(snapshot.step_time * 1e6, 3)} µs")

    def _row(self, setting: Setting, choice: Choice, value: Any) -> int:
        """Where a value stands in its list; one that was set from elsewhere is added to it."""
        for row in range(choice.count()):
            if choice.itemData(row) == value:
                return row
        choice.addItem(ELSEWHERE[setting.name](value), value)
        return choice.count() - 1


def _is_of_some_engines(setting: Setting) -> bool:
    return any(setting.name in names for names in SETTINGS.values())
