"""Times of turns, made so that the order of a conversation survives sorting by time."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

__all__ = ["Clock", "seconds_before"]

_SECOND = timedelta(seconds=1)
_MICROSECOND = timedelta(microseconds=1)
_FIRST_MOMENT = datetime.min.replace(tzinfo=timezone.utc)
_LAST_MOMENT = datetime.max.replace(tzinfo=timezone.utc)


class Clock:
    """Gives every turn of one session its time.

    Where only the session has a date, turns follow each other by one second from there (`next`); where a turn
    has its own time, that time is kept, and a turn with exactly the same time as the one before comes a
    microsecond later (`stamp`). So does a turn without a time after one that has its own: the next one that has one
    may be near.
    """

    def __init__(self, start: datetime | None = None) -> None:
        self._start = start
        self._ticks = 0
        self._stamped: datetime | None = None
        self._given = _LAST_MOMENT
        """What the last turn got, once one has its own time."""

    def next(self) -> datetime | None:
        """The time of the next turn, which has none of its own; `None` when nothing before it has one either.

        From a session's date the day never changes: in the day's last second turns are a microsecond apart.
        """
        if self._stamped is not None:
            return self._follow()
        if self._start is None:
            return None
        last = self._start.replace(hour=23, minute=59, second=59, microsecond=999_999)
        seconds = min(self._ticks, (last - self._start) // _SECOND)
        rest = self._ticks - seconds
        self._ticks += 1
        return min(self._start + seconds * _SECOND + rest * _MICROSECOND, last)

    def stamp(self, at: datetime) -> datetime:
        """The time of a turn that has its own."""
        repeated = self._stamped is not None and self._stamped <= at <= self._given
        self._stamped = at
        if repeated:
            return self._follow()
        self._given = at
        return at

    def _follow(self) -> datetime:
        self._given += min(_MICROSECOND, _LAST_MOMENT - self._given)
        return self._given


def seconds_before(at: datetime, count: int) -> datetime:
    """So many seconds before a time, as far as there are any."""
    return at - min(count * _SECOND, at - _FIRST_MOMENT)
