"""Menus, toolbar and keys, made from the table of actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtCore import QPoint, QSize, Qt
from PyQt6.QtGui import QAction, QActionGroup, QFontMetrics, QKeySequence, QShortcut
from PyQt6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolBar, QWidget

from app.actions import ACTIONS, TOOLBAR, Action, Text, is_bare
from app.icons import icon
from app.style import font, scaled
from app.theme import BODY_PT, CONTROL_GAP, ICON_SIZE, TOOLBAR_HEIGHT

if TYPE_CHECKING:
    from app.window import Window

EXCLUSIVE = ("Simulation/Engine", "View/Theme", "View/Quality", "View/Angles")  # menus of which one entry holds


class Menus:
    """The QAction of every row, in its menu, on its key and on the toolbar; `refresh` keeps them true."""

    def __init__(self, window: Window) -> None:
        self.window = window
        self.actions = {row.id: self._make(row) for row in ACTIONS}
        self.menus: dict[str, QMenu] = {}
        self._fill_menus()
        self.context: QMenu | None = None
        self.speed = QLabel()
        self.toolbar = self._make_toolbar()
        self.fit_text()
        self.refresh()

    def _make(self, row: Action) -> QAction:
        action = QAction(self.window)
        action.setObjectName(row.id)
        action.triggered.connect(lambda: self._do(row))
        action.setCheckable(row.checked is not None)
        self._give_keys(action, row)
        return action

    def _do(self, row: Action) -> None:
        row.do(self.window)
        self.refresh()

    def _give_keys(self, action: QAction, row: Action) -> None:
        """Keys with Ctrl and F keys work in the whole window, bare ones in the viewport alone."""
        bare = [key for key in row.keys if is_bare(key)]
        everywhere = [key for key in row.keys if not is_bare(key)]
        if everywhere:
            action.setShortcuts([QKeySequence(key) for key in everywhere])
            self.window.addAction(action)
            for key in bare:
                extra = QShortcut(QKeySequence(key), self.window.viewport)
                extra.setContext(Qt.ShortcutContext.WidgetShortcut)
                extra.activated.connect(action.trigger)
        elif bare:
            action.setShortcuts([QKeySequence(key) for key in bare])
            action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
            self.window.viewport.addAction(action)

    def _fill_menus(self) -> None:
        last_group: dict[str, int] = {}
        for row in ACTIONS:
            if not row.menu:
                continue
            top = row.menu.partition("/")[0]
            menu = self._menu(top)
            if last_group.get(top, row.group) != row.group:
                menu.addSeparator()
            last_group[top] = row.group
            if row.line:
                self._menu(row.menu).addSeparator()
            self._menu(row.menu).addAction(self.actions[row.id])
        for path in EXCLUSIVE:
            group = QActionGroup(self.window)
            for row in ACTIONS:
                if row.menu == path:
                    group.addAction(self.actions[row.id])

    def _menu(self, path: str) -> QMenu:
        if path not in self.menus:
            above, _, title = path.rpartition("/")
            owner = self._menu(above) if above else self.window.menuBar()
            menu = owner.addMenu(title)
            menu.setToolTipsVisible(True)
            menu.aboutToShow.connect(self.refresh)
            self.menus[path] = menu
        return self.menus[path]

    def _make_toolbar(self) -> QToolBar:
        bar = QToolBar("Toolbar", self.window)
        bar.setObjectName("toolbar")
        bar.setMovable(False)
        bar.setContextMenuPolicy(Qt.ContextMenuPolicy.PreventContextMenu)
        for word in TOOLBAR:
            if word == "|":
                bar.addWidget(_divider())
            elif word == "<>":
                gap = QWidget()
                gap.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
                bar.addWidget(gap)
            elif word == "speed":
                self.speed.setAlignment(Qt.AlignmentFlag.AlignCenter)
                self.speed.setToolTip("Simulated seconds a second")
                bar.addWidget(self.speed)
            else:
                bar.addAction(self.actions[word])
                bar.widgetForAction(self.actions[word]).setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return bar

    def fit_text(self) -> None:
        """Signs grow with the text."""
        self.toolbar.setFixedHeight(TOOLBAR_HEIGHT + scaled(ICON_SIZE) - ICON_SIZE)
        self.toolbar.setIconSize(QSize(scaled(ICON_SIZE), scaled(ICON_SIZE)))
        self.speed.setFixedWidth(QFontMetrics(font(BODY_PT)).horizontalAdvance("0.0625×") + CONTROL_GAP)

    def popup(self, at: QPoint) -> None:
        """The viewport's own menu: rows that have a place in it and can do something now."""
        self.refresh()
        menu = QMenu(self.window.viewport)
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        submenus: dict[str, QMenu] = {}
        for row in ACTIONS:
            action = self.actions[row.id]
            if not (row.context and action.isEnabled() and action.isVisible()):
                continue
            if row.context == "/":
                menu.addAction(action)
            else:
                owner = submenus.get(row.context) or submenus.setdefault(row.context, menu.addMenu(row.context))
                if row.line:
                    owner.addSeparator()
                owner.addAction(action)
        self.context = menu
        menu.popup(at)

    # --- keeping them true ------------------------------------------------------------------------

    def refresh(self) -> None:
        """Texts, icons, marks and what is greyed, from what holds now."""
        for row in ACTIONS:
            action, text = self.actions[row.id], _said(row.text, self.window)
            refusal = row.refusal(self.window)
            if row.checked is not None:
                action.setChecked(row.checked(self.window))
            action.setEnabled(not refusal)
            action.setVisible(bool(text))
            if action.text() != text:
                action.setText(text)
            action.setToolTip(refusal or _tip(row, text))
            if name := _said(row.icon, self.window):
                self._set_icon(action, name)
        self.menus["Simulation/Controllers"].menuAction().setVisible(bool(self.window.session.stage.scene.controllers))
        self.menus["File/Recent"].menuAction().setVisible(bool(self.window.files.recent))
        self.speed.setText(f"{self.window.session.snapshot.speed:.4g}×")

    def _set_icon(self, action: QAction, name: str) -> None:
        wanted = icon(name)
        if action.icon().cacheKey() != wanted.cacheKey():
            action.setIcon(wanted)


def _divider() -> QWidget:
    """A line between groups of buttons; style sheets cannot give QToolBar's own one a height."""
    box = QWidget()
    layout = QHBoxLayout(box)
    layout.setContentsMargins(6, 0, 6, 0)
    line = QFrame()
    line.setObjectName("divider")
    line.setFixedSize(1, ICON_SIZE)
    layout.addWidget(line)
    return box


def _said(text: Text, window: Window) -> str:
    return text if isinstance(text, str) else text(window)


def _tip(row: Action, text: str) -> str:
    keys = f" ({row.help_keys or ', '.join(row.keys)})" if row.keys else ""
    return f"{row.tip or text}{keys}"
