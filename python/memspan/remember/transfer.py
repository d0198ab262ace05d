"""Export users as JSON Lines, and load such files."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, NamedTuple, TypeAlias

from memspan.errors import FormatError, InvalidArgumentError, TagCycleError, invalid

from .adding import Advance, add_in_batches
from .attachments import TYPES, Attachment, attachment_lines, load_attachments, parsed_attachment
from .draft import Draft
from .engine import Engine
from .export_format import decode_header, decode_record_line, encode_record_line, header
from .export_life import LIFE_TYPES, LifeLine, life_lines, load_life, parsed_life
from .fields import checked_name
from .relating import relate
from .tags import without_made

__all__ = ["TextFile", "export", "load"]

TextFile: TypeAlias = "str | os.PathLike[str] | IO[str]"
"""A path, or an open text file."""

_BATCH: Final = 512


def export(
    engine: Engine, user: str | None, file: TextFile, *, embeddings: bool, records_only: bool = False
) -> int:
    """See `Memory.export`."""
    if user is not None:
        checked_name(user, "user")
    engine.require_open()
    count = 0
    with engine.store.reading() as reader, _writable(file) as lines:
        _write(lines, header(engine.embedder.identity))
        made = {name: reader.made_tags(name) for name in (reader.users() if user is None else [user])}
        for records in reader.scan(user, _BATCH, embeddings=embeddings):
            for record in records:
                given = without_made(record, made[record.user])
                _write(lines, encode_record_line(given, embedding=embeddings))
            count += len(records)
        made_relations = reader.made_relations(user)
        for relation in reader.relations(user):
            if relation not in made_relations:
                _write(lines, {"type": "relation", **relation._asdict()})
        for line in attachment_lines(reader, user):
            _write(lines, line)
        if not records_only:
            for line in life_lines(reader, user, embeddings=embeddings):
                _write(lines, line)
    return count


def _write(lines: IO[str], value: Mapping[str, Any]) -> None:
    lines.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")


@contextmanager
def _writable(file: TextFile) -> Iterator[IO[str]]:
    """An open file as it is; a path is written beside itself, readable by the owner only, and takes its place
    at the end: a failed export leaves the older file."""
    if not isinstance(file, (str, os.PathLike)):
        if not hasattr(file, "write"):
            raise invalid("file", file, "a path or a text file open for writing")
        yield file
        return
    path = Path(file)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    try:
        descriptor = os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except OSError as error:  # which would name the temporary file
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        with open(descriptor, "w", encoding="utf-8", newline="\n") as lines:
            yield lines
            lines.flush()
            os.fsync(lines.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


class _RelationLine(NamedTuple):
    place: str
    user: str
    parent: str
    child: str


def load(engine: Engine, file: TextFile, advance: Advance | None = None) -> int:
    """See `Memory.load`."""
    relations: list[_RelationLine] = []
    attachments: list[Attachment] = []
    life: list[LifeLine] = []
    with _readable(file) as (lines, name):
        try:
            drafts = _drafts(engine, lines, name, relations, attachments, life)
            return add_in_batches(engine, drafts, _BATCH, advance)
        finally:
            # Also on a broken line: what came before it stays.
            for line in relations:
                _relate(engine, line)
            load_attachments(engine, attachments)
            load_life(engine, life)


@contextmanager
def _readable(file: TextFile) -> Iterator[tuple[Iterator[str], str]]:
    if isinstance(file, (str, os.PathLike)):
        with open(file, encoding="utf-8", errors="surrogateescape") as lines:
            yield iter(lines), os.fspath(file)
    elif hasattr(file, "__iter__") and hasattr(file, "read"):
        yield iter(file), str(getattr(file, "name", "<stream>"))
    else:
        raise invalid("file", file, "a path or a text file open for reading")


def _drafts(
    engine: Engine,
    lines: Iterator[str],
    name: str,
    relations: list[_RelationLine],
    attachments: list[Attachment],
    life: list[LifeLine],
) -> Iterator[Draft]:
    """The records of the file; what else there is is collected on the way.

    Raises:
        FormatError: names the file and line.
    """
    dim: int | None = None
    seen: dict[tuple[str, str], int] = {}
    number = 0
    for number, text in enumerate(lines, 1):
        place = f"{name}:{number}"
        if number > 1 and not text.strip():
            continue
        try:
            line = _parse(text, place)
            if number == 1:
                identity = engine.embedder.identity
                dim = identity.dim if decode_header(line, place) == identity else None
            elif line.get("type") == "record":
                record = decode_record_line(line, place, dim)
                first = seen.setdefault((record.user, record.id), number)
                if first != number:
                    raise InvalidArgumentError(f"{place}: id {record.id!r} was already in line {first}")
                yield Draft(record)
            elif line.get("type") == "relation":
                names = (
                    checked_name(line.get(key), f"{place}: {key}") for key in ("user", "parent", "child")
                )
                relations.append(_RelationLine(place, *names))
            elif line.get("type") in TYPES:
                attachments.append(parsed_attachment(line, place))
            elif line.get("type") in LIFE_TYPES:
                life.append(parsed_life(line, place, dim))
            else:
                accepted = "'record', 'relation', 'secret', 'resource', 'cold', 'quotas' or 'lifetime'"
                raise invalid(f"{place}: type", line.get("type"), accepted)
        except FormatError:
            raise
        except InvalidArgumentError as error:
            raise FormatError(str(error)) from error
    if number == 0:
        raise FormatError(f"{name}:1: the file is empty; accepted: a file written by export")


def _parse(text: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{place}: not JSON ({error})") from error
    if not isinstance(value, dict):
        raise FormatError(f"{place}: got {type(value).__name__}; accepted: a JSON object")
    return value


def _relate(engine: Engine, line: _RelationLine) -> None:
    try:
        relate(engine, user=line.user, parent=line.parent, child=line.child)
    except (InvalidArgumentError, TagCycleError) as error:
        raise FormatError(f"{line.place}: {error}") from error
