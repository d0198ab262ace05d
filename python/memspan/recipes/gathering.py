"""`Gathering`: when the turns of a session are enough to be worth a call."""

from __future__ import annotations

from dataclasses import dataclass

from memspan.arguments import as_integer, as_number
from memspan.errors import invalid
from memspan.times import Micros

__all__ = ["Gathering"]

_LONGEST = 30 * 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    """Turns that come one by one wait for each other: a job begins when it has `tokens` tokens or `turns` turns, or
    when no more came for `seconds`.

    So a model is asked as often as for the same turns in one piece, and not once a turn. The turns are searchable
    meanwhile. What has begun takes no more turns; later ones make a new job.
    """

    tokens: int | None = None
    """As `estimate_tokens` counts them, before any compression; `None`: as many as there are."""
    turns: int | None = None
    seconds: float = 300.0
    """After the last turn. In a conversation the next one comes sooner; after that it is over, or long enough."""

    def __post_init__(self) -> None:
        if self.tokens is None and self.turns is None:
            raise invalid("tokens", None, "a number of tokens, or of turns")
        if self.tokens is not None:
            as_integer(self.tokens, "tokens", 1, 1 << 24)
        if self.turns is not None:
            as_integer(self.turns, "turns", 1, 1 << 24)
        as_number(self.seconds, "seconds", 0, _LONGEST)

    def due(self, turns: int, tokens: int, now: Micros) -> Micros:
        """When a job that has so much may begin, if nothing is added to it; 0 for at once."""
        enough = self.turns is not None and turns >= self.turns
        enough = enough or (self.tokens is not None and tokens >= self.tokens)
        return 0 if enough else now + int(self.seconds * 1e6)
