"""`find_times`: the time expressions of a text, as intervals."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta, timezone, tzinfo
from typing import TYPE_CHECKING, Final, NamedTuple

from memspan.arguments import as_text, as_texts
from memspan.errors import TimeError, invalid
from memspan.times import MAX_MICROS, MIN_MICROS, Micros, TimeLike, to_moment

from .ahead import ahead_from, is_planned_for, read_nearer, read_next
from .calendar import Span
from .denied import is_denied
from .found import FoundTime, Relation
from .guess import guess_languages, has_han, has_hangul
from .languages import LANGUAGES, lexicon_of
from .people import keep_names
from .plain_signs import plain_signs
from .reading import Reading, Sentence
from .relations import read_related
from .soon import read_soon
from .tokens import read_tokens
from .zoned import move_days

if TYPE_CHECKING:
    from .east_asian_related import Related

__all__ = ["MAX_FOUND", "MAX_SCANNED", "find_times"]

MAX_SCANNED: Final = 10_000
"""Characters of a text that are looked at: a question is shorter, and a longer text is no question."""

MAX_FOUND: Final = 32
"""Expressions that are given back, the first ones."""

_MICROSECOND: Final = timedelta(microseconds=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=timezone.utc)


class _Clock(NamedTuple):
    """What local time is to UTC."""

    zone: tzinfo
    offset: timedelta
    """That of `now`, which what is counted from it in seconds, minutes or hours has as well."""


def find_times(
    text: str, now: TimeLike, *, languages: Sequence[str] = LANGUAGES, names: Collection[str] = ()
) -> list[FoundTime]:
    """The time expressions of a text in the order in which they stand there; they never overlap.

    Days, weeks and months are those of `now`'s own time zone, weeks begin on Monday, and a date without its year is
    the latest one that has begun by `now`, or the next where a sentence looks ahead ("what is due on 3 May?") or is
    in the present and it comes within 45 days ("my deadline is 3 May"), unless a year beside it says otherwise
    ("in May last year", "in March and April 2022"). Words that merely look like times ("may I", "a 5K run", "24 hours
    a day") are left alone, and so is what is denied ("not last week but in May").
    The first 10,000 characters are read; linear in them, and thread-safe.

    Args:
        now: an aware `datetime`, ISO 8601 text or integer microseconds; a naive `datetime` is refused.
        languages: which ones to look for, by ISO 639-1 code. Of those, the one that the text seems to be in is used.
        names: names of people to the caller, in lower case, with accents or without. One of several words that stands
            in full ("april smith") is no time. One of a single word ("june") is a month only when a number stands
            beside it, a word before it that no person has there ("in June", "last June"), or another month that makes a
            list or a range of them ("in April and May", "between April and May").

    Raises:
        InvalidArgumentError: `text` is no text, or a language is unknown.
        TimeError: `now` is no time, or has no zone.
    """
    as_text(text, "text")
    if isinstance(now, datetime) and now.tzinfo is None:
        raise invalid(
            "now", now, "an aware datetime, ISO 8601 text or integer microseconds since 1970", TimeError
        )
    wanted = languages if languages is LANGUAGES else as_texts(languages, "languages")
    for position, language in enumerate(wanted):
        if language not in LANGUAGES:
            raise invalid(f"languages[{position}]", language, " | ".join(LANGUAGES))
    moment = to_moment(now, "now")
    zone = moment.tzinfo or timezone.utc
    clock = _Clock(zone, moment.utcoffset() or timedelta())
    local = moment.replace(tzinfo=None, fold=1)
    plain, places = plain_signs(text[:MAX_SCANNED])
    times = _find(plain, local, clock, wanted, names)
    return times if plain == text else [_in_place(time, text, places) for time in times]


def _find(
    text: str, local: datetime, clock: _Clock, wanted: Sequence[str], names: Collection[str]
) -> list[FoundTime]:
    if not text.isascii() and (found := _find_unspaced(text, local, wanted)):
        times = (_found(text, place, reading, relation, clock) for place, reading, relation in found)
        return [time for time in times if time is not None][:MAX_FOUND]
    readings = [_find_in(text, local, clock, language, names) for language in guess_languages(text, wanted)]
    # Of languages that are equally likely, the first that understands most of the text.
    return max(
        readings, key=lambda times: sum(end - start for _, _, _, (start, end), *_ in times), default=[]
    )


def _find_unspaced(text: str, local: datetime, wanted: Sequence[str]) -> list[Related]:
    """Those in languages whose words are not apart; their patterns are compiled where a text is in them."""
    if "ko" in wanted and has_hangul(text):
        from .korean import find_korean

        return find_korean(text, local)
    if has_han(text) and ("zh" in wanted or "ja" in wanted):
        from .east_asian import find_east_asian

        return find_east_asian(text, local)
    return []


def _in_place(time: FoundTime, text: str, places: Sequence[int]) -> FoundTime:
    """The same expression as it stands in the text itself."""
    start, end = (places[side] for side in time.span)
    return time._replace(text=text[start:end], span=(start, end))


def _find_in(
    text: str, now: datetime, clock: _Clock, language: str, names: Collection[str]
) -> list[FoundTime]:
    lexicon = lexicon_of(language)
    if not lexicon.may_have_time(text):
        return []
    tokens = read_tokens(text, lexicon)
    move_days(tokens, text, clock.zone)
    if names:
        keep_names(tokens, names, language)
    sentence = Sentence(tokens, lexicon, now, look=ahead_from)
    times: list[FoundTime] = []
    at = 0
    while at < len(tokens) and len(times) < MAX_FOUND:
        related = None
        if tokens[at].kind != "word":
            related = read_related(sentence, at)
        if related is None:
            at += 1
            continue
        if related.reading.recurs is not None:
            if sentence.looks_ahead(at):
                related = read_next(sentence, at, related)
            elif related.reading.recurs == "year" and is_planned_for(sentence, related.first):
                related = read_nearer(sentence, at, related)
            else:
                related = read_soon(sentence, at, related)
        first, reading, relation = related
        place = (tokens[first].start, tokens[reading.stop - 1].end)
        reading = reading._replace(denied=is_denied(sentence, first, reading, relation))
        time = None if reading.denied else _found(text, place, reading, relation, clock)
        if time is not None:
            times.append(time)
        sentence.last = reading
        at = max(reading.stop, at + 1)
    return times


def _found(
    text: str, place: tuple[int, int], reading: Reading, relation: Relation, clock: _Clock
) -> FoundTime | None:
    """In UTC, and open on the side that the relation leaves open; `None` for what lies outside the calendar."""
    span: Span = reading.span
    if span.start >= span.end:
        return None
    start: Micros | None = _utc(span.start, clock)
    end: Micros | None = _utc(span.end, clock)
    if start is None or end is None or start >= end:
        return None
    if relation == "before":
        start, end = None, start
    elif relation == "until":
        start = None
    elif relation == "since":
        end = None
    elif relation == "after":
        start, end = end, None
    if end == MIN_MICROS or start == MAX_MICROS:
        return None
    return FoundTime(
        start, end, text[place[0] : place[1]], place, relation, reading.certainty, reading.reason
    )


def _utc(moment: datetime, clock: _Clock) -> Micros:
    if moment.fold:
        micros = (moment.replace(tzinfo=timezone.utc) - _EPOCH - clock.offset) // _MICROSECOND
        return max(MIN_MICROS, min(micros, MAX_MICROS))
    try:
        micros = (moment.replace(tzinfo=clock.zone) - _EPOCH) // _MICROSECOND
    except (OverflowError, ValueError):  # some zones cannot say their offset at the ends of the calendar
        micros = (moment.replace(tzinfo=timezone.utc) - _EPOCH) // _MICROSECOND
    return max(MIN_MICROS, min(micros, MAX_MICROS))
