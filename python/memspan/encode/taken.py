"""How much of one reply is taken."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final, TypeVar

from memspan.limits import MAX_REPLY_FACTS

from .stage import Tools

__all__ = ["taken"]

T = TypeVar("T")
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
