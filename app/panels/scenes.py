"""The gallery at the left: a picture, a title and one line each, in groups; variants under the scene on stage."""

from __future__ import annotations

import os

from PyQt6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPainterPath, QPalette, QPixmap, QResizeEvent
from PyQt6.QtWidgets import QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from app.gallery import Gallery
from app.session import Session
from app.stage import Stage, Variant
from app.style import font
from app.theme import (
    ACCENT_BAR,
    BODY_PT,
    CAPTION_PT,
    CONTROL_GAP,
    CORNER_RADIUS,
    PADDING,
    ROW_HEIGHT,
    SECTION_GAP,
    THUMBNAIL_SIZE,
)
from sim.files import builtin_names, is_builtin, load
from sim.scene import Scene

SUMMARY = Qt.ItemDataRole.UserRole
NAME = Qt.ItemDataRole.UserRole + 1  # what `sim.load` takes; absent in the titles of groups
VARIANT = Qt.ItemDataRole.UserRole + 2  # of a row that offers one
WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop

OWN_FILES = "My files"
VARIANT_GAP = 6  # above and below their text
TITLE_GAP = 4  # between picture and title
MOST_PIXMAPS = 64  # made ready for the screen
INDENT = PADDING + CONTROL_GAP  # of variants

Index = QModelIndex | QPersistentModelIndex


class SceneDelegate(QStyledItemDelegate):
    """Paints group titles and rows with picture and text; rows are as high as their text needs."""

    def __init__(self, view: ScenesPanel) -> None:
        super().__init__(view)
        self.view = view
        self._pixmaps: dict[tuple[int, int], QPixmap] = {}  # by picture and width in pixels

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
        if not index.data(VARIANT):
            self._paint_picture(painter, option, index)
        title, summary = _boxes(option.rect, index)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.setFont(_font_of(index))
        painter.drawText(title, WRAPPED, index.data())
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        painter.setFont(font(CAPTION_PT))
        painter.drawText(summary, WRAPPED, index.data(SUMMARY))
        painter.restore()

    def _paint_picture(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        """With round corners; an empty frame until there is one."""
        box = _picture_box(option.rect)
        outline = QPainterPath()
        outline.addRoundedRect(QRectF(box), CORNER_RADIUS, CORNER_RADIUS)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pixmap = self._pixmap(index.data(NAME), box.size(), painter.device().devicePixelRatioF())
        if pixmap is None:
            painter.fillPath(outline, option.palette.color(QPalette.ColorRole.Window))
        else:
            painter.save()
            painter.setClipPath(outline)
            painter.drawPixmap(box, pixmap)
            painter.restore()
        painter.setPen(option.palette.color(QPalette.ColorRole.Mid))
        painter.drawPath(outline)

    def _pixmap(self, name: str, size: QSize, ratio: float) -> QPixmap | None:
        """The picture in the pixels of the screen, made once."""
        image = self.view.gallery.picture(name)
        if image is None:
            return None
        key = (image.cacheKey(), round(size.width() * ratio))
        if key not in self._pixmaps:
            if len(self._pixmaps) >= MOST_PIXMAPS:  # of other widths and themes
                self._pixmaps.clear()
            wide = image.scaledToWidth(key[1], Qt.TransformationMode.SmoothTransformation)
            self._pixmaps[key] = QPixmap.fromImage(wide)
        return self._pixmaps[key]

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
        width = self.view.row_width()
        if index.data(NAME) is None:
            return QSize(width, QFontMetrics(_group_font()).height() + SECTION_GAP)
        title, summary = _boxes(QRect(0, 0, width, 1000), index)
        if index.data(VARIANT):
            return QSize(width, max(title.bottom() + 1 + VARIANT_GAP, ROW_HEIGHT))
        return QSize(width, summary.bottom() + 1 + CONTROL_GAP)


def _group_font() -> QFont:
    return font(CAPTION_PT, QFont.Weight.DemiBold)


def _font_of(index: Index) -> QFont:
    return font(BODY_PT) if index.data(VARIANT) else font(BODY_PT, QFont.Weight.DemiBold)


def _boxes(row: QRect, index: Index) -> tuple[QRect, QRect]:
    """Where title and summary stand in a row; variants have a title alone."""
    below_picture = _picture_box(row).bottom() + 1 - row.top() + TITLE_GAP
    left, top = (INDENT, VARIANT_GAP) if index.data(VARIANT) else (PADDING, below_picture)
    inner = row.adjusted(left, top, -CONTROL_GAP, 0)
    title = QFontMetrics(_font_of(index)).boundingRect(inner, WRAPPED, index.data())
    below = inner.adjusted(0, title.height() + 2, 0, 0)
    summary = QFontMetrics(font(CAPTION_PT)).boundingRect(below, WRAPPED, index.data(SUMMARY) or "")
    return title, summary


def _picture_box(row: QRect) -> QRect:
    """At the top of a row, as wide as its text."""
    width = row.width() - PADDING - CONTROL_GAP
    height = round(width * THUMBNAIL_SIZE[1] / THUMBNAIL_SIZE[0])
    return QRect(row.left() + PADDING, row.top() + CONTROL_GAP, width, height)


def _key(scene: Scene) -> str:
    """What the row of a scene stands for, whichever variant of it is on stage."""
    return os.path.abspath(scene.path) if scene.path else scene.name


def _variant_text(variant: Variant, plain: str) -> str:
    """A variant by its name and what its title says beyond the plain scene's: "b  from (0.5, 0.5)"."""
    beyond = variant.title.removeprefix(plain).strip(" ,")
    return variant.name if beyond in ("", variant.name) else f"{variant.name}  {beyond}"


class ScenesPanel(QListWidget):
    chosen = pyqtSignal(str)  # what `sim.load` takes

    def __init__(self, session: Session, gallery: Gallery, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.session, self.gallery = session, gallery
        gallery.changed.connect(self.viewport().update)
        self.setItemDelegate(SceneDelegate(self))
        self.setMouseTracking(True)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Scenes")
        self.itemClicked.connect(self._choose)
        session.stage_changed.connect(self._on_stage)
        session.saved.connect(self._on_stage)
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

    def add_own(self, scenes: list[Scene]) -> None:
        """List files of the user's that are not there yet."""
        for scene in scenes:
            if self._row_of(_key(scene)) is None:
                self._add_own(scene.title, scene)

    def _add_own(self, title: str, scene: Scene) -> None:
        if not self.findItems(OWN_FILES, Qt.MatchFlag.MatchExactly):
            self._add(OWN_FILES)
        self._add(title, scene)

    def _add(self, text: str, scene: Scene | None = None) -> None:
        item = QListWidgetItem(text)
        if scene is None:
            item.setFlags(Qt.ItemFlag.NoItemFlags)
        else:
            self._fill(item, text, scene)
        self.addItem(item)

    def _fill(self, item: QListWidgetItem, title: str, scene: Scene) -> None:
        item.setText(title)
        item.setData(NAME, _key(scene))
        self.gallery.want(_key(scene), scene)
        item.setData(SUMMARY, scene.summary)
        item.setToolTip(scene.summary if is_builtin(scene.path or "") else f"{scene.summary}\n{scene.path}".strip())

    def _choose(self, item: QListWidgetItem) -> None:
        if item.data(NAME) is not None:
            self.chosen.emit(item.data(NAME))

    def _on_stage(self, stage: Stage) -> None:
        row = self._row_of(_key(stage.scene))
        if row is None:
            self._add_own(stage.variants[0].title, stage.scene)
        elif not is_builtin(stage.scene.path or ""):  # its file may say something else now
            self._fill(self.item(row), stage.variants[0].title, stage.scene)
        self._offer_variants(stage)
        self._select(stage.scene)
        self._reveal()

    def _offer_variants(self, stage: Stage) -> None:
        """A row for each variant of the scene on stage, below it; those of the scene before go."""
        for row in reversed(range(self.count())):
            if self.item(row).data(VARIANT):
                self.takeItem(row)
        plain, *variants = stage.variants
        below = self._row_of(_key(stage.scene))
        assert below is not None
        for row, variant in enumerate(variants, below + 1):
            item = QListWidgetItem(_variant_text(variant, plain.title))
            item.setData(NAME, f"{_key(stage.scene)}:{variant.name}")
            item.setData(VARIANT, variant.name)
            item.setToolTip(variant.summary)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"Variant {variant.name}: {variant.title}")
            self.insertItem(row, item)

    def _select(self, scene: Scene) -> None:
        row = self._row_of(f"{_key(scene)}:{scene.variant}" if scene.variant else _key(scene))
        if row is not None:
            self.setCurrentRow(row)

    def _reveal(self) -> None:
        """The row on stage in view, with the scene it is a variant of and the variants that are offered."""
        first = last = self.currentRow()
        while first > 0 and self.item(first).data(VARIANT):
            first -= 1
        while last + 1 < self.count() and self.item(last + 1).data(VARIANT):
            last += 1
        for index in (last, first, self.currentRow()):
            if self.item(index) is not None:
                self.scrollToItem(self.item(index))

    def _row_of(self, name: str) -> int | None:
        return next((row for row in range(self.count()) if self.item(row).data(NAME) == name), None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.currentItem():
            self._choose(self.currentItem())
        else:
            super().keyPressEvent(event)

    def moveCursor(self, action: QListWidget.CursorAction, keys: Qt.KeyboardModifier) -> QModelIndex:
        """Home is the first scene: Qt's would be the title above it, where no cursor can be."""
        if action == QListWidget.CursorAction.MoveHome:
            return next(self.model().index(row, 0) for row in range(self.count()) if self.item(row).data(NAME))
        return super().moveCursor(action, keys)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()
        self._reveal()

    def row_width(self) -> int:
        """As if the scroll bar were always there: rows need not be measured again when it comes or goes."""
        return self.width() - self.verticalScrollBar().sizeHint().width()
