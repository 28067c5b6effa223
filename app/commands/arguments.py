"""Arguments that commands share: what they accept, and the sentence when it is something else."""

from __future__ import annotations

import argparse
import math
import re
from argparse import ArgumentTypeError
from collections.abc import Callable
from pathlib import Path

from app.video_encoder import LARGEST, SMALLEST
from sim.backend import BACKENDS, unavailable
from sim.check import LONGEST_STEP
from sim.files.draft import Draft, cannot_write
from sim.wording import listing, suggestion

MOST_STEPS = 1_000_000_000


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


def add_simulation(parser: argparse.ArgumentParser) -> None:
    """SCENE, --backend, --dt and --duration."""
    step = number(f"a step above 0 and at most {LONGEST_STEP} s", 1e-9, LONGEST_STEP)
    time = number("a time from 0 to 1e6 s", 0.0, 1e6)
    engines = f"engine: {listing(BACKENDS, 'or')}"
    parser.add_argument("scene", metavar="SCENE", help="a built-in scene, or a scene file")
    parser.add_argument("--backend", type=backend, metavar="NAME", help=f"{engines} (default: what the scene says)")
    parser.add_argument("--dt", type=step, metavar="S", help="step in seconds (default: what the scene says)")
    parser.add_argument("--duration", type=time, default=5.0, metavar="S", help="simulated seconds (default: 5)")


def step_count(duration: float, dt: float) -> int:
    """Whole steps in `duration`."""
    steps = round(duration / dt)
    if steps > MOST_STEPS:
        raise CommandError(f"{duration:g} s in steps of {dt:g} s are {steps:.2g} steps; the limit is {MOST_STEPS:g}.")
    return steps
