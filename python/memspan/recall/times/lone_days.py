"""Days of a month that is not named: "am 15.", "le 15", "el día 15", where the words around them make days of them."""

from __future__ import annotations

from typing import Final

from memspan.recall.words import word_set

from .reading import Sentence

__all__ = ["ends_day", "is_lone_day"]

_ARTICLES: Final = {"fr": ("le", "jusqu'au"), "es": ("el",), "it": ("il", "dal")}
_ENDS: Final = frozenset(["", "dot", "and", "or", "but"])
"""Behind a comma may come what has the number: "le 15, rue de Rome"."""
_SIGNS: Final = frozenset('?!;:)»…"”')
"""What ends a clause, unlike a sign for what is counted."""
_RANGES: Final = frozenset(["between", "from"])
_MOST_BEFORE: Final = 6
"""Tokens among which something else is sought that a number with an article is."""
_NUMBERED: Final = word_set(
    "bus autobus autobús tram métro metro línea linea ligne numéro número numero train tren treno "
    "prendre prends prend prenons coger cojo tomar tomo prendere prendo étage piso planta piano"
)
_BEING: Final = word_set("est es è")
_LEADS: Final = frozenset(["since", "until", "before", "after"])


def is_lone_day(sentence: Sentence, at: int) -> bool:
    """Whether the number at a token is one of a month that is not named."""
    language = sentence.lexicon.language
    before = sentence.tokens[at - 1] if at else None
    if before is None or any(sentence.kind(place) in _RANGES for place in range(at - _MOST_BEFORE, at)):
        return False
    token = sentence.tokens[at]
    if not token.word[0].isdigit():
        return False
    if language == "de":
        return _is_german(sentence, at)
    if before.kind == "unit":
        return not token.ordinal and _follows_day(sentence, at)
    return (
        before.word in _ARTICLES.get(language, ())
        and ends_day(sentence, at + 1)
        and not _has_number(sentence, at)
    )


def _is_german(sentence: Sentence, at: int) -> bool:
    """As in "am 15.", "bis zum 15.", "seit dem 15.", with no noun behind it that has the number instead."""
    token, before = sentence.tokens[at], sentence.tokens[at - 1]
    led = before.word == "am" or before.kind == "until"
    if not (led or (before.word == "dem" and sentence.kind(at - 2) in _LEADS)):
        return False
    if sentence.kind(at + 1) != "dot" or sentence.tokens[at + 1].start != token.end:
        return False
    stop = at + 2
    if sentence.kind(stop) == "word":  # a noun has a capital, where anything has
        return sentence.tokens[0].capital and not sentence.tokens[stop].capital
    return ends_day(sentence, stop) or sentence.kind(stop) in ("in", "on", "comma")


def _follows_day(sentence: Sentence, at: int) -> bool:
    """As in "el día 15", "no dia 15", but not in "el día 15 de la dieta", "hoy en día 15 personas"."""
    unit = sentence.tokens[at - 1]
    if unit.value != "day" or unit.word in sentence.lexicon.many or sentence.lexicon.language == "en":
        return False
    lead = sentence.tokens[at - 2] if at > 1 else None
    if lead is None or not (lead.kind == "the" or lead.kind in _LEADS or lead.word in ("no", "do", "del")):
        return False
    return sentence.kind(at + 1) not in ("of", "in", "unit", "number", "decimal", "half")


def ends_day(sentence: Sentence, at: int) -> bool:
    """Whether nothing that is counted stands behind a number: "le mardi 6", but not "le mardi 6 personnes"."""
    kind = sentence.kind(at)
    return kind in _ENDS or (kind == "other" and sentence.tokens[at].word in _SIGNS)


def _has_number(sentence: Sentence, at: int) -> bool:
    """Whether something was named that has a number for its name: "Quel bus est le 15 ?", "mi favorito es el 7"."""
    if at > 1 and sentence.tokens[at - 2].word in _BEING:
        return True
    return any(token.word in _NUMBERED for token in sentence.tokens[max(0, at - _MOST_BEFORE) : at])
