"""Rows of the table for engines that run beside the leading one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app import comparison_file
from app.action import Action
from sim.command import Compare
from sim.lane_names import LANES, lane_refusal, lane_title

if TYPE_CHECKING:
    from app.window import Window

MENU = "Simulation/Compare with"


def _toggle(window: Window, name: str) -> None:
    window.session.toggle_beside(name)
    if window.session.beside:
        window.bottom.show_comparison()


def _refusal(window: Window, name: str) -> str:
    leads = window.session.snapshot.backend == name
    return "This engine leads." if leads else lane_refusal(name, window.session.stage.model)


COMPARISON_ACTIONS: tuple[Action, ...] = (
    *(
        Action(
            f"beside:{name}",
            MENU,
            lane_title(name),
            lambda w, name=name: _toggle(w, name),
            checked=lambda w, name=name: name in w.session.beside,
            refusal=lambda w, name=name: _refusal(w, name),
            help="-",
            group=2,
            tip="Run beside the leading engine from here on, as a ghost",
        )
        for name in LANES
    ),
    Action(
        "beside_again",
        MENU,
        "Again from here",
        lambda w: w.session.send(Compare(w.session.beside)),
        refusal=lambda w: comparison_file.refusal(w.session),
        help="-",
        group=2,
        line=True,
        tip="Let all engines begin anew from where the leading one is",
    ),
    Action(
        "save_comparison",
        MENU,
        "Save table…",
        lambda w: comparison_file.ask_and_save(w.session, w),
        refusal=lambda w: comparison_file.refusal(w.session),
        help="-",
        group=2,
        tip="Write the figures of the comparison as a page (HTML) or as CSV",
    ),
)
