"""Rows of the Help menu, and those that change how everything reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PyQt6.QtGui import QGuiApplication

from app import style
from app.action import Action
from app.diagnostics import diagnostics, program_version
from app.widgets.messages import MessageList, Page

if TYPE_CHECKING:
    from app.window import Window

ANGLES = {"radians": "Radians", "degrees": "Degrees"}
ABOUT = "A laboratory for rigid bodies and robot arms."
LICENCE = "GPL-3.0-or-later, because PyQt6 is: everybody may use, study, share and change it."


def _choose_angles(window: Window, choice: str) -> None:
    window.settings.set("angles", choice)
    window.session.shown.show_degrees(choice == "degrees")


def _change_text(window: Window, steps: int) -> None:
    """Larger or smaller; 0: as usual."""
    sizes = style.TEXT_SCALES
    now = min(range(len(sizes)), key=lambda i: abs(sizes[i] - style.text_scale()))
    scale = sizes[min(max(now + steps, 0), len(sizes) - 1)] if steps else 1.0
    style.set_text_scale(scale)
    window.settings.set("text", f"{scale:g}")
    window.fit_text()


def _show_notes(window: Window) -> None:
    """What the scene shows, what to try in it and what its model has to say."""
    stage = window.session.stage
    words = [stage.scene.summary, *stage.scene.try_this, *stage.model.notes, stage.scene.path or ""]
    Page(stage.scene.title, [text for text in words if text], window).show()


def _show_about(window: Window) -> None:
    Page("Impulse", [ABOUT, f"Version {program_version()}.", LICENCE], window).show()


def _copy_diagnostics(window: Window) -> None:
    renderer = window.viewport.renderer
    name = renderer.gl_renderer if renderer else ""
    QGuiApplication.clipboard().setText(diagnostics(window.session, name, window.viewport.quality.level))
    window.session.say("ok", "The diagnostics are in the clipboard.")


READING_ACTIONS = (
    *(
        Action(
            f"angles:{choice}",
            "View/Angles",
            title,
            lambda w, choice=choice: _choose_angles(w, choice),
            tip="How angles are shown; files and commands are always in radians",
            checked=lambda w, choice=choice: w.session.shown.degrees == (choice == "degrees"),
            help="-",
            group=2,
        )
        for choice, title in ANGLES.items()
    ),
    Action(
        "text:larger",
        "View/Text",
        "Larger",
        lambda w: _change_text(w, 1),
        ("Ctrl++", "Ctrl+="),
        tip="Larger text",
        help="Larger text",
        help_keys="Ctrl++",
        group=2,
    ),
    Action(
        "text:smaller",
        "View/Text",
        "Smaller",
        lambda w: _change_text(w, -1),
        ("Ctrl+-",),
        tip="Smaller text",
        help="Smaller text",
        group=2,
    ),
    Action("text:usual", "View/Text", "Usual size", lambda w: _change_text(w, 0), group=2),
)

HELP_ACTIONS = (
    Action("help", "Help", "Keys and mouse", lambda w: w.toggle_help(), ("F1", "?"), "help", "What keys and mouse do"),
    Action("notes", "Help", "About this scene…", _show_notes, tip="What it shows and what to try"),
    Action(
        "messages",
        "Help",
        "Messages…",
        lambda w: MessageList(w.session, w).show(),
        tip="Everything that was said so far",
        group=1,
    ),
    Action(
        "diagnostics",
        "Help",
        "Copy diagnostics",
        _copy_diagnostics,
        tip="Versions, graphics driver, engine, scene and the last messages, as text",
        group=1,
    ),
    Action("about", "Help", "About Impulse…", _show_about, group=2),
)
