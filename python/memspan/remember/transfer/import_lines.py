"""The lines of an exported file, parsed and checked one by one."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

from memspan.arguments import as_path
from memspan.errors import FormatError, InvalidArgumentError, invalid
from memspan.records import Record
from memspan.remember.embedding import EmbedderIdentity
from memspan.remember.input.fields import checked_name

from .attachments import TYPES, Attachment, parsed_attachment
from .export_format import END_TYPE, Header, decode_header, decode_record_line
from .export_life import LIFE_TYPES, ColdLine, LifeLine, parsed_life
from .export_target import TextFile
from .job_trails import JOB_TYPE, JobLine, parsed_job
from .unlearnt_lines import UNLEARNT_TYPE, UnlearntLine, parsed_unlearnt

__all__ = ["Line", "RelationLine", "header_of", "parsed_lines", "readable"]


class RelationLine(NamedTuple):
    """An edge between tags."""

    place: str
    user: str
    parent: str
    child: str


Line: TypeAlias = Record | RelationLine | Attachment | LifeLine | JobLine | UnlearntLine


@contextmanager
def readable(file: TextFile) -> Iterator[tuple[Iterator[str], str]]:
    """The lines of a file, and what to call it."""
    if isinstance(file, (str, os.PathLike)):
        path = os.fsdecode(as_path(file, "file"))
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:
            yield iter(lines), path
    elif hasattr(file, "__iter__") and hasattr(file, "read"):
        yield iter(file), str(getattr(file, "name", "<stream>"))
    else:
        raise invalid("file", file, "a path or a text file open for reading")


def header_of(text: str, name: str) -> Header:
    """What the first line of a file says; it is empty where the file is.

    Raises:
        FormatError: it is not the first line of an export.
    """
    place = f"{name}:1"
    text = text.removeprefix("\ufeff")  # the mark that editors put before UTF-8
    if not text:
        raise FormatError(f"{place}: the file is empty; accepted: a file written by export")
    try:
        return decode_header(_parse(text, place), place)
    except FormatError:
        raise
    except InvalidArgumentError as error:
        raise FormatError(str(error)) from error


def parsed_lines(
    lines: Iterator[str], name: str, identity: EmbedderIdentity, seen: dict[tuple[str, str], int]
) -> Iterator[Line]:
    """What a file says, in its order.

    Args:
        identity: vectors of another embedder are left out.
        seen: gets the number of the line by the (user, id) of each record in memory and evicted copy.

    Raises:
        FormatError: names the file and line; or, behind all else, the file ends before its last line.
    """
    dim: int | None = None
    number = 0
    ended = True
    for number, text in enumerate(lines, 1):
        if not isinstance(text, str):
            raise invalid("file", text, "a file open for reading text, not bytes")
        place = f"{name}:{number}"
        if number > 1 and not text.strip():
            continue
        try:
            if number == 1:
                first_line = header_of(text, name)
                dim = identity.dim if first_line.embedder == identity else None
                ended = not first_line.ends
                continue
            value = _parse(text, place)
            if value.get("type") == END_TYPE:
                ended = True
                continue
            parsed = _parsed(value, place, dim)
        except FormatError:
            raise
        except InvalidArgumentError as error:
            raise FormatError(str(error)) from error
        if isinstance(parsed, Record):
            first = seen.setdefault((parsed.user, parsed.id), number)
            if first != number:
                raise FormatError(f"{place}: id {parsed.id!r} was already in line {first}")
        elif isinstance(parsed, ColdLine) and parsed.evicted:
            seen.setdefault((parsed.record.user, parsed.record.id), number)
        yield parsed
    if number == 0:
        header_of("", name)
    if not ended:
        accepted = f'a file that ends as `export` ended it, with {{"type": "{END_TYPE}"}}'
        raise FormatError(f"{name}: cut off after line {number}; accepted: {accepted}")


def _parsed(line: dict[str, Any], place: str, dim: int | None) -> Line:
    type_ = line.get("type")
    if type_ == "record":
        return decode_record_line(line, place, dim)
    if type_ == "relation":
        names = (checked_name(line.get(key), f"{place}: {key}") for key in ("user", "parent", "child"))
        return RelationLine(place, *names)
    if type_ in TYPES:
        return parsed_attachment(line, place)
    if type_ in LIFE_TYPES:
        return parsed_life(line, place, dim)
    if type_ == JOB_TYPE:
        return parsed_job(line, place)
    if type_ == UNLEARNT_TYPE:
        return parsed_unlearnt(line, place)
    accepted = "'record', 'relation', 'secret', 'resource', 'cold', 'quotas', 'lifetime', 'unlearnt' or 'job'"
    raise invalid(f"{place}: type", type_, accepted)


def _parse(text: str, place: str) -> dict[str, Any]:
    if not text.isascii():
        _require_utf8(text, place)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{place}: not JSON ({error})") from error
    if not isinstance(value, dict):
        raise FormatError(f"{place}: got {type(value).__name__}; accepted: a JSON object")
    return value


def _require_utf8(text: str, place: str) -> None:
    """Refuse what no UTF-8 stood for: its bytes were read as lone surrogates."""
    try:
        text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeDecodeError as error:
        byte = error.object[error.start]
        raise FormatError(f"{place}: not UTF-8: {error.reason} (byte 0x{byte:02x})") from error
    except UnicodeEncodeError as error:  # from a text file of the caller's
        raise FormatError(f"{place}: not UTF-8: {error.reason}") from error
