"""Make a video (.mp4, .gif) or a picture (.png, at the end of the duration) without a screen."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.commands.arguments import (
    CommandError,
    add_simulation,
    number,
    one_of,
    output,
    scene_of,
    size,
    some_of,
    step_count,
)
from app.commands.compiling import prepared
from app.commands.progress import ProgressBar
from app.render.overlays import OVERLAYS
from app.theme import THEMES
from app.video_formats import FORMATS
from sim.backend import silent
from sim.command import Command

if TYPE_CHECKING:
    from app.video_encoder import Encoder
    from sim.simulation import Simulation

EXAMPLES = """\
examples:
  main.py record arm_reach reach.mp4
  main.py record hinge_chain chain.gif --duration 4 --size 640x360
  main.py record arm_reach reach.png --duration 3 --size 1920x1080 --theme dark
  main.py record hinge_chain chain.mp4 --show trails,loads
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_simulation(parser)
    parser.add_argument("output", type=output(*FORMATS), metavar="OUT", help=f"the file: {', '.join(FORMATS)}")
    rates = ", ".join(f"{kind.usual:g} for {suffix}" for suffix, kind in FORMATS.items() if kind.moves)
    fps = number("1 to 240 images a second", 1.0, 240.0)
    parser.add_argument("--fps", type=fps, metavar="N", help=f"images a simulated second (default: {rates})")
    parser.add_argument("--size", type=size, default=(1280, 720), metavar="WxH", help="in pixels (default: 1280x720)")
    parser.add_argument("--theme", type=one_of(*THEMES), default="light", metavar="NAME", help="light or dark")
    shown = f"overlays, with commas between them: {', '.join(OVERLAYS)}"
    parser.add_argument("--show", type=some_of(*OVERLAYS), default=(), metavar="NAMES", help=shown)


def run(args: argparse.Namespace) -> int:
    from app.render.platform import NoOpenGL
    from app.video_encoder import Encoder

    width, height = args.size
    kind = FORMATS[args.output.suffix.lower()]
    fps = args.fps or kind.usual
    if fps > kind.fastest:
        raise CommandError(f"--fps of a {args.output.suffix} file is at most {kind.fastest:g}, not {fps:g}.")
    scene = scene_of(args)
    if "loads" in args.show and (reason := silent(scene.backend)):
        raise CommandError(f"--show cannot have loads: {reason}")
    simulation = prepared(scene)
    steps = step_count(args.duration, simulation.dt)
    frames = max(round(args.duration * fps), 1) if kind.moves else 1
    try:
        with Encoder(args.output, width, height, fps) as film:
            if not kind.moves:
                simulation.step(steps)
            draw(simulation, frames, fps, film, args.theme, args.show)
    except NoOpenGL as problem:
        raise CommandError(str(problem), 1) from problem
    finally:
        simulation.close()
    print(_description(args.output, film, film.frames / fps if kind.moves else None))
    return 0


def draw(
    simulation: Simulation,
    frames: int,
    fps: float,
    film: Encoder,
    theme: str,
    show: Iterable[str] = (),
    script: Iterable[tuple[float, Command]] = (),
) -> None:
    """An image every 1/fps simulated seconds, seen from where the window would show the scene first."""
    from app.camera import fit
    from app.render.offscreen import OffscreenRenderer
    from app.render.overlays import Overlays
    from app.render.view import View
    from app.trails import Trails
    from sim.rest import rest_snapshot

    renderer = OffscreenRenderer(simulation.scene, film.width, film.height)
    rest = rest_snapshot(simulation.scene, simulation.model)
    view = View(fit(*renderer.visuals.bounds(rest), simulation.scene.camera), theme)
    overlays, trails = Overlays(frozenset(show)), Trails(simulation.model)
    with contextlib.closing(renderer), ProgressBar(film.path.name, frames) as bar:
        for _ in moments(simulation, frames, fps, script):
            snapshot = simulation.snapshot(forces=overlays.needs_forces)
            trails.observe(snapshot)
            film.add(renderer.render(snapshot, replace(view, overlays=replace(overlays, trail=trails.path))))
            bar.at(film.frames)


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


def _description(path: Path, film: Encoder, seconds: float | None) -> str:
    length = "" if seconds is None else f"{seconds:.4g} s, "
    return f"{path.resolve()} ({length}{film.width}×{film.height}, {path.stat().st_size / 1e6:.2g} MB)"
