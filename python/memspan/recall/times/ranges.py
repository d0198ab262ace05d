"""Two times that are the ends of one: "from May to July", "between 3 and 9 June", "3-9 June", "2020 till now"."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final, NamedTuple

from .absolute import read_partial
from .amounts import read_amount
from .calendar import SMALL_UNITS, Span, moved
from .compound import read_time
from .counting import stretch
from .found import Relation
from .lasting import with_length
from .month_days import span_of_days
from .partial import Partial
from .placing import place
from .reading import Reading, Sentence
from .vicinity import past_hedges
from .years import read_year

__all__ = ["Related", "joined", "put_in_order", "read_dashed", "read_from_now", "read_range"]

_ONWARDS: Final = frozenset(["on", "onwards", "onward", "forward", "forwards", "an"])
_ONWARDS_IF_LAST: Final = frozenset(["on", "an"])
_MOMENT: Final = timedelta(microseconds=1)
_TO: Final = ("to", "dash", "until")
_ALIKE: Final = ("weekday", "month", "number", "date", "dotted")


class Related(NamedTuple):
    """What was found from one token on."""

    first: int
    reading: Reading
    relation: Relation


def read_range(sentence: Sentence, at: int) -> Related | None:
    """As in "from May to July", "between May and July"; "from May" alone is in May, "from May on" since then."""
    kind = sentence.kind(at)
    if (so_long := _for_so_long(sentence, at)) is not None:
        return so_long
    at_first = past_hedges(sentence, at + 1)
    first_at = sentence.skip(at_first, "the")
    first = _bare_day(sentence, first_at) if sentence.kind(first_at) == "number" else None
    if first is None or (
        first.partial is not None and first.partial.unit == "day" and first.needs_preposition
    ):
        first = read_time(sentence, at_first) or _now(sentence, first_at) or first
    if first is None:
        return None
    joint = sentence.kind(first.stop)
    if joint in _TO or (joint == "and" and kind == "between"):
        second_at = sentence.skip(first.stop + 1, *(("the", "until") if joint == "and" else ("the", *_TO)))
        second_at = past_hedges(sentence, second_at)
        found = joined(sentence, at, at_first, first, second_at)
        if found is not None:
            return found
    if kind in ("between", "since"):
        return None
    if (lasting := with_length(sentence, first)) is not None:
        return Related(at, lasting, "in")
    after = sentence.tokens[first.stop] if first.stop < len(sentence.tokens) else None
    if (
        after is not None
        and after.word in _ONWARDS
        and (after.word not in _ONWARDS_IF_LAST or sentence.closes(first.stop + 1))
    ):
        return Related(at, first._replace(stop=first.stop + 1), "since")
    if first.needs_preposition:
        return None
    alone: Relation | None = sentence.value(at)
    return Related(at, first, alone) if alone else Related(at + 1, first, "in")


def _for_so_long(sentence: Sentence, at: int) -> Related | None:
    """As in "piove da tre settimane", where the word means "since" when it stands alone; not "un corso da tre
    settimane"."""
    amount = read_amount(sentence, at + 1) if sentence.value(at) == "since" else None
    if amount is None or sentence.kind(amount.stop) == "to":
        return None
    if any(sentence.kind(before) in ("a", "the") for before in (at - 2, at - 3)):
        return None
    return Related(at, stretch(sentence, -1, amount), "since")


def read_from_now(sentence: Sentence, at: int) -> Related | None:
    """As in "from now until Christmas"."""
    if sentence.kind(at + 1) not in _TO:
        return None
    now = Reading(Span(sentence.now, sentence.now), at + 1, 1.0, "now", "day")
    return joined(sentence, at, at, now, sentence.skip(at + 2, "the"))


def _now(sentence: Sentence, at: int) -> Reading | None:
    """The end of "since May until now"; alone it is no time to look for."""
    present = at < len(sentence.tokens) and sentence.tokens[at].word in ("present", "date")
    if sentence.kind(at) != "now" and not (
        present and sentence.tokens[at - 1].word == "to" and sentence.closes(at + 1)
    ):
        return None
    return Reading(Span(sentence.now, sentence.now), at + 1, 1.0, "now", "day", needs_preposition=True)


def _bare_day(sentence: Sentence, at: int) -> Reading | None:
    """A number that may be a day of a month named later, with the dot that makes it one ("vom 3. bis 5. Mai")."""
    found = read_partial(sentence, at, bare_day=True)
    if found is None or found.stop != at + 1 or sentence.kind(at + 1) != "dot":
        return found
    joint = sentence.kind(at + 2) in (*_TO, "and")
    next_at = sentence.skip(at + 3, "the")
    days = ("number", "decimal", "dotted")  # "vom 3.-5.5."
    return found._replace(stop=at + 2) if joint and sentence.kind(next_at) in days else found


def read_dashed(sentence: Sentence, at: int, found: Reading | None) -> Related | None:
    """As in "3-9 June", "June 3-9", "2019-2021", "May to July": a range without a word before it."""
    first = found
    if first is None and sentence.kind(at) == "number":
        first = _bare_day(sentence, at)
    if first is None or not (sentence.kind(first.stop) in ("dash", "to") or _lasts(sentence, at, first)):
        return None
    whole = first.unit == "quarter" or sentence.kind(at) in ("isoweek", "named")
    if first.partial is None and first.recurs is None and not whole:
        return None
    return joined(sentence, at, at, first, sentence.skip(first.stop + 1, "the"))


def _lasts(sentence: Sentence, at: int, first: Reading) -> bool:
    """Whether a year goes on to another, or to now: "expenses 2021 until 2023"; "in 2021 until May" is two times. Where
    "until" is the word for "to" as well, it joins what is alike: "Montag bis Mittwoch", "mei tot juli"."""
    if sentence.kind(first.stop) != "until":
        return False
    next_at = sentence.skip(first.stop + 1, "the")
    following = sentence.kind(next_at)
    if sentence.lexicon.language in ("de", "nl") and following in _ALIKE:
        return following == sentence.kind(sentence.skip(at, "the"))
    if first.partial is None or first.partial.year is None:
        return False
    # "Mai 2021 bis heute", "August 2021 until now"
    ends_now = following == "now" or (following == "offset" and sentence.value(next_at) == 0)
    return ends_now or (first.unit == "year" and following == "year")


def joined(sentence: Sentence, at: int, first_at: int, first: Reading, second_at: int) -> Related | None:
    """The range of two times, which lend each other what one lacks."""
    if _is_hour(sentence, second_at):
        return None
    second = _now(sentence, second_at) or read_time(sentence, second_at)
    if (second is None or (second.needs_preposition and second.partial is None)) and sentence.kind(
        second_at
    ) == "number":
        second = _bare_day(sentence, second_at)
    if second is None:
        return None
    one, two = first.partial, second.partial
    if one is None or two is None:
        if two is not None and second.span.start == second.span.end:
            return None  # "between the first week of May and the 2nd"
        if first.needs_preposition and one is not None and one.day and not one.month:
            return None
        low, high = put_in_order(sentence, first_at, first, second_at, second)
        return _between(at, first, second, Span(low.start, high.end))
    if two.month is None and two.year is None:
        if one.day is None and one.month is not None:
            return None  # "Mar-22"
        year, stop = read_year(sentence, second.stop)
        two = Partial(year if year is not None else one.year, one.month, two.day)
        second = second._replace(stop=stop)
    if two.month is None and two.day is not None:
        days = span_of_days(sentence, first_at, first, second) if one == Partial(day=one.day) else None
        if days is None:
            return None
        # "The 3rd through the 7th" begins with its article.
        return _between(at - 1 if sentence.kind(at) == "number" else at, first, second, days)
    one = one.completed(two)
    if one.year is None and one.month is None:
        return None
    if first.partial is not None and first.partial.year is None:
        one = _year_before(one, two)
    ends = _ends(one, two, sentence.now)
    return None if ends is None else _between(at, first, second, ends)


def _is_hour(sentence: Sentence, at: int) -> bool:
    """Whether a number is an hour of the day: "el 1 de mayo a las 5", "le 3 juin à 10 heures"."""
    if sentence.kind(at) != "number":
        return False
    if sentence.kind(at + 1) == "unit" and sentence.value(at + 1) in SMALL_UNITS:
        return True
    return sentence.lexicon.language == "es" and sentence.tokens[at - 1].word in ("la", "las")


def put_in_order(
    sentence: Sentence, first_at: int, first: Reading, second_at: int, second: Reading
) -> tuple[Span, Span]:
    """Both spans, where one recurs as the one that suits the other: the first is the latest up to the second, and a
    second that would be over is the next after the first."""
    start, end = first.span, second.span
    if end.end == datetime.min:  # before the calendar begins
        return start, end
    if (running := _running(sentence, first, second, second_at)) is not None:
        return start, running
    if first.recurs is not None and (second.recurs is None or start.start >= end.end):
        earlier = read_time(sentence.as_of(end.end - _MOMENT), first_at)
        if earlier is not None and earlier.span.start < end.end:
            start = earlier.span
    elif second.recurs is not None and (end.end <= start.end or _is_far(start, first, end)):
        until = Span(start.end, moved(start.end, second.recurs, 1))
        later = place(sentence, second_at, read_time, until, second.stop)
        end = end if later is None else later.span
    return start, end


def _running(sentence: Sentence, first: Reading, second: Reading, at: int) -> Span | None:
    """The second of what comes every year, if more than half of what began last is over: "between Christmas and New
    Year" on New Year's Eve."""
    start, end = first.span, second.span
    if not (first.recurs == second.recurs == "year" and start.start >= end.end):
        return None
    later = place(sentence, at, read_time, Span(start.end, moved(start.end, "year", 1)), second.stop)
    if later is None or sentence.now < start.start + (later.span.end - start.start) / 2:
        return None
    return later.span


def _is_far(start: Span, first: Reading, end: Span) -> bool:
    """Whether the latest of what comes every year is not the one meant behind a day or a part of an earlier year:
    "from Christmas 2019 to Easter", "Q1 2020 to Q3"."""
    return first.unit in ("day", "quarter") and end.start >= moved(start.end, "year", 1)


def _year_before(one: Partial, two: Partial) -> Partial:
    """As in "between November and February 2023": the year is that of the end."""
    if one.year is None or one.month is None or two.month is None:
        return one
    late = (one.month, one.day or 1) > (two.month, two.day or 31)
    return Partial(one.year - 1, one.month, one.day) if late else one


def _ends(one: Partial, two: Partial, now: datetime) -> Span | None:
    """From the start of the one to the end of the other; a missing year is that of the latest start up to `now`, or,
    where only the end has a year, the latest before that end."""
    if one.year is None and two.year is not None:
        ends = two.resolve(now)
        starts = None if ends is None else one.resolve(ends.start)
        return None if starts is None or ends is None else Span(starts.start, ends.end)
    starts = one.resolve(now)
    if starts is None:
        return None
    ends = two.resolve(now)
    if two.year is None and two.month is not None:
        year = starts.start.year
        ends = Partial(year, two.month, two.day).resolve(now)
        if ends is not None and ends.end <= starts.start and year < 9999:
            ends = Partial(year + 1, two.month, two.day).resolve(now)
    return None if ends is None else Span(starts.start, ends.end)


def _between(at: int, first: Reading, second: Reading, span: Span) -> Related | None:
    if span.start >= span.end:
        return None
    certainty = min(first.certainty if first.certainty > 0.6 else 0.8, second.certainty)
    reading = Reading(span, second.stop, certainty, f"from {first.reason} to {second.reason}", second.unit)
    return Related(at, reading, "between")
