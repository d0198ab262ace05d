"""Dates of which some parts may be missing, and the interval that is meant."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from .calendar import Span, Unit, day_span, month_span, shifted, year_span

__all__ = ["Partial"]


class Partial(NamedTuple):
    """A date as written: "7 May" has no year, "May 2023" no day."""

    year: int | None = None
    month: int | None = None
    day: int | None = None

    @property
    def unit(self) -> Unit:
        """The smallest part that is given."""
        return "day" if self.day else "month" if self.month else "year"

    def resolve(self, now: datetime) -> Span | None:
        """The interval that is meant: with the year (or month) missing, the latest that has begun by `now`.

        `None` when there is no such date, such as 30 February.
        """
        try:
            return self._resolve(now)
        except ValueError:
            return None

    def _resolve(self, now: datetime) -> Span | None:
        year, month, day = self
        if month is not None and not 1 <= month <= 12:
            return None
        if year is not None:
            if month is None:
                return year_span(year) if day is None else None
            return month_span(12 * year + month - 1) if day is None else day_span(datetime(year, month, day))
        if month is not None:
            for back in range(9):  # 29 February may be eight years back, over a year that is no leap year
                candidate = now.year - back
                if candidate < 1:
                    return None
                try:
                    span = Partial(candidate, month, day)._resolve(now)
                except ValueError:
                    continue
                if span is not None and span.start <= now:
                    return span
            return None
        if day is None:
            return None
        moment = now
        for _ in range(4):
            if moment.day >= day or moment is not now:
                try:
                    return day_span(moment.replace(day=day))
                except ValueError:
                    pass
            moment = shifted(moment.replace(day=1), days=-1)
        return None

    def completed(self, other: Partial) -> Partial:
        """The same, with what is missing and known of the other end of a range: "3" in "3 to 9 June 2023"."""
        year, month, day = self
        if month is None and day is not None:
            month = other.month
        if year is None and month is not None:
            year = other.year
        return Partial(year, month, day)
