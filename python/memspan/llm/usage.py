"""`Usage`: what calls of a model cost."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Usage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens, calls and seconds, as the server counted them; adds up with `+`.

    Replies from the cache on disk cost nothing and are counted apart.
    """

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Those of the prompt tokens that the server had cached."""
    calls: int = 0
    """Requests that were answered, corrective ones included."""
    uncounted: int = 0
    """Those of the calls whose server did not say what they cost; their tokens are missing in the sums."""
    reused: int = 0
    """Replies that came from the cache on disk, without a request."""
    seconds: float = 0.0
    """Summed over calls, also where calls ran side by side."""
    price: float | None = None
    """In the unit of the prices that the client was given; `None` when it was given none."""

    def __add__(self, other: Usage) -> Usage:
        known = [one for one in (self.price, other.price) if one is not None]
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            calls=self.calls + other.calls,
            uncounted=self.uncounted + other.uncounted,
            reused=self.reused + other.reused,
            seconds=self.seconds + other.seconds,
            price=sum(known) if known else None,
        )
