"""One row of the table of actions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.window import Window

Text = str | Callable[["Window"], str]


@dataclass(frozen=True)
class Action:
    id: str
    menu: str  # "Simulation/Engine"; "" for keys alone
    text: Text
    do: Callable[[Window], None]
    keys: tuple[str, ...] = ()
    icon: Text = ""
    tip: str = ""
    help: str = ""  # what the help says if not the text; "-" for nothing
    help_keys: str = ""
    checked: Callable[[Window], bool] | None = None
    refusal: Callable[[Window], str] = lambda _: ""  # why it is greyed
    group: int = 0  # a line stands between groups of a menu
    line: bool = False  # one stands above it in its submenu
    context: str = ""  # the submenu path it has in the viewport's own menu; "/" for the menu itself


def is_bare(key: str) -> bool:
    """Whether a key is one that controls need themselves."""
    return not any(word in key for word in ("Ctrl", "Alt", "Meta")) and not (key[0] == "F" and key[1:].isdigit())
