"""What is written of drafts, given what is stored under their ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from memspan.index import Index
from memspan.records import Record
from memspan.store import StoreReader

from .change import Change
from .draft import Draft
from .life import end_of_life
from .lifetimes import lifetimes_of
from .restating import restate

__all__ = ["Settled", "settle"]

_Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Settled:
    """What drafts come to, before anything is written."""

    records: list[Record] = field(default_factory=list)
    """New ones, and those that say something else now; some without embedding."""
    versions: list[Record] = field(default_factory=list)
    """What these said before."""
    again: list[Record] = field(default_factory=list)
    """Those that say what they said; only what is said about them changes."""

    def restate(self, change: Change) -> None:
        """Write those of `again`, with the tags that were made for them."""
        if not self.again:
            return
        made = {
            user: change.writer.made_tags(user, [record.id for record in self.again if record.user == user])
            for user in {record.user for record in self.again}
        }
        restate(
            change,
            [
                replace(record, tags=(*record.tags, *made[record.user].get(record.id, ())))
                for record in self.again
            ],
        )


def settle(
    change: Change,
    drafts: Iterable[Draft],
    existing: Mapping[_Key, Record],
    moment: datetime,
    seconds: float | None = None,
    *,
    cold: Collection[_Key] = (),
) -> Settled:
    """Compare drafts with what is stored.

    Args:
        existing: what is stored under their (user, id), with the tags that were given, and with embeddings.
        moment: of the transaction.
        seconds: how long they live from then on, unless they say so themselves.
        cold: those of `existing` that are in the cold tier. Whoever adds one again brings it back.
    """
    settled = Settled()
    lifetimes = _lifetimes(change.writer, existing)
    for draft in drafts:
        record = draft.record
        if seconds is not None and record.expires_at is None:
            record = replace(record, expires_at=end_of_life(moment, seconds))
        key = record.user, record.id
        before = existing.get(key) if existing else None
        if before is None:
            settled.records.append(record)
            continue
        taken = partial(_is_taken, change.index, record.user)
        overwriting = replace(draft, record=record).settled(
            before, moment, lifetimes=lifetimes[record.user], taken=taken
        )
        if overwriting is None:
            if key in cold:
                settled.records.append(before)
            continue
        # What came from the cold tier after a conversion has no vector of this embedder, so that it leaves no version.
        if overwriting.version is not None and overwriting.version.embedding is not None:
            settled.versions.append(overwriting.version)
        again = overwriting.again and key not in cold
        (settled.again if again else settled.records).append(overwriting.record)
    return settled


def _lifetimes(reader: StoreReader, existing: Iterable[_Key]) -> dict[str, dict[str, float]]:
    return {user: lifetimes_of(reader, user) for user in {user for user, _ in existing}}


def _is_taken(index: Index, user: str, id_: str) -> bool:
    return index.contains(user=user, id=id_)
