"""Draw the gallery into a folder: the sheets of small pictures, a picture of every scene, and six short films."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from itertools import chain
from math import cos, pi
from pathlib import Path
from typing import TYPE_CHECKING

from app.commands.arguments import CommandError
from app.commands.compiling import prepared
from app.commands.record import draw
from app.theme import THEMES
from sim.command import Command, PullBody, ReleaseBody, SetJointTarget
from sim.files import builtin_names, load
from sim.files.draft import cannot_write

if TYPE_CHECKING:
    from sim.simulation import Simulation

EXAMPLES = """\
examples:
  main.py gallery build/gallery
  main.py gallery /tmp/pictures --stills
"""

FILMS = {  # scene -> simulated seconds
    "free_bodies": 6.0,
    "ball_chain": 6.0,
    "hinge_chain": 6.0,
    "arm_gravity": 6.0,
    "arm_pd": 6.0,
    "arm_reach": 6.0,
}
FILM_SIZE, FPS = (960, 540), 30.0
PULL_SECONDS = 1.5
PICTURE_SIZE = (1280, 720)
Script = list[tuple[float, Command]]


def _poses() -> Script:
    """Two more poses for the springs to pull the arm to."""
    poses = {2.0: (0.2, -0.4, 2.2), 4.0: (-0.3, 1.0, 0.4)}
    joints = ("yaw", "shoulder", "elbow")
    return [(t, SetJointTarget("pd", j, (q,))) for t, pose in poses.items() for j, q in zip(joints, pose, strict=True)]


def _pulls() -> Script:
    """A hand that takes the tool aside twice, along half a cosine, and lets go."""
    tip, script = (0.0, 0.0, 0.45), Script()
    lead = ((0.05, 0.0, 1.06), (0.4, -0.35, 1.05), (0.4, 0.35, 0.95))
    for begin, start, end in ((0.5, *lead[:2]), (3.2, *lead[1:])):
        for n in range(round(PULL_SECONDS * FPS) + 1):
            part = (1.0 - cos(pi * n / (PULL_SECONDS * FPS))) / 2.0
            x, y, z = (a + part * (b - a) for a, b in zip(start, end, strict=True))
            script.append((begin + n / FPS, PullBody("forearm", tip, (x, y, z))))
        script.append((begin + PULL_SECONDS + 0.1, ReleaseBody()))
    return script


SCRIPTS = {"arm_gravity": _pulls(), "arm_pd": _poses()}  # what a hand does meanwhile: these arms would stand still


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
                frames = round(seconds * FPS)
                draw(simulation, frames, film, "light", (), moments(simulation, frames, FPS, SCRIPTS.get(name, [])))
        finally:
            simulation.close()
        yield path


def moments(
    simulation: Simulation, frames: int, fps: float, script: Iterable[tuple[float, Command]] = ()
) -> Iterator[None]:
    """Brings the world to the time of one image after the other; commands are given at the first one after theirs."""
    start, waiting = simulation.step_count, sorted(script, key=lambda line: line[0])
    for n in range(frames):
        due = start + round(n / fps / simulation.dt)
        simulation.step(due - simulation.step_count)
        while waiting and waiting[0][0] <= n / fps:
            simulation.apply(waiting.pop(0)[1])
        yield
