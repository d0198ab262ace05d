"""Rules for times that are counted from `now`: "last week", "two Fridays ago", "this summer", "the past month"."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from memspan.recall.words import word_set

from .absolute import QUALIFIED
from .calendar import (
    Span,
    Unit,
    clip,
    day_span,
    month_span,
    moved,
    season_span,
    shifted,
    unit_span,
)
from .named_days import named_day
from .reading import Reading, Sentence

__all__ = ["around", "part_of_day", "read_amount", "read_relative", "stretch", "weekday_near"]

_SURE: Final = 0.9
_DIRECTIONS: Final = {"last": -1, "this": 0, "next": 1, "past": -1}
_SMALL: Final = ("second", "minute", "hour")
# Hours from midnight at which a part of the day begins and ends: morning, afternoon, evening, night.
_PARTS: Final = ((5, 12), (12, 18), (18, 24), (18, 30))


def part_of_day(day: datetime, part: int) -> Span:
    """The morning, afternoon, evening or night of a day; the night ends on the next one."""
    start, end = _PARTS[part]
    midnight = day_span(day).start
    return Span(shifted(midnight, seconds=3600 * start), shifted(midnight, seconds=3600 * end))


def weekday_near(now: datetime, weekday: int, direction: int) -> Span:
    """The latest such day before today (-1), that of this week (0), or the next one after today (1)."""
    today = day_span(now).start
    if direction == 0:
        return day_span(shifted(today, days=weekday - today.weekday()))
    gap = (today.weekday() - weekday) % 7 if direction < 0 else (weekday - today.weekday()) % 7
    return day_span(shifted(today, days=direction * (gap or 7)))


def read_amount(sentence: Sentence, at: int) -> tuple[int, int, Unit, int] | None:
    """As in "three weeks", "a few days", "half a year": the least and the most, the unit, and where it ends."""
    kind = sentence.kind(at)
    if kind == "amount":
        count, unit = sentence.value(at)
        return count, count, unit, at + 1
    low = high = 1
    stop = at + 1
    if kind == "number" and not sentence.tokens[at].ordinal:
        low = high = sentence.value(at)
    elif kind == "few":
        low, high = sentence.value(at)
    elif (
        kind == "unit" and sentence.kind(at - 1) in ("agopre", "before") and sentence.lexicon.language != "en"
    ):
        low, high, stop = 2, 5, at  # "vor Wochen"
    elif kind != "a":
        return None
    if sentence.kind(stop) == "dash":
        stop += 1
    if sentence.kind(stop) != "unit" or not 0 < high <= 100_000:
        return None
    return low, high, sentence.value(stop), stop + 1


def read_relative(sentence: Sentence, at: int) -> Reading | None:
    """The longest relative time that begins at a token."""
    kind = sentence.kind(at)
    if kind == "the" and sentence.kind(at + 1) in ("last", "next", "past", "this"):
        return _directed(sentence, at + 1, rolling=sentence.kind(at - 1) == "in")
    if kind in _DIRECTIONS:
        return _directed(sentence, at, rolling=False)
    if kind == "offset":
        return _offset(sentence, at)
    if kind == "unitoffset":
        unit, count = sentence.value(at)
        return Reading(unit_span(unit, sentence.now, count), at + 1, _SURE, f"{count:+} {unit}", unit)
    if kind == "recent":
        start = shifted(day_span(sentence.now).start, days=-sentence.value(at))
        return Reading(
            Span(start, sentence.now), at + 1, 0.4, f"about the last {sentence.value(at)} days", "day"
        )
    if kind in ("earlier", "later"):
        return _rest_of(sentence, at)
    if kind == "weekday":
        return _weekday(sentence, at)
    found = _ago(sentence, at)
    if found is None and kind in ("unit", "season", "month", "weekday", "the"):
        found = _postposed(sentence, at)
    return found


def _offset(sentence: Sentence, at: int) -> Reading:
    value = sentence.value(at)
    days, part = value if isinstance(value, tuple) else (value, None)
    day = day_span(shifted(sentence.now, days=days))
    stop = at + 1
    if part is None and sentence.kind(stop) == "part":
        part, stop = sentence.value(stop), stop + 1
    if part is None:
        return Reading(day, stop, 1.0, f"{days:+} days" if days else "today", "day")
    return Reading(part_of_day(day.start, part), stop, _SURE, "a part of a day", "day")


def _directed(sentence: Sentence, at: int, *, rolling: bool) -> Reading | None:
    """What follows "last", "this", "next" or "past"."""
    word = sentence.kind(at)
    direction = _DIRECTIONS[word]
    follows = at + 1
    kind = sentence.kind(follows)
    if kind in ("number", "few", "amount"):
        amount = read_amount(sentence, follows)
        return None if amount is None or direction == 0 else stretch(sentence, direction, amount)
    if kind not in ("unit", "weekday", "month", "season", "part", "named"):
        return None
    if kind == "unit" and direction:
        unit: Unit = sentence.value(follows)
        if sentence.lexicon.language == "en" and sentence.tokens[follows].word.endswith("s"):
            return stretch(sentence, direction, (2, 5, unit, follows + 1))  # "the past weeks"
        if word == "past" or rolling:
            return stretch(sentence, direction, (1, 1, unit, follows + 1))
        if sentence.kind(follows + 1) == "of" or unit == "day":
            return None  # "the last year of college", "my last day there"
    return _turn(sentence, direction, follows, follows + 1)


def _turn(sentence: Sentence, direction: int, at: int, stop: int) -> Reading | None:
    """The last, this or the next of what the token at `at` names."""
    now = sentence.now
    kind, value = sentence.kind(at), sentence.value(at)
    which = ("last", "this", "next")[direction + 1]
    unit: Unit
    if kind == "unit":
        unit = value
        span = unit_span(unit, now, direction)
        if unit in _SMALL and direction == 0:
            return None
    elif kind == "weekday":
        unit = "day"
        span = weekday_near(now, value, direction)
        if sentence.kind(stop) == "part":
            span, stop = part_of_day(span.start, sentence.value(stop)), stop + 1
    elif kind == "month":
        unit = "month"
        ahead = value - now.month
        years = {-1: 0 if ahead < 0 else -1, 0: 0, 1: 0 if ahead > 0 else 1}[direction]
        span = month_span(12 * (now.year + years) + value - 1)
    elif kind == "season":
        unit = "quarter"
        span = _season_near(now, value, direction)
    elif kind == "named":
        unit = "day"
        span = _named_near(now, value, direction)
    elif kind == "part":
        unit = "day"
        span = part_of_day(shifted(now, days=direction), value)
        stop = at + 1
    else:
        return None
    return Reading(span, stop, _SURE, f"{which}, counted from now", unit)


def _season_near(now: datetime, season: int, direction: int) -> Span:
    spans = [season_span(season, now.year + step) for step in range(-2, 3) if 1 <= now.year + step <= 9999]
    if direction < 0:
        over = [span for span in spans if span.end <= now]
        return over[-1] if over else spans[0]
    if direction > 0:
        ahead = [span for span in spans if span.start > now]
        return ahead[0] if ahead else spans[-1]
    around = [span for span in spans if span.start <= now < span.end]  # January belongs to last year's winter
    return around[0] if around else season_span(season, now.year)


def _named_near(now: datetime, name: str, direction: int) -> Span:
    spans = [named_day(name, now.year + step) for step in range(-1, 2) if 1 <= now.year + step <= 9999]
    if direction == 0:
        return named_day(name, now.year)
    chosen = [span for span in spans if (span.end <= now if direction < 0 else span.start > now)]
    if not chosen:
        return spans[0 if direction < 0 else -1]
    return chosen[-1 if direction < 0 else 0]


def stretch(sentence: Sentence, direction: int, amount: tuple[int, int, Unit, int]) -> Reading:
    """So many units up to now or from now on."""
    _, high, unit, stop = amount
    now = sentence.now
    other = moved(now, unit, direction * high)
    if unit not in _SMALL:  # whole days, so that the first is not cut in two
        other = day_span(other).start if direction < 0 else day_span(other).end
    span = Span(other, now) if direction < 0 else Span(now, other)
    return Reading(span, stop, _SURE, f"{high} {unit} {'up to' if direction < 0 else 'from'} now", unit)


def _ago(sentence: Sentence, at: int) -> Reading | None:
    """As in "three weeks ago", "vor drei Wochen", "two Fridays ago", "in two weeks" of the future."""
    now = sentence.now
    kind = sentence.kind(at)
    ahead = kind == "agopre" or (kind == "before" and sentence.lexicon.language != "en")
    first = at + 1 if ahead else at
    if kind in ("number", "a") and sentence.kind(at + 1) == "weekday" and sentence.kind(at + 2) == "ago":
        count = sentence.value(at) if kind == "number" else 1
        if not 1 <= count <= 5000 or sentence.tokens[at].ordinal:
            return None
        last = weekday_near(now, sentence.value(at + 1), -1)
        span = day_span(shifted(last.start, days=-7 * (count - 1)))
        return Reading(span, at + 3, _SURE, f"{count} such days back", "day")
    amount = read_amount(sentence, first)
    if amount is None:
        return None
    low, high, unit, stop = amount
    if ahead or sentence.kind(stop) == "ago":
        direction = -1
    elif sentence.kind(stop) == "fromnow" or (
        sentence.kind(at - 1) == "in" and _looks_ahead(sentence, at, unit)
    ):
        direction = 1
    else:
        return None
    stop += sentence.kind(stop) in ("ago", "fromnow")
    return around(sentence, now, direction, low, high, unit, stop)


def around(
    sentence: Sentence, base: datetime, direction: int, low: int, high: int, unit: Unit, stop: int
) -> Reading:
    """The calendar unit, or the few of them, that lie so many units before or after a moment."""
    near, far = (unit_span(unit, moved(base, unit, direction * count)) for count in (low, high))
    span = Span(min(near.start, far.start), max(near.end, far.end))
    count = str(low) if low == high else f"{low}-{high}"
    way = "back" if direction < 0 else "ahead"
    certainty = _SURE if low == high else 0.5
    return Reading(span, stop, certainty, f"{count} {unit} {way}", unit)


_FUTURE: Final = word_set("will ll shall going gonna plan plans planning due scheduled starts begins ends")


def _looks_ahead(sentence: Sentence, at: int, unit: Unit) -> bool:
    """Whether "in two weeks" is a point ahead, and not how long something took."""
    if unit in _SMALL:
        return False
    return any(
        token.word in _FUTURE or token.word.endswith("'ll") for token in sentence.tokens[max(0, at - 12) : at]
    )


def _rest_of(sentence: Sentence, at: int) -> Reading | None:
    """As in "earlier this year", "later this month", "earlier today"."""
    now = sentence.now
    inner = read_relative(sentence, at + 1) if sentence.kind(at + 1) in ("this", "offset") else None
    if inner is None:
        return None
    before = sentence.kind(at) == "earlier"
    span = clip(inner.span, end=now) if before else clip(inner.span, start=now)
    return inner._replace(span=span, certainty=QUALIFIED + 0.1, reason="a part of " + inner.reason)


def _weekday(sentence: Sentence, at: int) -> Reading | None:
    """A lone day of the week is the latest one, today included; a date after it says it better."""
    token = sentence.tokens[at]
    found = _postposed(sentence, at)
    if found is not None:
        return found
    if sentence.lexicon.language == "en" and (token.word.endswith("ays") or _recurs(sentence, at)):
        return None
    now = sentence.now
    today = day_span(now).start
    span = day_span(shifted(today, days=-((today.weekday() - token.value) % 7)))
    stop = at + 1
    if token.short and sentence.kind(stop) == "dot":
        stop += 1
    reason = "the latest such day, today included"
    if sentence.kind(stop) == "part":
        span, stop = part_of_day(span.start, sentence.value(stop)), stop + 1
    bare = token.short or not sentence.closes(stop)
    return Reading(span, stop, 0.7, reason, "day", needs_preposition=bare)


def _recurs(sentence: Sentence, at: int) -> bool:
    """As in "every Friday": no certain one."""
    return at > 0 and sentence.tokens[at - 1].word in ("every", "each", "any", "some")


def _postposed(sentence: Sentence, at: int) -> Reading | None:
    """As in "la semaine dernière", "el mes pasado", "Friday last week": the direction comes after."""
    first = at + 1 if sentence.kind(at) == "the" else at
    kind = sentence.kind(first)
    if kind == "weekday" and sentence.lexicon.language == "en":
        return _weekday_of_week(sentence, first)
    if sentence.lexicon.language == "en" or kind not in ("unit", "weekday", "month", "season", "named"):
        return None
    follows = sentence.kind(first + 1)
    if follows not in _DIRECTIONS:
        return None
    return _turn(sentence, _DIRECTIONS[follows], first, first + 2)


def _weekday_of_week(sentence: Sentence, at: int) -> Reading | None:
    """As in "Friday last week", "Tuesday of next week"."""
    word_at = sentence.skip(at + 1, "of", "the")
    if sentence.kind(word_at) not in _DIRECTIONS or sentence.kind(word_at + 1) != "unit":
        return None
    if sentence.value(word_at + 1) != "week":
        return None
    week = unit_span("week", sentence.now, _DIRECTIONS[sentence.kind(word_at)])
    day = day_span(shifted(week.start, days=sentence.value(at)))
    return Reading(day, word_at + 2, _SURE, "a day of another week", "day")
