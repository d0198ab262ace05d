"""What is written in digits: numbers, dates, years, decades, clock times, and two of them joined by a dash."""

from __future__ import annotations

import re
from typing import Any, Final

from .lexicon import Lexicon, Token

__all__ = ["read_number"]

_ISO: Final = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2})(?:[Tt][\d:.,+zZ-]*)?)?")
_DAYS: Final = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})")
_MONTH_AND_DAY: Final = re.compile(r"(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")
_DAY_AND_MONTH: Final = re.compile(r"0\d-\d\d|\d\d-0\d")
_BEFORE_DAYS: Final = frozenset(["on", "since", "until", "before", "after"])
_YEARS: Final = re.compile(r"((?:19|20)\d\d)[-–/]((?:19|20)\d\d|\d\d)")
_MONTH: Final = re.compile(r"(?:(0?[1-9]|1[0-2])/|(0[1-9]|1[0-2])[.-])((?:19|20)\d\d)")
_COMPACT: Final = re.compile(r"((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
_RANGE: Final = re.compile(r"(\d{1,2}|\d{4})(st|nd|rd|th)?([-–])(\d{1,2}|\d{4})(st|nd|rd|th)?")
_NUMBER: Final = re.compile(r"(\d{1,6})(st|nd|rd|th|er|ère|ème|e|º|ª|°|-?(?:го|ое|й|е|му|м)|ste|de)?")
_DECIMAL: Final = re.compile(r"\d{1,3}[.,]\d")
_DOTTED: Final = re.compile(r"\d{1,2}\.\d{1,2}")
_SLASHED: Final = re.compile(r"\d{1,2}/\d{1,2}")
_CLOCK: Final = re.compile(r"(\d{1,2})(?::(\d\d))?([ap]m)|(\d{1,2}):(\d\d)")
_SHOUTED: Final = re.compile(r"\d(?:ST|ND|RD|TH|['’]?S|-?(?:ГО|ОЕ|Й|Е|МУ|М|Х|ЫЕ|ЫХ))\b")
_DECADE: Final = re.compile(r"['’]?((?:1[89]|20)?\d)0['’]?s")
_DECADES: Final = {
    "de": re.compile(r"((?:1[89]|20)?\d)0ern?"),
    "ru": re.compile(r"((?:1[89]|20)?\d)0-?(?:х|е|ые|ых)"),
}


def read_number(piece: str, start: int, lexicon: Lexicon, tokens: list[Token]) -> None:
    end = start + len(piece)
    piece = _SHOUTED.sub(lambda match: match[0].lower(), piece)
    kind, ordinal = "blob", False
    value: Any = None
    decade = _DECADES.get(lexicon.language)
    if decade is not None and (match := decade.fullmatch(piece)) is not None:
        kind, value = "decade", int(match[1])
    elif (match := _NUMBER.fullmatch(piece)) is not None:
        number = int(match[1])
        ordinal = match[2] is not None
        kind, value = "number", number
        named = not ordinal or match[2][0] == "-"  # "в 2022-м году"
        if named and len(match[1]) == 4 and 1900 <= number <= 2099:
            kind = "year"
    elif (match := _COMPACT.fullmatch(piece)) is not None:
        kind, value = "date", (int(match[1]), int(match[2]), int(match[3]))
    elif (match := _YEARS.fullmatch(piece)) is not None and (last := _last_year(match)):
        cut = start + 4
        tokens += (Token("year", int(match[1]), start, cut, match[1]), Token("dash", None, cut, cut + 1, "-"))
        kind, value, start, piece = "year", last, cut + 1, match[2]
    elif (match := _ISO.fullmatch(piece)) is not None:
        if match[3] is None and "." in piece:
            kind = "blob"
        else:
            kind, value = "date", (int(match[1]), int(match[2]), int(match[3]) if match[3] else None)
    elif (match := _DAYS.fullmatch(piece)) is not None:
        kind, value = "date", _slashed(match, lexicon)
        if value is None:
            kind = "dotted" if lexicon.day_first else "blob"
    elif (match := _MONTH.fullmatch(piece)) is not None and not _after_dash(start, tokens):
        kind, value = "date", (int(match[3]), int(match[1] or match[2]), None)
    elif _DECIMAL.fullmatch(piece) is not None:
        kind, value = "decimal", float(piece.replace(",", "."))
    elif (match := _CLOCK.fullmatch(piece.lower())) is not None:
        hour = int(match[1] or match[4])
        if match[3]:
            hour = hour % 12 + (12 if match[3] == "pm" else 0)
        minute = int(match[2] or match[5] or 0)
        if hour < 24 and minute < 60:
            kind, value = "clock", (hour, minute)
    elif (day := _day_of_year_before(piece, tokens)) is not None:
        kind, value = "date", day
    elif _DAY_AND_MONTH.fullmatch(piece) is not None and tokens and tokens[-1].kind in _BEFORE_DAYS:
        kind, piece = "dotted", piece.replace("-", "/")  # "on 05-21"
    elif (match := _RANGE.fullmatch(piece)) is not None:
        cut = start + match.start(3)
        read_number(piece[: match.start(3)], start, lexicon, tokens)
        tokens.append(Token("dash", None, cut, cut + 1, "-"))
        read_number(piece[match.end(3) :], cut + 1, lexicon, tokens)
        return
    elif (match := _DECADE.fullmatch(piece)) is not None:
        kind, value = "decade", int(match[1])
    elif (lexicon.day_first and _DOTTED.fullmatch(piece)) or _SLASHED.fullmatch(piece):
        kind = "dotted"
    elif piece[0] in "'’":
        kind, value = "shortyear", int(piece[1:])
    tokens.append(Token(kind, value, start, end, piece, ordinal=ordinal))


def _day_of_year_before(piece: str, tokens: list[Token]) -> tuple[int, int, int] | None:
    """The end of a range that lacks the year of its beginning: "2022-05-03 to 05-09"."""
    match = _MONTH_AND_DAY.fullmatch(piece)
    if match is None or len(tokens) < 2 or tokens[-1].kind not in ("to", "dash", "until"):
        return None
    first = tokens[-2]
    if first.kind != "date" or not _ISO.fullmatch(first.word) or first.value[2] is None:
        return None
    return first.value[0], int(match[1]), int(match[2])


def _after_dash(start: int, tokens: list[Token]) -> bool:
    """Whether it is written to what comes before it: "Jan-05-2023"."""
    return bool(tokens) and tokens[-1].kind == "dash" and tokens[-1].end == start


def _last_year(match: re.Match[str]) -> int:
    """The second of two years: "2019-2021", "2021/22"; 0 if it is none, as in "2021-11"."""
    first, last = int(match[1]), int(match[2])
    if len(match[2]) == 4:
        return last if last > first else 0
    if last == (first + 1) % 100 and last > 12:
        return first + 1
    return first // 100 * 100 + last if 12 < last > first % 100 else 0


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
