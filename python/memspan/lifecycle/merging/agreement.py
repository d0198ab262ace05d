"""Whether texts that have nearly the same words say the same with them."""

from __future__ import annotations

import re
from typing import Final

from memspan import _core
from memspan.recall.negations import negations_in
from memspan.recall.said_words import asks

__all__ = ["agree", "has_names_of"]

_WORD: Final = re.compile(r"[^\W\d_]\w*")
_SIGNED: Final = re.compile(r"(?<!\S)[-−]\d+")
_HALF_OF_DAY: Final = re.compile(r"(\d{1,2}(?::\d\d)?)\s*([ap])\.?\s?m\b", re.IGNORECASE)


def agree(one: str, other: str) -> bool:
    """Whether two texts deny and ask the same, have the same signs before numbers and halves of the day behind them,
    and have the words that they share in one order: who moved from Porto to Lisbon did not move from Lisbon to Porto.

    What is only told in another order does not agree either: nobody can tell it from that without understanding it.
    O(characters).
    """
    return _marks(one) == _marks(other) and _in_one_order(one, other)


def has_names_of(text: str, other: str) -> bool:
    """Whether a text has every word that stands in another one with a capital, however it is written there: names and
    days, and nouns in German. O(characters)."""
    written = " ".join(word for word in _WORD.findall(other) if word[0].isupper())
    return set(_core.analyze(written, "english")) <= set(_core.analyze(text, "english"))


def _marks(text: str) -> tuple[object, ...]:
    halves = {(hour, half.lower()) for hour, half in _HALF_OF_DAY.findall(text)}
    return asks(text), negations_in(text), set(_SIGNED.findall(text)), halves


def _in_one_order(one: str, other: str) -> bool:
    first, second = (list(dict.fromkeys(_core.analyze(text, "english"))) for text in (one, other))
    shared = set(first).intersection(second)
    return [word for word in first if word in shared] == [word for word in second if word in shared]
