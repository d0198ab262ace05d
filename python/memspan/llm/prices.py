"""`Prices`: what a server asks for tokens."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from memspan.arguments import as_number

from .usage import Usage

__all__ = ["Prices"]

_MILLION: Final = 1_000_000
_MOST: Final = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Prices of a million tokens, in any one currency.

    Raises:
        InvalidArgumentError: a price below 0.
    """

    prompt: float
    completion: float
    cached: float | None = None
    """Of prompt tokens that the server had cached; `None`: they cost what others do."""

    def __post_init__(self) -> None:
        as_number(self.prompt, "prompt", 0, _MOST)
        as_number(self.completion, "completion", 0, _MOST)
        if self.cached is not None:
            as_number(self.cached, "cached", 0, _MOST)

    def of(self, usage: Usage) -> float:
        """What these tokens cost."""
        cached = self.prompt if self.cached is None else self.cached
        fresh = usage.prompt_tokens - usage.cached_tokens
        cost = fresh * self.prompt + usage.cached_tokens * cached + usage.completion_tokens * self.completion
        return cost / _MILLION
