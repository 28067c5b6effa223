"""Draw the gallery into a folder: the sheets of small pictures, a picture of every scene, and six short films."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from app.commands.arguments import CommandError
from app.commands.compiling import prepared
from app.commands.record import draw
from app.theme import THEMES
from sim.files import builtin_names, load
from sim.files.draft import cannot_write

EXAMPLES = """\
examples:
  main.py gallery build/gallery
  main.py gallery /tmp/pictures --stills
"""

FILMS = {  # scene -> simulated seconds
    "free_bodies": 6.0,
    "ball_chain": 6.0,
    "hinge_chain": 6.0,
    "arm_gravity": 5.0,
    "arm_pd": 5.0,
    "arm_reach": 6.0,
}
FILM_SIZE, FPS = (960, 540), 30.0
PICTURE_SIZE = (1280, 720)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="where to write; it is made if it is not there")
    parser.add_argument("--stills", action="store_true", help="no films, which take most of the time")


def run(args: argparse.Namespace) -> int:
    from app.render.platform import NoOpenGL
    from app.thumbnail import write_sheets

    folder: Path = args.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        sheets = write_sheets([load(name) for name in builtin_names()], THEMES, folder)
        for path in chain(sheets, _write_pictures(folder), () if args.stills else _write_films(folder)):
            print(f"{path} ({path.stat().st_size / 1e3:.0f} kB)", flush=True)
    except NoOpenGL as problem:
        raise CommandError(str(problem), 1) from problem
    except OSError as problem:
        raise CommandError(cannot_write(problem.filename or folder, problem), 1) from problem
    return 0


def _write_pictures(folder: Path) -> Iterator[Path]:
    """Every scene at rest, as the window shows it first."""
    from app.render.offscreen import render_image
    from app.render.view import View
    from app.stage import load_stage
    from app.thumbnail import write

    for name in builtin_names():
        stage, path = load_stage(name), folder / f"{name}.png"
        write(render_image(stage.scene, stage.rest, View(stage.home()), *PICTURE_SIZE), path)
        yield path


def _write_films(folder: Path) -> Iterator[Path]:
    from app.video_encoder import Encoder

    for name, seconds in FILMS.items():
        simulation, path = prepared(load(name)), folder / f"{name}.mp4"
        try:
            with Encoder(path, *FILM_SIZE, FPS) as film:
                draw(simulation, round(seconds * FPS), FPS, film, "light")
        finally:
            simulation.close()
        yield path
