"""Settings on their way to the runner, whose controls must not fall back to the old value meanwhile."""

from __future__ import annotations

from typing import Any

from sim import command as cmd

# What a command sets: the fields that say of what; the last one sent counts.
_SETTINGS: dict[type[cmd.Command], tuple[str, ...]] = {
    cmd.SetSwitch: ("controller",),
    cmd.SetGain: ("controller", "gain"),
    cmd.SetTarget: ("target",),
    cmd.SetJointTarget: ("controller", "joint"),
    cmd.SetIntegrator: (),
    cmd.SetBackend: (),
    cmd.Compare: (),
    cmd.SetTolerance: (),
    cmd.SetSolver: (),
    cmd.SetStabilisation: (),
    cmd.SetStep: (),
    cmd.SetGravity: (),
    cmd.SetSpeed: (),
    cmd.Play: (),
}


class Waiting:
    def __init__(self) -> None:
        self._commands: dict[tuple[Any, ...], cmd.Command] = {}

    def note(self, command: cmd.Command) -> None:
        """It is sent."""
        if key := _setting(command):
            self._commands[key] = command

    def settle(self, command: cmd.Command) -> None:
        """It has been answered."""
        key = _setting(command)
        if key and self._commands.get(key) == command:
            del self._commands[key]

    def like(self, command: cmd.Command) -> Any:
        """The command on its way that sets the same as this one, or None."""
        return self._commands.get(_setting(command))

    def clear(self) -> None:
        self._commands.clear()


def _setting(command: cmd.Command) -> tuple[Any, ...]:
    """What a command sets, without the value; () if it is not a setting."""
    fields = _SETTINGS.get(type(command))
    return () if fields is None else (type(command), *(getattr(command, f) for f in fields))
