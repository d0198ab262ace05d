"""Values in the database that are not what was written there: the file is damaged."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

__all__ = ["Malformed", "reads"]

P = ParamSpec("P")
T = TypeVar("T")

_UNREADABLE: Final = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)
"""What comes of reading a value of another form."""


class Malformed(sqlite3.DatabaseError):
    """A stored value cannot be read. An error of SQLite's, so that `translated` tells it as those that SQLite finds."""


def reads(what: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A function that makes something of stored values; whatever it stumbles over there is a `Malformed`.

    Args:
        what: is read, for the message.
    """

    def wrapped(read: Callable[P, T]) -> Callable[P, T]:
        @wraps(read)
        def checked(*args: P.args, **kwargs: P.kwargs) -> T:
            try:
                return read(*args, **kwargs)
            except _UNREADABLE as error:
                raise Malformed(f"malformed {what}: {error}") from error

        return checked

    return wrapped
