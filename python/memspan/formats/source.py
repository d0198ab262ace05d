"""From a file or stream to JSON values, line by line where the file allows it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, BinaryIO, Protocol, TypeAlias, cast

from ..errors import FormatError, invalid
from .decoding import decode_json, decode_utf8
from .no_json import refuse_packed, with_what_is_read
from .place import Place

__all__ = ["MAX_BYTES", "Item", "Source", "json_values", "open_source", "source_name", "source_path"]

Source: TypeAlias = str | os.PathLike[str] | IO[str] | IO[bytes]
"""A path, or an open text or binary stream, which is read from where it stands and never closed."""

Item: TypeAlias = tuple[Place, Any]
"""A JSON value and where it stands."""

MAX_BYTES = 1 << 30
"""The largest JSON document, or line of a JSON Lines file, that is read: 1 GiB."""

_CHUNK_BYTES = 1 << 20
_BOM = b"\xef\xbb\xbf"


class ByteReader(Protocol):
    """The part of a binary stream that is used here."""

    def readline(self, limit: int, /) -> bytes: ...

    def read(self, size: int, /) -> bytes: ...


class _EncodedText:
    """A text stream read as UTF-8; lone surrogates come out as bytes that are not UTF-8, so that they are
    refused.
    """

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def readline(self, limit: int, /) -> bytes:
        return self._stream.readline(limit).encode("utf-8", "surrogatepass")

    def read(self, size: int, /) -> bytes:
        return self._stream.read(size).encode("utf-8", "surrogatepass")


def source_path(source: Source) -> Path | None:
    """The path of a source, or `None` for a stream without one, such as standard input."""
    if isinstance(source, (str, os.PathLike)):
        return Path(source)
    name = getattr(source, "name", None)
    return Path(name) if isinstance(name, str) and not name.startswith("<") else None


def source_name(source: Source) -> str:
    """What error messages call a source."""
    path = source_path(source)
    return "<stdin>" if path is None else str(path)


@contextmanager
def open_source(source: Source) -> Iterator[ByteReader]:
    """Open a path, or wrap a stream; failures to read become `FormatError`.

    Raises:
        InvalidArgumentError: `source` is neither a path nor an open stream.
        FormatError: the file cannot be opened or read.
    """
    name = source_name(source)
    try:
        if isinstance(source, (str, os.PathLike)):
            with _open(source) as stream:
                yield stream
        else:
            yield _wrap(source)
    except OSError as error:
        raise FormatError(f"{name}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise FormatError(f"{name}: not UTF-8: {error.reason}") from error


def _open(path: str | os.PathLike[str]) -> BinaryIO:
    try:
        return open(path, "rb")
    except ValueError as error:  # a NUL in the path
        raise invalid("source", path, "a path, or an open text or binary stream") from error


def _wrap(stream: IO[str] | IO[bytes]) -> ByteReader:
    try:
        is_text = isinstance(stream.read(0), str)
    except (AttributeError, ValueError) as error:  # not a stream, or a closed one
        raise invalid("source", stream, "a path, or an open text or binary stream") from error
    return _EncodedText(cast("IO[str]", stream)) if is_text else cast(ByteReader, stream)


def json_values(reader: ByteReader, file: str) -> Iterator[Item]:
    """The JSON values of a file: one per line when the first line is a complete value, else the file as one
    document.

    Line by line, a broken line raises only when it is reached, and no more than one line is held in memory.
    Blank lines are skipped; an empty file has no values.

    Raises:
        FormatError: not UTF-8, not JSON, nested too deeply, or larger than `MAX_BYTES`.
    """
    lines = _lines(reader, file)
    number, line = next(lines, (0, b""))
    if number == 0:
        return
    if number == 1:
        refuse_packed(line, file)
    try:
        value = _decode_line(line, file, number)
    except FormatError as error:
        yield Place(file), _document(reader, file, number, line, error)
        return
    yield Place(file, number), value
    del value
    for number, line in lines:
        yield Place(file, number), _decode_line(line, file, number)


def _lines(reader: ByteReader, file: str) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := reader.readline(MAX_BYTES + 1):
        number += 1
        if len(line) > MAX_BYTES:
            raise FormatError(
                f"{Place(file, number)}: the line is longer than the {MAX_BYTES:,} bytes that are read"
            )
        if number == 1:
            line = line.removeprefix(_BOM)
        if line.strip():
            yield number, line


def _decode_line(line: bytes, file: str, number: int) -> Any:
    # Without the line end: an error at the end of the text would count as one in the next line.
    return decode_json(decode_utf8(line.rstrip(b"\r\n"), file, number), file, number)


def _document(reader: ByteReader, file: str, number: int, line: bytes, line_error: FormatError) -> Any:
    """Read the rest of a file whose first line is no JSON value and decode it as one document."""
    rest = _read_rest(reader, MAX_BYTES + 1 - len(line))
    if not rest.strip():
        raise with_what_is_read(line_error, line) from None
    if len(line) + len(rest) > MAX_BYTES:
        raise FormatError(f"{file}: larger than the {MAX_BYTES:,} bytes that are read as one JSON document")
    try:
        return decode_json(decode_utf8(line + rest, file, number), file, number)
    except FormatError as error:
        if _continues_with_lines(line, rest):
            raise line_error from None
        raise with_what_is_read(error, line) from error


def _read_rest(reader: ByteReader, limit: int) -> bytes:
    """Read to the end, or a little beyond `limit` bytes; in chunks, as raw streams return what is there."""
    chunks: list[bytes] = []
    size = 0
    while size < limit and (chunk := reader.read(_CHUNK_BYTES)):
        chunks.append(chunk)
        size += len(chunk)
    return b"".join(chunks)


def _continues_with_lines(line: bytes, rest: bytes) -> bool:
    """Whether a file that starts with a broken value goes on with whole values, and so is JSON Lines broken
    in line 1.
    """
    start, following = line.strip(), rest.lstrip().split(b"\n", 1)[0]
    if len(start) < 2 or start[:1] not in (b"{", b"[") or following[:1] != start[:1]:
        return False
    try:
        decode_json(decode_utf8(following, "", 1), "", 1)
    except FormatError:
        return False
    return True
