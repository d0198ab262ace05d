"""How much of one reply is taken."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final, TypeVar

from memspan.limits import MAX_REPLY_FACTS, MAX_STATEMENT_CHARS

from .stage import Tools

__all__ = ["taken", "too_long"]

T = TypeVar("T")
_SHOWN: Final = 200
_logger: Final = logging.getLogger("memspan")


def taken(items: Sequence[T], tools: Tools, *, stage: str) -> Sequence[T]:
    """The first `MAX_REPLY_FACTS`: a model that went wrong must not lead to ten thousand questions. What is left out is
    counted in the job's log, and warned of."""
    left = len(items) - MAX_REPLY_FACTS
    if left <= 0:
        return items
    tools.note("dropped", reason="more than are taken from one reply", taken=MAX_REPLY_FACTS, left_out=left)
    _logger.warning(
        "%s: a model's reply holds %d items more than the %d that are taken", stage, left, MAX_REPLY_FACTS
    )
    return items[:MAX_REPLY_FACTS]


def too_long(text: str, tools: Tools) -> bool:
    """Whether a statement is longer than `MAX_STATEMENT_CHARS`, which is noted. Its beginning alone might say
    something else."""
    if len(text) <= MAX_STATEMENT_CHARS:
        return False
    reason = f"longer than the {MAX_STATEMENT_CHARS} characters of a statement"
    tools.note("dropped", reason=reason, statement=text[:_SHOWN], chars=len(text))
    return True
