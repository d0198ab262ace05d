"""When a failed request is tried again, and how long to wait before it."""

from __future__ import annotations

import math
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import timezone
from email.utils import parsedate_to_datetime
from typing import TypeVar

from memspan.errors import missing_extra

try:
    import tenacity
except ImportError as _error:
    raise missing_extra("tenacity", "asking a server", "llm") from _error

__all__ = ["RetryPolicy", "TransientError", "retry_after_seconds"]

T = TypeVar("T")


class TransientError(Exception):
    """A failure that may go away: no answer, a cut or garbled one, or a status that says "later".

    Attributes:
        wait: seconds the server asked to wait, None when it did not say.
        overloaded: the server has too much to do.
    """

    def __init__(self, reason: str, wait: float | None = None, *, overloaded: bool = False) -> None:
        super().__init__(reason)
        self.wait = wait
        self.overloaded = overloaded


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """How often and after what pause a transient failure is tried again.

    Attributes:
        retries: attempts after the first.
        first_pause: seconds; pauses are drawn at random below a bound that starts here and doubles.
        longest_pause: seconds; bounds both our own pauses and what a server asks for.
        sleep: waits the given seconds.
    """

    retries: int = 5
    first_pause: float = 0.5
    longest_pause: float = 60.0
    sleep: Callable[[float], None] = time.sleep

    def run(self, attempt: Callable[[], T]) -> T:
        """Call `attempt` until it returns; other errors than `TransientError` pass through at once.

        Raises:
            TransientError: the last one, when every attempt failed.
        """
        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_exception_type(TransientError),
            stop=tenacity.stop_after_attempt(self.retries + 1),
            wait=self._pause,
            sleep=self.sleep,
            reraise=True,
        )
        return retrying(attempt)

    async def arun(self, attempt: Callable[[], Awaitable[T]], sleep: Callable[[float], Awaitable[None]]) -> T:
        """The same without blocking; `sleep` is used instead of the policy's own."""
        retrying = tenacity.AsyncRetrying(
            retry=tenacity.retry_if_exception_type(TransientError),
            stop=tenacity.stop_after_attempt(self.retries + 1),
            wait=self._pause,
            sleep=sleep,
            reraise=True,
        )
        return await retrying(attempt)

    def _pause(self, state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, TransientError) and error.wait is not None:
            return min(error.wait, self.longest_pause)
        backoff = tenacity.wait_random_exponential(multiplier=self.first_pause, max=self.longest_pause)
        return float(backoff(state))


def retry_after_seconds(headers: Mapping[str, str], now: float) -> float | None:
    """The pause that a reply's headers ask for: `retry-after-ms`, or `retry-after` as seconds or as a date.

    Args:
        headers: looked up by lower-case name.
        now: seconds since 1970, for dates.

    Returns:
        Seconds above 0; None without a header, with one that cannot be read, and where it asks for no pause, as a date
        does by a clock that is behind: all attempts would be over in a moment.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    seconds = _seconds(headers.get("retry-after"), now) if milliseconds is None else milliseconds / 1000
    return seconds if seconds is not None and seconds > 0 else None


def _seconds(value: str | None, now: float) -> float | None:
    seconds = _number(value)
    if seconds is not None or value is None:
        return seconds
    try:
        when = parsedate_to_datetime(value)
        if when.tzinfo is None:  # HTTP's dates are GMT, also where they do not say so
            when = when.replace(tzinfo=timezone.utc)
        return when.timestamp() - now
    except (TypeError, ValueError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None
