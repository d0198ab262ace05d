"""`Tolerance`: how many failures of a model in a row an evaluation takes before it asks no more."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from typing import Final, TypeVar

from memspan.errors import LLMError

__all__ = ["Tolerance"]

T = TypeVar("T")
_HOPELESS: Final = 10
"""So many failures in a row, and no more is asked."""


class Tolerance:
    """Turns failures of a model into reasons, and gives up on one that only fails. Belongs to one event loop."""

    def __init__(self) -> None:
        self._failures = 0

    async def wait_for(self, work: Awaitable[T]) -> tuple[T | None, str | None]:
        """A value, or why there is none."""
        if self._failures >= _HOPELESS:
            if isinstance(work, Coroutine):
                work.close()
            return None, f"not asked: the server failed {_HOPELESS} times in a row"
        try:
            value = await work
        except LLMError as error:
            self._failures += 1
            return None, f"{type(error).__name__}: {error}"
        self._failures = 0
        return value, None
