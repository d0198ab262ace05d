"""Rules for what is counted back from now, or ahead: "three weeks ago", "vor drei Wochen", "in two weeks"."""

from __future__ import annotations

from typing import Final

from memspan.recall.words import word_set

from .amounts import read_amount
from .calendar import SMALL_UNITS, Unit
from .counting import around, turned
from .reading import Reading, Sentence

__all__ = ["read_ago"]

_FUTURE: Final = word_set("will ll shall going gonna plan plans planning due scheduled starts begins ends")


def read_ago(sentence: Sentence, at: int) -> Reading | None:
    """As in "three weeks ago", "vor drei Wochen", "two Fridays ago", "in two weeks" of the future."""
    now = sentence.now
    kind = sentence.kind(at)
    back = kind == "agopre" or (kind == "before" and sentence.lexicon.language != "en")
    first = at + 1 if back or kind == "ahead" else at
    turns = _turns_ago(sentence, first, back)
    if turns is not None:
        return turns
    amount = read_amount(sentence, first)
    if amount is None:
        return None
    low, high, unit, stop = amount
    closing = sentence.kind(stop) == "back" and sentence.closes(stop + 1)  # "a few months back"
    if back or closing or sentence.kind(stop) == "ago":
        direction = -1
    elif (
        kind == "ahead"
        or sentence.kind(stop) == "fromnow"
        or (sentence.kind(at - 1) == "in" and _looks_ahead(sentence, at, unit))
    ):
        direction = 1
    else:
        return None
    stop += closing or sentence.kind(stop) in ("ago", "fromnow")
    return around(sentence, now, direction, low, high, unit, stop)


def _turns_ago(sentence: Sentence, at: int, back: bool) -> Reading | None:
    """As in "two Fridays ago", "two summers ago", "hace dos veranos"."""
    kind = sentence.kind(at)
    if kind not in ("number", "a") or sentence.kind(at + 1) not in ("weekday", "season", "named", "plural"):
        return None
    count = sentence.value(at) if kind == "number" else 1
    ago = sentence.kind(at + 2) == "ago"
    if not (ago or back) or not 1 <= count <= 5000 or sentence.tokens[at].ordinal:
        return None
    return turned(sentence, -count, at + 1, at + 2 + ago)


def _looks_ahead(sentence: Sentence, at: int, unit: Unit) -> bool:
    """Whether "in two weeks" is a point ahead, and not how long something took."""
    if unit in SMALL_UNITS:
        return False
    return any(
        token.word in _FUTURE or token.word.endswith("'ll") for token in sentence.tokens[max(0, at - 12) : at]
    )
