"""The time of a question, as prompts show it."""

from __future__ import annotations

from datetime import datetime

__all__ = ["moment_line"]

_DAYS = ("Mon", "Tues", "Wednes", "Thurs", "Fri", "Satur", "Sun")  # not the locale's


def moment_line(now: datetime) -> dict[str, str]:
    """The time in ISO 8601 and the day of the week, which models get wrong, both in its own zone."""
    return {"time": now.isoformat(timespec="minutes"), "weekday": _DAYS[now.weekday()] + "day"}
