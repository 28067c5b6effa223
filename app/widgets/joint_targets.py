"""What a controller of joints holds: a slider a joint, of a ball three, from stop to stop, marked with where it is."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PyQt6.QtCore import pyqtSignal
from PyQt6.QtGui import QColor
from PyQt6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.inspection import Array, joint_q
from app.numbers import MINUS
from app.scales import LinearScale
from app.style import scaled
from app.theme import FIELD_GAP, GAIN_NUMBER_WIDTH, THEMES
from app.widgets.gain_row import unit_width
from app.widgets.gain_slider import GainSlider
from app.widgets.icon_button import IconButton
from app.widgets.number_field import NumberField
from app.widgets.section import label
from sim.model import BALL, FREE, HINGE, SLIDER, Model

WIDEST = 1000.0  # what can be typed [rad, m]
FREE_RANGE = {HINGE: math.pi, BALL: math.pi, SLIDER: 1.0}  # of sliders of joints without stops


@dataclass(frozen=True)
class Degree:
    """One of the numbers that a joint is held at."""

    joint: int
    axis: int  # of a ball; else 0
    title: str
    unit: str
    low: float
    high: float
    stops: bool  # whether the ends of the slider are those of the joint


def degrees_of(model: Model) -> list[Degree]:
    """One for each hinge and slider that moves, three for a ball: its rotation vector."""
    found = []
    for j, kind in enumerate(int(k) for k in model.joint_type):
        if kind not in FREE_RANGE or model.joint_locked[j]:
            continue
        name, unit = model.joint_names[j], "m" if kind == SLIDER else "rad"
        low, high = (float(end) for end in model.joint_limits[j])
        stops = kind != BALL and math.isfinite(low) and math.isfinite(high)
        if not stops:
            low, high = -FREE_RANGE[kind], FREE_RANGE[kind]
        for axis in range(3 if kind == BALL else 1):
            title = f"{name} {'xyz'[axis]}" if kind == BALL else name
            found.append(Degree(j, axis, title, unit, low, high, stops))
    return found


def held_q(values: list[float]) -> tuple[float, ...]:
    """The coordinates of a joint from the numbers shown: one as it is, three as the quaternion of a rotation vector.

    Turns beyond half a turn end there: from the other side they would read differently.
    """
    if len(values) == 1:
        return (values[0],)
    angle = math.hypot(*values)
    if angle < 1e-12:
        return 1.0, 0.0, 0.0, 0.0
    half = min(angle, math.pi) / 2
    return (math.cos(half), *(math.sin(half) * v / angle for v in values))


class TargetRow(QWidget):
    """Name, number and unit above a slider from stop to stop; the mark under it is the measured value."""

    changed = pyqtSignal()

    def __init__(self, degree: Degree, value: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.degree, self.value, self._factor = degree, value, 1.0
        self.slider = GainSlider(LinearScale(degree.low, degree.high), value)
        self.slider.origin, self.slider.has_stops = 0.0, degree.stops
        self.number = NumberField(-WIDEST, WIDEST, lambda _: 0.01 if self._factor == 1.0 else 1.0, _text)
        self.number.setFixedWidth(scaled(GAIN_NUMBER_WIDTH))
        self.unit = label(degree.unit, "muted")
        self.unit.setMinimumWidth(unit_width() + FIELD_GAP + IconButton("reset", "").sizeHint().width())
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(FIELD_GAP)
        grid.setVerticalSpacing(0)
        grid.addWidget(label(degree.title), 0, 0)
        grid.addWidget(self.number, 0, 1)
        grid.addWidget(self.unit, 0, 2)
        grid.addWidget(self.slider, 1, 0, 1, 3)
        grid.setColumnStretch(0, 1)
        self.slider.moved.connect(self._set)
        self.number.edited.connect(lambda shown: self._set(shown / self._factor))
        self.show_units(False)
        self.show_value(value)

    def show_units(self, degrees: bool) -> None:
        turns = degrees and self.degree.unit == "rad"
        self._factor = math.degrees(1.0) if turns else 1.0
        unit = "°" if turns else self.degree.unit
        self.unit.setText(unit)
        ends = " to ".join(f"{_text(end * self._factor)} {unit}" for end in (self.degree.low, self.degree.high))
        where = f"Between its stops, {ends}" if self.degree.stops else "It has no stops; type a number to go further"
        tip = f"<b>q</b> [{unit}]: what {self.degree.title} is held at. {where}. The mark shows where it is."
        for part in (self, self.slider, self.number):
            part.setToolTip(tip)
        for part in (self.slider, self.number):
            part.setAccessibleName(f"Target of {self.degree.title} in {unit}")
        self.number.show_value(self.value * self._factor)

    def _set(self, value: float) -> None:
        self.show_value(value)
        self.changed.emit()

    def show_value(self, value: float) -> None:
        self.value = value
        self.slider.show_value(value)
        self.number.show_value(value * self._factor)

    def show_measured(self, value: float, color: QColor) -> None:
        self.slider.show_measured(value, color)


class JointTargets(QWidget):
    """All targets of one controller."""

    changed = pyqtSignal(str, object)  # joint, its coordinates

    def __init__(self, model: Model, q: Array, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = model
        self.rows = [TargetRow(d, joint_q(model, q, d.joint)[d.axis]) for d in degrees_of(model)]
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for row in self.rows:
            row.setObjectName(f"joint:{row.degree.title}")
            row.changed.connect(lambda row=row: self._tell(row.degree.joint))
            layout.addWidget(row)

    def _tell(self, joint: int) -> None:
        values = [row.value for row in self.rows if row.degree.joint == joint]
        self.changed.emit(self.model.joint_names[joint], held_q(values))

    def show_units(self, degrees: bool) -> None:
        for row in self.rows:
            row.show_units(degrees)

    def show_targets(self, q: Array, is_waited_for: set[str]) -> None:
        for row in self.rows:
            if self.model.joint_names[row.degree.joint] not in is_waited_for:
                row.show_value(joint_q(self.model, q, row.degree.joint)[row.degree.axis])

    def show_measured(self, q: Array, theme: str) -> None:
        first = int(np.count_nonzero(self.model.joint_type == FREE))
        for row in self.rows:
            color = QColor(THEMES[theme].curve(row.degree.joint - first))
            row.show_measured(joint_q(self.model, q, row.degree.joint)[row.degree.axis], color)


def _text(value: float) -> str:
    text = f"{value:.3f}".rstrip("0").rstrip(".") if abs(value) < 1000 else f"{value:.0f}"
    return "0" if text == "-0" else text.replace("-", MINUS)
