"""One gain: name, number, unit and reset above its logarithmic slider."""

from __future__ import annotations

from PyQt6.QtCore import pyqtSignal
from PyQt6.QtWidgets import QGridLayout, QLabel, QWidget

from app.numbers import compact
from app.scales import LogScale
from app.style import scaled
from app.theme import FIELD_GAP, GAIN_NUMBER_WIDTH, GAIN_UNIT_WIDTH
from app.widgets.gain_slider import GainSlider
from app.widgets.icon_button import IconButton
from app.widgets.number_field import NumberField
from sim.control import Gain

WIDEST_UNIT = "N·m·s/rad"  # keeps the numbers of all rows in one column


def unit_width() -> int:
    return max(scaled(GAIN_UNIT_WIDTH), QLabel(WIDEST_UNIT).sizeHint().width())


class GainRow(QWidget):
    changed = pyqtSignal(float)

    def __init__(self, gain: Gain, default: float, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.gain, self.default = gain, default
        self.slider = GainSlider(LogScale(gain.low, gain.high), default)
        self.number = NumberField(gain.low, gain.high, lambda value: abs(value) * 0.05 or gain.high * 1e-3)
        self.number.setFixedWidth(scaled(GAIN_NUMBER_WIDTH))
        self.reset = IconButton("reset", f"{gain.symbol} back to {compact(default)} {gain.unit}")
        keep = self.reset.sizePolicy()
        keep.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(keep)
        self._lay_out()
        self._explain()
        self.slider.moved.connect(self._set)
        self.number.edited.connect(self._set)
        self.reset.clicked.connect(lambda: self._set(self.default))
        self.show_value(default)

    def _lay_out(self) -> None:
        name = QLabel(self.gain.symbol)
        unit = QLabel(self.gain.unit)
        unit.setProperty("role", "muted")
        unit.setMinimumWidth(unit_width())
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(FIELD_GAP)
        grid.setVerticalSpacing(0)
        grid.addWidget(name, 0, 0)
        grid.addWidget(self.number, 0, 1)
        grid.addWidget(unit, 0, 2)
        grid.addWidget(self.reset, 0, 3)
        grid.addWidget(self.slider, 1, 0, 1, 4)
        grid.setColumnStretch(0, 1)

    def _explain(self) -> None:
        gain = self.gain
        default = f"{compact(self.default)} {gain.unit}"
        tip = f"<b>{gain.symbol}</b> [{gain.unit}]: {gain.tip}.<br>Double click on the slider: {default}."
        for widget in (self, self.slider, self.number):
            widget.setToolTip(tip)
        for part in (self.slider, self.number):
            part.setAccessibleName(f"{gain.name} in {gain.unit}")

    def _set(self, value: float) -> None:
        self.show_value(value)
        self.changed.emit(value)

    def show_value(self, value: float) -> None:
        self.slider.show_value(value)
        self.number.show_value(value)
        self.reset.setVisible(abs(value - self.default) > 1e-9 * max(abs(self.default), 1e-9))
