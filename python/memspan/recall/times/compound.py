"""Rules for times made of other times: "the first week of May", "two days before Christmas", "early June"."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from .absolute import QUALIFIED, read_absolute
from .calendar import Span, Unit, clip, day_span, moved, shifted, thirds, unit_span
from .reading import Reading, Sentence
from .relative import around, part_of_day, read_amount, read_relative, weekday_near

__all__ = ["read_time"]

_DEEPEST: Final = 3
_TWO_DAYS: Final = timedelta(days=2)
_MODIFIERS: Final = {"early": 0, "mid": 1, "late": 2}


def read_time(sentence: Sentence, at: int, depth: int = 0) -> Reading | None:
    """The time that begins at a token, by the first rule that fits; compound ones first."""
    if depth > _DEEPEST:
        return None
    if sentence.kind(at) in _MODIFIERS:
        return _third(sentence, at, depth)
    first = at + 1 if sentence.kind(at) == "the" else at
    if sentence.kind(first) in _MODIFIERS:
        return _third(sentence, first, depth)
    return (
        _nth_of(sentence, first, depth)
        or _unit_of(sentence, first, depth)
        or _beside(sentence, first, depth)
        or _dated_weekday(sentence, first)
        or read_relative(sentence, at)
        or (read_relative(sentence, first) if first != at else None)
        or read_absolute(sentence, first)
        or (_the_weekend(sentence, first) if first != at else None)
    )


def _third(sentence: Sentence, at: int, depth: int) -> Reading | None:
    """As in "early June", "mid-2022", "the end of last month", "the end of the week"."""
    inner_at = sentence.skip(at + 1, "dash", "in", "of", "the")
    third = _MODIFIERS[sentence.kind(at)]
    if sentence.kind(inner_at) == "unit" and sentence.kind(inner_at - 1) == "the":
        unit: Unit = sentence.value(inner_at)
        if unit in ("week", "month", "quarter", "year", "decade", "century"):
            inner: Reading | None = Reading(
                unit_span(unit, sentence.now), inner_at + 1, QUALIFIED, f"this {unit}", unit
            )
        else:
            inner = None
    else:
        inner = read_time(sentence, inner_at, depth + 1)
    if inner is None or inner.span.start >= inner.span.end:
        return None
    which = ("first", "middle", "last")[third]
    return Reading(
        thirds(inner.span, third),
        inner.stop,
        min(inner.certainty, 0.8),
        f"the {which} third of {inner.reason}",
        inner.unit,
    )


def _nth_of(sentence: Sentence, at: int, depth: int) -> Reading | None:
    """As in "the first week of May", "the last Friday of March", "the second half of 2022"."""
    kind = sentence.kind(at)
    if kind == "last":
        which = -1
    elif kind == "number" and sentence.tokens[at].ordinal and 1 <= sentence.value(at) <= 5:
        which = sentence.value(at)
    else:
        return None
    counted = sentence.kind(at + 1)
    if counted not in ("unit", "weekday", "half") or sentence.kind(at + 2) not in ("of", "in"):
        return None
    base_at = sentence.skip(at + 2, "of", "in", "the")
    base = read_absolute(sentence, base_at) or read_relative(sentence, base_at)
    if base is None:
        return None
    span = _nth(base.span, counted, sentence.value(at + 1), which)
    if span is None:
        return None
    unit: Unit = sentence.value(at + 1) if counted == "unit" else "day"
    return Reading(span, base.stop, base.certainty, f"a part of {base.reason}", unit)


def _nth(base: Span, counted: str, value: object, which: int) -> Span | None:
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
            first = shifted(latest, days=-((latest.weekday() - weekday) % 7))
        found = day_span(first, days)
        return found if base.start <= found.start < base.end else None
    if value == "week":
        start = shifted(base.start, days=7 * (which - 1)) if which > 0 else shifted(base.end, days=-7)
        found = clip(day_span(start, 7), end=base.end)
    elif value == "day":
        found = day_span(shifted(base.start, days=which - 1) if which > 0 else shifted(base.end, days=-1))
    elif value == "month":
        start = moved(base.start, "month", which - 1) if which > 0 else moved(base.end, "month", -1)
        found = unit_span("month", start)
    else:
        return None
    return found if base.start <= found.start < found.end <= base.end else None


def _unit_of(sentence: Sentence, at: int, depth: int) -> Reading | None:
    """As in "the week of 7 May", "the month of May", "the year 2020", "the morning of 7 May"."""
    kind = sentence.kind(at)
    if kind not in ("unit", "part"):
        return None
    value = sentence.value(at)
    if sentence.kind(at + 1) != "of" and not (value == "year" and sentence.kind(at + 1) == "year"):
        return None
    base = read_time(sentence, sentence.skip(at + 1, "of"), depth + 1)
    if base is None:
        return None
    if kind == "part":
        if base.unit != "day":
            return None
        return Reading(part_of_day(base.span.start, value), base.stop, base.certainty, base.reason, "day")
    if value in ("week", "weekend"):
        if base.unit not in ("day", "weekend"):
            return None
        return Reading(
            unit_span(value, base.span.start),
            base.stop,
            base.certainty,
            f"the {value} of {base.reason}",
            value,
        )
    return base._replace(needs_preposition=False) if value == base.unit else None


def _beside(sentence: Sentence, at: int, depth: int) -> Reading | None:
    """As in "two weeks before 11 August", "the Friday after Easter", "last Friday on 23 January"."""
    directed = sentence.kind(at) in ("last", "next")
    first = at + 1 if directed else at
    kind = sentence.kind(first)
    low = high = 0
    if kind in ("unit", "weekday", "part") and not (kind == "unit" and first == at and at == 0):
        stop = first + 1
    elif not directed and kind == "number" and sentence.kind(first + 1) == "weekday":
        low = high = sentence.value(first)
        first, kind, stop = first + 1, "weekday", first + 2
    elif not directed and (amount := read_amount(sentence, first)) is not None:
        low, high, unit, stop = amount
        kind = "amount"
    else:
        return None
    side = sentence.kind(stop)
    if directed and side in ("on", "comma", "of", "until"):
        return _said_on(sentence, at, first, stop)
    if side not in ("before", "after") and not (side == "from" and kind == "amount"):
        return None
    base = read_time(sentence, stop + 1, depth + 1)
    if base is None or base.span.start >= base.span.end:
        return None
    direction = -1 if side == "before" else 1
    origin = base.span.start if direction < 0 else base.span.end
    if kind == "amount":
        origin = origin if direction < 0 else shifted(origin, days=-1)
        found = around(sentence, origin, direction, low, high, unit, base.stop)
        return found._replace(reason=f"{found.reason} from {base.reason}", certainty=base.certainty * 0.9)
    value = sentence.value(first)
    span, named = _next_to(origin, kind, value, direction, max(1, low))
    reason = f"{'before' if direction < 0 else 'after'} {base.reason}"
    return Reading(span, base.stop, base.certainty * 0.9, reason, named)


def _next_to(origin: datetime, kind: str, value: int | Unit, direction: int, count: int) -> tuple[Span, Unit]:
    """The nearest day, weekend or stretch that ends (or begins) at `origin`."""
    last = origin if direction < 0 else shifted(origin, days=-1)
    if isinstance(value, int):
        if kind == "part":
            return part_of_day(shifted(last, days=direction), value), "day"
        near = weekday_near(last, value, direction)
        return day_span(shifted(near.start, days=7 * direction * (count - 1))), "day"
    if value == "weekend":
        saturday = unit_span("weekend", last)
        if direction < 0 and saturday.end > origin:
            saturday = unit_span("weekend", last, -1)
        elif direction > 0 and saturday.start < origin:
            saturday = unit_span("weekend", last, 1)
        return saturday, "weekend"
    other = moved(origin, value, direction)
    return (Span(other, origin) if direction < 0 else Span(origin, other)), value


def _said_on(sentence: Sentence, at: int, first: int, stop: int) -> Reading | None:
    """As in "last Friday on 23 January": counted from that day and not from now."""
    base = read_absolute(sentence, sentence.skip(stop, "on", "comma", "of", "until", "the"))
    if base is None or base.unit != "day" or base.needs_preposition:
        return None
    end = sentence.tokens[:stop]
    moved_to = Sentence(end, sentence.lexicon, base.span.start)
    inner = read_relative(moved_to, at)
    if inner is None or inner.stop != stop:
        return None
    return inner._replace(stop=base.stop, reason=f"{inner.reason.replace('now', 'the date beside it')}")


def _dated_weekday(sentence: Sentence, at: int) -> Reading | None:
    """As in "Friday, 7 May": the date says it; the day of the week may even be wrong."""
    if sentence.kind(at) != "weekday":
        return None
    base_at = sentence.skip(at + 1, "comma", "dot", "the")
    if sentence.kind(base_at) not in ("month", "number", "date"):
        return None
    base = read_absolute(sentence, base_at)
    return base if base is not None and base.unit == "day" and not base.needs_preposition else None


def _the_weekend(sentence: Sentence, at: int) -> Reading | None:
    """As in "over the weekend": the latest that has begun."""
    if sentence.kind(at) != "unit" or sentence.tokens[at].word != "weekend" or not sentence.closes(at + 1):
        return None
    now = sentence.now
    span = unit_span("weekend", now)
    if span.start > now:
        span = unit_span("weekend", now, -1)
    return Reading(span, at + 1, 0.7, "the latest weekend", "weekend", needs_preposition=True)
