"""Times on the command line: checked where they are written, so that an error names the option."""

from __future__ import annotations

from typing import Final, TypeAlias

import click

from memspan.errors import TimeError
from memspan.times import to_micros

__all__ = ["Ends", "checked_time", "intervals"]

Ends: TypeAlias = tuple["str | None", "str | None"]

_OPEN: Final = "-"
_ACCEPTED: Final = "ISO 8601 in the years 1 to 9999, such as 2024-05-01 or 2024-05-01T09:30+02:00"


def checked_time(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """A time as it was written, which can be read."""
    if value is not None:
        _micros(value)
    return value


def intervals(
    context: click.Context, parameter: click.Parameter, values: tuple[tuple[str, str], ...]
) -> list[Ends] | None:
    """Pairs of times, the first of each before the second; `-` leaves an end open."""
    for start, end in values:
        low, high = (
            None if each == _OPEN else _micros(each, ", or - for an open end") for each in (start, end)
        )
        if low is not None and high is not None and low > high:
            raise click.BadParameter(f"'{start}' is after '{end}'")
        if low is not None and low == high:
            raise click.BadParameter(
                f"nothing is between '{start}' and '{end}'; the end is not part of it, so that a day ends with the next"
            )
    return [
        (None if start == _OPEN else start, None if end == _OPEN else end) for start, end in values
    ] or None


def _micros(text: str, also: str = "") -> int:
    try:
        return to_micros(text)
    except TimeError as error:
        raise click.BadParameter(f"'{text}' is no time: {_ACCEPTED}{also}") from error
