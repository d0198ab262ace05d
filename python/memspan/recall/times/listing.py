"""Lists of times that say their year, month or week once: "in March and April 2022", "the 3rd and the 5th of May"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from .absolute import read_partial
from .calendar import Unit, unit_span
from .month_days import read_day_on
from .partial import Partial
from .placing import Reader, place
from .reading import Reading, Sentence
from .years import read_year

__all__ = ["place_in_list", "read_day_after", "read_listed_day", "read_year_again"]

_LONGEST: Final = 8
"""Elements of a list that are looked at from one of them, so that long lists cost no more than linear time."""

_YEARLY: Final = frozenset(["month", "season", "named", "quarter", "number", "the"])
_JOINTS: Final = frozenset(["comma", "and", "or"])
_OF_YEAR: Final = frozenset(["month", "season", "named", "quarter"])
_OF_YEARS: Final = frozenset(["month", "quarter", "day"])
_BESIDE_YEARS: Final = frozenset(["comma", "and", "or", "of", "in", "the", "part"])
_LAST: Final = frozenset(["", "comma", "dot", "other", "and", "or"])
_ENDS: Final = frozenset(["", "comma", "dot", "other", "and", "or", "year", "shortyear"])


def place_in_list(sentence: Sentence, at: int, found: Reading, read: Reader) -> Reading:
    """A time that recurs, as the one in the year or week that a later element says, or an earlier one had."""
    if found.recurs is None:
        return found
    if sentence.kind(found.stop) not in _JOINTS and sentence.last is None:
        return found
    last = sentence.last
    if last is not None and last.within is not None and _joint(sentence, last.stop) == at:
        placed = place(sentence, at, read, last.within, found.stop)
        return found if placed is None else placed._replace(within=last.within)
    for other in _after(sentence, found, read):
        if other.recurs is None:
            period = unit_span(found.recurs, other.span.start)
            return place(sentence, at, read, period, found.stop) or found
        if other.recurs != found.recurs:
            break
    return found


def _joint(sentence: Sentence, at: int) -> int:
    """Where the next element begins if a list goes on here, else `at`."""
    stop = sentence.skip(at, *_JOINTS)
    return at if stop == at else sentence.skip(stop, "in", "on")


def _after(sentence: Sentence, found: Reading, read: Reader) -> Iterator[Reading]:
    """The elements of the list after one."""
    weekly = found.recurs == "week"
    before: Reading | None = found
    for _ in range(_LONGEST):
        assert before is not None
        at = _joint(sentence, before.stop)
        kind = sentence.kind(at)
        if at == before.stop or not (kind == "weekday" if weekly else kind in _YEARLY):
            return
        before = read_day_after(sentence, at, before) or sentence.read_ahead(at, read)
        if before is None or before.unit in ("year", "decade"):
            return
        yield before


def read_day_after(sentence: Sentence, at: int, before: Reading | None) -> Reading | None:
    """As the "5" in "May 3 and 5, 2022": another day of the month before it."""
    at = sentence.skip(at, "the")
    partial = None if before is None else before.partial
    if before is None or partial is None or partial.day is None or sentence.kind(at) != "number":
        return None
    if partial.month is None:
        return read_day_on(sentence, at, before)
    if not 1 <= sentence.value(at) <= 31 or not _ends_at(sentence, at + 1):
        return None
    year, stop = read_year(sentence, at + 1)
    day = Partial(year or partial.year, partial.month, sentence.value(at))
    span = day.resolve(sentence.now)
    if span is None:
        return None
    recurs: Unit | None = None if day.year is not None else "year"
    return Reading(span, stop, 0.8, "another day of that month", "day", partial=day, recurs=recurs)


def read_year_again(sentence: Sentence, at: int, read: Reader) -> Reading | None:
    """As the "2021" in "summer 2020 and 2021", "Easter 2019, 2020": the same of another year. O(1)."""
    last = sentence.last
    if last is None or last.unit not in _OF_YEARS or sentence.kind(last.stop - 1) != "year":
        return None
    if at == last.stop or sentence.skip(last.stop, *_JOINTS) != at or sentence.kind(at + 1) not in _LAST:
        return None
    year_at = last.stop - 1
    for first in range(last.stop - 2, max(-1, last.stop - 2 - _LONGEST), -1):
        if sentence.kind(first) == "year":
            year_at = first  # "May 2020, 2021 and 2022"
        elif sentence.kind(first) in _OF_YEAR:
            tokens = [*sentence.tokens[first:year_at], sentence.tokens[at]]
            found = read(Sentence(tokens, sentence.lexicon, sentence.now), 0)
            if found is None or found.stop != len(tokens) or found.unit != last.unit:
                return None
            return found._replace(stop=at + 1, needs_preposition=False)
        elif sentence.kind(first) not in _BESIDE_YEARS:
            return None
    return None


def _ends_at(sentence: Sentence, at: int) -> bool:
    """Whether a lone number is over here, and counts nothing."""
    return sentence.kind(at) in _ENDS or (sentence.lexicon.language == "en" and sentence.closes(at))


def read_listed_day(sentence: Sentence, at: int) -> Reading | None:
    """As the "3" in "3 and 5 May 2022": a day of the month that the end of the list names."""
    if sentence.kind(at) != "number" or not 1 <= sentence.value(at) <= 31:
        return None
    end = stop = sentence.skip(at + 1, "dot")
    for _ in range(_LONGEST):
        next_at = sentence.skip(stop, "comma", "and", "or")
        if next_at == stop:
            return None
        next_at = sentence.skip(next_at, "the")
        if sentence.kind(next_at) != "number":
            return None
        month = read_partial(sentence, next_at)
        if month is not None and month.partial is not None and month.partial.month is not None:
            year = month.span.start.year if month.span.start < month.span.end else month.partial.year
            day = Partial(year, month.partial.month, sentence.value(at))
            span = day.resolve(sentence.now)
            if span is None:
                return None
            reason = f"a day of the month of {month.reason}"
            return Reading(
                span, end, min(month.certainty, 0.9), reason, "day", partial=day, recurs=month.recurs
            )
        stop = sentence.skip(next_at + 1, "dot")
    return None
