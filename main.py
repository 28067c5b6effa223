"""Impulse: a laboratory for rigid bodies and robot arms. `python main.py --help` says what it does."""

import os
import sys

# OpenBLAS's threads wait for each other in loops: beside other programs the same QR takes ten times the processor.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

INTERRUPTED = 130  # 128 + SIGINT, as shells count


def start() -> int:
    try:
        from app.cli import main

        return main(sys.argv[1:])
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(start())
