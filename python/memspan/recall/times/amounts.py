"""How many of which unit: "three weeks", "a few days", "two or three years", "1.5 years", "a year and a half"."""

from __future__ import annotations

from typing import Final, NamedTuple

from .calendar import Unit
from .reading import Sentence

__all__ = ["Amount", "is_bare_count", "read_amount"]

_MOST: Final = 100_000
_HUNDRED: Final = 100
_SMALL: Final = 10
_BARE: Final = {"dozen": 12, "hundred": 100, "thousand": 1000}
# What a part of a unit is counted in.
_FINER: Final[dict[Unit, tuple[Unit, int]]] = {
    "hour": ("minute", 60),
    "day": ("hour", 24),
    "week": ("day", 7),
    "month": ("day", 30),
    "quarter": ("month", 3),
    "year": ("month", 12),
    "decade": ("year", 10),
    "century": ("year", 100),
}

_SPARE: Final[dict[Unit, int]] = {"day": 6, "week": 3, "month": 3, "century": 5}
"""How many of its parts on either side half a unit stands for."""


_DIRECTED: Final = ("last", "past", "next")
_AHEAD: Final = ("week", "month", "year")
_WORKING: Final = ("business", "working")
"""Before days that are none of a weekend."""
_JOINTS: Final = ("or", "to", "dash", "and")
_NAMES_UNIT: Final = frozenset(["year", "number", "month", "last", "this", "next", "of"])


class Amount(NamedTuple):
    """So many units, and where the words end."""

    low: int
    high: int
    unit: Unit
    stop: int
    spare: int = 0
    """How many more or less it may be: "a week and a half ago" names no day."""


def read_amount(sentence: Sentence, at: int) -> Amount | None:
    """The amount that begins at a token, with a smaller one that is added: "a year and two months"."""
    found = _simple(sentence, _after_about(sentence, at))
    if found is None or sentence.kind(found.stop) != "and" or found.unit not in _FINER:
        return found
    if found.low != found.high or sentence.kind(at - 1) == "between":
        return found
    more = _simple(sentence, found.stop + 1)
    unit, times = _FINER[found.unit]
    if more is None or more.unit != unit:
        return found
    return Amount(found.low * times + more.low, found.low * times + more.high, unit, more.stop)


def _after_about(sentence: Sentence, at: int) -> int:
    """Past a word that stands between a preposition and a number: "vor etwa zwei Wochen", "hace unas dos semanas"."""
    kind, after = sentence.kind(at), sentence.kind(at + 1)
    if kind == "about" or (kind == "on" and sentence.value(at)):
        return at + 1
    return at + 1 if kind == "few" and after == "number" and sentence.kind(at - 1) == "agopre" else at


def _simple(sentence: Sentence, at: int) -> Amount | None:
    kind = sentence.kind(at)
    if kind == "amount":
        count, unit = sentence.value(at)
        return Amount(count, count, unit, at + 1)
    if (
        kind == "unit" and sentence.kind(at + 1) == "andhalf"
    ):  # "hace año y medio", "the last year and a half"
        return _amount(1.5, 1.5, sentence.value(at), at + 2)
    if kind == "unit" and sentence.kind(at - 1) in ("agopre", "before") and sentence.lexicon.language != "en":
        return Amount(2, 5, sentence.value(at), at + 1)  # "vor Wochen"
    if kind == "unit" and sentence.kind(at - 1) == "ahead" and _is_one_ahead(sentence, at):
        return Amount(1, 1, sentence.value(at), at + 1)
    if kind == "unit" and sentence.kind(at + 1) == "ago" and _is_one(sentence, at):
        return Amount(1, 1, sentence.value(at), at + 1)
    if kind == "unit" and sentence.kind(at - 1) in _DIRECTED and sentence.kind(at + 1) == "or":
        return _one_or_more(sentence, at)
    if kind == "half" and sentence.kind(at + 1) == "unit" and sentence.kind(at - 1) in _DIRECTED:
        return _amount(0.5, 0.5, sentence.value(at + 1), at + 2)  # "the past half hour"
    if kind == "half" and sentence.kind(at + 1) == "a" and sentence.kind(at + 2) == "unit":
        return _amount(0.5, 0.5, sentence.value(at + 2), at + 3)
    counts = _counts(sentence, at)
    if counts is None:
        return None
    low, high, stop = counts
    if sentence.kind(stop) in _JOINTS or (
        sentence.kind(stop) == "until" and sentence.lexicon.language != "en"
    ):
        # "and" tells two counts only after "between": "between two and three weeks ago".
        more = _counts(sentence, stop + 1) if sentence.kind(stop + 1) in ("number", "decimal") else None
        if more is not None and more[0] > low and _may_join(sentence, at, stop):
            high, stop = more[1:]
    elif (next_at := _next_count(sentence, low, stop)) and low == high:
        high, stop = low + 1, next_at + 1
    if sentence.kind(stop) == "andhalf":
        low, high, stop = low + 0.5, high + 0.5, stop + 1
    if sentence.kind(stop) == "dash":
        stop += 1
    if _is_working_day(sentence, stop):
        return _amount(*_days_of(low, high), "day", stop + 2)
    if sentence.kind(stop) != "unit":
        return None
    unit, stop = sentence.value(stop), stop + 1
    if sentence.kind(stop) == "andhalf":
        low, high, stop = low + 0.5, high + 0.5, stop + 1
    elif sentence.kind(stop) == "orso":
        stop += 1
    elif low == 1 and sentence.kind(stop) == "or" and sentence.kind(stop + 1) == "number":  # "a day or two"
        high, stop = max(high, sentence.value(stop + 1)), stop + 2
    return _amount(low, high, unit, stop)


def _is_working_day(sentence: Sentence, at: int) -> bool:
    """As in "5 business days", "three working days"."""
    if sentence.kind(at) != "word" or sentence.tokens[at].word not in _WORKING:
        return False
    return sentence.kind(at + 1) == "unit" and sentence.value(at + 1) == "day"


def _days_of(low: float, high: float) -> tuple[float, float]:
    """So many working days as days, with the weekends between them: of three, there may be one."""
    return low + 2 * (low // 5), high + 2 * (high // 5) + (2 if high % 5 else 0)


def _next_count(sentence: Sentence, low: float, at: int) -> int:
    """Where the next small number stands that follows one in words: "two, three weeks ago"; 0 if none does."""
    at += sentence.kind(at) == "comma"
    if sentence.kind(at) != "number" or sentence.kind(at + 1) != "unit":
        return 0
    token = sentence.tokens[at]
    return at if token.word.isalpha() and not token.ordinal and token.value == low + 1 <= _SMALL else 0


def _one_or_more(sentence: Sentence, at: int) -> Amount | None:
    """The "year or two" of "the last year or two"."""
    if sentence.kind(at + 2) != "number" or sentence.tokens[at + 2].ordinal:
        return None
    return _amount(1, sentence.value(at + 2), sentence.value(at), at + 3)


def _is_one(sentence: Sentence, at: int) -> bool:
    """Whether a unit before "ago" is one without a number: "год назад", "больше года назад", but not "на год назад"."""
    lexicon, before = sentence.lexicon, sentence.kind(at - 1)
    if before in ("more", "less") or (before == "on" and sentence.value(at - 1)):
        return bool(lexicon.single)
    return before != "on" and sentence.tokens[at].word in lexicon.single


def _is_one_ahead(sentence: Sentence, at: int) -> bool:
    """As in "через неделю", "za miesiąc", but not in "через день" (every other day), "raport za rok 2022"."""
    if sentence.tokens[at].word not in sentence.lexicon.single or sentence.value(at) not in _AHEAD:
        return False
    return sentence.kind(at + 1) not in _NAMES_UNIT


def _counts(sentence: Sentence, at: int) -> tuple[float, float, int] | None:
    kind = sentence.kind(at)
    if is_bare_count(sentence, at):
        return _BARE[sentence.tokens[at].word], _BARE[sentence.tokens[at].word], at + 1
    if kind == "a":
        return 1, 1, at + 1
    if kind == "number" and (hundreds := _with_hundreds(sentence, at)) is not None:
        return hundreds
    if kind == "decimal" or (kind == "number" and not sentence.tokens[at].ordinal):
        return sentence.value(at), sentence.value(at), at + 1
    if kind == "few":
        low, high = sentence.value(at)
        return low, high, at + 1
    if kind == "every" and sentence.tokens[at].word == "some" and sentence.kind(at + 1) == "unit":
        return (2, 5, at + 1) if sentence.tokens[at + 1].word in sentence.lexicon.many else None
    return None


def is_bare_count(sentence: Sentence, at: int) -> bool:
    """Whether a number without its "a" stands there, as behind "last": "the last hundred days"."""
    if sentence.lexicon.language != "en" or sentence.kind(at) != "word":
        return False
    return sentence.tokens[at].word in _BARE and sentence.kind(at - 1) in _DIRECTED


def _with_hundreds(sentence: Sentence, at: int) -> tuple[int, int, int] | None:
    """As in "a hundred and twenty", "сто двадцать"."""
    token, first = sentence.tokens[at], sentence.value(at)
    if token.ordinal or token.word.isdecimal() or sentence.kind(at - 1) == "between":
        return None
    if first < _HUNDRED or first % _HUNDRED:
        return None
    rest = at + 1 + (sentence.kind(at + 1) == "and")
    if (
        sentence.kind(rest) != "number"
        or sentence.tokens[rest].ordinal
        or not 0 < sentence.value(rest) < _HUNDRED
    ):
        return None
    count = first + sentence.value(rest)
    return count, count, rest + 1


def _may_join(sentence: Sentence, at: int, joint: int) -> bool:
    return sentence.kind(joint) != "and" or sentence.kind(at - 1) == "between"


def _amount(low: float, high: float, unit: Unit, stop: int) -> Amount | None:
    spare = 0
    if low % 1 or high % 1:
        if unit not in _FINER:
            return None
        spare = _SPARE.get(unit, 0)
        unit, times = _FINER[unit]
        low, high = low * times, high * times
        spare = min(spare, int(low / 3))
    return Amount(int(low), int(high), unit, stop, spare) if 0 < high <= _MOST else None
