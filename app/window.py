"""The window: viewport in the middle, docks around it, and the pulse that keeps them true."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QRect, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication
from PyQt6.QtWidgets import QApplication, QDockWidget, QFileDialog, QMainWindow, QTabWidget, QWidget

from app import style
from app.alone import Alone
from app.bottom import BottomPanel
from app.filming import Filming, FilmSettings
from app.gallery import Gallery
from app.menus import Menus
from app.panels.control import ControlPanel
from app.panels.inspector import InspectorPanel
from app.panels.physics import PhysicsPanel
from app.panels.scenes import ScenesPanel
from app.scene_files import SUFFIX, SceneFiles, has_own_file
from app.session import Message, Session
from app.settings import Settings
from app.stage import Stage
from app.theme import (
    BOTTOM_DOCK,
    LEFT_DOCK,
    RIGHT_DOCK,
    TIMELINE_HEIGHT,
    WINDOW_MINIMUM,
    WINDOW_SCREEN_PART,
    WINDOW_SIZE,
)
from app.viewport import Viewport
from app.watching import Watching
from app.widgets.fold_handle import FoldHandle
from app.widgets.help import HelpCard
from app.widgets.offer import OfferCard
from app.widgets.status import StatusLine
from sim.command import Compare, WatchCauses, WatchForces

PULSE = 16  # [ms]
PANEL_SECONDS, PLOT_SECONDS = 0.1, 0.05
CLOSE_SECONDS = 15.0  # how long closing waits for a film
LAYOUT_VERSION = 1
PRESSED = "target_pressed"  # setting: somebody has pressed a target once

SCENE_FILES = f"Scenes (*{SUFFIX});;All files (*)"

LEFT, RIGHT, BOTTOM = (
    Qt.DockWidgetArea.LeftDockWidgetArea,
    Qt.DockWidgetArea.RightDockWidgetArea,
    Qt.DockWidgetArea.BottomDockWidgetArea,
)


class Window(QMainWindow):
    first_frame = pyqtSignal()

    def __init__(self, session: Session, settings: Settings, theme_choice: str = "") -> None:
        super().__init__()
        self.session, self.settings = session, settings
        self.theme_choice = theme_choice or settings.text("theme", "system")
        session.shown.show_degrees(settings.text("angles", "radians") == "degrees")
        style.set_text_scale(float(settings.text("text", "1")))
        self.beside: tuple[str, ...] = ()  # engines to compare with from the start
        self.alone = Alone(self)
        self.viewport = Viewport(session)
        self.viewport.quality.choose(settings.text("quality", "auto"))
        self.filming = Filming(session, self.viewport.view, self.viewport.pixels)
        self.files = SceneFiles(session, settings, self.viewport.seen_from)
        self.watching = Watching(session, self.files)
        self.offer = OfferCard(self.viewport)
        self.gallery = Gallery(session, settings.cache / "thumbnails")
        self.scenes, self.bottom = ScenesPanel(session, self.gallery), BottomPanel(session)
        self.plots, self.comparison, self.timeline = self.bottom.plots, self.bottom.comparison, self.bottom.timeline
        self.control, self.physics = ControlPanel(session), PhysicsPanel(session)
        self.inspector = InspectorPanel(session)
        self.status = StatusLine()
        self.help: HelpCard | None = None
        self._closing_since: float | None = None
        self._last_panels = self._last_plots = 0.0
        self._watches = {WatchForces: False, WatchCauses: False}
        self._lay_out()
        self.menus = Menus(self)
        self.addToolBar(self.menus.toolbar)
        self._connect()
        self._show_theme()
        self._on_stage(session.stage)
        self._pulse = QTimer(self, interval=PULSE, timerType=Qt.TimerType.PreciseTimer)
        self._pulse.timeout.connect(self.pulse)

    def _lay_out(self) -> None:
        self.setMinimumSize(*WINDOW_MINIMUM)
        self.setAcceptDrops(True)
        self.setCentralWidget(self.viewport)
        self.setStatusBar(self.status)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.tabBar().setAccessibleName("Panels")
        for panel, title, tip in (
            (self.control, "Control", "What moves the scene: controllers, gains, targets"),
            (self.physics, "Physics", "How it is computed: engine, integrator, step, gravity"),
            (self.inspector, "Inspector", "What is selected, in numbers"),
        ):
            self.tabs.setTabToolTip(self.tabs.addTab(panel, title), tip)
        for corner, area in (
            (Qt.Corner.BottomLeftCorner, LEFT),
            (Qt.Corner.BottomRightCorner, RIGHT),
        ):
            self.setCorner(corner, area)
        self.docks = {
            "scenes": self._dock("Scenes", self.scenes, LEFT),
            "control": self._dock("Control", self.tabs, RIGHT),
            "plots": self._dock("Plots", self.bottom, BOTTOM),
        }
        edges = {"scenes": "left", "control": "right", "plots": "bottom"}
        self.handles = {
            name: FoldHandle(self.viewport, self.docks[name], edge, partial(self.toggle_panel, name))
            for name, edge in edges.items()
        }
        self._size_docks()

    def _size_docks(self) -> None:
        """As wide as their text needs."""
        across, scaled = Qt.Orientation.Horizontal, style.scaled
        self.scenes.setMinimumWidth(scaled(LEFT_DOCK - 44))
        self.tabs.setMinimumWidth(scaled(RIGHT_DOCK - 20))
        self.resizeDocks([self.docks["scenes"], self.docks["control"]], [scaled(LEFT_DOCK), scaled(RIGHT_DOCK)], across)
        self.resizeDocks([self.docks["plots"]], [BOTTOM_DOCK + TIMELINE_HEIGHT], Qt.Orientation.Vertical)

    def _dock(self, title: str, content: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title)
        dock.setObjectName(f"dock:{title}")
        dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        dock.setTitleBarWidget(QWidget())
        dock.setWidget(content)
        self.addDockWidget(area, dock)
        return dock

    def _connect(self) -> None:
        session = self.session
        session.hands_on = self.settings.flag(PRESSED)
        session.target_pressed.connect(self._on_target_pressed)
        session.stage_changed.connect(self._on_stage)
        session.said.connect(self._on_message)
        self.filming.settings = FilmSettings.parse(self.settings.text("film", ""))
        session.shown.selection_changed.connect(lambda _: self.menus.refresh())
        session.shown.plots_changed.connect(self._watch)
        self.viewport.context_asked.connect(lambda at: self.menus.popup(at))
        session.undo.changed.connect(self.menus.refresh)
        self.scenes.chosen.connect(self.open_file)
        session.saved.connect(lambda _: self._show_title())
        self.files.changed.connect(self._show_title)
        self.files.found.connect(self.scenes.add_own)
        self.files.offered.connect(self.offer.show_offer)
        self.offer.accepted.connect(self._restore)
        self.offer.declined.connect(self.files.discard)
        self.viewport.frameSwapped.connect(self._on_first_frame)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._show_theme)

    # --- life -----------------------------------------------------------------------------------------

    def take_place(self, size: tuple[int, int] | None = None) -> None:
        """The size asked for, the one of last time, or the usual one."""
        room = self.screen().availableGeometry()
        width, height = size or WINDOW_SIZE
        if size is None:
            width = min(width, round(room.width() * WINDOW_SCREEN_PART))
            height = min(height, round(room.height() * WINDOW_SCREEN_PART))
        else:
            self.setMinimumSize(min(width, WINDOW_MINIMUM[0]), min(height, WINDOW_MINIMUM[1]))
        self.setGeometry(QRect(room.x(), room.y(), width, height))
        if size is None:
            self.restoreGeometry(self.settings.bytes("geometry"))
            self.restoreState(self.settings.bytes("layout"), LAYOUT_VERSION)
        self.viewport.setFocus()

    def _on_first_frame(self) -> None:
        """The first picture is on the screen: now start what takes longer."""
        self.viewport.frameSwapped.disconnect(self._on_first_frame)
        self.first_frame.emit()
        self._pulse.start()
        QTimer.singleShot(0, self._start_slow_parts)

    def _start_slow_parts(self) -> None:
        """One after the other: two threads that import large libraries at once can trip over each other."""
        if not self.isVisible():  # closed before it really began
            return
        self.bottom.wake()
        self.session.start()
        self.compare(self.beside)
        self.files.start()
        self.watching.start()
        self.gallery.start()

    def pulse(self) -> None:
        """At display rate: take what the runner has, show what changed."""
        now = time.perf_counter()
        self.session.poll()
        self.filming.poll()
        self.viewport.recording = self.filming.elapsed
        self.viewport.tick()
        if now - self._last_panels >= PANEL_SECONDS:
            self._last_panels = now
            self.control.refresh(self.session.snapshot)
            self.physics.refresh(self.session.snapshot)
            self.comparison.refresh(self.session.snapshot)
            self._watch()
            if self.inspector.isVisible():
                self.inspector.refresh(self.session.snapshot)
            self.menus.refresh()
        if now - self._last_plots >= PLOT_SECONDS:
            self._last_plots = now
            self.bottom.draw()
        if self._closing_since is not None:
            late = now - self._closing_since > CLOSE_SECONDS
            if late or not self.filming.unfinished:
                self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """A film under way is completed first, with a word about it; the window stays alive meanwhile."""
        if self.filming.unfinished and self._closing_since is None:
            self._closing_since = time.perf_counter()
            self.filming.stop()
            self.session.say("info", "Completing the film before closing…")
        late = self._closing_since is not None and time.perf_counter() - self._closing_since > CLOSE_SECONDS
        if self.filming.unfinished and not late:
            event.ignore()
            return
        self._pulse.stop()
        self.hide()
        if not self.is_viewport_only:
            self.settings.set("geometry", self.saveGeometry())
            self.settings.set("layout", self.saveState(LAYOUT_VERSION))
        self.watching.stop()
        self.files.stop()
        self.gallery.stop()
        self.settings.save()
        self.viewport.release()
        self.session.stop()
        event.accept()

    # --- what the session says ------------------------------------------------------------------------

    def _on_stage(self, stage: Stage) -> None:
        self._show_title()
        self.status.forget_notes()
        self.viewport.show_pill = bool(stage.scene.targets) and not self.session.hands_on

    def _show_title(self) -> None:
        scene = self.session.stage.scene
        variant = f" · {scene.variant}" if scene.variant else ""
        star = "*" if self.files.is_changed else ""
        self.setWindowTitle(f"{star}{scene.title}{variant} – Impulse")

    def _on_target_pressed(self) -> None:
        self.viewport.show_pill = False
        self.settings.set(PRESSED, True)

    def _on_message(self, message: Message) -> None:
        self.status.show_message(message)

    def _restore(self) -> None:
        if spec := self.files.restore():
            self.viewport.look_from(spec)
        self.viewport.setFocus()

    # --- what actions ask for -------------------------------------------------------------------------

    def choose_theme(self, choice: str) -> None:
        self.theme_choice = choice
        self.settings.set("theme", choice)
        self._show_theme()

    def toggle_theme(self) -> None:
        self.choose_theme("light" if self.viewport.theme == "dark" else "dark")

    def _show_theme(self) -> None:
        name = style.resolve(self.theme_choice)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        style.apply(app, name)
        for part in (self.status, self.bottom, self.control, self.inspector, self.gallery):
            part.set_theme(name)
        self.viewport.theme = name
        self.menus.refresh()

    def toggle_overlay(self, name: str) -> None:
        """Frames, trails, arrows…"""
        self.viewport.overlays = self.viewport.overlays.toggled(name)
        self._watch()

    def _watch(self) -> None:
        """What only the physics can tell is asked of it while an overlay, the Inspector or a plot shows it."""
        wanted = {
            WatchForces: self.viewport.overlays.needs_forces or self.inspector.needs_forces,
            WatchCauses: self.plots.needs_causes,
        }
        for command, on in wanted.items():
            if on != self._watches[command]:
                self._watches[command] = on
                self.session.send(command(on))

    def choose_quality(self, choice: str) -> None:
        self.viewport.quality.choose(choice)
        self.settings.set("quality", choice)

    def fit_text(self) -> None:
        """After a change of the size of text."""
        self._show_theme()
        self._size_docks()
        self.status.fit_text()
        self.menus.fit_text()
        self.control.rebuild()
        self.bottom.rebuild()
        self.scenes.scheduleDelayedItemsLayout()
        self._renew_help()

    def _renew_help(self) -> None:
        """The card is made for one size of text; if it is open, a new one takes its place."""
        old, self.help = self.help, None
        if old is not None:
            old.deleteLater()
            if old.isVisible():
                old.hide()
                self.toggle_help()

    def toggle_panel(self, name: str) -> None:
        dock, focused = self.docks[name], QApplication.focusWidget()
        if focused is not None and dock.isAncestorOf(focused):
            self.viewport.setFocus()
        dock.setVisible(dock.isHidden())

    def compare(self, beside: tuple[str, ...]) -> None:
        """Let these engines run beside the leading one, and show how they do."""
        if beside:
            self.session.send(Compare(beside))
            self.bottom.show_comparison()

    @property
    def is_viewport_only(self) -> bool:
        return self.alone.on

    def toggle_viewport_only(self) -> None:
        docks, handles = self.docks.values(), self.handles.values()
        self.alone.toggle((*docks, *handles, self.menus.toolbar, self.menuBar(), self.status))
        self.viewport.setFocus()

    def toggle_help(self) -> None:
        if self.help is not None and self.help.isVisible():
            self.help.leave()
        else:
            self.help = self.help or HelpCard(self, self.viewport)
            self.help.open()

    def cancel(self) -> None:
        """What is under way, then the selection, then the viewport's being alone."""
        if not self.viewport.cancel() and self.is_viewport_only:
            self.toggle_viewport_only()

    def open_file(self, name: str | Path) -> None:
        self.session.open(name)
        self.viewport.setFocus()

    def ask_for_file(self) -> None:
        folder = str(self.files.suggestion().parent)
        path, _ = QFileDialog.getOpenFileName(self, "Open scene", folder, SCENE_FILES)
        if path:
            self.open_file(path)

    def save(self) -> None:
        scene = self.session.stage.scene
        if has_own_file(scene):
            if self.watching.may_save():
                self.files.save(scene.path or "")
        else:
            self.save_as()

    def save_as(self) -> None:
        path, _ = QFileDialog.getSaveFileName(self, "Save scene", str(self.files.suggestion()), SCENE_FILES)
        if path:
            self.files.save(path)
        self.viewport.setFocus()

    # --- files dropped on the window ------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        files = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        self.open_file(files[0])
        if len(files) > 1:
            self.session.say("warning", f"Of {len(files)} files only {files[0].name} is opened: drop one at a time.")
        event.acceptProposedAction()
