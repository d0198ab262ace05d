"""Fields of a Protocol Buffers message in bytes, without its schema.

Two facts of the format suffice: a reader skips what it does not know by its length, and two messages written one after
the other read as one whose parts are merged.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

__all__ = ["as_field", "integers", "messages"]

_BYTES: Final = 2  # the wire type of texts, messages and packed numbers
_FIXED: Final = {1: 8, 5: 4}
_MOST_VARINT: Final = 10


def messages(view: memoryview, wanted: int) -> Iterator[memoryview]:
    """The contents of the fields of that number that hold bytes; writable where `view` is.

    Raises:
        ValueError: the bytes are no message.
    """
    for number, content in _fields(view):
        if number == wanted and isinstance(content, memoryview):
            yield content


def integers(view: memoryview, wanted: int) -> list[int]:
    """The numbers of the fields of that number, which are not negative, packed or not.

    Raises:
        ValueError: the bytes are no message.
    """
    found: list[int] = []
    for number, content in _fields(view):
        if number != wanted:
            continue
        if isinstance(content, int):
            found.append(content)
            continue
        place = 0
        while place < len(content):
            value, place = _varint(content, place)
            found.append(value)
    return found


def as_field(number: int, content: bytes) -> bytes:
    """A field that holds bytes."""
    size, out = len(content), bytearray([number << 3 | _BYTES])
    while size >= 0x80:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    out.append(size)
    return bytes(out) + content


def _fields(view: memoryview) -> Iterator[tuple[int, memoryview | int]]:
    """Number and content of each field, but for those of a fixed width."""
    place = 0
    while place < len(view):
        tag, place = _varint(view, place)
        kind = tag & 7
        if kind == _BYTES:
            size, place = _varint(view, place)
            if place + size > len(view):
                raise ValueError("a field ends after its message")
            yield tag >> 3, view[place : place + size]
            place += size
        elif kind == 0:
            value, place = _varint(view, place)
            yield tag >> 3, value
        elif kind in _FIXED:
            place += _FIXED[kind]
        else:
            raise ValueError(f"a field of unknown kind {kind}")
    if place > len(view):
        raise ValueError("a field ends after its message")


def _varint(view: memoryview, place: int) -> tuple[int, int]:
    value = 0
    for count in range(_MOST_VARINT):
        if place + count >= len(view):
            raise ValueError("a number ends after its message")
        byte = view[place + count]
        value |= (byte & 0x7F) << (7 * count)
        if byte < 0x80:
            return value, place + count + 1
    raise ValueError("a number of more than 64 bits")
