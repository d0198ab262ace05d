"""What a file is that does not begin as JSON: people have their chats as text, as tables, and packed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from ..errors import FormatError
from .place import Place

__all__ = ["refuse_packed", "with_what_is_read"]

_PACKED: Final[Mapping[bytes, str]] = {
    b"\x1f\x8b": "compressed by gzip",
    b"BZh": "compressed by bzip2",
    b"\xfd7zXZ\x00": "compressed by xz",
    b"\x28\xb5\x2f\xfd": "compressed by zstd",
    b"PK\x03\x04": "a ZIP archive",
}
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")

_BEGINS_AS_JSON: Final = re.compile(rb"\s*(\{|\[\s*([\[{\]]|$))")
"""An object, or a list of some: "[12/05/2024, 09:13] Ana: hi" is none."""


def refuse_packed(line: bytes, file: str) -> None:
    """Raise a `FormatError` for the first line of a file whose first bytes say that it is no text in UTF-8."""
    for signature, what in _PACKED.items():
        if line.startswith(signature):
            raise FormatError(
                f"{file}: {what}; accepted: JSON or JSON Lines, unpacked (`memspan ingest -` reads a pipe)"
            )
    if line.startswith(_UTF_16):
        raise FormatError(f"{Place(file, 1)}: not UTF-8, but UTF-16; accepted: JSON or JSON Lines in UTF-8")


def with_what_is_read(error: FormatError, line: bytes) -> FormatError:
    """The error of a file that begins with this line, which is no JSON; of a text or a table says what is read."""
    if _BEGINS_AS_JSON.match(line):
        return error
    return FormatError(
        f'{error}; accepted: JSON or JSON Lines, at least {{"text": "what was said"}} on a line for each turn'
    )
