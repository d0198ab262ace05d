"""What is written of records, given what is stored under their ids."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import NamedTuple

from memspan.errors import HeldError
from memspan.records import Record
from memspan.remember.endings.life import end_of_life
from memspan.remember.endings.lifetimes import lifetimes_of
from memspan.remember.endings.restating import restate
from memspan.remember.endings.version_ids import VERSION_OF
from memspan.remember.endings.versions import overwriting
from memspan.remember.input.tags import given_records
from memspan.remember.writing.change import Change
from memspan.store import StoreReader

from .secret_ids import refuse_secret

__all__ = ["Settled", "settle"]

_logger = logging.getLogger("memspan")
_Key = tuple[str, str]


class Settled(NamedTuple):
    """What records come to, before anything is written."""

    records: list[Record]
    """New ones, and those that say something else now; some without embedding."""
    versions: list[Record]
    """What these said before."""
    away: list[Record]
    """As `versions`, of what came from the cold tier without a vector: to stay there."""
    again: list[Record]
    """Those that say what they said; only what is said about them changes."""
    unversioned: list[Record]
    """Those of `records` that leave nothing of what they said before."""
    kept: dict[_Key, str]
    """For those whose version is there already, or comes with them, its id."""

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
    given: Collection[Record],
    existing: Mapping[_Key, Record],
    moment: datetime,
    seconds: float | None = None,
    *,
    undated: Collection[_Key] = (),
    cold: Collection[_Key] = (),
    full: Mapping[_Key, Record],
    sealing: bool = False,
    loading: bool = False,
) -> Settled:
    """Compare records with what is stored.

    Args:
        existing: what is stored under their (user, id), with the tags that were given, and with embeddings.
        moment: of the transaction.
        seconds: how long they live from then on, unless they say so themselves.
        undated: those whose time the caller left open: what is stored under their key keeps its own.
        cold: those of `existing` that are in the cold tier. Whoever adds one again brings it back.
        full: those of `existing` that were shortened, as they read before.
        sealing: whether the vault itself writes labels of its secrets.
        loading: whether a file says so: what is held here stays as it is then, which is logged.

    Raises:
        InvalidArgumentError: a record would take the place of a secret.
        HeldError: one that is held would say something else and leave no version, or would end.
    """
    if not existing and seconds is None:
        return Settled([*given], [], [], [], [], {})
    settled = Settled([], [], [], [], [], {})
    lifetimes = _lifetimes(change.writer, existing)
    coming = {(record.user, record.id): record for record in given if VERSION_OF in record.metadata}
    for record in given:
        if seconds is not None and record.expires_at is None:
            record = replace(record, expires_at=end_of_life(moment, seconds))
        key = record.user, record.id
        before = existing.get(key)
        if before is None:
            settled.records.append(record)
            continue
        there = partial(_found, change, coming, record.user)
        if key in undated:
            record = replace(record, at=before.at)
        outcome = overwriting(
            record,
            before,
            moment,
            lifetimes=lifetimes[record.user],
            full=full.get(key),
            there=there,
        )
        same = outcome is None or outcome.again
        if same and before.held and before.retired_at is None and record.retired_at is not None:
            _keep_held(record, loading, "retire")
        if outcome is None:
            if key in cold:
                settled.records.append(before)
            continue
        if before.kind == "vault" and not (sealing or outcome.again):
            refuse_secret(change.writer, record.user, record.id)
        # In the cold tier what another embedder made is dropped, and what was loaded may never have had a vector.
        if outcome.version is not None:
            bare = outcome.version.embedding is None
            (settled.away if bare else settled.versions).append(outcome.version)
        elif outcome.kept is not None:
            settled.kept[key] = outcome.kept
        elif before.held and not outcome.again:
            _keep_held(record, loading, "overwrite")
            continue
        elif not outcome.again:
            settled.unversioned.append(outcome.record)
        again = outcome.again and key not in cold
        (settled.again if again else settled.records).append(outcome.record)
    return settled


def _keep_held(record: Record, loading: bool, to: str) -> None:
    if not loading:
        raise HeldError(1, 1, to)
    _logger.warning(
        "what the file would do to record %r of user %r (%s) is left out: it is held here",
        record.id,
        record.user,
        to,
    )


def _lifetimes(reader: StoreReader, existing: Iterable[_Key]) -> dict[str, dict[str, float]]:
    return {user: lifetimes_of(reader, user) for user in {user for user, _ in existing}}


def _found(change: Change, coming: Mapping[_Key, Record], user: str, id_: str) -> Record | None:
    """What comes under an id in the same call, or lies there in memory, with the tags that were given."""
    found = coming.get((user, id_))
    if found is None and change.index.contains(user=user, id=id_):
        found = given_records(change.writer, user, [id_]).get(id_)
    return found
