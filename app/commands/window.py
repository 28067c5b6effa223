"""A laboratory for rigid bodies and robot arms. Without a command it opens its window."""

from __future__ import annotations

import argparse
from pathlib import Path

from app.application import DEFAULT_SCENE, display_problem, run_window
from app.commands import COMMANDS
from app.commands.arguments import CommandError, number, one_of, output, size, some_of
from app.render.platform import NoOpenGL
from app.theme import THEMES, WINDOW_MINIMUM
from sim.files import builtin_names, split_variant
from sim.lane_names import LANES
from sim.wording import listing, suggestion

EXAMPLES = "\n".join(
    [
        "commands (`main.py COMMAND --help` tells more):",
        *(f"  {name:<8} {summary}" for name, (_, summary) in COMMANDS.items()),
        "",
        "examples:",
        "  main.py                              the scene of last time",
        "  main.py hinge_chain --theme dark",
        "  main.py my_robot.toml",
        "  main.py double_pendulum:b            a variant of a scene",
        "  main.py double_pendulum --compare pybullet,reference",
        "  main.py arm_reach --shot arm.png --after 3 --size 1440x900",
        "  main.py record arm_reach arm.mp4     needs no screen",
    ]
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    scale = number("a factor from 0.5 to 4", 0.5, 4.0)
    after = number("a time from 0 to 3600 s", 0.0, 3600.0)
    add = parser.add_argument
    which = f"built-in scene or scene file (default: the last one, at first {DEFAULT_SCENE})"
    add("scene", nargs="?", type=scene, metavar="SCENE", help=which)
    add("--theme", type=one_of(*THEMES), metavar="NAME", help="light or dark (default: the last one chosen)")
    add("--size", type=window_size, metavar="WxH", help="of the window in pixels (default: the last one)")
    add("--scale", type=scale, metavar="N", help="magnifies text and drawing")
    lanes = listing(LANES)
    add("--compare", type=some_of(*LANES), default=(), metavar="A,B", help=f"engines to run beside: {lanes}")
    add("--shot", type=output(".png"), metavar="FILE", help="save a picture of the window and exit")
    add("--after", type=after, default=3.0, metavar="S", help="simulated seconds before the picture (default: 3)")
    add("--report", type=output(".json"), metavar="FILE", help="write start-up times and the OpenGL driver as JSON")


def window_size(text: str) -> tuple[int, int]:
    """A size at which everything in the window has room."""
    sides = size(text)
    if any(side < least for side, least in zip(sides, WINDOW_MINIMUM, strict=True)):
        raise argparse.ArgumentTypeError("the window is at least {}x{} pixels, not {}.".format(*WINDOW_MINIMUM, text))
    return sides


def scene(word: str) -> str:
    """A scene; a word that is none may be a command that was misspelt or came too late."""
    if word in COMMANDS:
        raise CommandError(f'The command "{word}" comes first: main.py {word} …')
    names = [*builtin_names(), *COMMANDS]
    file, _ = split_variant(word)
    if file not in names and not (file and Path(file).exists()):
        raise CommandError(f'There is no scene, scene file or command "{word}"; {suggestion(word, names)}')
    return word


def run(args: argparse.Namespace) -> int:
    name = args.scene or DEFAULT_SCENE
    if problem := display_problem():
        instead = f"`main.py record {name} out.mp4` makes a video and `main.py run {name}` simulates"
        raise CommandError(f"{problem} Without a screen {instead}.")
    try:
        return run_window(
            args.scene, args.shot, args.after, args.size, args.theme, args.scale, args.report, args.compare
        )
    except NoOpenGL as problem:
        instead = f"`main.py run {name}` simulates, and `main.py --help` names the other commands"
        raise CommandError(f"{problem}. Without it {instead}.") from problem
