"""Whether texts that have nearly the same words say the same with them."""

from __future__ import annotations

import re
from typing import Final
from unicodedata import normalize

from memspan import _core

__all__ = ["agree"]

_WORD: Final = re.compile(r"\w+")
_DENIALS: Final = frozenset(
    _WORD.findall(
        """
        cannot hardly neither never no nobody none nor not nothing nowhere without
        kein keine keinem keinen keiner keines nicht nichts nie niemals niemand ohne
        aucun aucune jamais n ne ni pas rien sans
        jamás nada nadie ningún ninguna ninguno nunca sin tampoco
        mai nessun nessuna nessuno niente non senza
        nem nenhum nenhuma ninguém não sem
        geen niemand niet niets nooit zonder
        bez nic nie nigdy nikt
        без не нельзя нет ни никогда никто ничего
        """
    )
)
"""In the languages whose times are read, and whatever language a text is in: of two that say the same none has one
which the other has not."""
_DENIALS_WITHIN: Final = re.compile("な[いくかけ]|ません|[不没沒未無无非]|않|없|못|안 ")
"""Where words have no spaces between them, or the denial is an ending."""
_SIGNED: Final = re.compile(r"(?<!\S)[-−]\d+")
_HALF_OF_DAY: Final = re.compile(r"(\d{1,2}(?::\d\d)?)\s*([ap])\.?\s?m\b", re.IGNORECASE)


def agree(one: str, other: str) -> bool:
    """Whether two texts deny the same, have the same signs before numbers and halves of the day behind them, and have
    the words that they share in one order: who moved from Porto to Lisbon did not move from Lisbon to Porto.

    What is only told in another order does not agree either: nobody can tell it from that without understanding it.
    O(characters).
    """
    return _marks(one) == _marks(other) and _in_one_order(one, other)


def _marks(text: str) -> tuple[object, ...]:
    text = normalize("NFC", text)
    words = set(_WORD.findall(text.casefold()))
    halves = {(hour, half.lower()) for hour, half in _HALF_OF_DAY.findall(text)}
    return words & _DENIALS, sorted(_DENIALS_WITHIN.findall(text)), set(_SIGNED.findall(text)), halves


def _in_one_order(one: str, other: str) -> bool:
    first, second = (list(dict.fromkeys(_core.analyze(text, "english"))) for text in (one, other))
    shared = set(first).intersection(second)
    return [word for word in first if word in shared] == [word for word in second if word in shared]
