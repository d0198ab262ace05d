"""Times to live, as callers give them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final, TypeAlias

from .errors import TimeError, invalid

__all__ = ["MAX_TTL_SECONDS", "TimeToLive", "to_seconds"]

TimeToLive: TypeAlias = "timedelta | float | int"
"""How long a record lives: a `timedelta`, or seconds."""

MAX_TTL_SECONDS: Final = 1000 * 365.25 * 86_400
"""A thousand years."""


def to_seconds(value: Any, argument: str = "ttl") -> float:
    """Seconds of a time to live, from a microsecond to a thousand years.

    Raises:
        TimeError: another type, or out of these bounds.
    """
    accepted = "a timedelta or seconds, from a microsecond to 1,000 years"
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
    elif isinstance(value, bool) or not isinstance(value, (int, float)):
        raise invalid(argument, value, accepted, TimeError)
    else:
        seconds = value
    if not 1e-6 <= seconds <= MAX_TTL_SECONDS:  # NaN is refused too
        raise invalid(argument, value, accepted, TimeError)
    return float(seconds)
