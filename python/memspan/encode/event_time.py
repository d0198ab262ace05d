"""Times that a model gives to what it read, checked against what the turns themselves say."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final, NamedTuple

from memspan.recall.times import find_times
from memspan.recall.times.written import MOST_AFTER, MOST_BEFORE, written_interval
from memspan.times import Interval, Micros, from_micros, to_micros

from .clean import clean_text
from .values import Turn

__all__ = ["EventTime", "SpokenTimes", "check_time"]

_DAY: Final = 86_400_000_000
_LEEWAY: Final = 7 * _DAY
""""Last Friday" is one of two days, weeks begin on Sunday for some, and nobody knows the speakers' time zone."""

_CERTAIN: Final = 0.8


class EventTime(NamedTuple):
    """When something happened, as far as can be told."""

    at: datetime
    """UTC; the model's time, or the turn's where the model's is missing or impossible."""
    flag: str | None = None
    """`unconfirmed`: no turn names such a time, but it may be so. Impossible: `unreadable`; `implausible`, further away
    than people talk of; `contradicted`, by the times that the turns name."""
    given: str = ""
    """What the model wrote, where it is flagged."""

    @property
    def impossible(self) -> bool:
        """Whether the model's time was put aside."""
        return self.flag is not None and self.flag != "unconfirmed"


class SpokenTimes:
    """The times that turns name, each turn read once. Not thread-safe."""

    def __init__(self) -> None:
        self._of: dict[str, list[tuple[Interval, bool]]] = {}

    def of(self, turn: Turn) -> list[tuple[Interval, bool]]:
        """The times that a turn names, and whether each is certain. O(characters) the first time."""
        known = self._of.get(turn.id)
        if known is None:
            found = find_times(turn.text, turn.at)
            known = self._of[turn.id] = [(time.interval, time.certainty >= _CERTAIN) for time in found]
        return known


def check_time(
    given: str, sources: Sequence[Turn], around: Sequence[Turn], spoken: SpokenTimes | None = None
) -> EventTime:
    """The time of a statement that comes from turns.

    A time within a week of when it was said, or near one that a turn names, is believed; of an interval, its start.
    Of the day on which it was said it is the moment at which it was: at its start it would stand before all that was
    said earlier on that day, and be taken for what that replaced. Our own parser reads the turns, see `find_times`.
    O(characters of the turns) for a time that lies further off, else O(1).

    Args:
        given: ISO 8601, or whatever the model wrote; empty for none.
        sources: the turns that say it, at least one, in order.
        around: the turns that the model saw.
        spoken: what was read of the same turns before, for the next statement.
    """
    spoken = spoken or SpokenTimes()
    said = max(turn.at for turn in sources)
    given = clean_text(given)[:200]
    if not given:
        return EventTime(said)
    span = written_interval(given, said)
    if span is None:
        return EventTime(said, "unreadable", given)
    start, end = span
    now = to_micros(said)
    if start < now - MOST_BEFORE or start > now + MOST_AFTER:
        return EventTime(said, "implausible", given)
    at = max(_said_on(start, end, sources), default=from_micros(start))
    if any(start - _LEEWAY <= to_micros(turn.at) < end + _LEEWAY for turn in sources):
        return EventTime(at)
    named = [time for turn in sources for time in spoken.of(turn)]
    if any(_near(start, end, time) for time, _ in named):
        return EventTime(at)
    if any(_near(start, end, time) for turn in around for time, _ in spoken.of(turn)):
        return EventTime(at)
    if named and all(certain for _, certain in named):
        return EventTime(said, "contradicted", given)
    return EventTime(at, "unconfirmed", given)


def _said_on(start: Micros, end: Micros, turns: Sequence[Turn]) -> list[datetime]:
    """When turns were said of whose own day, or a part of it, the interval is. Midnight stands for a day, too."""
    if end - start > _DAY:
        return []
    end = start + _DAY if start % _DAY == 0 else end
    return [turn.at for turn in turns if start <= to_micros(turn.at) < end]


def _near(start: Micros, end: Micros, named: Interval) -> bool:
    """Whether two intervals overlap, with a leeway of a week or of the length of what was said."""
    first, last = named
    leeway = _LEEWAY if first is None or last is None else max(_LEEWAY, last - first)
    return (first is None or end > first - leeway) and (last is None or start < last + leeway)
