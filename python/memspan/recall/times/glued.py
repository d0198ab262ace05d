"""Dates and ranges written in one piece: "28–June", "03-May-2023", "2023-05-01/2023-05-15", "Q1/Q2", "2023-W19"."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from .calendar import Unit
from .lexicon import Lexicon, Token
from .numerals import read_number

__all__ = ["join_written", "split_glued"]

_DATE: Final = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{1,2}/\d{4}"
_TWO_DATES: Final = re.compile(rf"({_DATE})(\.\.|[-–/])({_DATE})")
_TWO_DAYS: Final = re.compile(
    r"(\d{1,2}/\d{1,2})[-–](\d{1,2}/\d{1,2}(?:/\d{2,4})?)|(\d{1,2}\.(?:\d{1,2}\.)?)[-–](\d{1,2}\.\d{1,2}(?:\.\d{4})?)"
)
_DASH: Final = re.compile(r"[-–/]")
_DAY: Final = re.compile(r"\d{1,2}(?:st|nd|rd|th|ST|ND|RD|TH)?")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_PART_OF_YEAR: Final = re.compile(r"[qh][1-4]")
_QUARTER: Final = re.compile(r"((?:19|20)\d\d)-?([qh])([1-4])|([1-4])(q)(\d\d)")
_WEEK: Final = re.compile(r"((?:19|20)\d\d)(?:-w(\d\d?)(?:-([1-7]))?|w(\d\d?)|w(\d\d)([1-7]))")
_TWO_PARTS: Final = re.compile(r"([^/–]+)[/–]([^/–]+)")
_COUNTED: Final = re.compile(r"(\d{1,3})([^\W\d_]+)(\d{2}|\d{4})?")
_SHORT_UNITS: Final[dict[str, Unit]] = {"h": "hour", "d": "day", "w": "week", "mo": "month", "y": "year"}
_DIRECTED: Final = ("last", "past", "next")
_NO_NOUN: Final = re.compile(
    r"\s*(?:$|[^\w\s]|\b(?:i|we|you|he|she|they|it|about|on|in|at|from|with|by|and|or|that|what|who|did|is|was)\b)"
)
_MOST_PARTS: Final = 4
_NAMED: Final = frozenset(["month", "shortmonth", "now", "offset", "early", "mid", "late"])


def split_glued(piece: str, start: int, lexicon: Lexicon, tokens: list[Token], after: str = "") -> bool:
    """Adds the tokens of a piece that begins with a digit, if every part of it can be one of a time; says whether.

    Args:
        after: what stands behind it, eight characters of it.
    """
    if _part_of_year(piece, start, tokens) or _counted(piece, start, lexicon, tokens, after):
        return True
    if (two := _TWO_PARTS.fullmatch(piece)) is not None and _two_parts(two, start, tokens):
        return True
    if (dates := _TWO_DATES.fullmatch(piece)) is not None and _two_dates(dates, start, lexicon, tokens):
        return True
    if (days := _TWO_DAYS.fullmatch(piece)) is not None:
        return _two_days(days, start, lexicon, tokens)
    parts = _DASH.split(piece)
    if not 1 < len(parts) <= _MOST_PARTS:
        return False
    before = tokens[-1] if tokens else None
    added: list[Token] = []
    telling = False
    at = start
    for part in parts:
        read = _part(part, at, lexicon)
        if read is None:
            return False
        telling = telling or read[0].kind not in ("number", "year") or len(read) > 1
        if _PART_OF_YEAR.fullmatch(part.lower()) and [token.kind for token in added] == ["year"]:
            year = added.pop()  # "2023-Q1/Q2"
            read[0].start, year.start, year.end = year.start, at + len(part), at + len(part)
            added, at = [*read, year], at + len(part) + 1
            continue
        if added and not _one_date(added, before, read[0]):
            if len(parts) == 3 and len(added) == 2 and added[1].kind == "month" and read[0].kind == "number":
                read[0].kind = "shortyear"  # "8-May-22"
            else:
                sign = piece[at - start - 1]
                added.append(Token("or" if sign == "/" else "dash", None, at - 1, at, sign))
        added += read
        at += len(part) + 1
    if telling:
        tokens += added
    return telling


def join_written(tokens: list[Token]) -> None:
    """Take the dashes out of what has just been read, where they hold a date together: "Jan-05-2023"."""
    if len(tokens) < 3:
        return
    month, dash, year = tokens[-3:]
    if (month.kind, dash.kind, year.kind) == ("month", "dash", "year"):
        if month.end == dash.start == year.start - 1:  # "Mar-2022"
            del tokens[-2]
        return
    if len(tokens) < 5:
        return
    month, one, day, two, year = tokens[-5:]
    kinds = (month.kind, one.kind, day.kind, two.kind, year.kind)
    if kinds == ("month", "dash", "number", "dash", "year") and month.end == one.start == day.start - 1:
        tokens[-4:] = [day, year]


def _part_of_year(piece: str, start: int, tokens: list[Token]) -> bool:
    return _quarter(piece, start, tokens) or _week(piece, start, tokens)


def _two_parts(match: re.Match[str], start: int, tokens: list[Token]) -> bool:
    """As in "2023-W19/2023-W21", "2023-Q1/2023-Q2"."""
    added: list[Token] = []
    end = start + match.end(1)
    if not _part_of_year(match[1], start, added):
        return False
    added.append(Token("dash", None, end, end + 1, "-"))
    if not _part_of_year(match[2], end + 1, added):
        return False
    tokens += added
    return True


def _quarter(piece: str, start: int, tokens: list[Token]) -> bool:
    """As in "2022Q3", "2022-Q3", "3Q22"."""
    match = _QUARTER.fullmatch(piece.lower())
    if match is None:
        return False
    year, letter, which = match[1], match[2] or match[5], int(match[3] or match[4])
    if letter == "h" and which > 2:
        return False
    end = start + len(piece)
    tokens.append(Token("quarter", (which, 3 if letter == "q" else 6), start, end, piece))
    if year:
        tokens.append(Token("year", int(year), end, end, year))
    else:
        tokens.append(Token("shortyear", int(match[6]), end, end, match[6]))
    return True


def _week(piece: str, start: int, tokens: list[Token]) -> bool:
    """As in "2023-W19", or a day of it: "2023-W19-3"."""
    match = _WEEK.fullmatch(piece.lower())
    if match is None:
        return False
    year, number, end = int(match[1]), int(match[2] or match[4] or match[5]), start + len(piece)
    of_week = match[3] or match[6]
    try:
        day = date.fromisocalendar(year, number, int(of_week or 1))
    except ValueError:
        return False
    if of_week:
        tokens.append(Token("date", (day.year, day.month, day.day), start, end, piece))
        return True
    tokens += (
        Token("isoweek", None, start, end, piece),
        Token("number", number, end, end, str(number)),
        Token("year", year, end, end, match[1]),
    )
    return True


def _counted(piece: str, start: int, lexicon: Lexicon, tokens: list[Token], after: str) -> bool:
    """As in "2weeks", "3d" and "14Mar2022": a number with its unit or its month, without a space."""
    match = _COUNTED.fullmatch(piece)
    if match is None:
        return False
    word = match[2].lower()
    kind, value = lexicon.words.get(word, ("", None))
    if kind not in ("unit", "month", "shortmonth"):
        kind, value = "unit", _SHORT_UNITS.get(match[2])
        if value is None and match[2] == "m" and _are_minutes(match[1], lexicon, tokens, after):
            value = "minute"
        if value is None:
            return False
    if match[3] and kind == "unit":
        return False
    at = start + match.start(2)
    read_number(match[1], start, lexicon, tokens)
    short = kind == "shortmonth"
    tokens.append(Token("month" if short else kind, value, at, at + len(word), word, False, True, short))
    if match[3]:
        read_number(match[3], start + match.start(3), lexicon, tokens)
        if len(match[3]) == 2:
            tokens[-1].kind = "shortyear"
    return True


def _are_minutes(number: str, lexicon: Lexicon, tokens: list[Token], after: str) -> bool:
    """Whether what "15m" stands beside makes minutes of them: "15m ago", "in the last 15m", not "the last 15m of the
    race", "the last 50m sprint"; the last 3, 6 or 12 may as well be months."""
    if lexicon.language != "en" or int(number) % 5:
        return False
    if after.startswith(" ago"):
        return True
    return bool(tokens) and tokens[-1].kind in _DIRECTED and _NO_NOUN.match(after.lower()) is not None


def _two_dates(match: re.Match[str], start: int, lexicon: Lexicon, tokens: list[Token]) -> bool:
    added: list[Token] = []
    read_number(match[1], start, lexicon, added)
    added.append(Token("dash", None, start + match.start(2), start + match.end(2), "-"))
    last: list[Token] = []
    read_number(match[3], start + match.start(3), lexicon, last)
    added += last
    if [token.kind for token in added] != ["date", "dash", "date"]:
        return False
    tokens += added
    return True


def _two_days(match: re.Match[str], start: int, lexicon: Lexicon, tokens: list[Token]) -> bool:
    """As in "10/5-10/7" and "5.-7.5", of which the last dot stands behind the piece."""
    if match[3] and not lexicon.day_first:
        return False
    one, two = (1, 2) if match[1] else (3, 4)
    first = match[one].removesuffix(".")
    read_number(first, start, lexicon, tokens)
    end = start + match.end(one)
    if match[3]:
        tokens.append(Token("dot", None, end - 1, end, "."))
    tokens.append(Token("dash", None, end, end + 1, "-"))
    read_number(match[two], end + 1, lexicon, tokens)
    return True


def _part(part: str, at: int, lexicon: Lexicon) -> list[Token] | None:
    """The tokens of what stands between two dashes."""
    added: list[Token] = []
    dot = part.endswith(".")
    number = part[:-1] if dot else part
    if _DAY.fullmatch(number) or (_YEAR.fullmatch(number) and not dot):
        read_number(number, at, lexicon, added)
        if dot:  # "3.-5. Mai"
            added.append(Token("dot", None, at + len(number), at + len(part), "."))
        return added
    word = part.lower()
    if _PART_OF_YEAR.fullmatch(word):
        added.append(Token("word", None, at, at + 1, word[0]))
        read_number(word[1:], at + 1, lexicon, added)
        return added
    kind, value = lexicon.words.get(word, ("", None))
    if kind not in _NAMED:
        return None
    short = kind == "shortmonth"
    month = "month" if short else kind
    return [Token(month, value, at, at + len(part), word, False, part[0].isupper(), short)]


def _one_date(added: list[Token], before: Token | None, following: Token) -> bool:
    """Whether a dash holds two parts of one date together: "3-May" and "May-2023", but not "May 28-June 3"."""
    last = added[-1]
    earlier = added[-2] if len(added) > 1 else before
    if following.kind == "month":
        return last.kind == "number" and (earlier is None or earlier.kind != "month")
    return (
        last.kind == "month" and earlier is not None and earlier.kind == "number" and following.kind == "year"
    )
