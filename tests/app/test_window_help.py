"""What the Help menu tells, and recording with settings of one's own."""

from __future__ import annotations

import av
import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QGuiApplication, QTextCursor
from PyQt6.QtWidgets import QApplication, QWidget

from app import style
from app.diagnostics import program_version
from app.filming import FilmSettings
from app.theme import THEMES
from app.widgets.film_dialog import RATES, SIZES, FilmDialog
from app.widgets.help import HelpCard
from app.widgets.icon_button import IconButton
from app.widgets.message_text import SIGN_SIZE
from app.widgets.messages import MessageList, Page
from sim.command import Record
from tests.app.window_bench import Bench


@pytest.fixture
def bench(qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("IMPULSE_OUTPUT", str(tmp_path / "out"))
    bench = Bench(qtbot, tmp_path, "four_bar")
    yield bench
    bench.close()


def opened(bench, name, kind):
    """The window of that kind that an action opens."""
    bench.window.menus.actions[name].trigger()
    [found] = [w for w in QApplication.topLevelWidgets() if isinstance(w, kind) and w.isVisible()]
    found.activateWindow()
    bench.bot.waitUntil(found.isActiveWindow)
    return found


def test_diagnostics_name_versions_driver_engine_scene_and_messages(bench):
    bench.session.say("warning", "The sky is falling.")
    bench.window.menus.actions["diagnostics"].trigger()
    text = QGuiApplication.clipboard().text()
    renderer = bench.viewport.renderer
    for word in (
        program_version(),
        "numpy ",
        "Qt ",
        renderer.gl_renderer,
        "four_bar",
        "impulse",
        "The sky is falling.",
    ):
        assert word in text


def test_the_notes_of_a_scene_tell_what_to_try_and_what_the_model_says(bench):
    page = opened(bench, "notes", Page)
    scene, model = bench.session.stage.scene, bench.session.stage.model
    told = [words.text() for words in page.words]
    assert model.notes and set(scene.try_this) | set(model.notes) | {scene.summary} <= set(told)
    for words in page.words:
        assert words.height() >= words.heightForWidth(words.width())
    bench.bot.keyClick(page, Qt.Key.Key_Escape)
    assert not page.isVisible()


def test_about_names_version_and_licence(bench):
    page = opened(bench, "about", Page)
    told = " ".join(words.text() for words in page.words)
    assert program_version() in told and "GPL-3.0-or-later" in told
    page.close()


def test_the_list_of_messages_keeps_all_and_grows_while_it_is_open(bench):
    for n in range(30):
        bench.session.say("info", f"Message {n}.")
    page = opened(bench, "messages", MessageList)
    bench.session.say("error", "One more.")
    lines = page.text.toPlainText().splitlines()
    assert [line.split("  ", 1)[1] for line in lines[-31:]] == [
        *(f"Message {n}." for n in range(30)),
        "Error: One more.",
    ]
    page.close()
    bench.session.say("info", "Nobody listens.")  # and nothing breaks


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_messages_have_a_sign_a_word_and_a_colour_and_are_copied_by_keys(bench, theme):
    said = {"ok": "Recorded.", "warning": "It leaks.", "error": "It broke."}
    tokens = {"ok": "ok", "warning": "warn", "error": "error"}
    words = {"ok": "Done: ", "warning": "Warning: ", "error": "Error: "}
    for level, sentence in said.items():
        bench.session.say(level, sentence)
    page = opened(bench, "messages", MessageList)
    for name in ("dark" if theme == "light" else "light", theme):  # it follows the theme while it is open
        bench.window.choose_theme(name)
        bench.bot.wait(50)
    text, picture = page.text, page.grab().toImage()
    block = text.document().lastBlock().previous().previous()
    for level, sentence in said.items():
        assert block.text().endswith(words[level] + sentence)
        color = getattr(THEMES[theme], tokens[level])
        cursor = QTextCursor(block)
        cursor.setPosition(block.position() + block.text().index(words[level]) + 1)
        assert cursor.charFormat().foreground().color().name() == color.lower()
        box = text.blockBoundingGeometry(block).translated(text.contentOffset())
        top = text.mapTo(page, text.viewport().pos()).y() + round(box.top())
        left = text.mapTo(page, text.viewport().pos()).x()
        rows, columns = range(top, top + round(box.height()) + 2), range(left - SIGN_SIZE - 8, left)
        assert any(picture.pixelColor(x, y).name() == color.lower() for y in rows for x in columns), level
        block = block.next()
    text.setFocus()
    bench.bot.keyClick(text, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    bench.bot.keyClick(text, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text().splitlines()[-3:]
    assert [line.split("  ", 1)[1] for line in copied] == [words[level] + said[level] for level in said]
    page.close()


def test_shift_v_asks_first_and_v_records_so_from_then_on(bench, qtbot, tmp_path):
    dialog = opened(bench, "record_with", FilmDialog)
    dialog.format.setCurrentIndex(dialog.format.findData(".gif"))
    assert [dialog.rate.itemData(i) for i in range(dialog.rate.count())] == [*RATES[".gif"], None]
    dialog.size_.setCurrentIndex(SIZES.index((480, 270)))
    dialog.accept()
    assert bench.runner.sent[-1] == Record(25.0)
    for _ in range(5):
        bench.runner.frames.put(bench.runner.tick())
    bench.bot.waitUntil(bench.runner.frames.empty)
    bench.window.activateWindow()
    bench.viewport.setFocus()
    bench.bot.waitUntil(bench.viewport.hasFocus)
    bench.bot.keyClick(bench.viewport, Qt.Key.Key_V)
    bench.bot.waitUntil(lambda: not bench.window.filming.unfinished, timeout=30000)
    path = bench.session.messages[-1].path
    with av.open(str(path)) as film:
        assert path.suffix == ".gif" and (film.streams.video[0].width, film.streams.video[0].height) == (480, 270)
        assert sum(1 for _ in film.decode(video=0)) == 5
    again = Bench(qtbot, tmp_path)
    assert again.window.filming.settings == FilmSettings(".gif", (480, 270), 25.0)
    again.close()


def test_films_have_any_size_and_rate_and_the_next_question_shows_them(bench):
    dialog = opened(bench, "record_with", FilmDialog)
    assert not any(field.isVisible() for field in (*dialog.sides, dialog.own_rate))
    for choice in (dialog.size_, dialog.rate):
        choice.setCurrentIndex(choice.count() - 1)
    for field, typed in zip((*dialog.sides, dialog.own_rate), ("322", "9999", "12.5"), strict=True):
        assert field.isVisible() and field.accessibleName() and field.toolTip()
        field.setFocus()
        field.selectAll()
        bench.bot.keyClicks(field, typed)
    dialog.format.setFocus()
    dialog.accept()
    assert bench.window.filming.settings == FilmSettings(".mp4", (322, 8192), 12.5)
    assert bench.runner.sent[-1] == Record(12.5)
    bench.window.filming.stop()
    bench.bot.waitUntil(lambda: not bench.window.filming.unfinished, timeout=60000)
    again = opened(bench, "record_with", FilmDialog)
    assert [field.text() for field in (*again.sides, again.own_rate)] == ["322", "8192", "12.5"]
    again.format.setCurrentIndex(again.format.findData(".gif"))
    again.rate.setCurrentIndex(again.rate.count() - 1)
    again.own_rate.setFocus()
    again.own_rate.selectAll()
    bench.bot.keyClicks(again.own_rate, "240")
    again.format.setFocus()
    assert again.own_rate.text() == "50"  # the clock of a GIF
    again.reject()


def test_a_cancelled_question_records_nothing(bench):
    dialog = opened(bench, "record_with", FilmDialog)
    bench.bot.keyClick(dialog, Qt.Key.Key_Escape)
    assert not bench.window.filming.on and not bench.runner.of(Record)


@pytest.mark.parametrize("text", ["", "nonsense", ".mp4 12x 60", ".exe view 60", ".mp4 view fast"])
def test_unreadable_settings_of_films_become_the_usual_ones(text):
    assert FilmSettings.parse(text) == FilmSettings()
    for kept in (FilmSettings(), FilmSettings(".gif", (640, 360), 20.0)):
        assert FilmSettings.parse(kept.text()) == kept


@pytest.mark.parametrize("scale", [1.0, 1.6])
def test_the_card_of_keys_is_all_in_view_or_scrolls(bench, scale):
    style.set_text_scale(scale)
    bench.window.fit_text()
    bench.window.toggle_help()
    card = bench.window.help
    bench.bot.wait(50)
    assert bench.window.rect().contains(card.geometry())
    text, seen = card._area.widget().size(), card._area.viewport().size()
    for needed, there, bar in (
        (text.width(), seen.width(), card._area.horizontalScrollBar()),
        (text.height(), seen.height(), card._area.verticalScrollBar()),
    ):
        assert needed <= there or bar.maximum() > 0
    if scale == 1.0:
        assert text == seen
    style.set_text_scale(1.0)


def test_text_of_another_size_renews_the_card_and_leaves_none_behind(bench):
    window = bench.window
    cards = lambda: window.findChildren(HelpCard)  # noqa: E731
    window.toggle_help()
    heights = [window.help.sizeHint().height()]
    for scale in (1.3, 1.6):
        style.set_text_scale(scale)
        window.fit_text()
        bench.bot.waitUntil(lambda: cards() == [window.help])
        assert window.help.isVisible()  # it was open, and stays so
        heights.append(window.help.sizeHint().height())
    assert heights == sorted(set(heights))
    window.toggle_help()
    style.set_text_scale(1.0)
    window.fit_text()
    bench.bot.waitUntil(lambda: cards() == [])
    assert window.help is None


@pytest.mark.parametrize("way", ["Escape", "F1", "cross", "click"])
def test_closing_the_help_gives_the_keyboard_back_without_a_ring(bench, way):
    """The ring around the view is for those who came by Tab; a press of the mouse takes it away."""
    bench.bot.keyClick(bench.viewport, Qt.Key.Key_F1)
    card = bench.window.help
    if way == "cross":
        bench.bot.mouseClick(card.findChild(IconButton), Qt.MouseButton.LeftButton)
    elif way == "click":
        bench.bot.mouseClick(card, Qt.MouseButton.LeftButton, pos=QPoint(4, 4))
    else:
        bench.bot.keyClick(card, getattr(Qt.Key, f"Key_{way}"))
    assert not card.isVisible() and bench.viewport.hasFocus() and not bench.viewport.overlay().ring
    while True:
        bench.bot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        if bench.viewport.hasFocus():
            break
    assert bench.viewport.overlay().ring
    bench.bot.mouseClick(bench.viewport, Qt.MouseButton.LeftButton, pos=QPoint(9, 90))
    assert not bench.viewport.overlay().ring


def test_every_tab_and_every_control_has_a_tooltip(bench):
    bar = bench.window.tabs.tabBar()
    assert all(bar.tabToolTip(n) for n in range(bar.count()))
    for tab in (bench.window.control, bench.window.physics):
        bench.window.tabs.setCurrentWidget(tab)
        for control in tab.findChildren(QWidget):
            if control.isVisible() and control.focusPolicy() != Qt.FocusPolicy.NoFocus:
                assert control.toolTip(), type(control).__name__
