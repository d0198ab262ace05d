"""Weeks and months in figures that Chinese and Japanese write words right behind: "2023-W19に", "2023年第19周",
"2023-05的"."""

from __future__ import annotations

from datetime import date, datetime
from re import Match
from typing import Final

from .calendar import day_span
from .east_asian_ago import reading_of
from .languages.east_asian import NUMBER, YEAR, number_of, year_of
from .partial import Partial
from .reading import Reading

__all__ = ["MONTH", "WEEK", "read_month", "read_week"]

_HAN: Final = r"\u3040-\u30ff\u4e00-\u9fff"
WEEK: Final = (
    r"(?<![A-Za-z0-9_/.\-])(?P<y>(?:19|20)\d\d)-?[Ww](?P<w>\d\d?)(?![A-Za-z0-9_\-])"
    rf"|(?P<year>{YEAR})年[の的]?第(?P<n>{NUMBER})[周週](?!間)"
)
MONTH: Final = (
    r"(?<![A-Za-z0-9_/.\-])(?P<y>(?:19|20)\d\d)[\-/](?P<m>0?[1-9]|1[0-2])"
    rf"(?=[{_HAN}])(?![年度学赛季版期号届]|シーズン)"
)
"""Not "2011-12赛季" (a season)."""


def read_week(match: Match[str], now: datetime) -> Reading | None:
    """The week of that number of that year, as ISO 8601 counts them."""
    year, week = match["y"] or match["year"], match["w"] or match["n"]
    try:
        monday = date.fromisocalendar(year_of(year), number_of(week), 1)
    except ValueError:
        return None
    return reading_of(day_span(monday, 7), "week", 1.0, "a week of a year")


def read_month(match: Match[str], now: datetime) -> Reading | None:
    """The month of that year."""
    partial = Partial(int(match["y"]), int(match["m"]))
    return reading_of(partial.resolve(now), "month", 1.0, "a date", partial)
