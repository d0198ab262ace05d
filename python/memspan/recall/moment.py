"""The time of a question, as prompts show it."""

from __future__ import annotations

from memspan.times import Micros, from_micros

__all__ = ["moment_line"]

_DAYS = ("Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur", "Sun")  # not the locale's


def moment_line(now: Micros) -> dict[str, str]:
    """The time in ISO 8601 and the day of the week, which models get wrong."""
    at = from_micros(now)
    return {"time": at.isoformat(timespec="minutes"), "weekday": _DAYS[at.weekday()] + "day"}
