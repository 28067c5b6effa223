"""What people chose to look at, beside the world itself: the selection, the plots, the unit of angles."""

from __future__ import annotations

from PyQt6.QtCore import QObject, pyqtSignal

from app.selection import Selection
from app.stage import Stage

MOST_PLOTS = 4


class Shown(QObject):
    selection_changed = pyqtSignal(object)  # Selection
    plots_changed = pyqtSignal()
    units_changed = pyqtSignal()

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self.selection = Selection()
        self.plots: tuple[str, ...] = ()
        self.degrees = False  # how angles are shown; files and commands are in radians
        self.begin(stage)

    def begin(self, stage: Stage) -> None:
        """Another scene: nothing selected, and the plots it asks for."""
        self.plots = stage.scene.plots[:MOST_PLOTS]
        self.select(Selection())

    def select(self, selection: Selection) -> None:
        if selection != self.selection:
            self.selection = selection
            self.selection_changed.emit(selection)

    def toggle_plot(self, name: str) -> None:
        """Show a plot, or put it away; the oldest gives way where there are too many."""
        others = tuple(n for n in self.plots if n != name)
        self.plots = others if name in self.plots else (*others, name)[-MOST_PLOTS:]
        self.plots_changed.emit()

    def show_degrees(self, on: bool) -> None:
        self.degrees = on
        self.units_changed.emit()
