"""Stretches told by how long they are and by where they begin: "for 3 months from May 2020", "from May for a week"."""

from __future__ import annotations

from typing import Final

from memspan.recall.words import word_set

from .amounts import Amount, read_amount
from .calendar import SMALL_UNITS, Span, moved
from .placing import Reader
from .reading import Reading, Sentence

__all__ = ["read_lasting", "with_length"]

_FOR: Final = word_set("for für pendant durante por per voor")
_NIGHT: Final = ("part", 3)
_MOST: Final = 1000
_STARTING: Final = word_set("starting beginning commencing")


def read_lasting(sentence: Sentence, at: int, read: Reader) -> Reading | None:
    """So many units from the beginning of a time on, where "for" stands before them at a token."""
    if at < 1 or sentence.tokens[at - 1].word not in _FOR:
        return None
    amount = _length(sentence, at)
    if amount is None:
        return None
    joint = amount.stop
    starts = joint < len(sentence.tokens) and sentence.tokens[joint].word in _STARTING
    if not starts and sentence.kind(joint) not in ("from", "since"):
        return None
    base = read(sentence, sentence.skip(joint + 1, "in", "on", "the"))
    if base is None or base.partial is None or sentence.kind(base.stop) in ("to", "dash", "until"):
        return None  # "two weeks from Friday" is a day
    return _lasting(base, amount, base.stop)


def with_length(sentence: Sentence, base: Reading) -> Reading | None:
    """The same where how long it is comes behind: "from May 2020 for 3 months"."""
    at = base.stop
    if at >= len(sentence.tokens) or sentence.tokens[at].word not in _FOR:
        return None
    amount = _length(sentence, at + 1)
    return None if amount is None or not sentence.closes(amount.stop) else _lasting(base, amount, amount.stop)


def _length(sentence: Sentence, at: int) -> Amount | None:
    """An amount, or so many nights and the days around them."""
    if sentence.kind(at) == "number" and sentence.kind(at + 1) == "plural":
        count: int = sentence.value(at)
        nights = sentence.value(at + 1) == _NIGHT and not sentence.tokens[at].ordinal and 0 < count <= _MOST
        return Amount(count + 1, count + 1, "day", at + 2) if nights else None
    return read_amount(sentence, at)


def _lasting(base: Reading, amount: Amount, stop: int) -> Reading | None:
    if amount.unit in SMALL_UNITS:
        return None
    start = base.span.start
    span = Span(start, moved(start, amount.unit, amount.high))
    return base._replace(
        span=span,
        stop=stop,
        reason=f"{amount.high} {amount.unit} from {base.reason}",
        unit=amount.unit,
        needs_preposition=False,
        partial=None,
        whole=None,
    )
