"""Write records with what they said before, also where there is no room for that."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from memspan.errors import QuotaError
from memspan.records import Record
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import write_records

__all__ = ["write_with_versions"]


def write_with_versions(change: Change, records: Sequence[Record], versions: Sequence[Record]) -> None:
    """Write records as `write_records` does, and the versions that these leave.

    A correction does not make the records of a kind more. Where what has to stay fills it, versions go to the cold tier
    at the end of the change.

    Raises:
        QuotaError: there is no room for one of the records.
    """
    try:
        write_records(change, [*versions, *records])
    except QuotaError:
        if not versions:
            raise
        # The index is as it was; what the store got is written again.
        write_records(change, records)
        for group in _alike(versions):
            _write_or_evict(change, group)


def _alike(versions: Sequence[Record]) -> list[list[Record]]:
    """In groups for which there is room or not: what is held takes some, others need only that any is left."""
    groups: dict[tuple[str, str, bool], list[Record]] = defaultdict(list)
    for version in versions:
        groups[version.user, version.kind, version.held].append(version)
    return list(groups.values())


def _write_or_evict(change: Change, versions: Sequence[Record]) -> None:
    try:
        write_records(change, versions)
    except QuotaError:
        # They are in the store, as if the index had had them and let them go.
        change.evicted += [(version.user, version.id) for version in versions]
