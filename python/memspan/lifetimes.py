"""Times to live, as callers give them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final, TypeAlias

from .arguments import as_number
from .errors import InvalidArgumentError, TimeError, invalid

__all__ = ["MAX_TTL_SECONDS", "TimeToLive", "to_seconds"]

TimeToLive: TypeAlias = timedelta | float | int
"""How long a record lives: a `timedelta`, or seconds."""

MAX_TTL_SECONDS: Final = 1000 * 365.25 * 86_400
"""A thousand years."""


def to_seconds(value: Any, argument: str = "ttl") -> float:
    """Seconds of a time to live, from a microsecond to a thousand years.

    Raises:
        TimeError: another type, or out of these bounds.
    """
    accepted = "a timedelta or seconds, from a microsecond to 1,000 years"
    seconds = value.total_seconds() if isinstance(value, timedelta) else value
    try:
        return as_number(seconds, argument, 1e-6, MAX_TTL_SECONDS)
    except InvalidArgumentError:
        raise invalid(argument, value, accepted, TimeError) from None
