"""What lies so many units or turns from a moment: "two Fridays ago", "the past three weeks", "in two months"."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from .amounts import Amount
from .calendar import SMALL_UNITS, Span, day_span, moved, unit_span
from .reading import Reading, Sentence
from .turns import part_of_day, turn

__all__ = ["SURE", "around", "part_at", "several_turns", "stretch", "turned"]

SURE: Final = 0.9


def turned(sentence: Sentence, count: int, at: int, stop: int) -> Reading | None:
    """The last, this or the next of what the token at `at` names, or one farther away."""
    found = turn(sentence.now, sentence.kind(at), sentence.value(at), count)
    if found is None:
        return None
    span, unit = found
    part, after = part_at(sentence, stop)
    if sentence.kind(at) == "weekday" and part is not None:
        span, stop = part_of_day(span.start, part), after
    which = {-1: "last", 0: "this", 1: "next"}.get(count, f"{count:+}")
    return Reading(span, stop, SURE, f"{which}, counted from now", unit)


def part_at(sentence: Sentence, at: int) -> tuple[int | None, int]:
    """The part of the day that is said here, and where it ends: "yesterday morning", "Monday in the morning"."""
    first = at + 2 if (sentence.kind(at), sentence.kind(at + 1)) == ("in", "the") else at
    return (sentence.value(first), first + 1) if sentence.kind(first) == "part" else (None, at)


def several_turns(sentence: Sentence, direction: int, at: int) -> Reading | None:
    """As in "the last two Fridays", "the next three summers": from the first of them to the end of the last."""
    kind = sentence.kind(at)
    if kind not in ("number", "few") or sentence.tokens[at].ordinal:
        return None
    count: int = sentence.value(at) if kind == "number" else sentence.value(at)[1]
    if not 1 <= count <= 5000:
        return None
    if sentence.kind(at + 1) not in ("weekday", "season", "named", "part", "plural"):
        return None
    near = turned(sentence, direction, at + 1, at + 2)
    far = turned(sentence, direction * count, at + 1, at + 2)
    if near is None or far is None or near.stop > at + 2:
        return None
    span = Span(min(near.span.start, far.span.start), max(near.span.end, far.span.end))
    return near._replace(span=span, reason=f"{count} of them, counted from now")


def stretch(sentence: Sentence, direction: int, amount: Amount) -> Reading:
    """So many units up to now or from now on."""
    _, high, unit, stop, _ = amount
    now = sentence.now
    other = moved(now, unit, direction * high)
    if unit not in SMALL_UNITS:  # whole days, so that the first is not cut in two
        other = day_span(other).start if direction < 0 else day_span(other).end
    span = Span(other, now) if direction < 0 else Span(now, other)
    return Reading(span, stop, SURE, f"{high} {unit} {'up to' if direction < 0 else 'from'} now", unit)


def around(sentence: Sentence, base: datetime, direction: int, amount: Amount, stop: int) -> Reading:
    """The calendar unit, or the few of them, that lie so many units before or after a moment."""
    low, high, unit, _, spare = amount
    near, far = (unit_span(unit, moved(base, unit, direction * count)) for count in (low, high))
    span = Span(min(near.start, far.start), max(near.end, far.end))
    if spare:
        span = Span(moved(span.start, unit, -spare), moved(span.end, unit, spare))
    count = str(low) if low == high else f"{low}-{high}"
    way = "back" if direction < 0 else "ahead"
    certainty = SURE if low == high and not spare else 0.5
    return Reading(span, stop, certainty, f"{count} {unit} {way}", unit)
