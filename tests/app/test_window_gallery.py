"""The pictures of the gallery: shipped for the built-in scenes, drawn in the background for all others."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PyQt6.QtGui import QImage

from app import thumbnail
from app.cli import main
from app.gallery import read_sheet
from app.panels.scenes import NAME, _picture_box
from app.theme import THEMES
from sim.files import builtin_names, load, scene_path
from tests.app.window_bench import Bench


@pytest.fixture
def bench(qtbot, tmp_path):
    bench = Bench(qtbot, tmp_path)
    yield bench
    bench.close()


def pixels(image: QImage):
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    bits = image.constBits().asarray(image.sizeInBytes())
    return np.frombuffer(bits, dtype=np.uint8).reshape(image.height(), image.width(), 4)[:, :, :3].astype(int)


def own_picture(bench, path):
    gallery = bench.window.gallery
    gallery._patience.setInterval(0)
    bench.session.open(path)
    bench.bot.waitUntil(lambda: gallery.picture(str(path)) is not None, timeout=60_000)
    return gallery.picture(str(path))


def test_the_shipped_sheets_show_every_built_in_scene_as_it_is_now():
    names = [thumbnail.name_of(load(name)) for name in builtin_names()]
    for theme in THEMES:
        sheet = read_sheet(thumbnail.SHEETS, theme)
        assert list(sheet) == names, "the scenes have changed: `make gallery` draws the sheets again"
        for picture in sheet.values():
            assert (picture.width(), picture.height()) == (thumbnail.WIDTH, thumbnail.HEIGHT)
            assert len(np.unique(pixels(picture).reshape(-1, 3), axis=0)) > 200  # a drawing, not a plain colour


def test_what_is_shipped_stays_small():
    pictures = list(thumbnail.SHEETS.glob("*.png"))
    assert len(pictures) <= 8 and all(picture.stat().st_size <= 250_000 for picture in pictures)
    assert len(list(thumbnail.SHEETS.glob("*.gif"))) <= 1


@pytest.mark.parametrize("theme", THEMES)
def test_every_built_in_scene_has_its_picture_without_drawing_anything(bench, tmp_path, theme):
    gallery, scenes = bench.window.gallery, bench.window.scenes
    bench.window.choose_theme(theme)
    keys = [str(scene_path(name)) for name in builtin_names()]
    bench.bot.waitUntil(lambda: all(gallery.picture(key) is not None for key in keys))
    assert not gallery._patience.isActive() and not (tmp_path / "cache").exists()
    item = next(scenes.item(r) for r in range(scenes.count()) if scenes.item(r).data(NAME) == keys[-1])
    scenes.scrollToItem(item)
    bench.bot.wait(50)
    shown = scenes.grab(_picture_box(scenes.visualItemRect(item)).translated(scenes.viewport().pos())).toImage()
    wanted = gallery.picture(keys[-1]).scaled(shown.width(), shown.height())
    inner = (slice(6, -6), slice(6, -6))
    assert np.abs(pixels(shown)[inner] - pixels(wanted)[inner]).mean() < 6.0


def test_an_own_file_gets_a_picture_that_follows_its_changes_and_the_next_start_finds_it(qtbot, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "free_body"\n[camera]\nazimuth = 1.0\n')
    bench = Bench(qtbot, tmp_path)
    first = own_picture(bench, mine)
    assert pixels(first).std() > 5.0
    mine.write_text('extends = "free_body"\n[camera]\nazimuth = 2.5\n')
    bench.session.reload()
    bench.bot.waitUntil(lambda: bench.window.gallery.picture(str(mine)) not in (None, first), timeout=60_000)
    bench.close()
    assert len(list((tmp_path / "cache" / "thumbnails").iterdir())) == 2

    again = Bench(qtbot, tmp_path)
    again.bot.waitUntil(lambda: again.window.gallery.picture(str(mine)) is not None)
    assert not again.window.gallery._patience.isActive()
    again.close()


def test_closing_ends_the_drawing(bench, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('extends = "free_body"\n[camera]\nazimuth = 1.0\n')
    gallery = bench.window.gallery
    gallery._patience.setInterval(0)
    bench.session.open(mine)
    bench.bot.waitUntil(lambda: gallery._process.processId() != 0, timeout=60_000)
    gallery.stop()
    assert gallery._process.processId() == 0


def test_words_do_not_change_a_picture_and_places_do():
    scene = load("free_body")
    again = load("free_body", {"title": "Another", "summary": "x", "plots": ["energy"]})
    assert thumbnail.name_of(again) == thumbnail.name_of(scene)
    assert thumbnail.name_of(load("free_body", {"camera.azimuth": 1.0})) != thumbnail.name_of(scene)


def test_the_command_writes_sheets_and_pictures_that_read_back(tmp_path, capsys):
    assert main(["gallery", str(tmp_path / "out"), "--stills"]) == 0
    told = capsys.readouterr().out
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {f"{name}.png" for name in builtin_names()} <= names and all(name in told for name in names)
    assert json.loads((tmp_path / "out" / thumbnail.NAMES).read_text())[0] == thumbnail.name_of(load("free_body"))
    for theme in THEMES:
        drawn, shipped = read_sheet(tmp_path / "out", theme), read_sheet(thumbnail.SHEETS, theme)
        assert list(drawn) == list(shipped)
    image = QImage(str(tmp_path / "out" / "arm_reach.png"))
    assert (image.width(), image.height()) == (1280, 720)


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["gallery", str(tmp_path / "file" / "out")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
