"""Identify what a robot's masses, tensors, rotors and friction are, from how it moves under which torques.

The motion is a run of the scene as it is, or with --excite every joint moved through its range, or with --from a log
of `main.py run --log`. What only acts together can only be told together: sums such as "link1.mcx + 0.5 link2.m", mc
being mass times centre, I a tensor about the body's origin. The intervals are those of the noise on the torques; what
the engine itself is wrong by comes on top, and is least with --backend tree.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.commands.arguments import USUAL_DURATION, CommandError, add_simulation, number, scene_of, step_count
from app.commands.compiling import prepared
from app.commands.progress import ProgressBar
from sim.wording import listing

if TYPE_CHECKING:
    from sim.identify import Found, Identification
    from sim.scene import Scene

EXAMPLES = """\
examples:
  main.py identify planar_2r:identify --duration 2
  main.py identify planar_2r:identify --duration 2 --noise 0.01 --json
  main.py identify arm_6r --excite --duration 10
  main.py run arm_reach --log reach.csv && main.py identify arm_reach --from reach.csv
"""
PERCENT = 100
WIDEST = 64  # of a sum that is printed
NOISE = ("excite", "noise", "seed")
ENGINE = ("backend", "integrator", "solver", "stabilise", "dt")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_simulation(parser)
    parser.set_defaults(duration=None)
    add = parser.add_argument
    add("--excite", action="store_true", help="instead of the scene's run, move every joint in sines through its range")
    add("--from", dest="log", type=Path, metavar="FILE", help="a log of this scene (.csv or .npz), instead of a run")
    share = number("a share from 0 to 1", 0.0, 1.0)
    add("--noise", type=share, metavar="X", help="Gaussian noise on the torques, a share of their rms")
    seed = number("a number from 0 to 1e9", 0, 1e9)
    add("--seed", type=seed, metavar="N", help="of the noise and the sines (default: 0)")
    add("--json", action="store_true", help="print the result as one JSON object, in full digits")


def run(args: argparse.Namespace) -> int:
    if args.log:
        _refuse(args, "--from takes the motion and the torques of a log", *ENGINE, "duration", "q", "v", *NOISE)
    if args.excite:
        _refuse(args, "--excite moves the joints without an engine", *ENGINE, "v")
    scene = scene_of(args)
    try:
        found = _identify(args, scene)
    except ValueError as error:
        raise CommandError(f"{args.scene}: {error}") from error
    print(json.dumps(_result(scene, found)) if args.json else _summary(scene, found))
    return 0


def _refuse(args: argparse.Namespace, why: str, *options: str) -> None:
    """Options that cannot matter are mistakes."""
    values = {name: getattr(args, name) for name in options}
    if given := [f"--{name}" for name, value in values.items() if value is not None and value is not False]:
        raise CommandError(f"{why}; leave {listing(given)} out.")


def _identify(args: argparse.Namespace, scene: Scene) -> Identification:
    from sim.backend import Diverged
    from sim.identify import from_excitation, from_log, from_run

    duration = USUAL_DURATION if args.duration is None else args.duration
    noise, seed = args.noise or 0.0, int(args.seed or 0)
    if args.log:
        try:
            with ProgressBar(scene.name, PERCENT) as bar:
                return from_log(scene, args.log, _percent(bar))
        except OSError as error:
            raise CommandError(f'Cannot read "{args.log}": {error.strerror}.') from error
    if args.excite:
        with ProgressBar(scene.name, PERCENT) as bar:
            return from_excitation(scene, duration, noise, seed, _percent(bar))
    world = prepared(scene)
    try:
        steps = ProgressBar(scene.name, step_count(duration, world.dt))
        with steps, ProgressBar(scene.name, PERCENT) as bar:
            return from_run(world, duration, noise, seed, steps.at, _percent(bar))
    except Diverged as problem:
        raise CommandError(f"Stopped at t = {world.time:.6g} s: {problem}.", 1) from problem
    finally:
        world.close()


def _percent(bar: ProgressBar) -> Callable[[float], None]:
    return lambda share: bar.at(round(PERCENT * share))


def _result(scene: Scene, found: Identification) -> dict[str, Any]:
    return {
        "scene": f"{scene.name}:{scene.variant}" if scene.variant else scene.name,
        "equations": found.equations,
        "possible": found.possible,
        "residuals": found.residuals.tolist(),
        "point_masses": _listed(found.point_masses) if found.point_masses else [],
        "combinations": _listed(found.combinations),
    }


def _listed(found: Found) -> list[dict[str, Any]]:
    columns = {key: getattr(value, "tolist", lambda v=value: v)() for key, value in asdict(found).items()}
    keys = ("name", "unit", "value", "interval", "scene_value")
    return [dict(zip(keys, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _summary(scene: Scene, found: Identification) -> str:
    parts = [part for part in (found.point_masses, found.combinations) if part]
    width = min(max(len(name) for part in parts for name in part.names), WIDEST)
    shown = len(found.combinations.names)
    lines = [
        f"{scene.title} · {found.equations} equations show {shown} of {found.possible} combinations of parameters",
        f"  {'':{width}}         found    ± 95 %    in the scene",
        *(row for part in parts for row in _rows(part, width)),
    ]
    if shown < found.possible:
        lines.append("  More of them show if every joint moves alone and together, as with --excite.")
    return "\n".join(lines)


def _rows(found: Found, width: int) -> list[str]:
    rows = zip(found.names, found.units, found.values, found.intervals, found.scene_values, strict=True)
    return [
        f"  {_short(name, width):{width}} {_fixed(value):13.6f} {interval:9.1e} {_fixed(scene):15.6f} {unit}"
        for name, unit, value, interval, scene in rows
    ]


def _fixed(value: float) -> float:
    return value if abs(value) >= 5e-7 else 0.0


def _short(name: str, width: int) -> str:
    return name if len(name) <= width else name[: width - 1] + "…"
