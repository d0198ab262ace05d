"""Stored text on a terminal: it is somebody's data, so it must not be able to drive the terminal."""

from __future__ import annotations

import re
from io import TextIOBase
from typing import IO

__all__ = ["EscapedJson", "escaped_json", "printable"]

# C0 and C1 controls except tab and newline (escape sequences start with one), the bidirectional overrides
# that make text read differently from what it holds, and lone surrogates, which no stream can encode.
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """`text` with every character that could act on a terminal replaced by U+FFFD."""
    return _UNSAFE.sub("\ufffd", text.replace("\r\n", "\n"))


def escaped_json(document: str) -> str:
    """The same JSON, with those characters, which can only stand in its strings, as escapes."""
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


class EscapedJson(TextIOBase):
    """A stream for JSON that somebody looks at."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, document: str, /) -> int:
        return self._stream.write(escaped_json(document))
