"""How to record: format, size and frame rate, asked before Shift+V begins."""

from __future__ import annotations

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import QDialog, QDialogButtonBox, QFormLayout, QVBoxLayout, QWidget

from app.filming import FilmSettings
from app.theme import CONTROL_GAP, PADDING
from app.widgets.choice import Choice

FORMATS = {".mp4": "MP4 video (H.264)", ".gif": "GIF animation"}
SIZES = (None, (480, 270), (640, 360), (1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))  # None: as the view
RATES = {".mp4": (24.0, 25.0, 30.0, 50.0, 60.0), ".gif": (10.0, 20.0, 25.0, 50.0)}
USUAL_RATE = {".mp4": 60.0, ".gif": 25.0}


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
        self.format.currentIndexChanged.connect(self._offer_rates)
        self.format.setCurrentIndex(self.format.findData(now.suffix))
        self._offer_rates()
        self.size_.setCurrentIndex(SIZES.index(now.size) if now.size in SIZES else 0)
        self.rate.setCurrentIndex(max(self.rate.findData(now.fps), 0))
        self._lay_out()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setSpacing(CONTROL_GAP)
        for title, choice in (("&Format", self.format), ("&Size", self.size_), ("Frames a &second", self.rate)):
            choice.setAccessibleName(title.replace("&", ""))
            choice.setMinimumWidth(220)
            form.addRow(title, choice)
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
        self.rate.setCurrentIndex(self.rate.findData(USUAL_RATE[suffix]))

    def accept(self) -> None:
        size = SIZES[self.size_.currentIndex()]
        self.chosen.emit(FilmSettings(self.format.currentData(), size, self.rate.currentData()))
        super().accept()
