"""Collections of garbage that nobody feels.

A full one looks through every container there is, with Python's lock held, in whatever thread it falls: after the start
these are 180 000 of libraries and compiled kernels, for 75 ms of the window's or the physics' time.
"""

from __future__ import annotations

import gc

from app.session import Session
from sim.command import Event, Loaded


def spare_the_start(session: Session) -> None:
    """Once the first world runs, all that is there by then is never looked through again."""

    def on_report(event: Event) -> None:
        if isinstance(event, Loaded):
            session.reported.disconnect(on_report)
            gc.freeze()

    session.reported.connect(on_report)
