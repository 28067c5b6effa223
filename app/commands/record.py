"""Make a video (.mp4, .gif) or a picture (.png, at the end of the duration) without a screen."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.commands.arguments import (
    IMPULSE_OPTIONS,
    USUAL_DURATION,
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
from app.commands.run_files import prepared_replay, telling
from app.render.overlays import OVERLAYS
from app.theme import THEMES
from app.video_formats import FORMATS
from sim.backend import silent
from sim.past import is_run_file

if TYPE_CHECKING:
    from app.video_encoder import Encoder
    from sim.simulation import Simulation

    # A world at its beginning, how long the film is [s], and what brings the world on to a time.
    Course = tuple[Simulation, float, Callable[[float], None]]

EXAMPLES = """\
examples:
  main.py record arm_reach reach.mp4
  main.py record hinge_chain chain.gif --duration 4 --size 640x360
  main.py record arm_reach reach.png --duration 3 --size 1920x1080 --theme dark
  main.py record hinge_chain chain.mp4 --show trails,loads
  main.py record mine.run.json mine.mp4
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_simulation(parser, runs=True)
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
    simulation, duration, go_to = _replayed(args) if is_run_file(args.scene) else _simulated(args)
    if "loads" in args.show and (reason := silent(simulation.backend_name)):
        simulation.close()
        raise CommandError(f"--show cannot have loads: {reason}")
    times = [n / fps for n in range(max(round(duration * fps), 1))] if kind.moves else [duration]
    try:
        with Encoder(args.output, width, height, fps) as film:
            draw(simulation, len(times), film, args.theme, args.show, (go_to(time) for time in times))
    except NoOpenGL as problem:
        raise CommandError(str(problem), 1) from problem
    finally:
        simulation.close()
    print(_description(args.output, film, film.frames / fps if kind.moves else None))
    return 0


def _simulated(args: argparse.Namespace) -> Course:
    duration = USUAL_DURATION if args.duration is None else args.duration
    simulation = prepared(scene_of(args))
    step_count(duration, simulation.dt)  # says so if there are too many
    return simulation, duration, lambda time: simulation.step(round(time / simulation.dt) - simulation.step_count)


def _replayed(args: argparse.Namespace) -> Course:
    """As a run went; how it began and what was set is all in its file."""
    for option in ("integrator", *IMPULSE_OPTIONS, "dt", "q", "v", "set"):
        if getattr(args, option):
            raise CommandError(f"--{option} is for scenes, and {args.scene} is a run with its own; leave it out.")
    replay = prepared_replay(args.scene, args.backend)
    whole = replay.run.end.time
    if args.duration is not None and args.duration > whole:
        raise CommandError(f"--duration of {args.scene} is at most {whole:g} s, not {args.duration:g} s.")

    def go_to(time: float) -> None:
        with telling(args.scene):
            replay.go_to(time)

    return replay.world, whole if args.duration is None else args.duration, go_to


def draw(
    simulation: Simulation,
    frames: int,
    film: Encoder,
    theme: str,
    show: Iterable[str],
    moments: Iterable[None],
) -> None:
    """An image at each of the moments, seen from where the window would show the scene first."""
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
        for _ in moments:
            snapshot = simulation.snapshot(forces=overlays.needs_forces)
            trails.observe(snapshot)
            film.add(renderer.render(snapshot, replace(view, overlays=replace(overlays, trail=trails.path))))
            bar.at(film.frames)


def _description(path: Path, film: Encoder, seconds: float | None) -> str:
    length = "" if seconds is None else f"{seconds:.4g} s, "
    return f"{path.resolve()} ({length}{film.width}×{film.height}, {path.stat().st_size / 1e6:.2g} MB)"
