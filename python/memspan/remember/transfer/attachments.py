"""Secrets and targets of resources in exports: secrets stay encrypted, and open wherever they are loaded."""

from __future__ import annotations

import base64
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, Final, NamedTuple

from memspan.errors import FormatError, invalid
from memspan.records import Record
from memspan.remember.audit.auditing import audited
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_name
from memspan.reports.resource_info import RESOURCE_STATES, Resource
from memspan.store import StoreReader, StoreWriter
from memspan.store.secrets import SealedSecret
from memspan.times import from_micros, to_micros

__all__ = [
    "TYPES",
    "Attachment",
    "attachment_lines",
    "load_attachments",
    "parsed_attachment",
    "record_of",
    "why_it_stays",
]

_logger = logging.getLogger("memspan")
_MAX_BYTES: Final = 1 << 22
_SLICE: Final = 256
"""Attachments of a transaction; other writers wait for it."""


class Attachment(NamedTuple):
    """What a line says of a record."""

    place: str
    """File and line."""
    user: str
    what: SealedSecret | Resource

    @property
    def record(self) -> str:
        """The id of its record."""
        return self.what.record if isinstance(self.what, SealedSecret) else self.what.id

    @property
    def kind(self) -> str:
        """That its record has to be of."""
        return "vault" if isinstance(self.what, SealedSecret) else "resource"


TYPES: Final = ("secret", "resource")
"""Types of lines."""


def attachment_lines(
    reader: StoreReader, user: str | None, *, cold: bool, without: Mapping[str, Set[str]]
) -> Iterator[dict[str, Any]]:
    """What records of a user, or of all, have beside them, one JSON object each; with `cold`, also those that were
    evicted. By user, `without` has the ids of secrets that are left out."""
    for name in reader.users() if user is None else [user]:
        out = without[name] if cold else {*without[name], *reader.cold.ids(name)}
        for secret in reader.secrets.all(name):
            if secret.record in out:
                continue
            yield {
                "type": "secret",
                "user": name,
                "id": secret.record,
                "key_id": secret.key_id,
                "nonce": base64.b64encode(secret.nonce).decode(),
                "ciphertext": base64.b64encode(secret.ciphertext).decode(),
            }
    for resource in reader.resources.all(user, cold=cold):
        line = {"type": "resource", **resource._asdict()}
        if resource.seen_at is not None:
            line["seen_at"] = resource.seen_at.isoformat()
        yield line


def parsed_attachment(line: Mapping[str, Any], place: str) -> Attachment:
    """What a line says.

    Raises:
        InvalidArgumentError: names the place and field.
    """

    def named(field: str, limit: int = 1024) -> str:
        return checked_name(line.get(field), f"{place}: {field}", limit)

    user, id_ = named("user"), named("id")
    if line["type"] == "secret":
        sealed = _bytes(line, "nonce", place), _bytes(line, "ciphertext", place)
        return Attachment(place, user, SealedSecret(id_, named("key_id"), *sealed))
    seen, state, size = line.get("seen_at"), line.get("state"), line.get("size")
    if state not in RESOURCE_STATES:
        raise invalid(f"{place}: state", state, f"one of {', '.join(RESOURCE_STATES)}")
    if size is not None and (not isinstance(size, int) or not 0 <= size < 1 << 63):
        raise invalid(f"{place}: size", size, "a number of bytes, or null")
    moment = None if seen is None else from_micros(to_micros(seen, f"{place}: seen_at"))
    checksum = None if line.get("checksum") is None else named("checksum")
    target = Resource(user, id_, named("uri", 4096), checksum, size, moment, state)
    return Attachment(place, user, target)


def _bytes(line: Mapping[str, Any], field: str, place: str) -> bytes:
    text = line.get(field)
    if isinstance(text, str) and text and len(text) <= _MAX_BYTES:
        try:
            return base64.b64decode(text, validate=True)
        except ValueError:
            pass
    raise invalid(f"{place}: {field}", text, "base64 text")


def load_attachments(engine: Engine, attachments: Sequence[Attachment]) -> None:
    """Store those whose records are there. What belongs to a record that is of another kind here is left out, and a
    secret that is held or under another key is not replaced, which is logged.

    Raises:
        FormatError: there is no record for one of them; the others are stored.
    """
    alone: list[str] = []
    for start in range(0, len(attachments), _SLICE):
        alone += _load_slice(engine, attachments[start : start + _SLICE])
    if alone:
        raise FormatError(alone[0])


def _load_slice(engine: Engine, attachments: Sequence[Attachment]) -> list[str]:
    """In one transaction; says which have no record."""
    loaded: Counter[str] = Counter()
    alone: list[str] = []
    with engine.changing() as change:
        for each in attachments:
            record = record_of(change.writer, each.user, each.record)
            if record is None:
                alone.append(
                    f"{each.place}: got no {each.kind} record {each.record!r}; accepted: a file written by export"
                )
            elif record.kind != each.kind:
                _logger.warning(
                    "what the file has of the %s record %r of user %r is left out: the one here is of kind %r",
                    each.kind,
                    each.record,
                    each.user,
                    record.kind,
                )
            elif isinstance(each.what, Resource):
                change.writer.resources.put([each.what])
            else:
                loaded[each.user] += _load_secret(change.writer, each.user, each.what)
        for user, secrets in loaded.items():
            audited(change, "vault.load", user=user, records=secrets)
    return alone


def record_of(reader: StoreReader, user: str, id_: str) -> Record | None:
    """The record of that id, wherever it lies."""
    record = reader.fetch(user, [id_]).get(id_)
    copy = reader.cold.fetch(user, [id_]).get(id_) if record is None else None
    return record if copy is None else copy.record


def why_it_stays(reader: StoreReader, user: str, secret: SealedSecret) -> str:
    """Why a secret that is here is not replaced by the one of a file; empty when it may be, or there is none."""
    stored = reader.secrets.one(user, secret.record)
    if stored is None:
        return ""
    if stored.key_id != secret.key_id:
        return "is under another key than the one in the file"
    record = record_of(reader, user, secret.record)
    return "is held" if record is not None and record.held else ""


def _load_secret(writer: StoreWriter, user: str, secret: SealedSecret) -> bool:
    if why := why_it_stays(writer, user, secret):
        _logger.warning("the secret of record %r of user %r %s; it stays", secret.record, user, why)
        return False
    writer.secrets.put(user, [secret])
    return True
