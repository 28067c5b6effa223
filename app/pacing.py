"""How fine the viewport draws: quality Auto goes down when frames take too long, and once up when all is still."""

from __future__ import annotations

from collections import deque
from statistics import median

QUALITIES = {"auto": "Auto", "fine": "Fine", "fast": "Fast"}
SLOW_FRAME = 0.033  # [s]
SLOW_FOR = 2.0  # [s]
STILL_FOR = 0.2  # [s]


class AutoQuality:
    """The renderer's level for a choice of the View menu, from measured frame times alone."""

    def __init__(self, choice: str = "auto") -> None:
        self.choose(choice)

    def choose(self, choice: str) -> None:
        """A choice of the menu, or the same again for another scene: measuring starts anew."""
        self.choice = self.level = choice if choice in QUALITIES else "auto"
        self._frames: deque[tuple[float, float]] = deque()  # when, how long
        self._measuring_since: float | None = None
        self._moved = 0.0

    def frame(self, now: float, seconds: float, holding: bool) -> None:
        """A frame of a moving picture took so long; `holding`: a drag is under way, nothing changes then."""
        self._moved = now
        if self.choice != "auto" or self.level == "fast":
            return
        if self._measuring_since is None:
            self._measuring_since = now
        self._frames.append((now, seconds))
        while self._frames and now - self._frames[0][0] > SLOW_FOR:
            self._frames.popleft()
        measured = now - self._measuring_since >= SLOW_FOR
        if measured and not holding and median(s for _, s in self._frames) > SLOW_FRAME:
            self.level = "fast"

    def still_level(self, now: float) -> str:
        """What to draw with now: Fine once nothing has moved for a moment, else the level that keeps pace."""
        if self.choice == "auto" and now - self._moved >= STILL_FOR:
            return "fine"
        return self.level
