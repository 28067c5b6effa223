"""Compile the kernels of the default scene, so that the window moves at once; a second time there is nothing to do."""

from __future__ import annotations

import argparse
import sys

from app.application import DEFAULT_SCENE
from app.commands.compiling import counted, rehearse

EXAMPLES = "example:\n  main.py warmup"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none."""


def run(args: argparse.Namespace) -> int:
    from sim.files import load

    with counted(sys.stdout):
        rehearse(load(DEFAULT_SCENE))
    print(f"The kernels of {DEFAULT_SCENE} are ready.")
    return 0
