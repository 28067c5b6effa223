"""The theme as Qt understands it: Fusion, a palette and one style sheet.

Widgets that paint themselves take their colours from the palette:

    Window window · Base panel · WindowText text · PlaceholderText muted · Mid border · Dark outline of fields
    Midlight hover · AlternateBase select · Highlight accent · HighlightedText on accent
"""

from __future__ import annotations

from string import Template

from PyQt6.QtCore import Qt
from PyQt6.QtGui import QColor, QFont, QGuiApplication, QPalette
from PyQt6.QtWidgets import QApplication

from app import theme as tokens
from app.theme import THEMES, Theme

CHOICES = {"system": "System", "light": "Light", "dark": "Dark"}

_ROLES = {
    QPalette.ColorRole.Window: "window",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "panel",
    QPalette.ColorRole.AlternateBase: "select",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.Button: "panel",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "on_accent",
    QPalette.ColorRole.ToolTipBase: "panel",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.PlaceholderText: "muted",
    QPalette.ColorRole.Highlight: "accent",
    QPalette.ColorRole.HighlightedText: "on_accent",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.LinkVisited: "accent",
    QPalette.ColorRole.Light: "panel",
    QPalette.ColorRole.Midlight: "hover",
    QPalette.ColorRole.Mid: "border",
    QPalette.ColorRole.Dark: "outline",
    QPalette.ColorRole.Shadow: "border",
}
_WHEN_DISABLED = (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText)


TEXT_SCALES = (0.8, 0.9, 1.0, 1.1, 1.25, 1.4, 1.6)
_text = {"scale": 1.0}
_applied = {"theme": "light"}


def text_scale() -> float:
    """Times which all text is larger than usual."""
    return _text["scale"]


def set_text_scale(scale: float) -> None:
    """For all text made from now on; `apply` shows it."""
    _text["scale"] = scale


def scaled(pixels: float) -> int:
    """A width or height that has to hold text."""
    return round(pixels * max(text_scale(), 1.0))


def resolve(choice: str) -> str:
    """ "light" or "dark" for a choice of the View menu; light if the system does not say."""
    if choice in THEMES:
        return choice
    dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
    return "dark" if dark else "light"


def applied() -> Theme:
    """The theme that everything has now."""
    return THEMES[_applied["theme"]]


def apply(app: QApplication, name: str) -> None:
    theme = THEMES[name]
    _applied["theme"] = name
    app.setStyle("Fusion")
    app.setFont(font(tokens.BODY_PT))
    app.setPalette(palette(theme))
    app.setStyleSheet(sheet(theme))


def font(points: int, weight: QFont.Weight = QFont.Weight.Normal) -> QFont:
    """The program's typeface with digits of equal width, so that live numbers do not jump."""
    result = QFont(list(tokens.FONT_FAMILIES))
    result.setPointSizeF(points * text_scale())
    result.setWeight(weight)
    result.setFeature(QFont.Tag("tnum"), 1)
    return result


def palette(theme: Theme) -> QPalette:
    result = QPalette()
    for role, token in _ROLES.items():
        result.setColor(role, QColor(getattr(theme, token)))
    for role in _WHEN_DISABLED:
        result.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.muted))
    return result


def sheet(theme: Theme) -> str:
    """Spaces, dividers and fields; colours and sizes come from the tokens by name."""
    values = {name: getattr(theme, name) for name in Theme.__dataclass_fields__}
    sizes = {name: value for name, value in vars(tokens).items() if name.isupper() and isinstance(value, int | float)}
    texts = {name: f"{size * text_scale():g}" for name, size in sizes.items() if name.endswith("_PT")}
    return _SHEET.substitute(values | sizes | texts)


_SHEET = Template("""
QMainWindow { background: $window; }
QMainWindow::separator { background: $border; width: 1px; height: 1px; }
QMenuBar { background: $panel; border-bottom: 1px solid $border; padding: 0 4px; }
QMenuBar::item { padding: 4px 8px; background: transparent; border-radius: 4px; }
QMenuBar::item:selected { background: $hover; }
QMenu { background: $panel; border: 1px solid $border; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 10px; border-radius: 4px; }
QMenu::item:selected { background: $select; color: $text; }
QMenu::item:disabled { color: $muted; }
QMenu::separator { height: 1px; background: $border; margin: 4px 8px; }
QMenu::icon { left: 8px; }
QMenu::indicator { width: 14px; height: 14px; left: 8px; }
QToolTip { background: $panel; color: $text; border: 1px solid $outline; padding: 4px; }

QToolBar { background: $panel; border: none; border-bottom: 1px solid $border; spacing: 4px; padding: 0 8px; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: ${CORNER_RADIUS}px; padding: 4px; }
QToolButton:hover { background: $hover; }
QToolButton:pressed, QToolButton:checked { background: $select; }
QToolButton:focus { border: ${FOCUS_RING}px solid $accent; padding: 3px; }
QToolButton::menu-indicator { image: none; }

QStatusBar { background: $panel; border-top: 1px solid $border; }
QStatusBar::item { border: none; }

QDockWidget { font-weight: 600; }
QDockWidget > QWidget#dock { background: $panel; }
QWidget#panel, QScrollArea, QScrollArea > QWidget > QWidget#panel { background: $panel; border: none; }
QToolButton[role="link"] { color: $accent; padding: 0 4px; border-radius: 4px; }
QFrame#card { background: $panel; border: 1px solid $outline; border-radius: 8px; }
QFrame#divider { background: $border; border: none; }

QTabWidget::pane { border: none; border-top: 1px solid $border; background: $panel; }
QTabWidget { background: $panel; }
QTabBar { background: $panel; }
QTabBar::tab { background: transparent; color: $muted; padding: 8px 4px 6px 4px; margin: 0 8px;
               border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: $text; border-bottom: 2px solid $accent; }
QTabBar::tab:hover { color: $text; }
QTabBar::tab:focus { border: ${FOCUS_RING}px solid $accent; border-radius: 4px; padding: 6px 2px 6px 2px; }

QLabel[role="muted"] { color: $muted; }
QLabel[role="caption"] { color: $muted; font-size: ${CAPTION_PT}pt; }
QLabel[role="title"] { font-size: ${TITLE_PT}pt; font-weight: 600; }
QLabel[role="section"] { font-weight: 600; }
QLabel[level="ok"] { color: $ok; }
QLabel[level="warning"] { color: $warn; }
QLabel[level="error"] { color: $error; }

QLineEdit { background: $panel; border: 1px solid $outline; border-radius: 4px; padding: 2px 6px;
            min-height: 18px; selection-background-color: $accent; selection-color: $on_accent; }
QLineEdit:focus { border: ${FOCUS_RING}px solid $accent; padding: 1px 5px; }
QLineEdit:disabled { color: $muted; border-color: $border; }
QComboBox QAbstractItemView { background: $panel; border: 1px solid $border; selection-background-color: $select;
                              selection-color: $text; outline: none; }
QComboBox QAbstractItemView::item { padding: 4px 6px; border: none; }
QComboBox QAbstractItemView::item:selected { background: $select; color: $text; }
QComboBox QAbstractItemView::item:disabled { color: $muted; }
QPlainTextEdit { background: $panel; border: 1px solid $border; border-radius: 4px; }
QListView { background: $panel; border: none; outline: none; }
QPushButton { background: $panel; border: 1px solid $outline; border-radius: ${CORNER_RADIUS}px; padding: 4px 12px; }
QPushButton:hover { background: $hover; }
QPushButton:focus { border: ${FOCUS_RING}px solid $accent; padding: 3px 11px; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton[role="primary"]:focus { border: ${FOCUS_RING}px solid $text; }

QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $border; border-radius: 3px; min-height: 24px; min-width: 24px; margin: 2px; }
QScrollBar::handle:hover { background: $outline; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")
