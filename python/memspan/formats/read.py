"""The way in: turns from a file or stream of any known format."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from ..errors import FormatError, invalid
from ..limits import MAX_NAME_BYTES
from .detect import FORMATS, format_of, other_format
from .fields import is_name
from .format import Request
from .source import Source, json_values, open_source, source_name, source_path
from .turns import Turn

__all__ = ["read_turns"]


def read_turns(source: Source, *, format: str | None = None, user: str | None = None) -> Iterator[Turn]:
    """Read the turns of a file, in its order; messages outside conversations in that of each user and session.

    Args:
        source: a path, or an open text or binary stream; a stream is left open.
        format: a name in `FORMATS`; `None` tells it by the content.
        user: whose memory the turns go into, where the file does not say. A file that names one conversation
            goes to this user under any name; from a file that names several, only this user's turns are read.

    JSON Lines are read line by line: everything before a broken line is yielded before the error. A JSON
    document is held in memory as a whole. Turns with neither text nor captions are left out.

    Raises:
        InvalidArgumentError: `source`, `format` or `user` is not of an accepted type or value.
        FormatError: while iterating: the file cannot be read or a value in it is not accepted (the message
            names file and line or path inside the JSON), the format cannot be told, or no user is known or
            selected.
    """
    if format is not None and not _is_format(format):
        raise invalid("format", format, ", ".join(FORMATS))
    if user is not None and not is_name(user):
        raise invalid("user", user, f"a string of 1-{MAX_NAME_BYTES} bytes that is not blank")
    return _read(source, format, user)


def _read(source: Source, format: str | None, user: str | None) -> Iterator[Turn]:
    file = source_name(source)
    with open_source(source) as reader:
        items = json_values(reader, file)
        other = None
        first = next(items, None)
        if first is not None:
            if format is None:
                format = format_of(first[1], file)
            else:
                other = other_format(first[1], format)
            items = chain([first], items)
            del first
        elif format is None:
            raise FormatError(f"{file}: empty; its format cannot be told")
        found = False
        try:
            for turn in FORMATS[format].read(items, Request(file, source_path(source), user)):
                found = True
                yield turn
        except FormatError as error:
            if other is None:
                raise
            raise FormatError(f"{error}; it looks like {other}") from error
        if other is not None and not found:  # logs of programs hold much that is passed over
            raise FormatError(f"{file}: holds nothing of {format}; it looks like {other}")


def _is_format(format: object) -> bool:
    return isinstance(format, str) and format in FORMATS
