"""A text as words, numbers and signs, each with what it may mean."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from memspan.recall.words import word_set

from .glued import join_written, split_glued
from .lexicon import Lexicon, Symbol, Token
from .numerals import read_number

__all__ = ["read_tokens"]

# A number takes along what is glued to it ("5K", "7/5/2023", "3-9"), so that a part of it is never taken for a day.
# "The 1990's" are a decade; "1990's best films" are those of a year.
_PIECE: Final = re.compile(
    r"['’]\d0['’]?[sS]\b|(?i:(?<=the )|(?<=late[ -])|(?<=early[ -])|(?<=mid[ -])|(?<=and )|(?<=or )|(?<=, ))"
    r"\d{1,3}0['’][sS]\b|['’]\d\d\b(?!['’])|\d(?:[\w.,:/–-]*\w)?|[^\W\d_]+(?:['’][^\W\d_]+)*|[^\w\s]",
    re.UNICODE,
)
_PARTS_OF_YEARS: Final = {f"q{part}": (part, 3) for part in (1, 2, 3, 4)} | {"h1": (1, 6), "h2": (2, 6)}
"""Which of them, and its months."""
_LETTERED: Final = {
    "fr": {f"t{part}": (part, 3) for part in (1, 2, 3, 4)} | {"s1": (1, 6), "s2": (2, 6)},
    "es": {f"t{part}": (part, 3) for part in (1, 2, 3, 4)},
    "pt": {f"t{part}": (part, 3) for part in (1, 2, 3, 4)},
    "it": {f"t{part}": (part, 3) for part in (1, 2, 3, 4)},
}
"""The same in languages whose word for a quarter begins with another letter, with a year behind it only."""
_BEFORE_NUMBERS: Final = frozenset(["q", "h", "fy", "t", "s", "w"])
_TWO_YEARS: Final = re.compile(r"((?:20)?\d\d)([-–/](?:fy)?)((?:20)?\d\d)")
_WEEK: Final = re.compile(r"w\d{1,2}")
_HALF_YEARS: Final = ("halbjahr", "semestre", "полугоди", "półrocz")
_QUARTERS: Final = ("de", "nl", "pl", "ru")
"""Languages whose word for a quarter hardly means anything else."""
_AROUND: Final = 20
_BEFORE_QUARTERS: Final = frozenset(["in", "to", "of", "the"])
_OTHER_TERMS: Final = word_set(
    "école scolaire classe bulletin note notes élève élèves lycée collège grossesse enceinte escuela escolar colegio "
    "clase notas alumno alumnos embarazo embarazada instituto scuola scolastico voti pagella gravidanza incinta liceo "
    "escola turma aluno alunos gravidez grávida boletim"
)
"""What has terms of three months that begin when they will."""
_ROMAN: Final = {"i": 1, "ii": 2, "iii": 3, "iv": 4}
_WITH_YEAR: Final = re.compile(r"([1-4])[/-]((?:19|20)?\d\d)")
_WEEK_OF_YEAR: Final = re.compile(r"(\d{1,2})/((?:19|20)?\d\d)")
_POSSESSIVE: Final = ("'s", "’s", "'S", "’S")
_DAYS: Final = 31
_NO_SYMBOL: Final[Symbol] = ("word", None)
_VERBS: Final = frozenset(["sat", "sun", "wed"])
_DIRECTED: Final = ("last", "next", "this")
_SIGNS: Final = {"&": "and", ",": "comma", "/": "or", ".": "dot", "-": "dash", "–": "dash", "—": "dash"}


def read_tokens(text: str, lexicon: Lexicon) -> list[Token]:
    """The tokens of a text in order. Linear; never raises."""
    tokens: list[Token] = []
    words = lexicon.words
    for match in _PIECE.finditer(text):
        piece = match.group()
        start, end = match.span()
        first = piece[0]
        if first in "'’" and lexicon.language == "it" and start and text[start - 1].isalpha():
            if len(piece) > 1 and int(piece[1:]) <= _DAYS:  # "l'11 maggio", but "l'estate dell'88"
                piece, start = piece[1:], start + 1
                first = piece[0]
            elif text[end : end + 1].isdigit():  # "dell'8 maggio"
                continue
        if first.isdigit() or (len(piece) > 1 and first in "'’"):
            read_number(piece, start, lexicon, tokens)
            kind = tokens[-1].kind
            if kind == "blob":
                blob = tokens.pop()
                if not split_glued(piece, start, lexicon, tokens, text[end : end + 8]):
                    tokens.append(blob)
            elif kind == "date" and start and text[start - 1].isalpha():
                tokens[-1].kind = "blob"  # "v1.2.2023"
            elif (
                kind == "year"
                and start > 1
                and text[start - 2 : start].isupper()
                and tokens[-2].kind == "word"
            ):
                tokens[-1].kind = "blob"  # "ES2020", "RTX2080"
            elif kind == "year":
                join_written(tokens)
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
            led = bool(tokens) and (tokens[-1].kind in _DIRECTED or tokens[-1].word == "on")
            verb = word in _VERBS and not token.capital and not led
            token.kind, token.short = ("word" if verb else "weekday"), True
        elif kind == "part" and tokens and tokens[-1].word in _VERBS:
            if len(tokens) < 2 or tokens[-2].kind != "the":
                tokens[-1].kind = "weekday"  # "wed night", but not "in the sun night and day"
        elif kind == "word" and word + text[end : end + 1] in _PARTS_OF_YEARS:
            token.kind = "other"
        elif word == "mo" and not token.capital and lexicon.language == "en" and _is_counted(tokens):
            token.kind, token.value = "unit", "month"  # "3 mo ago", but not "in a mo"
        if len(word) < end - start and piece[-2:] in _POSSESSIVE:
            token.possessive = True
        tokens.append(token)
    return _join_phrases(tokens, lexicon)


def _is_counted(tokens: Sequence[Token]) -> bool:
    """Whether a number in figures comes before."""
    return bool(tokens) and tokens[-1].kind in ("number", "decimal") and tokens[-1].word[0].isdigit()


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


def _join_phrases(tokens: list[Token], lexicon: Lexicon) -> list[Token]:
    phrases = lexicon.phrases
    joined: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if lexicon.language != "en" and _join_quarter(joined, tokens, at, lexicon):
            at += 1
            continue
        if joined and (week := _week_of_year(joined[-1], token)) is not None:  # "KW 20/2023"
            joined += week
            at += 1
            continue
        if token.word not in phrases and token.word not in _BEFORE_NUMBERS:
            joined.append(token)
            at += 1
            continue
        if token.word == "fy":
            _short_years(tokens, at + 1)
        found = _phrase_at(tokens, at, phrases.get(token.word, ()))
        if found is None:
            glued = _glued(tokens, at)
            part = _PARTS_OF_YEARS.get(glued)
            if part is None and _is_year(tokens, at + 2):
                part = _LETTERED.get(lexicon.language, {}).get(glued)
            dated = _WITH_YEAR.fullmatch(glued[1:]) if part is None and token.word in ("q", "h") else None
            if dated is not None:
                part = _PARTS_OF_YEARS.get(token.word + dated[1])
            if token.word == "w" and (week := _glued_week(tokens, at, glued, joined)):
                joined += week
                at += len(week)
                continue
            if part is not None:
                joined.append(Token("quarter", part, token.start, tokens[at + 1].end, glued))
                if dated is not None:
                    joined.append(_year(dated[2], tokens[at + 1].end))
                at += 2
                continue
            joined.append(token)
            at += 1
            continue
        length, (kind, value) = found
        if kind == "glued":  # each means something else beside the other: "zeszłego lata"
            for symbol, each in zip(value, tokens[at : at + length], strict=True):
                each.kind, each.value = symbol or (each.kind, each.value)
                joined.append(each)
            at += length
            continue
        joined.append(
            Token(kind, value, token.start, tokens[at + length - 1].end, token.word, capital=token.capital)
        )
        if kind == "number" and isinstance(value, tuple):
            joined[-1].value, joined[-1].ordinal = value[0], True
        at += length
    return joined


def _year(digits: str, end: int) -> Token:
    """The year that a piece ends in."""
    return Token("year" if len(digits) == 4 else "shortyear", int(digits), end - len(digits), end, digits)


def _week_of_year(before: Token, token: Token) -> list[Token] | None:
    """The number and the year that are written as one behind a word for a week."""
    if before.kind != "isoweek" and (before.kind, before.value) != ("unit", "week"):
        return None
    match = _WEEK_OF_YEAR.fullmatch(token.word)
    if match is None:
        return None
    number = Token("number", int(match[1]), token.start, token.start + len(match[1]), match[1])
    return [number, _year(match[2], token.end)]


def _is_year(tokens: Sequence[Token], at: int) -> bool:
    """Whether a year stands there: "T2 2022", "T2 de 2022"."""
    return any(token.kind == "year" for token in tokens[at : at + 1]) or (
        [token.kind for token in tokens[at : at + 2]] == ["of", "year"]
    )


def _glued_week(tokens: list[Token], at: int, glued: str, joined: list[Token]) -> list[Token]:
    """The tokens of "W19 2023", "W19-2023", "2023 W19" and of the letter in "W19/2023"; none for any other "W"."""
    letter = Token("isoweek", None, tokens[at].start, tokens[at].end, "w")
    if _WEEK_OF_YEAR.fullmatch(glued[1:]):
        return [letter]
    if _WEEK.fullmatch(glued) is None:
        return []
    kinds = [token.kind for token in tokens[at + 2 : at + 4]]
    if kinds == ["dash", "year"] and tokens[at + 2].start == tokens[at + 1].end:
        del tokens[at + 2]
    if _is_year(tokens, at + 2):
        return [letter, tokens[at + 1]]
    if not joined or joined[-1].kind != "year":
        return []
    year, number = joined.pop(), tokens[at + 1]
    letter.start, year.start, year.end = year.start, number.end, number.end
    tokens[at : at + 2] = [letter, number, year]
    return tokens[at : at + 3]


def _join_quarter(joined: list[Token], tokens: Sequence[Token], place: int, lexicon: Lexicon) -> bool:
    """Take a number before a word for a quarter into it, or for half a year: "2. Quartal", "II trimestre", "1
    полугодие"; says whether."""
    unit = tokens[place]
    quarter = (unit.kind, unit.value) == ("unit", "quarter") and unit.word not in lexicon.many
    if not quarter and not (unit.kind == "half" and unit.word.startswith(_HALF_YEARS)):
        return False
    dot = len(joined) > 1 and joined[-1].word in (".", "°") and joined[-1].start == joined[-2].end
    at = len(joined) - (2 if dot else 1)
    if at < 0:
        return False
    number = joined[at]
    # "Im zweiten Quartal"; a list of them is read as one, and a "trimestre" may be one of a school.
    spelled = number.ordinal and quarter
    if spelled and lexicon.language in _QUARTERS:
        spelled = not (at and joined[at - 1].kind in ("and", "or", "comma", "to"))
    elif spelled:
        spelled = _is_of_year(joined, at, tokens, place)
    told = number.kind == "number" and (spelled or number.word[0].isdigit())
    which = number.value if told else None
    if number.capital and number.word in _ROMAN:
        which = _ROMAN[number.word]
    if which not in ((1, 2, 3, 4) if quarter else (1, 2)):
        return False
    del joined[at:]
    joined.append(Token("quarter", (which, 3 if quarter else 6), number.start, unit.end, unit.word))
    return True


def _is_of_year(joined: Sequence[Token], number_at: int, tokens: Sequence[Token], at: int) -> bool:
    """Whether a "trimestre" is one of a year, and no list or range of them ends in it: "au premier trimestre ?", but
    not "le premier trimestre de grossesse", "du premier au deuxième trimestre"."""
    if not number_at or joined[number_at - 1].kind not in _BEFORE_QUARTERS:
        return False
    if any(token.kind == "number" for token in joined[max(0, number_at - 4) : number_at]):
        return False
    ends = at + 1 == len(tokens) or tokens[at + 1].kind in ("comma", "dot", "other")
    around = tokens[max(0, at - _AROUND) : at + _AROUND]
    return ends and all(token.word not in _OTHER_TERMS for token in around)


def _short_years(tokens: list[Token], at: int) -> None:
    """The number behind "FY" is a year, or two: "FY22", "FY22-23", "FY 22/23", "FY22-FY23"."""
    if at == len(tokens):
        return
    token = tokens[at]
    if token.kind == "number" and len(token.word) == 2:
        token.kind, token.value = "year", 2000 + token.value
        if [each.kind for each in tokens[at + 1 : at + 3]] != ["dash", "number"]:
            return
        dash, last = tokens[at + 1 : at + 3]
        if len(last.word) == 2 and token.end == dash.start == last.start - 1:
            last.kind, last.value = "year", 2000 + last.value
    elif token.kind in ("dotted", "blob") and (two := _TWO_YEARS.fullmatch(token.word.lower())):
        middle, end = token.start + two.start(2), token.start + two.end(2)
        tokens[at : at + 1] = [
            Token("year", 2000 + int(two[1]) % 2000, token.start, middle, two[1]),
            Token("dash", None, middle, end, "-"),
            Token("year", 2000 + int(two[3]) % 2000, end, token.end, two[3]),
        ]


def _glued(tokens: list[Token], at: int) -> str:
    """A letter and the number that is written to it: "q3"."""
    if at + 1 < len(tokens) and tokens[at + 1].start == tokens[at].end:
        return tokens[at].word + tokens[at + 1].word
    return ""


def _phrase_at(
    tokens: list[Token], at: int, choices: Sequence[tuple[tuple[str, ...], Symbol]]
) -> tuple[int, Symbol] | None:
    if not choices or at + 1 == len(tokens):
        return None
    second = tokens[at + 1].word
    for words, symbol in choices:
        # Most phrases differ in their second word.
        if words[1] == second and all(
            at + step < len(tokens) and tokens[at + step].word == word for step, word in enumerate(words)
        ):
            return len(words), symbol
    return None
