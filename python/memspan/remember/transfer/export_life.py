"""The cold tier, quotas and times to live in exports."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from memspan.errors import InvalidArgumentError, invalid
from memspan.lifecycle.quotas import Quotas
from memspan.records import Record
from memspan.remember.audit.auditing import audited
from memspan.remember.capacity.cold import in_full
from memspan.remember.damage import survives_damage
from memspan.remember.embedding import StoreEmbedder
from memspan.remember.endings.lifetimes import lifetimes_of
from memspan.remember.endings.versions import overwriting
from memspan.remember.engine import Engine
from memspan.remember.input.fields import checked_kind, checked_name
from memspan.remember.writing.secret_ids import is_secret
from memspan.store import StoreReader, StoreWriter
from memspan.store.cold import EVICTED, ORIGINAL, Reason
from memspan.times import Micros, from_micros, now_micros, to_micros

from .attachments import record_of
from .export_format import decode_record_line, encode_record_line

__all__ = [
    "LIFE_TYPES",
    "ColdLine",
    "LifeLine",
    "LifetimeLine",
    "QuotaLine",
    "life_lines",
    "load_cold",
    "parsed_life",
    "quota_lines",
]

LIFE_TYPES: Final = ("cold", "quotas", "lifetime")
"""Types of lines."""

_BATCH: Final = 512
_LONGEST: Final = 1e12
"""Seconds of a time to live."""


class ColdLine(NamedTuple):
    """A copy in the cold tier."""

    record: Record
    reason: Reason
    moved_at: datetime

    @property
    def evicted(self) -> bool:
        """Whether it stands for the record, and not for its wording of before."""
        return self.reason == EVICTED


class QuotaLine(NamedTuple):
    """Quotas of a user, or with `None` of everybody else."""

    user: str | None
    quotas: Quotas


class LifetimeLine(NamedTuple):
    """The time to live of a kind, of a user or with `None` of everybody else."""

    user: str | None
    kind: str
    seconds: float


LifeLine = ColdLine | QuotaLine | LifetimeLine


def quota_lines(reader: StoreReader, user: str | None) -> Iterator[dict[str, Any]]:
    """The quotas of a user, or with `None` of everybody and of all users, one JSON object each."""
    for owner in [None, *reader.users()] if user is None else [user]:
        settings = reader.quotas.get(owner)
        if settings is not None:
            yield {"type": "quotas", "user": owner, "settings": json.loads(settings)}


def life_lines(
    reader: StoreReader, user: str | None, *, embeddings: bool, without: Mapping[str, Set[str]]
) -> Iterator[dict[str, Any]]:
    """The cold tier and the times to live of a user, or with `None` of the store, one JSON object each. Evicted copies
    come in the order in which they went. By user, `without` has the ids of records that are left out."""
    users = reader.users() if user is None else [user]
    for name in users:
        for reason, ids in (
            (EVICTED, reader.cold.in_order(name)),
            (ORIGINAL, reader.cold.ids(name, ORIGINAL)),
        ):
            kept = [id_ for id_ in ids if id_ not in without[name]]
            yield from _cold_lines(reader, name, kept, reason, embeddings)
    for owner in [None, *users] if user is None else users:
        for kind, seconds in sorted(reader.lifetimes.lifetimes(owner).items()):
            yield {"type": "lifetime", "user": owner, "kind": kind, "seconds": seconds}


def _cold_lines(
    reader: StoreReader, user: str, ids: Sequence[str], reason: Reason, embeddings: bool
) -> Iterator[dict[str, Any]]:
    for start in range(0, len(ids), _BATCH):
        wanted = ids[start : start + _BATCH]
        found = reader.cold.fetch(user, wanted, reason=reason, embeddings=embeddings)
        for id_ in wanted:
            cold = found[id_]
            line = encode_record_line(cold.record, embedding=embeddings)
            yield {**line, "type": "cold", "reason": reason, "moved_at": cold.moved_at.isoformat()}


def parsed_life(line: Mapping[str, Any], place: str, dim: int | None) -> LifeLine:
    """What a line says; the vector of a record is left out when `dim` is `None`.

    Raises:
        InvalidArgumentError: names the place and field.
    """
    if line["type"] == "cold":
        reason = line.get("reason")
        if reason not in (EVICTED, ORIGINAL):
            raise invalid(f"{place}: reason", reason, f"'{EVICTED}' or '{ORIGINAL}'")
        moved_at = from_micros(to_micros(line.get("moved_at", ""), f"{place}: moved_at"))
        fields = {key: value for key, value in line.items() if key not in ("reason", "moved_at")}
        return ColdLine(decode_record_line(fields, place, dim), reason, moved_at)
    user = line.get("user")
    if user is not None:
        checked_name(user, f"{place}: user")
    if line["type"] == "quotas":
        return QuotaLine(user, _quotas(line.get("settings"), place))
    seconds = line.get("seconds")
    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 < seconds <= _LONGEST:
        raise invalid(f"{place}: seconds", seconds, "a number of seconds above 0")
    return LifetimeLine(user, checked_kind(line.get("kind"), f"{place}: kind"), float(seconds))


def _quotas(settings: Any, place: str) -> Quotas:
    try:
        return Quotas.parse(json.dumps(settings))
    except InvalidArgumentError as error:  # which names the setting alone
        raise InvalidArgumentError(f"{place}: {error}") from error


@survives_damage
def load_cold(engine: Engine, lines: Sequence[ColdLine], embedder: StoreEmbedder) -> None:
    """Store copies in one transaction, after the records that they belong to.

    A copy of a record that is in memory here, or held in the cold tier, stays away; what lies there already, it is
    compared with as `add_records` does. An original stays away where the record that is here was not shortened, and
    any copy under the id of a secret.

    Args:
        embedder: whose vectors they have; without them where the store has another one since.
    """
    if not lines:
        return
    loaded: Counter[str] = Counter()
    with engine.changing() as change:
        writer = change.writer
        current = embedder.identity == engine.embedder.identity
        for line, reason, moved_at in lines:
            record = line if current else replace(line, embedding=None)
            if is_secret(writer, record.user, record.id):
                continue
            if reason == EVICTED:
                done = _put(writer, record, to_micros(moved_at))
            else:
                here = record_of(writer, record.user, record.id)
                done = here is not None and "compression" in here.metadata
                if done:
                    writer.cold.keep_originals([record], to_micros(moved_at))
            loaded[record.user] += done
        for user, records in loaded.items():
            if records:
                audited(change, "cold.load", user=user, records=records)


def _put(writer: StoreWriter, record: Record, moved_at: Micros) -> bool:
    """Whether a copy is there then, and was not before."""
    user, id_ = record.user, record.id
    if id_ in writer.fetch(user, [id_]):
        return False
    copy = writer.cold.fetch(user, [id_], embeddings=True).get(id_)
    if copy is None:
        writer.cold.evict([record], moved_at)
        return True
    if copy.record.held:
        return False
    outcome = overwriting(
        record,
        copy.record,
        from_micros(now_micros()),
        lifetimes=lifetimes_of(writer, user),
        full=in_full(writer, user, {id_: copy.record}).get(id_),
        there=lambda name: record_of(writer, user, name),
    )
    if outcome is None:
        return False
    if outcome.version is not None:
        writer.cold.evict([outcome.version], to_micros(copy.moved_at))
        writer.cold.rename_originals(user, {id_: outcome.version.id})
    elif outcome.kept is not None:
        writer.cold.rename_originals(user, {id_: outcome.kept})
    elif not outcome.again:
        writer.runs.forget(user, [id_])
    if not outcome.again:
        writer.cold.drop(user, [id_], ORIGINAL)
    writer.cold.evict([outcome.record], moved_at, {id_: copy.made_tags} if outcome.again else None)
    return True
