"""Arguments that commands share: what they accept, and the sentence when it is something else."""

from __future__ import annotations

import argparse
import math
import re
from argparse import ArgumentTypeError
from collections.abc import Callable
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from app.video_encoder import LARGEST, SMALLEST
from sim.backend import BACKENDS, INTEGRATORS, unavailable
from sim.check import LONGEST_STEP
from sim.files.draft import Draft, cannot_write
from sim.scene import SOLVERS, STABILISATIONS, Scene
from sim.wording import listing, suggestion

MOST_STEPS = 1_000_000_000
USUAL_DURATION = 5.0  # [s]


class CommandError(Exception):
    """What went wrong in one sentence, and the exit code: 2 for a mistake in the command, 1 for a failure."""

    def __init__(self, sentence: str, code: int = 2) -> None:
        super().__init__(sentence)
        self.code = code


def number(what: str, low: float, high: float) -> Callable[[str], float]:
    """A finite number from `low` to `high`, described by `what`."""

    def convert(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and low <= value <= high):
            raise ArgumentTypeError(f'wants {what}, not "{text}".')
        return value

    return convert


def one_of(*choices: str) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if text not in choices:
            raise ArgumentTypeError(f'cannot be "{text}"; {suggestion(text, choices)}')
        return text

    return convert


def some_of(*choices: str) -> Callable[[str], tuple[str, ...]]:
    """Some of the choices, with commas between them."""
    convert = one_of(*choices)
    return lambda text: tuple(convert(part.strip()) for part in text.split(",") if part.strip())


def numbers(text: str) -> tuple[float, ...]:
    """One number, or several with commas between them."""
    try:
        values = tuple(float(part) for part in text.split(",")) if text.strip() else ()
    except ValueError:
        values = (math.nan,)
    if not all(map(math.isfinite, values)):
        raise ArgumentTypeError(f'wants numbers with commas or spaces between them, such as 0.5,-1.2, not "{text}".')
    return values


def add_start(parser: argparse.ArgumentParser, coordinates: str, velocities: str) -> None:
    """--q and --v, one way for all commands."""
    add_numbers(parser, "--q", coordinates)
    add_numbers(parser, "--v", velocities)


def add_numbers(parser: argparse.ArgumentParser, option: str, told: str, metavar: str = "A,B,…") -> None:
    """An option of several numbers, 0.5,-1.2 or 0.5 -1.2; they become a list, or None."""
    parser.add_argument(option, nargs="+", type=numbers, action=_Joined, metavar=metavar, help=told)


class _Joined(argparse.Action):
    """The numbers of all words in one list."""

    def __call__(self, parser: Any, namespace: argparse.Namespace, values: Any, option: str | None = None) -> None:
        setattr(namespace, self.dest, list(chain.from_iterable(values)))


def size(text: str) -> tuple[int, int]:
    """WIDTHxHEIGHT in pixels."""
    match = re.fullmatch(r"(\d{1,5})[x×](\d{1,5})", text)
    sides = (int(match[1]), int(match[2])) if match else (0, 0)
    if not all(SMALLEST <= side <= LARGEST for side in sides):
        raise ArgumentTypeError(
            f'wants a size in pixels such as 1280x720, each side {SMALLEST} to {LARGEST}, not "{text}".'
        )
    return sides


def output(*suffixes: str) -> Callable[[str], Path]:
    """A file that can be written, its format told by the end of its name."""

    def convert(text: str) -> Path:
        path = Path(text)
        if path.suffix.lower() not in suffixes:
            raise ArgumentTypeError(f'wants a file name that ends in {listing(suffixes, "or")}, not "{text}".')
        try:
            Draft(path).discard()
        except OSError as error:
            raise CommandError(cannot_write(text, error)) from error
        return path

    return convert


def backend(text: str) -> str:
    if text not in BACKENDS:
        return one_of(*BACKENDS)(text)
    if reason := unavailable(text):
        raise ArgumentTypeError(f"{text}: {reason}")
    return text


IMPULSE_OPTIONS = {"solver": SOLVERS, "stabilise": STABILISATIONS}


def add_simulation(parser: argparse.ArgumentParser, runs: bool = False) -> None:
    """SCENE and all that decides how it is simulated; see `scene_of`. With `runs` it may be one, as long as it was."""
    step = number(f"a step above 0 and at most {LONGEST_STEP} s", 1e-9, LONGEST_STEP)
    time = number("a time from 0 to 1e6 s", 0.0, 1e6)
    engines = f"engine: {listing(BACKENDS, 'or')}"
    integrators = listing(dict.fromkeys(name for names in INTEGRATORS.values() for name in names), "or")
    add = parser.add_argument
    add("scene", metavar="SCENE", help=f"a built-in scene, or a scene file{', or a saved run' * runs}")
    add("--backend", type=backend, metavar="NAME", help=f"{engines} (default: what the scene says)")
    add("--integrator", metavar="NAME", help=f"of engines that have a choice: {integrators}")
    for option, choices in IMPULSE_OPTIONS.items():
        add(f"--{option}", type=one_of(*choices), metavar="NAME", help=f"of impulse: {listing(choices, 'or')}")
    add("--dt", type=step, metavar="S", help="step in seconds (default: what the scene says)")
    usual, lasting = None if runs else USUAL_DURATION, f"{USUAL_DURATION:g}{'; of a run: all of it' * runs}"
    add("--duration", type=time, default=usual, metavar="S", help=f"simulated seconds (default: {lasting})")
    add_start(
        parser,
        "start from these coordinates: free bodies first, then the joints",
        "start with these velocities, in the same order",
    )
    change = "change a value of the scene file, such as joint.elbow.damping=0.2; may be repeated"
    add("--set", action="append", default=[], metavar="PATH=VALUE", help=change)


def scene_of(args: argparse.Namespace) -> Scene:
    """The scene as the arguments of `add_simulation` want it."""
    from sim.files import load
    from sim.start import with_start

    if args.set:
        from sim.files import parse_change

        scene = load(args.scene, changes=dict(map(parse_change, args.set)))
    else:
        scene = load(args.scene)
    scene = replace(scene, backend=args.backend or scene.backend, dt=args.dt or scene.dt)
    if args.integrator:
        _check_integrator(args.integrator, scene.backend)
        scene = replace(scene, integrator=args.integrator)
    for option in IMPULSE_OPTIONS:
        if value := getattr(args, option):
            if scene.backend != "impulse":
                raise CommandError(
                    f"--{option} is for the impulse engine, and this run is on {scene.backend}; leave it out, "
                    "or add --backend impulse."
                )
            scene = replace(scene, **{option: value})
    return with_start(scene, args.q, args.v)


def _check_integrator(name: str, engine: str) -> None:
    offered = INTEGRATORS[engine]
    if not offered:
        ways = listing(STABILISATIONS, "or")
        raise CommandError(f"--integrator is not for the {engine} engine; --stabilise {ways} says how it steps.")
    if name not in offered:
        raise CommandError(f'--integrator cannot be "{name}" on {engine}; {suggestion(name, offered)}')


def step_count(duration: float, dt: float) -> int:
    """Whole steps in `duration`."""
    steps = round(duration / dt)
    if steps > MOST_STEPS:
        raise CommandError(f"{duration:g} s in steps of {dt:g} s are {steps:.2g} steps; the limit is {MOST_STEPS:g}.")
    return steps
