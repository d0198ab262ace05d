"""`Selection`: which of the scored records come back, where not simply the best are wanted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memspan.arguments import as_flag, as_integer, as_number
from memspan.limits import MAX_K

__all__ = ["MAX_PENALTY", "Selection"]

MAX_PENALTY: Final = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What a learned ranking takes care of besides scores. The default takes the best k.

    With `diversity` or `spread` a hit's score is what is left of it when it is chosen, so that hits still stand in the
    order of their scores. `explain=True` tells of every hit what was taken off, and what was left out as a repetition.

    Raises:
        InvalidArgumentError: a field is of the wrong type or out of range.
    """

    distinct: bool = False
    """A record that repeats one chosen before (the same speaker, as many tokens, a cosine of .9999 or more) comes only
    when there are not enough others."""
    sessions: int = 1
    """The hits come from so many sessions, as far as the candidates do: the last places go to the best of sessions
    that are missing."""
    diversity: float = 0.0
    """0-1,000: times the largest cosine with one of those chosen before is taken off a score (maximal marginal
    relevance)."""
    spread: float = 0.0
    """0-1,000: so much is taken off right beside one of those chosen before, in order of time, and nothing when a tenth
    of the candidates lie between."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "distinct", as_flag(self.distinct, "distinct"))
        object.__setattr__(self, "sessions", as_integer(self.sessions, "sessions", 1, MAX_K))
        for name in ("diversity", "spread"):
            object.__setattr__(self, name, as_number(getattr(self, name), name, 0.0, MAX_PENALTY))
