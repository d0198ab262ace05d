"""`Patience`: of many requests to a server that does not answer, those that are left are not sent."""

from __future__ import annotations

from typing import Final

from memspan.errors import ForgottenError, LLMError, ModelAccessError

from .protocol import Ready

__all__ = ["Patience"]

_FAILURES: Final = 6
"""In a row."""


class Patience:
    """For work that asks about each of many things by itself, and goes on where one of them fails. Each failure takes
    all attempts of a client, a quarter of a minute and more.

    It ends when six requests in a row had no answer in any attempt, and at once where the key is refused or the account
    has no credit. A refusal, or an answer that cannot be used, is an answer. Belongs to one event loop.
    """

    def __init__(self) -> None:
        self._failures = 0
        self._over = ""

    def before(self, ready: Ready | None) -> Ready:
        """To be awaited before a request: refuses it when the patience is over, and else asks `ready`."""

        async def go() -> None:
            if self._over:
                raise LLMError(self._over)
            if ready is not None:
                await ready()

        return go

    def answered(self) -> None:
        """The model answered."""
        self._failures = 0

    def failed(self, error: BaseException) -> None:
        """A request ended with an error."""
        if isinstance(error, ModelAccessError):
            self._over = f"not asked, as before: {error}"
        elif isinstance(error, LLMError) and not isinstance(error, ForgottenError) and not self._over:
            self._failures = self._failures + 1 if error.unanswered else 0
            if self._failures == _FAILURES:
                self._over = f"not asked, after {_FAILURES} requests in a row: {error}"
