"""Secrets and targets of resources in exports: secrets stay encrypted, and open wherever they are loaded."""

from __future__ import annotations

import base64
import logging
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from memspan.errors import FormatError, invalid
from memspan.resource_info import RESOURCE_STATES, Resource
from memspan.store import StoreReader, StoreWriter
from memspan.store.secrets import SealedSecret
from memspan.times import from_micros, to_micros

from .auditing import audited
from .engine import Engine
from .fields import checked_name

__all__ = ["TYPES", "Attachment", "attachment_lines", "load_attachments", "parsed_attachment"]

_logger = logging.getLogger("memspan")
_MAX_BYTES: Final = 1 << 22

Attachment = tuple[str, "SealedSecret | Resource"]
"""Whose it is, and what."""

TYPES: Final = ("secret", "resource")
"""Types of lines."""


def attachment_lines(reader: StoreReader, user: str | None, *, cold: bool) -> Iterator[dict[str, Any]]:
    """What records of a user, or of all, have beside them, one JSON object each; with `cold`, also those that were
    evicted."""
    for name in reader.users() if user is None else [user]:
        evicted = set() if cold else set(reader.cold.ids(name))
        for secret in reader.secrets.all(name):
            if secret.record in evicted:
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
        return user, SealedSecret(
            id_, named("key_id"), _bytes(line, "nonce", place), _bytes(line, "ciphertext", place)
        )
    seen, state, size = line.get("seen_at"), line.get("state"), line.get("size")
    if state not in RESOURCE_STATES:
        raise invalid(f"{place}: state", state, f"one of {', '.join(RESOURCE_STATES)}")
    if size is not None and (not isinstance(size, int) or not 0 <= size < 1 << 63):
        raise invalid(f"{place}: size", size, "a number of bytes, or null")
    moment = None if seen is None else from_micros(to_micros(seen, f"{place}: seen_at"))
    checksum = None if line.get("checksum") is None else named("checksum")
    return user, Resource(user, id_, named("uri", 4096), checksum, size, moment, state)


def _bytes(line: Mapping[str, Any], field: str, place: str) -> bytes:
    text = line.get(field)
    if isinstance(text, str) and text and len(text) <= _MAX_BYTES:
        try:
            return base64.b64decode(text, validate=True)
        except ValueError:
            pass
    raise invalid(f"{place}: {field}", text, "base64 text")


def load_attachments(engine: Engine, attachments: Sequence[Attachment]) -> None:
    """Store those whose records are there. A secret under another key is never replaced, which is logged."""
    if not attachments:
        return
    loaded: Counter[str] = Counter()
    with engine.changing() as change:
        for user, attachment in attachments:
            if isinstance(attachment, Resource):
                change.writer.resources.put([attachment])
            else:
                loaded[user] += _load_secret(change.writer, user, attachment)
        for user, secrets in loaded.items():
            audited(change, "vault.load", user=user, records=secrets)


def _load_secret(writer: StoreWriter, user: str, secret: SealedSecret) -> bool:
    record = writer.fetch(user, [secret.record]).get(secret.record)
    if record is None and (copy := writer.cold.fetch(user, [secret.record]).get(secret.record)):
        record = copy.record
    if record is None or record.kind != "vault":
        raise FormatError(
            f"secret of record {secret.record!r}: got no vault record of that id before it; "
            "accepted: a file written by export"
        )
    stored = writer.secrets.one(user, secret.record)
    if stored is not None and stored.key_id != secret.key_id:
        _logger.warning(
            "the secret of record %r of user %r is under another key than the one in the file; it stays",
            secret.record,
            user,
        )
        return False
    writer.secrets.put(user, [secret])
    return True
