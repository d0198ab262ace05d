"""Which format a file has, told by its content alone."""

from __future__ import annotations

import io
import os
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from ..errors import FormatError
from .beam import BEAM
from .chat import CHAT
from .claude_code import CLAUDE_CODE
from .codex import CODEX
from .format import Format, first_object
from .halumem import HALUMEM
from .jsonl import JSONL
from .locomo import LOCOMO
from .longmemeval import LONGMEMEVAL
from .open_webui import OPEN_WEBUI
from .place import describe
from .realtalk import REALTALK
from .source import json_values, open_source, source_name
from .telegram import TELEGRAM

__all__ = ["FORMATS", "detect", "format_of", "other_format"]

FORMATS: Final[Mapping[str, Format]] = MappingProxyType(
    {
        each.name: each
        for each in (
            LOCOMO,
            REALTALK,
            BEAM,
            HALUMEM,
            LONGMEMEVAL,
            CHAT,
            CLAUDE_CODE,
            CODEX,
            OPEN_WEBUI,
            TELEGRAM,
            JSONL,
        )
    }
)
"""Every format by its name."""

_EXPORT: Final = "memspan-export"
_NAMED: Final = 6
"""Fields of a file of no known format that are named."""


def detect(source: str | os.PathLike[str] | bytes) -> str:
    """The name of the format of a file, given by its path, or of bytes, which must hold the first value in
    full.

    Reads the first line if that is a complete JSON value, else the whole file.

    Raises:
        FormatError: the content cannot be read, fits no format, or fits several.
    """
    file = "<bytes>" if isinstance(source, bytes) else source_name(source)
    with open_source(io.BytesIO(source) if isinstance(source, bytes) else source) as reader:
        for _, value in json_values(reader, file):
            return format_of(value, file)
    raise FormatError(f"{file}: empty; accepted: {_accepted()}")


def format_of(value: Any, file: str) -> str:
    """The name of the format of the file that starts with this JSON value.

    Raises:
        FormatError: the value fits no format, or several.
    """
    names = _names(value)
    if len(names) == 1:
        return names[0]
    if names:
        raise FormatError(
            f"{file}: could be any of {', '.join(names)}; name the format (format=..., or --format)"
        )
    if isinstance(value, Mapping) and value.get("format") == _EXPORT:
        raise FormatError(f"{file}: an export of memspan; `memspan load` and `Memory.load` read it")
    raise FormatError(f"{file}: of no known format: got {_seen(value)}; accepted: {_accepted()}")


def other_format(value: Any, format: str) -> str | None:
    """The format that a file which starts with this value has, where that is surely not the one it was called."""
    names = _names(value)
    return names[0] if len(names) == 1 and format not in names else None


def _names(value: Any) -> list[str]:
    return [each.name for each in FORMATS.values() if each.matches(value)]


def _seen(value: Any) -> str:
    """What there is, with the names by which a reader knows their file."""
    fields = list(first_object(value))
    if not fields:
        return describe(value)
    names = ", ".join(map(describe, fields[:_NAMED])) + (", ..." if len(fields) > _NAMED else "")
    return f"{'a list of objects' if isinstance(value, list) else 'an object'} with {names}"


def _accepted() -> str:
    return "; ".join(f"{each.name}: {each.summary}" for each in FORMATS.values())
