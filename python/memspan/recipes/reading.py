"""`Reading`: how a recipe answers questions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memspan.arguments import as_choice, as_integer
from memspan.errors import invalid
from memspan.limits import MAX_K
from memspan.recall.context import MAX_TOKENS

__all__ = ["PLANNERS", "Reading"]

PLANNERS: Final = ("rules", "model")
"""Who plans a search: rules, or the language model from the plan of the rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What `Memory.ask` does where its caller does not say otherwise."""

    plan: str = "rules"
    """One of `PLANNERS`."""
    least: int | None = None
    most: int | None = None
    """How many memories are looked up, from the simplest question to the most complex one; both or neither. `None`: as
    many as `tokens` hold, see `Memory.context`."""
    tokens: int = 600
    """Most tokens of memories in the prompt."""
    route: int = 0
    """How many of the user's tags that are nearest to the question lift the records that carry them, see
    `Memory.search`."""

    def __post_init__(self) -> None:
        as_choice(self.plan, "plan", PLANNERS)
        as_integer(self.tokens, "tokens", 1, MAX_TOKENS)
        as_integer(self.route, "route", 0, 1000)
        if (self.least is None) != (self.most is None):
            raise invalid("least", self.least, "a number where `most` is one, and None where it is None")
        if self.least is not None and self.most is not None:
            as_integer(self.most, "most", 1, MAX_K)
            as_integer(self.least, "least", 1, self.most)
