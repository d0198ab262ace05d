"""Years and decades by their numbers: "2022", "May '23", "the 90s"."""

from __future__ import annotations

import re
from typing import Final

from memspan.recall.words import word_set

from .calendar import year_span
from .numbered import counts, goes_on, is_number, leads_to_count
from .partial import Partial
from .reading import Reading, Sentence

__all__ = [
    "POSSESSIVES",
    "QUALIFIED",
    "past_year",
    "read_bare_year",
    "read_decade",
    "read_short_year",
    "read_year",
    "read_year_of_two",
    "read_years_of",
]

QUALIFIED: Final = 0.6
"""Certainty of what could be read in another way."""

_BEFORE_YEARS: Final = word_set("in since until before after by from to between and")
_BEFORE_DECADES: Final = frozenset(["the", "early", "mid", "late", "dash"])
_CENTURIES: Final = {"nineteen": 1900, "twenty": 2000}
_FAR_AHEAD: Final = 20
_FAR: Final = (1000, 2200)
_DIGITS: Final = re.compile(r"\d\d")
_LAST_CENTURY: Final = 50
_COUNTING: Final = frozenset(["of", "unit", "number", "year", "blob", "decimal", "clock"])
POSSESSIVES: Final = frozenset(["my", "our", "your", "his", "her", "their"])


def read_year(sentence: Sentence, at: int) -> tuple[int | None, int]:
    """A year that follows a month, a season or the like ("May, 2023", "summer of '69"), and where it ends."""
    joints = ("comma", "of", "in", "the", "dot", "from" if sentence.lexicon.language == "nl" else "dot")
    stop = sentence.skip(at, *joints)
    if sentence.kind(stop) == "year" and not counts(sentence, stop):
        year: int = sentence.value(stop)
        return year, _after_year(sentence, stop + 1)
    if sentence.kind(stop) == "shortyear":
        short: int = sentence.value(stop)
        return (2000 if short <= sentence.now.year % 100 else 1900) + short, stop + 1
    if _is_far_year(sentence, at, stop):
        return sentence.value(stop), _after_year(sentence, stop + 1)
    spelled = _spelled_year(sentence, stop)
    return (None, at) if spelled is None else (spelled, stop + 2)


def past_year(sentence: Sentence, year: int) -> int:
    """A year that was written in two digits, which is of the last century where it is far ahead: "born 4/4/45"."""
    return year - 100 if year > sentence.now.year + _FAR_AHEAD else year


def read_year_of_two(sentence: Sentence, at: int) -> tuple[int | None, int]:
    """A year, or its last two digits where nothing else has such a number: "summer 22", "Q3 22", "Christmas 21"."""
    year, end = read_year(sentence, at)
    stop = at + (sentence.kind(at) == "of")
    if (
        year is not None
        or sentence.kind(stop) != "number"
        or not _DIGITS.fullmatch(sentence.tokens[stop].word)
    ):
        return year, end
    short: int = sentence.value(stop)
    running = sentence.now.year % 100
    if running + 1 < short < _LAST_CENTURY or not _ends_year(sentence, stop + 1):
        return None, at
    return short + (2000 if short <= running + 1 else 1900), stop + 1


def _ends_year(sentence: Sentence, at: int) -> bool:
    """Whether nothing is counted or measured there."""
    if sentence.kind(at) == "other":
        return sentence.tokens[at].word in '?!;:)"”'
    if sentence.lexicon.language == "en" and sentence.kind(at) == "word":
        return sentence.closes(at)
    return sentence.kind(at) in ("", "comma", "dot")


def _is_far_year(sentence: Sentence, at: int, stop: int) -> bool:
    """Whether a number of four digits is a year that no conversation is from ("4 July 1776", "May 2150"), so that the
    date is none of a near year. With a noun behind it, it counts something."""
    if sentence.kind(stop) != "number" or any(
        sentence.kind(each) in ("in", "the") for each in range(at, stop)
    ):
        return False
    token = sentence.tokens[stop]
    if len(token.word) != 4 or not token.word.isdecimal() or not _FAR[0] <= token.value < _FAR[1]:
        return False
    if counts(sentence, stop) or _after_sign(sentence, stop):
        return False
    if _after_year(sentence, stop + 1) > stop + 1:
        return True
    follows = sentence.tokens[stop + 1] if sentence.kind(stop + 1) else None
    if follows is not None and follows.kind == "word" and sentence.lexicon.language != "en":
        return sentence.lexicon.language == "de" and not follows.capital  # "am 4. Juli 1776 unterzeichnet"
    return sentence.closes(stop + 1) and sentence.kind(stop + 1) not in _COUNTING


def _spelled_year(sentence: Sentence, at: int) -> int | None:
    """As in "April twenty twenty-three", but not in "in April twenty twenty-year-olds"."""
    if [sentence.kind(at), sentence.kind(at + 1)] != ["number", "number"] or not sentence.closes(at + 2):
        return None
    first, second = sentence.tokens[at : at + 2]
    if (
        first.word not in _CENTURIES
        or not second.word.isalpha()
        or second.ordinal
        or sentence.kind(at + 2) == "dash"
    ):
        return None
    tens: int = second.value
    return _CENTURIES[first.word] + tens if 10 <= tens <= 99 else None


def _after_year(sentence: Sentence, at: int) -> int:
    """Past a word for "year" that some languages put after the number ("5 мая 2023 года")."""
    if sentence.kind(at) == "unit" and sentence.value(at) == "year" and sentence.lexicon.language != "en":
        return at + 1
    return at + 1 if sentence.kind(at) == "ofyear" else at


def read_bare_year(sentence: Sentence, at: int) -> Reading | None:
    if counts(sentence, at) or _after_sign(sentence, at) or leads_to_count(sentence, at):
        return None
    before = sentence.tokens[at - 1] if at else None
    introduced = before is not None and (
        before.kind in ("the", "this", "of", "comma", "early", "mid", "late") or before.word in POSSESSIVES
    )
    listed = goes_on(sentence, at)
    if not (introduced or listed) and is_number(sentence, at):
        return None
    stop = _after_year(sentence, at + 1)
    alone = listed or sentence.closes(stop)
    ranged = before is not None and before.kind == "dash" and sentence.kind(at - 2) == "year"
    after = before is None or before.kind in _BEFORE_YEARS or ranged
    if before is not None and not after and sentence.value(at) > sentence.now.year + _FAR_AHEAD:
        return None  # "Cyberpunk 2077"
    owned = before is not None and before.possessive  # "Ana's 2022 wedding"
    if not (alone or introduced or after or owned) and sentence.lexicon.language == "en":
        return None
    year: int = sentence.value(at)
    certainty = 0.9 if alone else QUALIFIED
    return Reading(year_span(year), stop, certainty, "a year", "year", partial=Partial(year))


def _after_sign(sentence: Sentence, at: int) -> bool:
    """Whether "$", "#" or the like makes the number an amount or a name: "$2000", "2000€"."""
    sides = sentence.tokens[max(0, at - 1) : at + 2 : 2] if at else sentence.tokens[1:2]
    return any(token.kind == "other" and token.word in "$€£¥#@%" for token in sides)


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
        before_decades = _BEFORE_DECADES | (
            _BEFORE_YEARS if sentence.lexicon.language == "ru" else frozenset()
        )
        if not (apostrophe or before.kind in before_decades or _follows_decade(sentence, at)):
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


def _follows_decade(sentence: Sentence, at: int) -> bool:
    """Whether it goes on a list of them: "the 80s and 90s"."""
    last = sentence.last
    if last is None or last.unit != "decade":
        return False
    return at > last.stop and sentence.skip(last.stop, "comma", "and", "or", "dash") == at


def read_years_of(sentence: Sentence, at: int) -> Reading | None:
    """A decade with a word for "years" before its number: "les années 90", "gli anni 1980", "de jaren '80"."""
    kind = sentence.kind(at + 1)
    if sentence.tokens[at].word not in sentence.lexicon.many or kind not in ("number", "year", "shortyear"):
        return None
    if sentence.tokens[at].word == "jahre" and kind == "year":
        return None  # "im Jahre 2020"
    number: int = sentence.value(at + 1)
    if sentence.kind(at - 1) not in ("the", "in", "of", "from") or sentence.kind(at + 2) == "unit":
        return None
    if number % 10 or sentence.lexicon.language == "en" or not (kind == "year" or 20 <= number < 100):
        return None
    if (
        kind == "year"
        and sentence.kind(at + 3) == "year"
        and (sentence.kind(at + 2) in ("to", "dash", "until") or sentence.value(at + 3) % 10)
    ):
        return None  # "les années 2010 à 2020", "gli anni 2020 e 2021"
    start = number if kind == "year" else _latest(sentence, number)
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
