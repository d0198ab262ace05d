"""Export users as JSON Lines."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from memspan.errors import invalid

from .attachments import attachment_lines
from .engine import Engine
from .export_format import encode_record_line, header
from .export_life import life_lines, quota_lines
from .fields import checked_name
from .secret_ids import expired_secrets
from .tags import without_made

__all__ = ["TextFile", "export"]

TextFile: TypeAlias = "str | os.PathLike[str] | IO[str]"
"""A path, or an open text file."""

_BATCH: Final = 512


def export(
    engine: Engine, user: str | None, file: TextFile, *, embeddings: bool, records_only: bool = False
) -> int:
    """See `Memory.export`. Quotas come first, so that whoever loads the file keeps to them from the first record on."""
    if user is not None:
        checked_name(user, "user")
    engine.require_open()
    count = 0
    with engine.store.reading() as reader, _writable(file) as lines:
        _write(lines, header(engine.embedder.identity))
        if not records_only:
            for line in quota_lines(reader, user):
                _write(lines, line)
        users = reader.users() if user is None else [user]
        made = {name: reader.made_tags(name) for name in users}
        # What must not be read any more must not be carried to where it would wait for another sleep.
        over = {name: expired_secrets(reader, name) for name in users}
        for records in reader.scan(user, _BATCH, embeddings=embeddings):
            going = [record for record in records if record.id not in over[record.user]]
            for record in going:
                given = without_made(record, made[record.user])
                _write(lines, encode_record_line(given, embedding=embeddings))
            count += len(going)
        made_relations = reader.made_relations(user)
        for relation in reader.relations(user):
            if relation not in made_relations:
                _write(lines, {"type": "relation", **relation._asdict()})
        for line in attachment_lines(reader, user, cold=not records_only, without=over):
            _write(lines, line)
        if not records_only:
            for line in life_lines(reader, user, embeddings=embeddings, without=over):
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
