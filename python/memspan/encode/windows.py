"""`Windows`: overlapping stretches of a session, each with the turns right before it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from memspan.arguments import as_integer

from .stage import Tools
from .values import Window, Work

__all__ = ["Windows"]

_MOST = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """Cut the turns of a job into overlapping windows (SimpleMem 2.1).

    The paper's table of parameters says "5 turns (25% overlap)" for windows of 20. Both hold when the 5 turns are what
    neighbours share; with a step of 5 turns they would share 75 %, and every turn would be sent, and paid for, four
    times. So the default stride is 15; `stride=5` is the other reading.

    Every turn is in at least one window, no window lies inside another, and none is longer than `size`.
    """

    size: int = 20
    """Turns in a window (W)."""
    stride: int = 15
    """Turns from the start of one window to the start of the next."""
    history: int = 5
    """Turns before a window that it is shown (the immediate history H, for which the paper gives no number)."""

    def __post_init__(self) -> None:
        as_integer(self.size, "size", 1, _MOST)
        as_integer(self.stride, "stride", 1, self.size)
        as_integer(self.history, "history", 0, _MOST)

    @property
    def name(self) -> str:
        """`windows`."""
        return "windows"

    def count(self, turns: int) -> int:
        """How many windows that many turns are cut into."""
        if not turns:
            return 0
        return 1 + max(0, -(-(turns - self.size) // self.stride))

    async def run(self, work: Work, tools: Tools) -> Work:
        """The work with its windows; asks nothing. O(windows x size)."""
        before = len(work.history)
        known = (*work.history, *work.turns)
        windows = []
        for number in range(self.count(len(work.turns))):
            start = before + number * self.stride
            windows.append(
                Window(
                    turns=known[start : start + self.size],
                    history=known[max(0, start - self.history) : start],
                )
            )
        return replace(work, windows=tuple(windows))
