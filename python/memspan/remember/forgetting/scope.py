"""What has to go when records are forgotten: all that holds, or was made of, what they said."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memspan.records import Record
from memspan.remember.endings.taken_over import stays
from memspan.store import StoreReader

__all__ = ["Scope", "anywhere", "scope_of"]


@dataclass(frozen=True, slots=True)
class Scope:
    """The reach of forgetting, within one user."""

    ids: tuple[str, ...]
    """Records and cold copies, sorted."""
    shown: frozenset[int]
    """Keys of the jobs that were shown one of them: they begin again."""
    retagged: tuple[str, ...]
    """Records that stay, and lose the tags that such a job made for them."""
    chosen: frozenset[str] = frozenset()
    """The ids that all of this is the reach of."""


def scope_of(reader: StoreReader, user: str, ids: Collection[str]) -> Scope:
    """Everything that has to go with these ids, which need not exist any more.

    That is what was derived from them, all older versions of it, and what a job made that was shown one of them, for it
    may repeat what they said. What only took one of them over when both said the same stays, and lets go of that. Of an
    older version that is forgotten alone, what its record's wording of that time was used for goes, but not the record.
    Linear in what is found.
    """
    found, shown = _reached(reader, user, ids)
    spared = stays(reader, user, ids, found, lambda some: _reached(reader, user, ids, some)[0])
    if spared:
        found, shown = _reached(reader, user, ids, spared)
    retagged = sorted(set(reader.jobs.tagged(shown)).difference(found))
    return Scope(tuple(sorted(found)), frozenset(shown), tuple(retagged), frozenset(ids))


def _reached(
    reader: StoreReader, user: str, ids: Collection[str], spared: Collection[str] = ()
) -> tuple[set[str], set[int]]:
    """The records that go, and the jobs that were shown one of them. What is spared is not derived from any."""
    found = _closed(reader, user, ids, spared)
    said = found | set(reader.traces.bases(user, found).values())
    shown: set[int] = set().union(*reader.jobs.seeing(user, sorted(said)).values()) if said else set()
    made = reader.traces.present(user, reader.jobs.made(shown))
    return found | _closed(reader, user, made, spared), shown


def _closed(reader: StoreReader, user: str, ids: Collection[str], spared: Collection[str] = ()) -> set[str]:
    """Those that are there, with their versions and what was derived, until nothing is new."""
    traces = reader.traces
    known, fresh = set(ids), set(ids)
    while fresh:
        more = traces.versions(user, fresh) | traces.derived(user, fresh, spared)
        more |= _made_of_versions(reader, user, fresh, known)
        fresh = more - known
        known |= fresh
    return traces.present(user, known)


def _made_of_versions(
    reader: StoreReader, user: str, ids: Collection[str], known: Collection[str]
) -> set[str]:
    """What was derived from records while they read as those of their older versions that are among the ids."""
    bases = {id_: base for id_, base in reader.traces.bases(user, ids).items() if base not in known}
    if not bases:
        return set()
    versions = anywhere(reader, user, bases)
    found: set[str] = set()
    for id_, base in bases.items():
        derived = anywhere(reader, user, reader.traces.derived(user, [base]))
        until = versions[id_].retired_at if id_ in versions else None
        found.update(
            record.id
            for record in derived.values()
            if until is None or (record.recorded_at is not None and record.recorded_at <= until)
        )
    return found


def anywhere(reader: StoreReader, user: str, ids: Collection[str]) -> dict[str, Record]:
    """Records by id, whether they are in memory or in the cold tier."""
    records = reader.fetch(user, sorted(ids))
    away = reader.cold.fetch(user, sorted(set(ids) - records.keys()))
    return records | {id_: copy.record for id_, copy in away.items()}
