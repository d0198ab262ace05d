"""Years and decades by their numbers: "2022", "May '23", "the 90s"; and what is counted in such numbers instead."""

from __future__ import annotations

from typing import Final

from memspan.recall.words import word_set

from .calendar import year_span
from .lexicon import Token
from .partial import Partial
from .reading import Reading, Sentence

__all__ = [
    "POSSESSIVES",
    "QUALIFIED",
    "read_bare_year",
    "read_decade",
    "read_short_year",
    "read_year",
    "read_years_of",
]

QUALIFIED: Final = 0.6
"""Certainty of what could be read in another way."""

# What is counted in numbers that look like years.
_COUNTED: Final = word_set(
    "calories steps people dollars euros pounds meters metres km kilometers miles words pages points "
    "followers views kg subscribers times hours minutes seconds bucks copies users votes ml mg grams "
    "square feet items books songs kcal yards inches lbs kj kwh watts rpm"
)
# The same before a noun, where no preposition makes a year of the number: "a 2000 word essay".
_MEASURES: Final = word_set("calorie word page mile meter metre step point watt vision")
_NUMBERED: Final = word_set(
    "chapter room apartment number no version model route highway flight page gate bus platform"
)
_BEFORE_YEARS: Final = word_set("in since until before after by from to between and")
_INTO_YEARS: Final = frozenset(["in", "since", "until", "before", "after", "by"])
_ABOUT: Final = word_set("about circa roughly approximately born it")
_BEING: Final = word_set("is was")
_FAR_AHEAD: Final = 20
POSSESSIVES: Final = frozenset(["my", "our", "your", "his", "her", "their"])


def read_year(sentence: Sentence, at: int) -> tuple[int | None, int]:
    """A year that follows a month, a season or the like ("May, 2023", "summer of '69"), and where it ends."""
    stop = sentence.skip(at, "comma", "of", "in", "the", "dot")
    if sentence.kind(stop) == "year" and not _counts(sentence, stop):
        year: int = sentence.value(stop)
        return year, _after_year(sentence, stop + 1)
    if sentence.kind(stop) == "shortyear":
        short: int = sentence.value(stop)
        return (2000 if short <= sentence.now.year % 100 else 1900) + short, stop + 1
    return None, at


def _after_year(sentence: Sentence, at: int) -> int:
    """Past a word for "year" that some languages put after the number ("5 мая 2023 года")."""
    if sentence.kind(at) == "unit" and sentence.value(at) == "year" and sentence.lexicon.language != "en":
        return at + 1
    return at + 1 if sentence.kind(at) == "ofyear" else at


def _counts(sentence: Sentence, at: int) -> bool:
    follows = at + 1
    if sentence.kind(follows) not in ("word", "unit"):
        return False
    word = sentence.tokens[follows].word
    return word in _COUNTED or (word in _MEASURES and sentence.kind(at - 1) not in _INTO_YEARS)


def read_bare_year(sentence: Sentence, at: int) -> Reading | None:
    if _counts(sentence, at) or _after_sign(sentence, at):
        return None
    before = sentence.tokens[at - 1] if at else None
    introduced = before is not None and (
        before.kind in ("the", "this", "of", "comma", "early", "mid", "late") or before.word in POSSESSIVES
    )
    if before is not None and before.word in _NUMBERED:
        return None
    if not introduced and sentence.lexicon.language == "en" and _is_number(sentence, at, before):
        return None
    stop = _after_year(sentence, at + 1)
    alone = sentence.closes(stop)
    ranged = before is not None and before.kind == "dash" and sentence.kind(at - 2) == "year"
    after = before is None or before.kind in _BEFORE_YEARS or ranged
    if before is not None and not after and sentence.value(at) > sentence.now.year + _FAR_AHEAD:
        return None  # "Cyberpunk 2077"
    if not (alone or introduced or after) and sentence.lexicon.language == "en":
        return None
    year: int = sentence.value(at)
    certainty = 0.9 if alone else QUALIFIED
    return Reading(year_span(year), stop, certainty, "a year", "year", partial=Partial(year))


def _is_number(sentence: Sentence, at: int, before: Token | None) -> bool:
    """Whether what stands before a number that looks like a year tells that it is none: "the PIN is 2019".

    Names have their years behind them ("the Olympics 2016"), other words hardly ever.
    """
    if before is None:
        following = sentence.kind(at + 1)
        return following in ("number", "year", "blob") and sentence.tokens[at + 1].word[0].isdigit()
    if before.word[0].isdigit() and before.end < sentence.tokens[at].start:
        return True  # "call 030 2023"
    if before.kind != "word" or before.capital or before.end == sentence.tokens[at].start:
        return False
    if before.word in _ABOUT or (sentence.kind(at + 1) == "dash" and sentence.kind(at + 2) == "year"):
        return False
    return before.word not in _BEING or at < 2 or sentence.tokens[at - 2].word not in ("it", "year")


def _after_sign(sentence: Sentence, at: int) -> bool:
    """Whether "$", "#" or the like makes the number an amount or a name."""
    before = sentence.tokens[at - 1] if at else None
    return before is not None and before.kind == "other" and before.word in "$€£¥#@%"


def read_decade(sentence: Sentence, at: int) -> Reading | None:
    value: int = sentence.value(at)
    if value > 99:
        start = 10 * value
    else:
        tens = value if value > 9 else 10 * value
        before = sentence.tokens[at - 1] if at else None
        apostrophe = sentence.tokens[at].word[0] in "'’"
        if before is None or (tens < 20 and not apostrophe):
            return None
        if not apostrophe and before.kind not in ("the", "early", "mid", "late", "dash"):
            return None
        if any(token.word in POSSESSIVES for token in sentence.tokens[max(0, at - 3) : at]):
            return None  # an age
        start = _latest(sentence, tens)
    if start < 1:
        return None
    follows = sentence.tokens[at + 1] if at + 1 < len(sentence.tokens) else None
    if (
        sentence.lexicon.language == "de"
        and follows is not None
        and follows.kind == "word"
        and follows.capital
    ):
        return None  # "die 30er Zone"
    years = 100 if value in (180, 190) else 10
    certainty = 1.0 if value > 99 else 0.8
    return Reading(
        year_span(start, years),
        _after_year(sentence, at + 1),
        certainty,
        "a decade" if years == 10 else "a century",
        "decade",
    )


def read_years_of(sentence: Sentence, at: int) -> Reading | None:
    """A decade with a word for "years" before its number: "les années 90", "gli anni 80"."""
    if sentence.tokens[at].word not in sentence.lexicon.many or sentence.kind(at + 1) != "number":
        return None
    tens: int = sentence.value(at + 1)
    if sentence.kind(at - 1) not in ("the", "in", "of", "from") or sentence.kind(at + 2) == "unit":
        return None
    if tens not in range(20, 100, 10) or sentence.lexicon.language == "en":
        return None
    start = _latest(sentence, tens)
    return Reading(year_span(start, 10), at + 2, 0.8, "a decade", "decade") if start > 0 else None


def _latest(sentence: Sentence, tens: int) -> int:
    """The first year of the latest decade of that number that has begun."""
    start = sentence.now.year // 100 * 100 + tens
    return start - 100 if start > sentence.now.year else start


def read_short_year(sentence: Sentence, at: int) -> Reading | None:
    """As in "in '21", "since '98"; beside a month or a season it is a part of that."""
    if sentence.kind(at - 1) not in _BEFORE_YEARS:
        return None
    year, stop = read_year(sentence, at)
    if year is None or year < 1:
        return None
    return Reading(year_span(year), stop, QUALIFIED, "a year", "year", partial=Partial(year))
