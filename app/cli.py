"""The command line: arguments to the window or to a headless command, failures to one sentence."""

from __future__ import annotations

import argparse
import importlib
import os
import re
import signal
import sys
from typing import NoReturn

from app.commands import COMMANDS, WINDOW, interrupt
from app.commands.arguments import CommandError
from app.video_encoder import VideoError
from sim.backend import BackendError, Diverged
from sim.scene import SceneError
from sim.wording import suggestion

BROKEN_PIPE, TERMINATED = 141, 143  # 128 + the signal, as shells count

# What a command may raise -> its exit code: 2 for a mistake in what was asked, 1 for a failure on the way.
EXIT_CODES: dict[type[Exception], int] = {SceneError: 2, BackendError: 2, VideoError: 1, Diverged: 1}


def main(arguments: list[str]) -> int:
    """Run one command line; returns the exit code."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
        return code
    except CommandError as problem:
        return _complain(problem, problem.code)
    except tuple(EXIT_CODES) as problem:
        return _complain(problem, next(code for kind, code in EXIT_CODES.items() if isinstance(problem, kind)))
    except OSError as problem:
        # Python flushes stdout once more at the end, where it would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE if isinstance(problem, BrokenPipeError) else _complain(problem, 1)


def _complain(problem: Exception, code: int) -> int:
    print(f"impulse: {' '.join(str(problem).split())}", file=sys.stderr)
    return code


def _dispatch(arguments: list[str]) -> int:
    name = arguments[0] if arguments else ""
    if name in COMMANDS:
        interrupt.listen()
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(TERMINATED))  # so that drafts of files are removed
        module_name, arguments = COMMANDS[name][0], arguments[1:]
    else:
        module_name, name = WINDOW, ""
    module = importlib.import_module(module_name)
    parser = Parser(prog=f"main.py {name}".strip(), description=module.__doc__, epilog=module.EXAMPLES)
    module.add_arguments(parser)
    code: int = module.run(parser.parse(arguments))
    return code


class Parser(argparse.ArgumentParser):
    """argparse whose complaints are one sentence each."""

    def __init__(self, prog: str, description: str | None, epilog: str) -> None:
        super().__init__(
            prog=prog,
            description=description,
            epilog=epilog,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        self._negative_number_matcher = re.compile(r"-[.\d]")  # lists such as -1,2 and -3e-1 are values, not options

    def parse(self, arguments: list[str]) -> argparse.Namespace:
        result, unknown = self.parse_known_args(arguments)
        if unknown:
            self._refuse(unknown[0])
        return result

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        sys.stdout.flush()  # of --help, which may go to a pipe that nobody reads
        super().exit(status, message)

    def _refuse(self, word: str) -> NoReturn:
        options = [option for action in self._actions for option in action.option_strings if len(option) > 2]
        name = word.partition("=")[0]
        if word.startswith("-") and name not in options:
            self.error(f'there is no option "{name}"; {suggestion(name, options)}')
        self.error(f'"{word}" is one argument too many; `{self.prog} --help` shows what is expected')

    def error(self, message: str) -> NoReturn:
        sentence = re.sub(r"^argument ([^:]+): ", r"\1 ", message).replace("expected one argument", "needs a value")
        sentence = sentence.rstrip(".")
        raise CommandError(sentence + ("" if sentence.endswith("?") else "."))
