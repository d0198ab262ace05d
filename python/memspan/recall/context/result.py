"""What `Memory.context` returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from memspan.remember.searching.recall import Recalls

__all__ = ["Context", "Source"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A record that a context holds."""

    id: str
    at: datetime
    """When it happened; aware, in UTC."""
    speaker: str | None
    session: str | None
    label: str
    """What stands for it in the text, in brackets: its id where that is short and plain, else a number such as
    `#3`."""
    why: Literal["hit", "duplicate"]
    """`hit`: its own words stand in the text. `duplicate`: those of another source do, which say the same."""
    rank: int
    """Its rank in the search, from 1."""
    score: float
    """As the search gave it."""
    share: float
    """How much of its text the context holds, above 0 and at most 1; less than 1 when it was shortened."""


@dataclass(frozen=True, slots=True)
class Context:
    """The best memories for a question, ready for a prompt: the `text`, its `tokens`, and the `sources` in it."""

    text: str
    """Between `<memories>` and `</memories>`, one memory a line, in the order of time, under their days; empty when
    nothing was found, or nothing fits."""
    sources: tuple[Source, ...]
    """Every record in it once, in the order of the text."""
    tokens: int
    """Of the text, as counted; never more than was asked for."""
    recalls: Recalls = field(default_factory=Recalls, repr=False, compare=False)
    """What the search found, best first, whether it is in the text or not."""
