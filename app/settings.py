"""What the program remembers between starts."""

from __future__ import annotations

from pathlib import Path

from PyQt6.QtCore import QByteArray, QSettings, QStandardPaths

NAME = "Impulse"


class Settings:
    """A few named values in the user's configuration folder, or in a file of their own.

    `folder` is where they lie, for what else is remembered; `cache` for what can be made again.
    """

    def __init__(self, path: Path | None = None) -> None:
        ini = QSettings.Format.IniFormat
        if path is None:
            self._store = QSettings(ini, QSettings.Scope.UserScope, NAME, NAME)
            places = QStandardPaths.StandardLocation
            self.cache = Path(QStandardPaths.writableLocation(places.GenericCacheLocation)) / NAME
        else:
            self._store = QSettings(str(path), ini)
            self.cache = path.parent / "cache"

    @property
    def folder(self) -> Path:
        return Path(self._store.fileName()).parent

    def text(self, key: str, default: str) -> str:
        return str(self._store.value(key, default))

    def flag(self, key: str) -> bool:
        return self.text(key, "no") == "yes"

    def texts(self, key: str) -> list[str]:
        """Lines."""
        return [line for line in self.text(key, "").split("\n") if line]

    def bytes(self, key: str) -> QByteArray:
        value = self._store.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()

    def set(self, key: str, value: str | bool | list[str] | QByteArray) -> None:
        if isinstance(value, bool):
            value = "yes" if value else "no"
        elif isinstance(value, list):
            value = "\n".join(value)
        self._store.setValue(key, value)

    def save(self) -> None:
        self._store.sync()
