"""The list of scenes at the left: title and one line each, in groups."""

from __future__ import annotations

from PyQt6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPalette, QResizeEvent
from PyQt6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.session import Session
from app.stage import Stage
from app.style import font
from app.theme import ACCENT_BAR, BODY_PT, CAPTION_PT, CONTROL_GAP, PADDING, SECTION_GAP
from sim.files import builtin_names, load
from sim.scene import Scene

SUMMARY = Qt.ItemDataRole.UserRole
NAME = Qt.ItemDataRole.UserRole + 1  # absent in the titles of groups
WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop

OWN_FILES = "My files"

Index = QModelIndex | QPersistentModelIndex


class SceneDelegate(QStyledItemDelegate):
    """Paints group titles and two-line rows; rows are as high as their text needs."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        painter.save()
        palette = option.palette
        if index.data(NAME) is None:
            painter.setFont(_group_font())
            painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
            painter.drawText(option.rect.adjusted(PADDING, 0, 0, -4), Qt.AlignmentFlag.AlignBottom, index.data())
            painter.restore()
            return
        self._paint_ground(painter, option)
        title, summary = _boxes(option.rect, index)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.setFont(_title_font())
        painter.drawText(title, WRAPPED, index.data())
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        painter.setFont(font(CAPTION_PT))
        painter.drawText(summary, WRAPPED, index.data(SUMMARY))
        painter.restore()

    def _paint_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hovered = bool(option.state & QStyle.StateFlag.State_MouseOver)
        if selected or hovered:
            role = QPalette.ColorRole.AlternateBase if selected else QPalette.ColorRole.Midlight
            painter.fillRect(option.rect, option.palette.color(role))
        if selected:
            bar = QRect(option.rect.topLeft(), QSize(ACCENT_BAR, option.rect.height()))
            painter.fillRect(bar, option.palette.color(QPalette.ColorRole.Highlight))

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        view = self.parent()
        width = view.viewport().width() if isinstance(view, QListWidget) else 0
        if index.data(NAME) is None:
            return QSize(width, QFontMetrics(_group_font()).height() + SECTION_GAP)
        _, summary = _boxes(QRect(0, 0, width, 1000), index)
        return QSize(width, summary.bottom() + 1 + CONTROL_GAP)


def _group_font() -> QFont:
    return font(CAPTION_PT, QFont.Weight.DemiBold)


def _title_font() -> QFont:
    return font(BODY_PT, QFont.Weight.DemiBold)


def _boxes(row: QRect, index: Index) -> tuple[QRect, QRect]:
    """Where title and summary stand in a row."""
    inner = row.adjusted(PADDING, CONTROL_GAP, -CONTROL_GAP, 0)
    title = QFontMetrics(_title_font()).boundingRect(inner, WRAPPED, index.data())
    below = inner.adjusted(0, title.height() + 2, 0, 0)
    summary = QFontMetrics(font(CAPTION_PT)).boundingRect(below, WRAPPED, index.data(SUMMARY) or "")
    return title, summary


def _key(scene: Scene) -> str:
    return scene.path or scene.name


class ScenesPanel(QListWidget):
    chosen = pyqtSignal(str)  # name of a built-in scene, or path of a file

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session = session
        self.setItemDelegate(SceneDelegate(self))
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Scenes")
        self.itemClicked.connect(self._choose)
        session.stage_changed.connect(self._on_stage)
        session.said.connect(lambda _: self._select(session.stage.scene))
        self.fill([load(name) for name in builtin_names()])

    def fill(self, scenes: list[Scene]) -> None:
        """List these scenes, grouped in the order in which the groups first appear; then the one on stage."""
        self.clear()
        groups = list(dict.fromkeys(scene.group for scene in scenes))
        for group in groups:
            self._add(group)
            for scene in scenes:
                if scene.group == group:
                    self._add(scene.title, scene)
        self._on_stage(self.session.stage)

    def _add(self, text: str, scene: Scene | None = None) -> None:
        item = QListWidgetItem(text)
        if scene is None:
            item.setFlags(Qt.ItemFlag.NoItemFlags)
        else:
            item.setData(NAME, _key(scene))
            item.setData(SUMMARY, scene.summary)
            item.setToolTip(scene.summary)
        self.addItem(item)

    def _choose(self, item: QListWidgetItem) -> None:
        if item.data(NAME) is not None:
            self.chosen.emit(item.data(NAME))

    def _on_stage(self, stage: Stage) -> None:
        if not self._select(stage.scene):
            if not self.findItems(OWN_FILES, Qt.MatchFlag.MatchExactly):
                self._add(OWN_FILES)
            self._add(stage.scene.title, stage.scene)
            self._select(stage.scene)

    def _select(self, scene: Scene) -> bool:
        for row in range(self.count()):
            if self.item(row).data(NAME) == _key(scene):
                self.setCurrentRow(row)
                return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.currentItem():
            self._choose(self.currentItem())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()
