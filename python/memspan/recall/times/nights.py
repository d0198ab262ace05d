"""Which night "heute Nacht" and "cette nuit" are: the coming one, or the last where what is said is about the past; and
whether it is."""

from __future__ import annotations

from typing import Final

from .reading import Sentence

__all__ = ["is_last_night", "tells_past"]

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
    # Nouns end as participles do ("Bereitschaft"), but have capitals where anything has.
    words = [
        "" if (token.capital and place) or len(token.word) > _LONGEST else token.word
        for place, token in enumerate(sentence.tokens[max(0, at - _AROUND) : at + _AROUND])
    ]
    return past.search(" ".join(words)) is not None
