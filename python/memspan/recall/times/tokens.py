"""Words and numbers of a text, and the symbols that the grammar knows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from memspan.recall.words import word_set

__all__ = ["TELLING", "Lexicon", "Symbol", "Token", "read_tokens"]

# Kinds of symbol. The grammar is written over these, so that a language is a table of words.
#   month 1-12 · weekday 0-6 (Monday first) · unit · season 0-3 · part (of the day) · named (a named day) · plural
#   (kind and value of one of them) · glued (two symbols in one word, and where the first ends) · offset (days from
#   today) · number · decimal · amount ((count, unit)) · few · a · andhalf orso · date (year, month, day) · year ·
#   decade · quarter · clock (hour, minute) · last next this past (the how manyth, or none for the first) · early mid
#   late · half · earlier later · ago agopre fromnow ahead · more less (than an amount) · before after since until by ·
#   from to between and or but dash · now · in on the of comma dot · other word
Symbol = tuple[str, Any]

TELLING: Final = word_set(
    "month shortmonth weekday shortday unit unitoffset recent season part named plural glued offset amount date year "
    "decade quarter"
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


class Lexicon:
    """The words of one language that have to do with time."""

    __slots__ = ("_telling", "day_first", "language", "phrases", "words")

    def __init__(
        self,
        language: str,
        table: Mapping[str, Mapping[str, Any]],
        *,
        day_first: bool = True,
    ) -> None:
        self.language = language
        self.day_first = day_first
        """Whether 7/5/2023 is in May."""
        self.words: dict[str, Symbol] = {}
        self.phrases: dict[str, list[tuple[tuple[str, ...], Symbol]]] = {}
        for kind, entries in table.items():
            for spellings, value in entries.items():
                for spelling in spellings.split("|"):
                    words = tuple(spelling.split(" "))
                    if len(words) == 1:
                        self.words[spelling] = (kind, value)
                    else:
                        self.phrases.setdefault(words[0], []).append((words, (kind, value)))
        for choices in self.phrases.values():
            choices.sort(key=lambda choice: -len(choice[0]))
        # Of a phrase one word will do: the longest, which is hardly ever a common one.
        self._telling = frozenset(
            word for word, (kind, _) in self.words.items() if kind in TELLING
        ) | frozenset(
            max(words, key=len).rpartition("'")[2]
            for choices in self.phrases.values()
            for words, (kind, _) in choices
            if kind in TELLING
        )

    def may_have_time(self, text: str) -> bool:
        """Whether a text has a number or a word that a time expression cannot do without; most texts do not."""
        return _DIGIT.search(text) is not None or not self._telling.isdisjoint(_LETTERS.findall(text.lower()))


# A number takes along what is glued to it ("5K", "7/5/2023", "3-9"), so that a part of it is never taken for a day.
_PIECE: Final = re.compile(
    r"['’]\d0s\b|['’]\d\d\b(?!['’])|\d(?:[\w.,:/–-]*\w)?|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\w\s]", re.UNICODE
)
_DIGIT: Final = re.compile(r"\d")
_LETTERS: Final = re.compile(r"[^\W\d_]+")
_ISO: Final = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2})(?:[Tt][\d:.,+zZ-]*)?)?")
_DAYS: Final = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})")
_MONTH: Final = re.compile(r"(0?[1-9]|1[0-2])/((?:19|20)\d\d)")
_RANGE: Final = re.compile(r"(\d{1,2}|\d{4})(st|nd|rd|th)?([-–])(\d{1,2}|\d{4})(st|nd|rd|th)?")
_NUMBER: Final = re.compile(r"(\d{1,6})(st|nd|rd|th|er|ère|ème|e|º|ª|°|го|й|ste|de)?")
_DECIMAL: Final = re.compile(r"\d{1,3}[.,]\d")
_CLOCK: Final = re.compile(r"(\d{1,2})(?::(\d\d))?([ap]m)|(\d{1,2}):(\d\d)")
_DECADE: Final = re.compile(r"['’]?((?:1[89]|20)?\d)0['’]?s")
_PARTS_OF_YEARS: Final = {f"q{part}": (part, 3) for part in (1, 2, 3, 4)} | {"h1": (1, 6), "h2": (2, 6)}
"""Which of them, and its months."""
_NO_SYMBOL: Final[Symbol] = ("word", None)
_VERBS: Final = frozenset(["sat", "sun", "wed"])
_SIGNS: Final = {",": "comma", ".": "dot", "-": "dash", "–": "dash", "—": "dash"}


def read_tokens(text: str, lexicon: Lexicon) -> list[Token]:
    """The tokens of a text in order. Linear; never raises."""
    tokens: list[Token] = []
    words = lexicon.words
    for match in _PIECE.finditer(text):
        piece = match.group()
        start, end = match.span()
        first = piece[0]
        if first.isdigit() or (len(piece) > 1 and first in "'’"):
            _read_number(piece, start, lexicon, tokens)
            continue
        if not first.isalpha():
            tokens.append(Token(_SIGNS.get(piece, "other"), None, start, end, piece))
            continue
        word = piece.lower()
        symbol = words.get(word)
        if symbol is None and not word.isalpha():
            word = word.replace("’", "'")
            head, _, tail = word.partition("'")
            if head in words and tail in words and word not in words:  # "l'été", "dell'anno"
                start = _front(tokens, head, words[head], start, start + len(head) + 1)
                word, symbol = tail, words[tail]
            else:
                word, symbol = _apart(word, words)
        kind, value = symbol or _NO_SYMBOL
        if kind == "glued":
            cut, one, (kind, value) = value
            start = _front(tokens, word[:cut], one, start, start + cut)
            word = word[cut:]
        token = Token(kind, value, start, end, word, False, first.isupper())
        if kind == "number" and isinstance(value, tuple):
            token.value, token.ordinal = value[0], True
        elif kind == "shortmonth":
            token.kind, token.short = "month", True
        elif kind == "shortday":
            token.kind, token.short = ("weekday" if token.capital or word not in _VERBS else "word"), True
        elif kind == "word" and word + text[end : end + 1] in _PARTS_OF_YEARS:
            token.kind = "other"
        tokens.append(token)
    return _join_phrases(tokens, lexicon)


def _front(tokens: list[Token], word: str, symbol: Symbol, start: int, end: int) -> int:
    """Take the first of two words that are written as one; gives where the second begins."""
    tokens.append(Token(*symbol, start, end, word))
    return end


def _apart(word: str, words: Mapping[str, Symbol]) -> tuple[str, Symbol | None]:
    """Without a possessive ending ("july's"), or what is joined to the front of a word ("all'inizio")."""
    if word in words:
        return word, words[word]
    head, _, tail = word.partition("'")
    if tail in ("s", ""):
        return head, words.get(head)
    return (tail, words[tail]) if tail in words else (word, words.get(head) if head in words else None)


def _read_number(piece: str, start: int, lexicon: Lexicon, tokens: list[Token]) -> None:
    end = start + len(piece)
    kind, ordinal = "blob", False
    value: Any = None
    if (match := _NUMBER.fullmatch(piece)) is not None:
        number = int(match[1])
        ordinal = match[2] is not None
        kind, value = "number", number
        if not ordinal and len(match[1]) == 4 and 1900 <= number <= 2099:
            kind = "year"
    elif (match := _ISO.fullmatch(piece)) is not None:
        if match[3] is None and "." in piece:
            kind = "blob"
        else:
            kind, value = "date", (int(match[1]), int(match[2]), int(match[3]) if match[3] else None)
    elif (match := _DAYS.fullmatch(piece)) is not None:
        kind, value = "date", _slashed(match, lexicon)
        if value is None:
            kind = "blob"
    elif (match := _MONTH.fullmatch(piece)) is not None:
        kind, value = "date", (int(match[2]), int(match[1]), None)
    elif _DECIMAL.fullmatch(piece) is not None:
        kind, value = "decimal", float(piece.replace(",", "."))
    elif (match := _CLOCK.fullmatch(piece.lower())) is not None:
        hour = int(match[1] or match[4])
        if match[3]:
            hour = hour % 12 + (12 if match[3] == "pm" else 0)
        minute = int(match[2] or match[5] or 0)
        if hour < 24 and minute < 60:
            kind, value = "clock", (hour, minute)
    elif (match := _RANGE.fullmatch(piece)) is not None:
        cut = start + match.start(3)
        _read_number(piece[: match.start(3)], start, lexicon, tokens)
        tokens.append(Token("dash", None, cut, cut + 1, "-"))
        _read_number(piece[match.end(3) :], cut + 1, lexicon, tokens)
        return
    elif (match := _DECADE.fullmatch(piece)) is not None:
        kind, value = "decade", int(match[1])
    elif piece[0] in "'’":
        kind, value = "shortyear", int(piece[1:])
    tokens.append(Token(kind, value, start, end, piece, ordinal=ordinal))


def _slashed(match: re.Match[str], lexicon: Lexicon) -> tuple[int, int, int, bool] | None:
    """Day and month with the year last; the order is the language's unless the numbers or the dots say it."""
    one, two, year = int(match[1]), int(match[3]), int(match[4])
    if len(match[4]) == 2:
        if match[2] == ".":
            return None  # a version or a section
        year += 2000 if year < 70 else 1900
    day_first = lexicon.day_first or match[2] == "."
    if one > 12 or two > 12:
        day_first = one > 12
    day, month = (one, two) if day_first else (two, one)
    return year, month, day, one <= 12 and two <= 12 and one != two and match[2] != "."


def _join_phrases(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    phrases = lexicon.phrases
    joined: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.word not in phrases and token.word not in ("q", "h"):
            joined.append(token)
            at += 1
            continue
        found = _phrase_at(tokens, at, phrases.get(token.word, ()))
        if found is None:
            part = _PARTS_OF_YEARS.get(_glued(tokens, at))
            if part is not None:
                joined.append(Token("quarter", part, token.start, tokens[at + 1].end, _glued(tokens, at)))
                at += 2
                continue
            joined.append(token)
            at += 1
            continue
        length, (kind, value) = found
        joined.append(
            Token(kind, value, token.start, tokens[at + length - 1].end, token.word, capital=token.capital)
        )
        if kind == "number" and isinstance(value, tuple):
            joined[-1].value, joined[-1].ordinal = value[0], True
        at += length
    return joined


def _glued(tokens: list[Token], at: int) -> str:
    """A letter and the number that is written to it: "q3"."""
    if at + 1 < len(tokens) and tokens[at + 1].start == tokens[at].end:
        return tokens[at].word + tokens[at + 1].word
    return ""


def _phrase_at(
    tokens: list[Token], at: int, choices: Sequence[tuple[tuple[str, ...], Symbol]]
) -> tuple[int, Symbol] | None:
    for words, symbol in choices:
        if len(words) <= len(tokens) - at and all(
            tokens[at + step].word == word for step, word in enumerate(words)
        ):
            return len(words), symbol
    return None
