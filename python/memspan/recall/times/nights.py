"""Which night "heute Nacht" and "cette nuit" are: the coming one, or the last where what is said is about the past; and
whether it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .lexicon import Token
from .reading import Sentence

__all__ = ["is_last_night", "tells_past", "verbs_of"]

_AROUND: Final = 12
"""Tokens on either side that are looked at."""
_LONGEST: Final = 30
"""Letters of a word that is looked at, as patterns take the square of them."""
_NIGHT: Final = 3


def is_last_night(sentence: Sentence, at: int, part: int | None) -> bool:
    """Whether a part of today, said at a token, is the night that ended this morning."""
    return part == _NIGHT and tells_past(sentence, at)


def tells_past(sentence: Sentence, at: int) -> bool:
    """Whether the words around a token tell of the past, in languages whose tables say how."""
    past = sentence.lexicon.past
    if past is None:
        return False
    words = verbs_of(sentence.tokens[max(0, at - _AROUND) : at + _AROUND])
    return past.search(" ".join(words)) is not None


def verbs_of(tokens: Sequence[Token]) -> list[str]:
    """The words without those that have a capital, behind the first: nouns end as participles do ("Bereitschaft"), but
    have capitals where anything has."""
    return [
        "" if (token.capital and place) or len(token.word) > _LONGEST else token.word
        for place, token in enumerate(tokens)
    ]
