"""Export users as JSON Lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import IO, Any, Final

from memspan.errors import invalid
from memspan.remember.embedding import EmbedderIdentity
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name
from memspan.remember.input.tags import without_made_of
from memspan.remember.writing.secret_ids import expired_secrets

from .attachments import attachment_lines
from .export_format import encode_record_line, end, header
from .export_life import life_lines, quota_lines
from .export_target import TextFile, writable
from .job_trails import job_lines
from .unlearnt_lines import unlearnt_lines

__all__ = ["export"]

_BATCH: Final = 512


def export(
    engine: Engine, user: str | None, file: TextFile, *, embeddings: bool, records_only: bool = False
) -> int:
    """See `Memory.export`. Quotas come first, so that whoever loads the file keeps to them from the first record on."""
    if user is not None:
        checked_name(user, "user")
    engine.require_open()
    count = 0
    # In this order: a pipe is opened when somebody reads it, and a view of the store should not wait for that.
    with writable(file, engine) as lines, engine.store.reading() as reader:
        # Not the embedder of this handle: another one may have converted the store, and its vectors, since.
        identity = EmbedderIdentity.parse(reader.meta("embedder") or "", engine.store.path)
        try:
            _write(lines, header(identity))
        except TypeError:
            raise invalid("file", file, "a file open for writing text, not bytes") from None
        if not records_only:
            for line in quota_lines(reader, user):
                _write(lines, line)
        users = reader.users() if user is None else [user]
        # What must not be read any more must not be carried to where it would wait for another sleep.
        over = {name: expired_secrets(reader, name) for name in users}
        for records in reader.scan(user, _BATCH, embeddings=embeddings):
            going = [record for record in records if record.id not in over[record.user]]
            for record in without_made_of(reader, going):
                _write(lines, encode_record_line(record, embedding=embeddings))
            count += len(going)
        made_relations = reader.made_relations(user)
        # Not as they came: what is loaded comes many at a time.
        for relation in sorted(reader.relations(user)):
            if relation not in made_relations:
                _write(lines, {"type": "relation", **relation._asdict()})
        for line in attachment_lines(reader, user, cold=not records_only, without=over):
            _write(lines, line)
        if not records_only:
            for line in life_lines(reader, user, embeddings=embeddings, without=over):
                _write(lines, line)
        # Late: whoever does not know these lines has read all else.
        for line in job_lines(reader, user, cold=not records_only, without=over):
            _write(lines, line)
        if not records_only:
            for line in unlearnt_lines(reader, user):
                _write(lines, line)
        _write(lines, end())
    return count


def _write(lines: IO[str], value: Mapping[str, Any]) -> None:
    lines.write(json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n")
