"""Impulse: a laboratory for rigid bodies and robot arms. `python main.py --help` says what it does."""

import sys

INTERRUPTED = 130  # 128 + SIGINT, as shells count


def start() -> int:
    try:
        from app.cli import main

        return main(sys.argv[1:])
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(start())
