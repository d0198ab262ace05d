"""Chat messages outside conversations, each with the clock of its user and session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, TypeAlias

from ..errors import FormatError
from .clock import Clock, seconds_before
from .exported import is_exported
from .fields import as_name, optional
from .message import stated_time
from .place import Place

__all__ = ["Message", "with_clocks"]

Message: TypeAlias = tuple[Place, Mapping[str, Any]]
_Key: TypeAlias = tuple[str | None, str | None]

_MOST: Final = 1_000
"""Messages that wait: of a longer file without times nothing is held in memory."""


def with_clocks(messages: Iterable[Message], user: str | None) -> Iterator[tuple[Message, Clock | None]]:
    """The messages in the order of each user and session. Those before the first that has a time wait for it: they
    precede it by seconds. Conversations among them have no clock.

    Args:
        user: whose messages those are that name nobody.
    """
    clocks: dict[_Key, Clock] = {}
    waiting: dict[_Key, list[Message]] = {}

    def release(key: _Key, clock: Clock) -> Iterator[tuple[Message, Clock]]:
        clocks[key] = clock
        for message in waiting.pop(key, ()):
            yield message, clock

    def release_all() -> Iterator[tuple[Message, Clock]]:
        for key in list(waiting):
            yield from release(key, Clock())

    try:
        for place, fields in messages:
            if "messages" in fields or is_exported(fields):
                yield (place, fields), None
                continue
            try:
                key = (
                    optional(fields, "user", place, as_name) or user,
                    optional(fields, "session", place, as_name),
                )
                at = stated_time(fields, place)
            except FormatError:  # is raised when it is read, if it is, and ends the file
                yield from release_all()
                yield (place, fields), Clock()
                continue
            if key not in clocks:
                if at is None:
                    waiting.setdefault(key, []).append((place, fields))
                    if sum(map(len, waiting.values())) >= _MOST:
                        yield from release_all()
                    continue
                yield from release(key, Clock(seconds_before(at, len(waiting.get(key, ())))))
            yield (place, fields), clocks[key]
    except FormatError:
        yield from release_all()
        raise
    yield from release_all()
