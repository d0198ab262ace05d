"""What compression never cuts: names, numbers, dates and negations."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Final

from memspan.encode.tags.wordlists import CALENDAR, EMPTY_NOUNS, EMPTY_WORDS, NOUN_MARKERS, VERB_MARKERS
from memspan.recall.negations import NEGATIONS
from memspan.recall.times.find import MAX_SCANNED, find_times
from memspan.recall.vocabulary import COMMON, fold
from memspan.recall.words import word_set

from .pieces import Piece

__all__ = ["name_words", "protected_pieces"]

_NUMBERS: Final = word_set(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion dozen "
    "half quarter once twice thrice first second third fourth fifth sixth seventh eighth ninth tenth couple both "
    "single double triple am pm"
)
_ALWAYS: Final = _NUMBERS | NEGATIONS | CALENDAR
_NEGATED: Final = re.compile(r"n['’]t$", re.IGNORECASE)
_IDENTIFIER: Final = re.compile(r"[@#_/\\]|\w\.\w|\w:\w")
_PRONOUNS: Final = word_set("i i'm i'll i'd i've im ill id ive ok o oh tv")
_CONTRACTED: Final = word_set("s re ll ve d m t")
_NO_NAMES: Final = COMMON | EMPTY_NOUNS | EMPTY_WORDS | NOUN_MARKERS | VERB_MARKERS | _PRONOUNS
_SENTENCE_END: Final = re.compile(r"[.!?…。！？:;\"”»)\]]$")
_CHUNK: Final = 1_000
"""Characters that dates are sought in at once: `find_times` gives back only so many of a text."""


def name_words(names: Iterable[str | None]) -> frozenset[str]:
    """The folded words of names, such as speakers', to be kept however they are spelt."""
    return frozenset(word for name in names if name for word in re.findall(r"\w+", fold(name)))


def protected_pieces(
    text: str, pieces: Sequence[Piece], at: datetime, names: Collection[str] = ()
) -> set[int]:
    """Positions of the pieces that hold a name, a number, a part of a date, or a negation. O(n).

    Names are told by their capitals, a first word of a sentence by not being an everyday English word, or by `names`.
    Where letters have no case, as in Chinese or Arabic, names cannot be told, and every word is protected. Addresses,
    handles and paths count as names; emoji and other marks alone do not.

    Args:
        at: when the text was said, for dates such as "last Friday".
        names: folded words that are names, see `name_words`.
    """
    dates = _dates(text, at)
    found = set()
    place = 0
    starts = True
    for position, piece in enumerate(pieces):
        while place < len(dates) and dates[place][1] <= piece.start:
            place += 1
        in_date = place < len(dates) and dates[place][0] < piece.end
        if in_date or _is_protected(piece, starts, names):
            found.add(position)
        after = text[piece.end : piece.end + 1]
        starts = after == "\n" or _SENTENCE_END.search(piece.text) is not None
    return found


def _is_protected(piece: Piece, starts: bool, names: Collection[str]) -> bool:
    text = piece.text
    if text.isascii() and text.isalpha() and text.islower():  # most of them
        return text in _ALWAYS or text in names
    if any(sign.isnumeric() for sign in text) or _IDENTIFIER.search(text):
        return True
    word = piece.word
    if not word:
        return False
    if word.lower() == word.upper() and any(map(str.isalpha, word)):
        return True
    parts = [part for part in re.split(r"[^\w'’]+", fold(word).replace("’", "'")) if part]
    for part in parts:
        if part in _ALWAYS or _NEGATED.search(part):
            return True
        bare = part.removesuffix("'s")
        if part in names or bare in names:
            return True
    if not any(sign.isupper() for sign in word):
        return False
    return any(_may_be_name(part, starts) for part in parts)


def _may_be_name(part: str, starts: bool) -> bool:
    """Whether a word that is written with a capital may be a name; where a sentence starts, everyday words are not."""
    if part in _PRONOUNS:
        return False
    before, _, after = part.partition("'")
    everyday = part in _NO_NAMES or (after in _CONTRACTED and before in _NO_NAMES)
    return not (starts and everyday)


def _dates(text: str, at: datetime) -> list[tuple[int, int]]:
    """The places of time expressions, in order."""
    assert _CHUNK < MAX_SCANNED
    spans = []
    start = 0
    while start < len(text):
        end = min(len(text), start + _CHUNK)
        if end < len(text):
            # Not inside an expression, as far as that can be had: at a line's end, or else at a blank.
            cut = max(text.rfind("\n", start + 1, end), text.rfind(". ", start + 1, end))
            end = next((c for c in (cut, text.rfind(" ", start + 1, end)) if c > start), end)
        spans += [(start + time.span[0], start + time.span[1]) for time in find_times(text[start:end], at)]
        start = end
    return spans
