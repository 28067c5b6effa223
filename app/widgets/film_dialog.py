"""How to record: format, size and frame rate, asked before Shift+V begins."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.filming import FilmSettings
from app.theme import CONTROL_GAP, PADDING
from app.video_encoder import LARGEST, SMALLEST
from app.video_formats import FORMATS as KINDS
from app.widgets.choice import Choice
from app.widgets.number_field import NumberField

FORMATS = {".mp4": "MP4 video (H.264)", ".gif": "GIF animation"}
SIZES = (None, (480, 270), (640, 360), (1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))  # None: as the view
RATES = {".mp4": (24.0, 25.0, 30.0, 50.0, 60.0), ".gif": (10.0, 20.0, 25.0, 50.0)}
USUAL_RATE = {".mp4": 60.0, ".gif": 25.0}
OTHER = "Other…"  # the last of each list: numbers of one's own beside it


class FilmDialog(QDialog):
    chosen = pyqtSignal(object)  # FilmSettings

    def __init__(self, now: FilmSettings, view: tuple[int, int], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle("Record with settings")
        self.format, self.size_, self.rate = Choice(), Choice(), Choice()
        for suffix, title in FORMATS.items():
            self.format.addItem(title, suffix)
        for size in SIZES:
            width, height = size or view
            self.size_.addItem(f"{width} × {height}" if size else f"As the view, {width} × {height}")
        self.size_.addItem(OTHER)
        self.sides = tuple(NumberField(SMALLEST, LARGEST, lambda _: 2.0, lambda side: f"{side:.0f}") for _ in range(2))
        self.own_rate = NumberField(1.0, USUAL_RATE[now.suffix], lambda _: 1.0)
        self.format.currentIndexChanged.connect(self._offer_rates)
        self.format.setCurrentIndex(self.format.findData(now.suffix))
        self._offer_rates()
        for field, side in zip(self.sides, now.size or view, strict=True):
            field.show_value(side)
        self.size_.setCurrentIndex(SIZES.index(now.size) if now.size in SIZES else len(SIZES))
        self.own_rate.show_value(now.fps)
        known = self.rate.findData(now.fps)
        self.rate.setCurrentIndex(known if known >= 0 else self.rate.count() - 1)
        self._lay_out()
        for choice in (self.size_, self.rate):
            choice.currentIndexChanged.connect(self._show_fields)
        self._show_fields()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setSpacing(CONTROL_GAP)
        self._size_fields, self._rate_fields = _beside(*self.sides, between="×"), _beside(self.own_rate)
        for title, choice in (("&Format", self.format), ("&Size", self.size_), ("Frames a &second", self.rate)):
            choice.setAccessibleName(title.replace("&", ""))
            choice.setMinimumWidth(220)
            form.addRow(title, choice)
            if choice is self.size_:
                form.addRow("", self._size_fields)
        form.addRow("", self._rate_fields)
        for field, name in zip(self.sides, ("Width", "Height"), strict=True):
            field.setAccessibleName(f"{name} in pixels")
            field.setToolTip(f"{name} [px]: {SMALLEST} to {LARGEST}")
        self.own_rate.setAccessibleName("Frames a second")
        self._form = form
        buttons = QDialogButtonBox()
        buttons.addButton("Cancel", QDialogButtonBox.ButtonRole.RejectRole)
        record = buttons.addButton("Record", QDialogButtonBox.ButtonRole.AcceptRole)
        record.setDefault(True)
        record.setProperty("role", "primary")
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(PADDING, PADDING, PADDING, PADDING)
        layout.addLayout(form)
        layout.addSpacing(CONTROL_GAP)
        layout.addWidget(buttons)

    def _offer_rates(self) -> None:
        suffix = self.format.currentData()
        self.rate.clear()
        for rate in RATES[suffix]:
            self.rate.addItem(f"{rate:g}", rate)
        self.rate.addItem(OTHER)
        self.rate.setCurrentIndex(self.rate.findData(USUAL_RATE[suffix]))
        self.own_rate.high = KINDS[suffix].fastest
        self.own_rate.show_value(min(self.own_rate.value, self.own_rate.high))
        self.own_rate.setToolTip(f"Images a simulated second: 1 to {self.own_rate.high:g}")

    def _show_fields(self) -> None:
        self._form.setRowVisible(self._size_fields, self.size_.currentText() == OTHER)
        self._form.setRowVisible(self._rate_fields, self.rate.currentText() == OTHER)
        self.adjustSize()

    def accept(self) -> None:
        width, height = (round(field.value) for field in self.sides)
        size = (width, height) if self.size_.currentText() == OTHER else SIZES[self.size_.currentIndex()]
        rate = self.own_rate.value if self.rate.currentText() == OTHER else self.rate.currentData()
        self.chosen.emit(FilmSettings(self.format.currentData(), size, rate))
        super().accept()


def _beside(*fields: NumberField, between: str = "") -> QWidget:
    box = QWidget()
    row = QHBoxLayout(box)
    row.setContentsMargins(0, 0, 0, 0)
    for n, field in enumerate(fields):
        if n:
            row.addWidget(QLabel(between))
        row.addWidget(field)
    return box
