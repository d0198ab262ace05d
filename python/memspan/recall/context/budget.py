"""How much a context may hold, and what that means for single memories."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from memspan.arguments import as_integer
from memspan.errors import invalid
from memspan.limits import MAX_K

from .tokens import TokenCounter, estimate_tokens

__all__ = ["CHARACTERS_A_TOKEN", "MAX_TOKENS", "MOST_CHARACTERS_A_TOKEN", "Budget", "checked_budget"]

MAX_TOKENS: Final = 1_000_000
MOST_CHARACTERS_A_TOKEN: Final = 6
"""More than texts have on average: a longer one is not counted to see that it is too long."""
CHARACTERS_A_TOKEN: Final = 4
"""What texts have on average."""


@dataclass(frozen=True, slots=True)
class Budget:
    """A number of tokens and how they are counted."""

    tokens: int
    k: int
    """How many records are looked at."""
    count: TokenCounter
    by_worth: bool = False
    """Whether memories come by what they are worth for their length, instead of by their rank."""

    @property
    def whole(self) -> int:
        """Longer memories are not taken whole at their turn: one long reply would take the place of several turns. On
        BEAM, whose evidence is mostly the user's short turns, two thirds instead of one hold 4 points less evidence in
        1,200 tokens where memories come by the ranks of `rrf`, and 2.5 more where they come by their worth.
        """
        return max(200, self.tokens * 2 // 3 if self.by_worth else self.tokens // 3)

    @property
    def passage(self) -> int:
        """What is taken of those at first."""
        return max(60, self.tokens // 10)

    @property
    def characters(self) -> int:
        """A longer text is too long to be taken whole."""
        return self.whole * MOST_CHARACTERS_A_TOKEN


def checked_budget(tokens: Any, k: Any = None, count_tokens: Any = None) -> Budget:
    """The budget of a caller's arguments.

    Raises:
        InvalidArgumentError: `tokens`, `k` or `count_tokens` is not acceptable.
    """
    as_integer(tokens, "tokens", 1, MAX_TOKENS)
    depth = min(MAX_K, max(50, tokens // 12)) if k is None else as_integer(k, "k", 1, MAX_K)
    if count_tokens is None:
        return Budget(int(tokens), depth, estimate_tokens)
    if not callable(count_tokens):
        raise invalid("count_tokens", count_tokens, "a function from a text to its number of tokens, or None")
    return Budget(int(tokens), depth, _checking(count_tokens))


def _checking(count: Callable[[str], Any]) -> TokenCounter:
    def checked(text: str) -> int:
        return as_integer(count(text), "count_tokens(...)", 0, 1 << 62)

    return checked
