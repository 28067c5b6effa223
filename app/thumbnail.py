"""The small pictures of the gallery: how they are drawn and named, and the sheet of them that is shipped.

A picture is named by what it shows, so that a scene that changed has none until a new one is drawn. No Qt here.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from app.render.view import View
from app.stage import set_stage
from app.theme import THUMBNAIL_SIZE
from sim.files.draft import Draft
from sim.scene import Scene

SCALE = 1.5  # pixels a logical one
WIDTH, HEIGHT = round(SCALE * THUMBNAIL_SIZE[0]), round(SCALE * THUMBNAIL_SIZE[1])
CLOSER = 0.8  # of the distance that the window shows a scene from first
COLUMNS = 4

SHEETS = Path(__file__).resolve().parents[1] / "assets" / "gallery"
SHEET, NAMES = "thumbnails-{theme}.png", "thumbnails.json"  # the names of the pictures, row by row

Array = np.ndarray[Any, np.dtype[Any]]


def name_of(scene: Scene) -> str:
    """The same for scenes that look the same; words do not count."""
    seen = replace(scene, name="", title="", summary="", group="", try_this=(), plots=(), path=None, variants=())
    return hashlib.sha1(repr(seen).encode()).hexdigest()[:16]


def draw(scene: Scene, theme: str) -> Array:
    """The scene at rest, (HEIGHT, WIDTH, 4) BGRA; raises NoOpenGL."""
    from app.render.offscreen import render_image

    stage = set_stage(scene)
    home = stage.home()
    camera = replace(home, distance=CLOSER * home.distance)
    return render_image(scene, stage.rest, View(camera, theme, scale=SCALE), WIDTH, HEIGHT)


def write(bgra: Array, path: str | os.PathLike[str]) -> None:
    """As PNG, complete or not at all; raises VideoError."""
    from app.video_encoder import Encoder

    height, width, _ = bgra.shape
    with Encoder(path, width, height) as file:
        file.add(bgra)


def join(pictures: list[Array]) -> Array:
    """A sheet of them."""
    rows = -(-len(pictures) // COLUMNS)
    sheet = np.zeros((rows * HEIGHT, COLUMNS * WIDTH, 4), dtype=np.uint8)
    for (x, y), picture in zip(places(len(pictures)), pictures, strict=True):
        sheet[y : y + HEIGHT, x : x + WIDTH] = picture
    return sheet


def places(count: int) -> list[tuple[int, int]]:
    """The left and upper edges of the pictures of a sheet."""
    return [(n % COLUMNS * WIDTH, n // COLUMNS * HEIGHT) for n in range(count)]


def write_sheets(scenes: list[Scene], themes: Mapping[str, object], folder: Path) -> list[Path]:
    """The sheet of each theme, and the names of their pictures."""
    paths = [folder / SHEET.format(theme=theme) for theme in themes]
    for theme, path in zip(themes, paths, strict=True):
        write(join([draw(scene, theme) for scene in scenes]), path)
    with Draft(folder / NAMES) as draft:
        Path(draft.path).write_text(json.dumps([name_of(scene) for scene in scenes], indent=1) + "\n", encoding="utf-8")
    return [*paths, folder / NAMES]
