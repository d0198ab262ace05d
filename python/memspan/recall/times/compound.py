"""Rules for times made of other times: "the first week of May", "two days before Christmas", "early June"."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from memspan.recall.words import word_set

from .absolute import read_absolute
from .ago import read_same_beside
from .amounts import Amount, read_amount
from .calendar import SMALL_UNITS, Span, Unit, day_span, moved, shifted, thirds, unit_span
from .counting import around
from .dotted import other_order
from .events import is_told_by_event
from .just_been import has_just_been
from .lasting import read_lasting
from .listing import read_listed_day
from .lone_days import ends_day
from .named_days import latest_dated_weekday, with_weekend
from .partial import Partial
from .parts import read_part, read_week_of_month
from .placing import placed_after, placed_before
from .reading import Reading, Sentence
from .relative import read_relative
from .turns import part_of_day, weekday_near
from .weeks import read_week
from .years import QUALIFIED, read_years_of

__all__ = ["read_one_before", "read_time"]

_DEEPEST: Final = 3
_MODIFIERS: Final = {"early": 0, "mid": 1, "late": 2}
_PARTS_AT_ENDS: Final = word_set("early late")
"""What is no end: "before late May" is not before June."""
_WEEK_STARTS: Final = word_set("starting beginning commencing ending ended")
_WEEK_ENDS: Final = word_set("ending ended")
_DATED: Final = frozenset(["number", "month", "weekday", "date", "dotted", "the"])
_OVER: Final = frozenset(["", "comma", "dot", "other"])
_PERIODS: Final = frozenset(["week", "weekend", "month", "quarter", "year"])


def read_time(sentence: Sentence, at: int, depth: int = 0) -> Reading | None:
    """The time that begins at a token, by the first rule that fits; compound ones first."""
    if depth > _DEEPEST:
        return None
    found = _read(sentence, at, depth)
    if found is None:
        return None
    if found.partial is not None and found.partial.day is not None:
        found = _with_weekend(sentence, _past_weekday(sentence, found))
    if (same := read_same_beside(sentence, found)) is not None:
        return same
    if found.recurs is not None:
        return placed_after(sentence, at, found, lambda other, first: _read(other, first, depth))
    if found.unit in _PERIODS:
        return placed_before(sentence, at, found, lambda other, first: _read(other, first, depth))
    return found


def _past_weekday(sentence: Sentence, found: Reading) -> Reading:
    """Behind the day of the week that a date falls on: "7 May 2024 (Tuesday)", "on 9 May, Tuesday"."""
    at = found.stop
    opened = at < len(sentence.tokens) and sentence.tokens[at].word == "("
    at += opened or sentence.kind(at) == "comma"
    if sentence.kind(at) != "weekday" or sentence.value(at) != found.span.start.weekday():
        return found
    closed = opened and at + 1 < len(sentence.tokens) and sentence.tokens[at + 1].word == ")"
    return found._replace(stop=at + 1 + closed)


def _with_weekend(sentence: Sentence, found: Reading) -> Reading:
    """As in "July 4th weekend": a date and the weekend beside it."""
    at = found.stop
    if sentence.kind(at) != "unit" or sentence.value(at) != "weekend" or not sentence.closes(at + 1):
        return found
    if sentence.lexicon.language != "en" or sentence.tokens[at].word in sentence.lexicon.many:
        return found
    return found._replace(
        span=with_weekend(found.span), stop=at + 1, unit="weekend", partial=None, needs_preposition=False
    )


def _read(sentence: Sentence, at: int, depth: int) -> Reading | None:
    """The same without what stands beside it."""
    if sentence.kind(at) in _MODIFIERS:
        return _third(sentence, at, depth)
    first = at + 1 if sentence.kind(at) == "the" else at
    if sentence.kind(first) in _MODIFIERS:
        return _third(sentence, first, depth)
    return (
        read_part(sentence, first, _whole)
        or _unit_of(sentence, first, depth)
        or _beside(sentence, first, depth)
        or _dated_weekday(sentence, first)
        or read_relative(sentence, at)
        or (read_relative(sentence, first) if first != at else None)
        or read_listed_day(sentence, first)
        or read_absolute(sentence, first)
        or (_the_weekend(sentence, first) if first != at or _holds_article(sentence, at) else None)
    )


def _whole(sentence: Sentence, at: int) -> Reading | None:
    """What something is a part of: an absolute or a relative time, and the period it lies in."""
    found = read_absolute(sentence, at) or read_relative(sentence, at)
    return None if found is None else placed_after(sentence, at, found, read_absolute)


def _third(sentence: Sentence, at: int, depth: int) -> Reading | None:
    """As in "early June", "mid-2022", "the end of last month", "the end of the week"."""
    shared = sentence.kind(at + 1) in ("and", "or") and sentence.kind(at + 2) in _MODIFIERS
    last_at = _third_after(sentence, at)
    inner_at = sentence.skip(max(at + (3 if shared else 1), last_at + 1), "dash", "in", "of", "the", "from")
    third = _MODIFIERS[sentence.kind(at)]
    inner = read_time(sentence, inner_at, depth + 1)
    if inner is None and sentence.kind(inner_at) == "unit" and _has_article(sentence, inner_at, at):
        unit: Unit = sentence.value(inner_at)
        if unit in ("week", "month", "quarter", "year", "decade", "century"):
            span = unit_span(unit, sentence.now)
            if thirds(span, third).start > sentence.now and has_just_been(sentence, at):
                span = unit_span(unit, sentence.now, -1)  # "What did I do at the end of the year?" in January
            inner = Reading(span, inner_at + 1, QUALIFIED, f"this {unit}", unit)
    if inner is None or inner.span.start >= inner.span.end:
        return None
    if inner.recurs == "year" and inner.unit == "quarter" and thirds(inner.span, third).start > sentence.now:
        # The latest of which that third has begun: in early June, "late summer" is last year's.
        inner = read_time(sentence.as_of(shifted(inner.span.start, days=-1)), inner_at, depth + 1) or inner
    which = ("first", "middle", "last")[third]
    if last_at > at and (last := _MODIFIERS[sentence.kind(last_at)]) > third:  # "early to mid May"
        span = Span(thirds(inner.span, third).start, thirds(inner.span, last).end)
        return inner._replace(
            span=span,
            certainty=min(inner.certainty, 0.8),
            reason=f"thirds of {inner.reason}",
            partial=None,
            needs_preposition=False,
        )
    if shared:  # "early and late May": the other is read on its own
        inner = inner._replace(stop=at + 1)
    return inner._replace(
        span=thirds(inner.span, third),
        whole=None if third == 1 or sentence.tokens[at].word in _PARTS_AT_ENDS else inner.span,
        certainty=min(inner.certainty, 0.8),
        reason=f"the {which} third of {inner.reason}",
        needs_preposition=False,
        partial=None,
    )


def _third_after(sentence: Sentence, at: int) -> int:
    """Where the second one stands of "mid-to-late", "Anfang bis Mitte"; the first if there is none."""
    joint = at + 1 + (sentence.kind(at + 1) == "dash")
    if sentence.kind(joint) not in ("to", "until"):
        return at
    last = joint + 1 + (sentence.kind(joint + 1) == "dash")
    return last if sentence.kind(last) in _MODIFIERS else at


def _has_article(sentence: Sentence, at: int, after: int) -> bool:
    """Whether a unit has one, or a preposition that may hold it ("Anfang des Jahres", "à la fin de l'année"), or needs
    none in its language ("в начале года")."""
    if sentence.kind(at - 1) == "the" or sentence.lexicon.single:
        return True
    if sentence.lexicon.language == "en":  # "by end of month"
        led = after - 1 - (sentence.kind(after - 1) == "the")
        return _leads_to_end(sentence, led) and sentence.closes(at + 1)
    return at - 1 > after and sentence.kind(at - 1) in ("of", "from")


def _leads_to_end(sentence: Sentence, at: int) -> bool:
    """As in "by end of month", "at year end"."""
    if sentence.kind(at) == "on":
        return sentence.tokens[at].word == "at"
    return sentence.kind(at) in ("by", "until", "before", "since")


def _unit_of(sentence: Sentence, at: int, depth: int) -> Reading | None:
    """As in "the week of 7 May", "the month of May", "the year 2020", "the morning of 7 May"."""
    kind = sentence.kind(at)
    if kind not in ("unit", "part"):
        return None
    value = sentence.value(at)
    if value == "year" and (decade := read_years_of(sentence, at)) is not None:
        return decade
    if value == "week" and sentence.kind(at + 1) == "number":
        # "In week 20" is one of the year in Dutch, unless it is that of something else.
        of_a_year = sentence.lexicon.language != "nl" or sentence.kind(at + 2) in ("of", "from")
        week = read_week(sentence, at + 1, of_a_year=of_a_year)
        return week or read_week_of_month(sentence, at + 1, _whole)
    # As in "the year 2020", "el día 15".
    named = (value, sentence.kind(at + 1)) in (("year", "year"), ("day", "number"))
    if sentence.tokens[at].word == "w" and sentence.kind(at + 1) in _DATED:  # "w/e 7 May"
        named, value = True, "week"
    if (period := _period_from(sentence, at, value)) is not None:
        return period
    if not (named or _holds(sentence, at + 1, value)) or (
        value == "day" and sentence.lexicon.language == "en"
    ):
        return None
    joint = at + 1 if named else at + 2
    base = read_time(sentence, sentence.skip(joint, "of", "on"), depth + 1)
    if base is None or (
        sentence.kind(at + 1) == "from" and sentence.kind(base.stop) in ("to", "until", "dash")
    ):
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


def _period_from(sentence: Sentence, at: int, value: int | Unit) -> Reading | None:
    """As in "the year ended 31 December 2022", "the quarter starting on 1 April"."""
    if value not in ("month", "quarter", "year") or at + 1 >= len(sentence.tokens):
        return None
    word = sentence.tokens[at + 1].word
    if word not in _WEEK_STARTS:
        return None
    base = read_absolute(sentence, sentence.skip(at + 2, "on", "the"))
    if base is None or base.unit != "day" or base.needs_preposition:
        return None
    start, end = base.span
    span = Span(moved(end, value, -1), end) if word in _WEEK_ENDS else Span(start, moved(start, value, 1))
    return Reading(span, base.stop, base.certainty, f"the {value} {word} on {base.reason}", value)


def _holds(sentence: Sentence, at: int, unit: int | Unit) -> bool:
    """Whether what a period is told by comes after this: "the week of 7 May", "the week starting on 7 May"."""
    if sentence.kind(at) == "of":
        return True
    if unit not in ("week", "weekend"):
        return False
    if sentence.kind(at) == "from":  # "die Woche vom 5. Juni", "le week-end du 3 juin"
        return sentence.lexicon.language in ("de", "fr", "nl")
    if unit == "weekend":
        return False
    return 0 <= at < len(sentence.tokens) and sentence.tokens[at].word in _WEEK_STARTS


def _beside(sentence: Sentence, at: int, depth: int) -> Reading | None:
    """As in "two weeks before 11 August", "the Friday after Easter", "last Friday on 23 January"."""
    lasting = read_lasting(sentence, at, lambda other, first: read_time(other, first, depth + 1))
    if lasting is not None:
        return lasting
    directed = sentence.kind(at) in ("last", "next")
    first = at + 1 if directed else at
    kind = sentence.kind(first)
    amount = None
    count = 1
    # At the very beginning a unit lacks its article, in languages that have one.
    bare = kind == "unit" and first == at and at == 0 and not sentence.lexicon.single
    if kind in ("unit", "weekday", "part") and not bare:
        stop = first + 1
    elif not directed and kind == "number" and sentence.kind(first + 1) == "weekday":
        count = sentence.value(first)
        first, kind, stop = first + 1, "weekday", first + 2
    elif not directed and (amount := read_amount(sentence, first)) is not None:
        stop = amount.stop
    else:
        return None
    if kind == "unit" and not (directed or amount) and sentence.tokens[first].word in sentence.lexicon.many:
        amount = Amount(2, 5, sentence.value(first), stop)  # "the days after Christmas"
    side = sentence.kind(stop)
    if directed and side in ("on", "comma", "of", "until"):
        return _said_on(sentence, at, first, stop)
    if side not in ("before", "after") and not (side == "from" and amount):
        return None
    base = read_time(sentence, stop + 1, depth + 1)
    if base is None or base.span.start >= base.span.end:
        return None
    if side == "from":
        return None if amount is None else _from_day(sentence, stop + 1, base, amount, depth)
    direction = -1 if side == "before" else 1
    origin = base.span.start if direction < 0 else base.span.end
    if amount is not None and _holds_all(sentence, at - 1):
        unit = amount.unit
        other = moved(origin, unit, direction * amount.high)
        span = Span(other, origin) if direction < 0 else Span(origin, other)
        reason = f"{amount.high} {unit} {side} {base.reason}"
        return Reading(span, base.stop, base.certainty * 0.9, reason, unit)
    if amount is not None:
        origin = origin if direction < 0 else shifted(origin, days=-1)
        found = around(sentence, origin, direction, amount, base.stop)
        return found._replace(reason=f"{found.reason} from {base.reason}", certainty=base.certainty * 0.9)
    value = sentence.value(first)
    span, named = _next_to(origin, kind, value, direction, max(1, count))
    if count > 1 and sentence.kind(at - 1) == "the":  # "the two Fridays before Christmas"
        near, _ = _next_to(origin, kind, value, direction, 1)
        span = Span(min(span.start, near.start), max(span.end, near.end))
    reason = f"{'before' if direction < 0 else 'after'} {base.reason}"
    return Reading(span, base.stop, base.certainty * 0.9, reason, named)


def _holds_all(sentence: Sentence, at: int) -> bool:
    """Whether all of an amount is meant: "the two weeks before Easter", "within a week after May 5"."""
    return sentence.kind(at) == "the" or (at >= 0 and sentence.tokens[at].word == "within")


def read_one_before(sentence: Sentence, at: int) -> Reading | None:
    """As in "yesterday and the day before", "not last week but the week before": from the expression before it on."""
    last, kind, side = sentence.last, sentence.kind(at + 1), sentence.kind(at + 2)
    if last is None or kind not in ("unit", "weekday", "part") or side not in ("before", "after"):
        return None
    if sentence.lexicon.language != "en" or sentence.kind(at + 3) not in _OVER or last.stop == at:
        return None
    if sentence.skip(last.stop, "comma", "and", "but", "or") != at or last.span.start >= last.span.end:
        return None
    direction = -1 if side == "before" else 1
    origin = last.span.start if direction < 0 else last.span.end
    span, unit = _next_to(origin, kind, sentence.value(at + 1), direction, 1)
    return Reading(span, at + 3, last.certainty * 0.9, f"{side} {last.reason}", unit)


def _from_day(sentence: Sentence, at: int, base: Reading, amount: Amount, depth: int) -> Reading | None:
    """As in "a week from Friday", "two days from tomorrow": from the next such day on, and a day again."""
    if base.unit != "day" or sentence.kind(base.stop) in ("to", "dash", "until"):
        return None  # "the three days from Monday to Wednesday"
    if base.recurs is not None and base.span.start <= sentence.now:
        later = sentence.as_of(moved(sentence.now, base.recurs, 1))
        base = read_time(later, at, depth + 1) or base
    low, high, unit = amount[:3]
    if unit in SMALL_UNITS:
        return None
    span = Span(*(day_span(moved(base.span.start, unit, count)).start for count in (low, high)))
    reason = f"{low}-{high} {unit} from {base.reason}"
    return Reading(Span(span.start, day_span(span.end).end), base.stop, base.certainty * 0.9, reason, "day")


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
    if base is None or base.unit != "day" or base.needs_preposition or base.recurs == "month":
        return None
    if sentence.kind(first) == "unit" and sentence.value(first) not in ("day", "week", "weekend", "month"):
        return None  # "last year on 3 May"
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
    if sentence.kind(base_at) not in ("month", "number", "date", "dotted", "decimal"):
        return None
    base = read_absolute(sentence, base_at)
    if base is not None and base.partial is not None:
        base = _in_order_of(sentence, base_at, base, base.partial, sentence.value(at))
    if base is None and _is_day(sentence, base_at):
        day: int = sentence.value(base_at)
        span = latest_dated_weekday(sentence.value(at), day, sentence.now)
        if span is not None:  # "Sunday the 4th"
            reason = "the latest such day of a month"
            return Reading(span, base_at + 1, 0.8, reason, "day", partial=Partial(day=day), recurs="month")
    return base if base is not None and base.unit == "day" and not base.needs_preposition else None


def _is_day(sentence: Sentence, at: int) -> bool:
    """Whether the number behind a day of the week is that of a day: "Sunday the 4th", "martes 6"."""
    if sentence.tokens[at].ordinal:
        return sentence.closes(at + 1)
    if sentence.lexicon.language == "en" or sentence.kind(at) != "number":
        return False
    return sentence.kind(at + 1) == "comma" or ends_day(sentence, at + 1)


def _in_order_of(sentence: Sentence, at: int, found: Reading, written: Partial, weekday: int) -> Reading:
    """As in "Fri 7/6": where only the other order of day and month makes it such a day, that is meant."""
    other = other_order(sentence.tokens[at], written)
    span = None if other is None else other.resolve(sentence.now)
    if span is None or found.span.start.weekday() == weekday or span.start.weekday() != weekday:
        return found
    return found._replace(
        span=span, partial=other, certainty=0.9, reason="a date in numbers, as its weekday has it"
    )


def _holds_article(sentence: Sentence, at: int) -> bool:
    """Whether the word before a token may hold an article within it ("am Wochenende", "no fim de semana")."""
    return sentence.lexicon.language != "en" and sentence.kind(at - 1) in ("on", "in", "until", "from", "of")


def _the_weekend(sentence: Sentence, at: int) -> Reading | None:
    """As in "over the weekend", "am Wochenende": the latest that has begun."""
    if sentence.kind(at) != "unit" or sentence.value(at) != "weekend" or not sentence.closes(at + 1):
        return None
    if sentence.tokens[at].word in sentence.lexicon.many or is_told_by_event(sentence, at, at + 1):
        return None
    now = sentence.now
    span = unit_span("weekend", now)
    if span.start > now:
        span = unit_span("weekend", now, -1)
    led = sentence.lexicon.language == "en"
    return Reading(span, at + 1, 0.7, "the latest weekend", "weekend", needs_preposition=led, recurs="week")
