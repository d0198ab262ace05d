"""Texts out of JSON in SQL, whatever characters they hold: SQLite's functions cut them off at a NUL."""

from __future__ import annotations

import json
import sqlite3
from typing import Any, Final

__all__ = ["add_function", "each_text", "text_at"]

_FUNCTION: Final = "json_text"
_HAS_NUL: Final = "instr({}, '\\u0000')"
"""As JSON writes it. For the few documents that have one, Python is asked, which takes some microseconds each."""


def add_function(connection: sqlite3.Connection) -> None:
    """Make the expressions of this module work on a connection."""
    connection.create_function(_FUNCTION, 2, _text_at, deterministic=True)


def text_at(column: str, path: str) -> str:
    """An expression for the text at a path, such as `$.metadata.version_of`, of a column with JSON; what is no text
    there comes as `json_extract` has it, or as NULL."""
    path = f"'{path}'"
    parsed = f"{_FUNCTION}({column}, {path}) ELSE json_extract({column}, {path})"
    return f"CASE WHEN {_HAS_NUL.format(column)} THEN {parsed} END"


def each_text(column: str) -> str:
    """An expression for the text of a row of `json_each` over a path of the column, which the statement calls `j`."""
    return f"CASE WHEN {_HAS_NUL.format(column)} THEN {_FUNCTION}({column}, j.fullkey) ELSE j.value END"


def _text_at(document: str, path: str) -> str | None:
    value: Any = json.loads(document)
    for step in path.replace("[", ".").replace("]", "").split(".")[1:]:
        if isinstance(value, list):
            value = value[int(step)]
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value if isinstance(value, str) else None
