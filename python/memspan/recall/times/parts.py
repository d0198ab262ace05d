"""Rules for parts of a time: "the first week of May", "the last two days of 2022", "the second half of last year"."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from .calendar import Span, Unit, clip, day_span, moved, shifted, unit_span
from .partial import Partial
from .placing import Reader
from .reading import Reading, Sentence
from .years import QUALIFIED, read_year

__all__ = ["nth_of", "read_part", "read_week_of_month"]

_LONGEST: Final = 6
"""Elements of a list that are looked at, so that long lists cost no more than linear time."""
_OWNERS: Final = frozenset(["month", "year", "last", "this", "next", "unit"])
"""With what the whole begins where its case says that it is one."""
_COUNTABLE: Final = ("day", "week", "month", "quarter", "year")
_MOST_LEADS: Final = 2
"""Words between a part and the whole: "of the"."""
_FEW: Final = 5
_MOST_NTH: Final = 5
_MOST_WEEKS: Final = 53
_DOTTED: Final = ("de", "pl")
"""Languages whose figures with a dot are ordinals."""
_TWO_DAYS: Final = timedelta(days=2)


def read_part(sentence: Sentence, at: int, read: Reader) -> Reading | None:
    """The part that begins at a token; `read` reads the whole that it is a part of."""
    if sentence.kind(at) not in ("last", "number"):
        return None
    which, counted_at = _which(sentence, at)
    if not which:
        return None
    end = counted_at
    counted_at = _after_list(sentence, counted_at)
    listed = counted_at != end
    count = most = 0
    if sentence.kind(counted_at) == "number" and not sentence.tokens[counted_at].ordinal:
        count, counted_at = sentence.value(counted_at), counted_at + 1
    elif sentence.kind(counted_at) == "few":  # "the last few days of May"
        most, counted_at = sentence.value(counted_at)[1], counted_at + 1
    elif (
        sentence.kind(at) == "number" and not sentence.tokens[at].ordinal and sentence.kind(at + 1) != "dot"
    ):  # "les deux premières semaines"
        count = sentence.value(at)
    elif not listed and sentence.kind(at - 1) not in ("and", "or", "comma"):
        most = _unnumbered(sentence, counted_at)
    if not listed and (joined := _of_month_in_front(sentence, counted_at, which, count)) is not None:
        return joined
    counted = sentence.kind(counted_at)
    if counted not in ("unit", "weekday", "half"):
        return None
    joint = sentence.kind(counted_at + 1)
    value = sentence.value(counted_at)
    of_year = joint in ("year", "last", "this") and (counted == "half" or value == "quarter")
    of_case = _has_case(sentence, counted_at + 1)
    if joint not in _joints(sentence) and not (of_year or of_case):
        return None
    whole_at = _past_unit(sentence, sentence.skip(counted_at + 1, *_joints(sentence), "the"))
    base = read(sentence, whole_at)
    if base is None:
        base = _running(sentence, counted_at + 1, whole_at)
        if base is None:
            return None
        latest = nth_of(base.span, counted, value, which)
        if latest is not None and latest.start > sentence.now:  # the latest that has begun
            base = _running(sentence, counted_at + 1, whole_at, back=1) or base
    elif of_year and not of_case and joint != "year" and base.unit != "year":
        return None  # "the second half last night"
    if most:
        span = _few(base.span, value, which, most)
    else:
        span = _several(base.span, value, which, count) if count else nth_of(base.span, counted, value, which)
    if span is None:
        return None
    unit: Unit = value if counted == "unit" else "day"
    if listed:  # what follows is read on its own
        base = base._replace(stop=end)
    return base._replace(
        span=span, reason=f"a part of {base.reason}", unit=unit, needs_preposition=False, partial=None
    )


def _of_month_in_front(sentence: Sentence, at: int, which: int, count: int) -> Reading | None:
    """The "Juniwoche" of "der ersten Juniwoche 2023", the "Maihälfte" of "zweite Maihälfte", which are one word."""
    held = sentence.kind(at + 1)
    if sentence.kind(at) != "month" or held not in ("unit", "half"):
        return None
    if sentence.tokens[at].end != sentence.tokens[at + 1].start:
        return None
    year, stop = read_year(sentence, at + 2)
    month = Partial(year, sentence.value(at)).resolve(sentence.now)
    if month is None:
        return None
    value = sentence.value(at + 1)
    span = _several(month, value, which, count) if count else nth_of(month, held, value, which)
    if span is None:
        return None
    unit: Unit = value if held == "unit" else "day"
    recurs: Unit | None = "year" if year is None else None
    certainty = 0.8 if year is None else 1.0
    return Reading(span, stop, certainty, "a part of such a month", unit, recurs=recurs)


def read_week_of_month(sentence: Sentence, at: int, read: Reader) -> Reading | None:
    """The "3 of May" of "week 3 of May", where the number stands behind what it counts."""
    if sentence.kind(at + 1) not in _joints(sentence) or sentence.tokens[at].ordinal:
        return None
    base = read(sentence, sentence.skip(at + 2, "the"))
    if base is None or base.unit != "month":
        return None
    span = nth_of(base.span, "unit", "week", sentence.value(at))
    reason = f"a part of {base.reason}"
    return None if span is None else Reading(span, base.stop, base.certainty, reason, "week")


def _has_case(sentence: Sentence, at: int) -> bool:
    """Whether the whole begins there, and its case says so: "пятницу мая", "der Woche"."""
    if sentence.lexicon.language in ("pl", "ru"):
        return sentence.kind(at) in _OWNERS
    return (
        sentence.kind(at) == "the" and sentence.tokens[at].word == "der" and sentence.kind(at + 1) == "unit"
    )


def _past_unit(sentence: Sentence, at: int) -> int:
    """Where the name of the whole stands behind a word for what it is: "of the month of May", "del año 2022"."""
    if sentence.kind(at) == "unit" and sentence.value(at) in ("month", "year"):
        named = sentence.skip(at + 1, "of")
        if sentence.kind(named) == sentence.value(at):
            return named
    return at


def _running(sentence: Sentence, joint: int, at: int, back: int = 0) -> Reading | None:
    """The "month" of "the last Friday of the month", "am letzten Tag des Monats": the one that it is, or one before."""
    if sentence.kind(at) != "unit" or sentence.value(at) not in _COUNTABLE[1:] or not sentence.closes(at + 1):
        return None
    led = sentence.lexicon.language != "en" or sentence.kind(at - 1) == "the"
    if not led or at - joint > _MOST_LEADS or sentence.tokens[at].word in sentence.lexicon.many:
        return None
    unit: Unit = sentence.value(at)
    span = unit_span(unit, sentence.now, -back)
    return Reading(span, at + 1, QUALIFIED, f"{'last' if back else 'this'} {unit}", unit)


def _joints(sentence: Sentence) -> tuple[str, ...]:
    """What stands before the whole; the Dutch "van" and the French "du" are a "from" as well."""
    return ("of", "in", "from") if sentence.lexicon.language in ("fr", "nl") else ("of", "in")


def _after_list(sentence: Sentence, at: int) -> int:
    """Where the noun stands that several share, as in "the first and third Friday of May"; else the same place."""
    stop = at
    for _ in range(_LONGEST):
        joint = sentence.skip(stop, "comma", "and", "or")
        if joint == stop:
            return stop
        which, following = _which(sentence, sentence.skip(joint, "the"))
        if not which:
            return at
        stop = following
    return at


def _which(sentence: Sentence, at: int) -> tuple[int, int]:
    """The how manyth is meant, -1 for the last, 0 for none, and what follows."""
    if sentence.kind(at) == "number" and sentence.kind(at + 1) == "dot":
        near = (
            sentence.tokens[at].end == sentence.tokens[at + 1].start and 1 <= sentence.value(at) <= _MOST_NTH
        )
        # "3. Woche im Mai"
        return (sentence.value(at), at + 2) if near and sentence.lexicon.language in _DOTTED else (0, at)
    if sentence.kind(at) == "number" and not sentence.tokens[at].ordinal:
        at += 1
    kind = sentence.kind(at)
    if kind == "last":
        return -(sentence.value(at) or 1), at + 1
    most = _MOST_WEEKS if sentence.kind(at + 1) == "unit" and sentence.value(at + 1) == "week" else _MOST_NTH
    if kind == "number" and sentence.tokens[at].ordinal and 1 <= sentence.value(at) <= most:
        if (sentence.kind(at + 1), sentence.kind(at + 2)) == ("to", "last"):  # "the second to last week"
            return -sentence.value(at), at + 3
        return sentence.value(at), at + 1
    return 0, at


def _several(base: Span, value: Any, which: int, count: int) -> Span | None:
    """As in "the last two weeks of May": so many at the beginning or at the end."""
    if value not in _COUNTABLE or which not in (1, -1) or count > 1000:
        return None
    unit: Unit = value
    if which > 0:
        found = Span(base.start, moved(base.start, unit, count))
    else:
        found = Span(moved(base.end, unit, -count), base.end)
    return found if base.start <= found.start < found.end <= base.end else None


def _unnumbered(sentence: Sentence, at: int) -> int:
    """How many there are at most of units without a number: "the last days of May"."""
    if sentence.kind(at) != "unit" or sentence.value(at) not in _COUNTABLE:
        return 0
    return _FEW if sentence.tokens[at].word in sentence.lexicon.many else 0


def _few(base: Span, value: Any, which: int, most: int) -> Span | None:
    """As in "the last few days of May": as many as are said, but no more than half of the whole."""
    found = None
    for count in range(2, most + 1):
        several = _several(base, value, which, count)
        if several is None or (found and several.end - several.start > (base.end - base.start) / 2):
            break
        found = several
    return found


def nth_of(base: Span, counted: str, value: Any, which: int) -> Span | None:
    """As in "the first week of May": one of what the whole has, from its beginning or, below zero, from its end."""
    if counted == "half":
        middle = base.start + (base.end - base.start) / 2
        months = 12 * (base.end.year - base.start.year) + base.end.month - base.start.month
        if months and months % 2 == 0:
            middle = moved(base.start, "month", months // 2)
        elif base.end - base.start > _TWO_DAYS:
            middle = day_span(middle).start
        return Span(middle, base.end) if which in (-1, 2) else Span(base.start, middle)
    weekday = value if counted == "weekday" else 5 if value == "weekend" else None
    if isinstance(weekday, int):
        days = 2 if value == "weekend" else 1
        if which > 0:
            first = shifted(base.start, days=(weekday - base.start.weekday()) % 7 + 7 * (which - 1))
        else:
            latest = shifted(base.end, days=-1)
            first = shifted(latest, days=7 * (which + 1) - (latest.weekday() - weekday) % 7)
        found = day_span(first, days)
        return found if base.start <= found.start < base.end else None
    if value == "week":
        start = shifted(base.start, days=7 * (which - 1)) if which > 0 else shifted(base.end, days=7 * which)
        found = clip(day_span(start, 7), end=base.end)
    elif value == "day":
        found = day_span(shifted(base.start, days=which - 1) if which > 0 else shifted(base.end, days=which))
    elif value in ("month", "quarter"):
        unit: Unit = value
        start = moved(base.start, unit, which - 1) if which > 0 else moved(base.end, unit, which)
        found = unit_span(unit, start)
    else:
        return None
    return found if base.start <= found.start < found.end <= base.end else None
