"""Which one of many is meant: what stands beside a month or a day of the week says it ("in May last year").

A month without its year, a day of the week or a named day is the latest one. Where a period stands beside it, after
or before, it is the latest one *in that period*: the same words, read as of the period's last moment.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Final, TypeAlias

from .calendar import Span, Unit, year_span
from .reading import Reading, Sentence
from .relative import read_relative
from .vicinity import days_around, widened
from .years import POSSESSIVES

__all__ = ["Reader", "place", "placed_after", "placed_before"]

Reader: TypeAlias = Callable[[Sentence, int], Reading | None]

_MOMENT: Final = timedelta(microseconds=1)
# The periods that hold one of what recurs every such unit; a season holds each of its months and days once.
_HOLDERS: Final[dict[Unit, tuple[Unit, ...]]] = {
    "week": ("week", "weekend"),
    "month": ("month",),
    "year": ("year", "quarter"),
}
_PERIOD_STARTS: Final = frozenset(
    ["last", "this", "next", "past", "unit", "unitoffset", "season", "number", "a", "agopre", "before", "the"]
)

_INTO: Final = ("in", "on", "to", "the")
"""What leads from a period to a time in it; "to" stands for "à Noël", if no range begins before it."""
_AT_ONCE: Final = frozenset(["season", "named", "month", "weekday", "quarter"])
_RANGES: Final = frozenset(["from", "between", "since", "of"])


def place(sentence: Sentence, at: int, read: Reader, period: Span, stop: int) -> Reading | None:
    """The time that begins at a token, read again as the one in a period; `None` if none lies in it."""
    if period.start >= period.end:
        return None
    found = read(sentence.as_of(period.end - _MOMENT), at)
    if found is None or not period.start <= found.span.start < period.end:
        return None
    partial = found.partial
    if partial is not None and partial.month is not None:
        partial = partial._replace(year=found.span.start.year)
    return found._replace(
        stop=stop, recurs=None, needs_preposition=False, partial=partial, certainty=max(found.certainty, 0.9)
    )


def placed_after(sentence: Sentence, at: int, found: Reading, read: Reader) -> Reading:
    """As in "March of last year", "Monday two weeks ago", "l'été de l'année dernière"."""
    period = _period_after(sentence, found, found.stop) or _after_noun(sentence, at, found)
    if period is None:
        return found
    inner = place(sentence, at, read, period.span, period.stop)
    return found if inner is None else inner._replace(reason=f"that of {period.reason}")


def _after_noun(sentence: Sentence, at: int, found: Reading) -> Reading | None:
    """As in "my March expenses last year", "the May newsletter from 2022": one noun stands between."""
    noun = found.stop
    if found.unit != "month" or sentence.lexicon.language != "en" or sentence.kind(noun) != "word":
        return None
    if sentence.closes(noun) or sentence.tokens[noun].capital:
        return None
    before = sentence.tokens[at - 1] if at else None
    led = sentence.kind(at) == "the" or (
        before is not None
        and (before.kind in ("the", "a", "and", "or") or before.word in POSSESSIVES or before.possessive)
    )
    if not led:
        return None  # "Did June call last year?"
    if sentence.kind(noun + 1) in ("from", "of") and sentence.kind(noun + 2) == "year":
        year: int = sentence.value(noun + 2)
        return Reading(year_span(year), noun + 3, 1.0, "the year after it", "year")
    return _period_after(sentence, found, noun + 1)


def _period_after(sentence: Sentence, found: Reading, at: int) -> Reading | None:
    """The period after a time that recurs, if it holds one of them."""
    if found.recurs is None:
        return None
    joints: tuple[str, ...] = ("of", "in", "the", "comma")
    if found.recurs == "month" and sentence.lexicon.language != "en":
        joints = ("dot", "from", *joints)  # "am 5. letzten Monats", "le 5 du mois dernier"
    elif sentence.lexicon.language == "ru":
        joints = ("on", *joints)  # "в среду на прошлой неделе"
    at = sentence.skip(at, *joints)
    kind = sentence.kind(at)
    if kind not in _PERIOD_STARTS:
        return None
    period = read_relative(sentence, at)
    if period is None or period.recurs is not None or period.unit not in _HOLDERS.get(found.recurs, ()):
        return None
    return None if period.unit == found.unit else period


def placed_before(sentence: Sentence, at: int, period: Reading, read: Reader) -> Reading:
    """As in "last year in March", "2022 spring", "letztes Jahr zu Weihnachten": the period comes first."""
    first = _led_into(sentence, at, period.stop)
    inner = None if first is None else read(sentence, first)
    if first is None or inner is None or inner.recurs is None or inner.unit == period.unit:
        return period
    if period.unit not in _HOLDERS[inner.recurs]:
        return period
    placed = place(sentence, first, read, period.span, inner.stop)
    if placed is None:
        return period
    led = first - 2 if sentence.kind(first - 1) == "the" else first - 1
    days = days_around(sentence, led)
    wider = widened(sentence, days, first, placed) if days else None
    return (wider or placed)._replace(reason=f"that of {period.reason}", within=period.span)


def _led_into(sentence: Sentence, at: int, stop: int) -> int | None:
    """Where a time begins that a period leads into; it may follow at once, if it is no verb ("2022 may")."""
    led = sentence.skip(stop, "comma")
    first = sentence.skip(led, *_INTO)
    kind = sentence.kind(led)
    if first == led:
        if led != stop or kind not in _AT_ONCE:
            return None
        token = sentence.tokens[led]
        return first if token.capital or not token.short else None
    if kind == "the" and led != stop:
        return None
    if kind == "to" and (sentence.lexicon.language == "en" or sentence.kind(at - 1) in _RANGES):
        return None
    return first
