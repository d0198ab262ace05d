"""Where in an input file a value stands, and errors that say so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import FormatError, shorten

__all__ = ["Place", "describe"]


@dataclass(frozen=True, slots=True)
class Place:
    """A position in an input file: the file, the line when the file is read line by line, and the path inside
    the JSON.

    Its text is `file:line: path`, without the parts that are empty.
    """

    file: str
    line: int | None = None
    path: str = ""

    def __getitem__(self, step: str | int) -> Place:
        """The place of a member (`str`) or an element (`int`) of the value that stands here."""
        if isinstance(step, int):
            path = f"{self.path}[{step}]"
        elif not step.isidentifier() or len(step) > 80:
            path = f"{self.path}[{shorten(step)}]"
        else:
            path = f"{self.path}.{step}" if self.path else step
        return Place(self.file, self.line, path)

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.path}" if self.path else where

    def error(self, got: Any, accepted: str) -> FormatError:
        """The error for a value here that is not what is accepted; the caller raises it."""
        return FormatError(f"{self}: got {describe(got)}; accepted: {accepted}")

    def missing(self, field: str, accepted: str = "") -> FormatError:
        """The error for an object here that lacks a field; the caller raises it. `accepted`: what such an object is."""
        expected = f"; accepted: {accepted}" if accepted else ""
        return FormatError(f"{self}: the field {field!r} is missing{expected}")


def describe(value: Any) -> str:
    """A short name for a JSON value. Never walks containers, which may be huge or nested too deeply for
    `repr`.
    """
    if isinstance(value, dict):
        return f"an object with {len(value)} fields"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, str):
        return shorten(value[:100])
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 200:
        return "an integer of more than 60 digits"
    return "null" if value is None else shorten(value)
