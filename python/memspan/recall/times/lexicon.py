"""The words of one language that have to do with time, and the symbols that the grammar knows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from memspan.recall.words import word_set

from .spelling import hasty, plainer

__all__ = ["TELLING", "Lexicon", "Symbol", "Token"]

_DIGIT: Final = re.compile(r"\d")
_LETTERS: Final = re.compile(r"[^\W\d_]+")

# Kinds of symbol. The grammar is written over these, so that a language is a table of words.
#   month 1-12 · weekday 0-6 (Monday first) · unit · season 0-3 · part (of the day) · named (a named day) · plural
#   (kind and value of one of them) · glued (two symbols in one word, and where the first ends; or those of two words
#   beside each other, none for one that stays as it is) · offset (days from today) · number · decimal · amount
#   ((count, unit)) · few · a · andhalf orso · date (year, month, day) · year · dotted (a day, if so introduced) ·
#   shortyear · decade · quarter · clock (hour, minute) · last next this past (the how manyth, none for the first, 0
#   for the first that begins) · same (true if roughly) · every · early mid late · half · earlier later · ago agopre
#   back fromnow ahead · more less (than an amount) · about · before after since until by · from (how a time alone
#   behind it is related, none for "in") to between and or but dash · now · in on the of comma dot · sofar (the unit
#   that has run so far) · isoweek · not (true if what follows is always left out) · other word
Symbol = tuple[str, Any]

TELLING: Final = word_set(
    "month shortmonth weekday shortday unit unitoffset recent season part named plural glued offset amount date year "
    "decade quarter sofar isoweek"
)
"""An expression holds at least one of these, or an ordinal day ("on the 7th")."""


@dataclass(slots=True)
class Token:
    """A word, a number or a sign of the text, with what it may mean."""

    kind: str
    value: Any
    start: int
    end: int
    word: str
    """In lower case, without a possessive ending."""
    ordinal: bool = False
    capital: bool = False
    short: bool = False
    """An abbreviation, or a word that is often something else: it needs more context."""
    possessive: bool = False
    """Whether it owns what comes after it ("Friday's dinner"), so that it is no part of a longer name."""


class Lexicon:
    """The words of one language that have to do with time."""

    __slots__ = (
        "_telling",
        "adverbs",
        "ahead",
        "closers",
        "day_first",
        "language",
        "many",
        "past",
        "phrases",
        "single",
        "told",
        "words",
    )

    def __init__(
        self,
        language: str,
        table: Mapping[str, Mapping[str, Any]],
        *,
        day_first: bool = True,
        many: str = "",
        closers: str = "",
        past: str = "",
        ahead: str = "",
        told: str = "",
        adverbs: str = "",
        single: str = "",
        misspelt: str = "",
    ) -> None:
        self.language = language
        self.day_first = day_first
        """Whether 7/5/2023 is in May."""
        self.many = word_set(many) | {plain for word in many.split() for plain in plainer(word)}
        """Units, and words before or after them, that tell of more than one: "the past weeks", "ces derniers mois"."""
        self.closers = word_set(closers)
        """Words that cannot continue a noun, where days have short names: "na sexta com", "na sexta vez"."""
        self.adverbs = word_set(adverbs)
        """Seasons in a case that says "in": "летом"."""
        self.past = re.compile(past) if past else None
        """What tells of the past in words joined by spaces, where the coming night and the last one have one name."""
        self.ahead = re.compile(ahead) if ahead else None
        """What tells of what is to come in the words of a sentence, joined by spaces, with "#" for those of time."""
        self.told = re.compile(told) if told else self.past
        """What tells of the past in the same words, also where nights do not go by it."""
        self.single = word_set(single)
        """Units that are one without a word for it, in languages without articles: "rok temu"."""
        self.words: dict[str, Symbol] = {}
        self.phrases: dict[str, list[tuple[tuple[str, ...], Symbol]]] = {}
        for kind, entries in table.items():
            for spellings, value in entries.items():
                for spelling in spellings.split("|"):
                    self._add(spelling, kind, value)
                    for plain in plainer(spelling):
                        self._add(plain, kind, value, unless_known=True)
        for word in misspelt.split():  # long words, whose slips are no other ones
            for slip in hasty(word):
                self.words.setdefault(slip, self.words[word])
        for choices in self.phrases.values():
            choices.sort(key=lambda choice: -len(choice[0]))
        # Of a phrase one word will do: the longest, which is hardly ever a common one. Texts are cut at apostrophes.
        telling = [word for word, (kind, _) in self.words.items() if kind in TELLING]
        telling += [
            max(words, key=len)
            for choices in self.phrases.values()
            for words, (kind, _) in choices
            if kind in TELLING
        ]
        self._telling = frozenset(word.rpartition("'")[2] for word in telling)

    def _add(self, spelling: str, kind: str, value: Any, *, unless_known: bool = False) -> None:
        words = tuple(spelling.split(" "))
        if len(words) > 1:
            self.phrases.setdefault(words[0], []).append((words, (kind, value)))
        elif unless_known:
            self.words.setdefault(spelling, (kind, value))
        else:
            self.words[spelling] = (kind, value)

    def may_have_time(self, text: str) -> bool:
        """Whether a text has a number or a word that a time expression cannot do without; most texts do not."""
        return _DIGIT.search(text) is not None or not self._telling.isdisjoint(_LETTERS.findall(text.lower()))
