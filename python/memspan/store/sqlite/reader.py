"""Read a SQLite store through one connection and transaction."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, Final

from memspan.records import Record
from memspan.store.codec import decode_record
from memspan.store.protocol import Extent, Relation, Removals
from memspan.times import Micros, now_micros

from .audit import SqliteAuditReader
from .beliefs import SqliteBeliefs
from .cold import SqliteColdReader
from .job_reader import SqliteJobReader
from .json_texts import text_at
from .lifetimes import SqliteLifetimeReader
from .malformed import Malformed
from .quotas import SqliteQuotaReader
from .resources import SqliteResourceReader
from .rows import FIELDS, RECORDS, of_user
from .runs import SqliteRunReader
from .secrets import SqliteSecretReader
from .statements import chunks, marks
from .token_vectors import SqliteTokenVectorReader
from .traces import SqliteTraceReader
from .transcripts import SqliteTranscriptReader
from .unlearnt import SqliteUnlearntReader
from .uses import SqliteUseReader

__all__ = ["ERASED", "ERASE_LATER", "ERASE_PENDING", "SqliteReader", "looked_key", "slept_key", "upkeep_key"]

ERASE_PENDING: Final = "erase_pending"
"""The setting that is there while removed rows may have left bytes in the files."""
ERASE_LATER: Final = "erase_later"
"""The same, of rows whose bytes may wait until the files were not rewritten for a while."""
ERASED: Final = "erased"
"""The setting that says when the files were rewritten last."""
_ERASING_PAUSE: Final = 600_000_000
"""Microseconds: such a while."""

_SEQUENCE: Final = (
    "SELECT max(value, coalesce((SELECT sequence FROM records ORDER BY pk DESC LIMIT 1), 0)) "
    "FROM meta WHERE key = 'sequence'"
)
_PAGE: Final = 1000
"""Records of a row that holds many as JSON."""


def slept_key(user_pk: int) -> str:
    """The setting that says how far a user's memories were updated in sleep. Keys of users are never used again."""
    return f"slept/{user_pk}"


def upkeep_key(user_pk: int) -> str:
    """The setting that says how far a consolidation of a user's memories got, or one of all users' (0)."""
    return f"upkeep/{user_pk}"


def looked_key(user_pk: int) -> str:
    """The setting that says up to which id it looked at a user's memories; it goes with the other one of all users."""
    return f"{upkeep_key(user_pk)}/looked"


class SqliteReader(SqliteTokenVectorReader):
    """`StoreReader` on an open transaction. Every query is read to its end: an open cursor would block erasure."""

    @property
    def jobs(self) -> SqliteJobReader:
        """See `StoreReader.jobs`."""
        return SqliteJobReader(self._connection)

    @property
    def beliefs(self) -> SqliteBeliefs:
        """See `StoreReader.beliefs`."""
        return SqliteBeliefs(self._connection)

    @property
    def lifetimes(self) -> SqliteLifetimeReader:
        """See `StoreReader.lifetimes`."""
        return SqliteLifetimeReader(self._connection)

    @property
    def cold(self) -> SqliteColdReader:
        """See `StoreReader.cold`."""
        return SqliteColdReader(self._connection)

    @property
    def quotas(self) -> SqliteQuotaReader:
        """See `StoreReader.quotas`."""
        return SqliteQuotaReader(self._connection)

    @property
    def uses(self) -> SqliteUseReader:
        """See `StoreReader.uses`."""
        return SqliteUseReader(self._connection, self._first_changed)

    @property
    def unlearnt(self) -> SqliteUnlearntReader:
        """See `StoreReader.unlearnt`."""
        return SqliteUnlearntReader(self._connection)

    @property
    def transcripts(self) -> SqliteTranscriptReader:
        """See `StoreReader.transcripts`."""
        return SqliteTranscriptReader(self._connection, self.fetch)

    @property
    def runs(self) -> SqliteRunReader:
        """See `StoreReader.runs`."""
        return SqliteRunReader(self._connection)

    @property
    def audit(self) -> SqliteAuditReader:
        """See `StoreReader.audit`."""
        return SqliteAuditReader(self._connection)

    @property
    def resources(self) -> SqliteResourceReader:
        """See `StoreReader.resources`."""
        return SqliteResourceReader(self._connection)

    @property
    def secrets(self) -> SqliteSecretReader:
        """See `StoreReader.secrets`."""
        return SqliteSecretReader(self._connection)

    @property
    def traces(self) -> SqliteTraceReader:
        """See `StoreReader.traces`."""
        return SqliteTraceReader(self._connection)

    def sequence(self) -> int:
        return int(self._one(_SEQUENCE))

    def _first_changed(self, after: int) -> int | None:
        """The key of the first record that was last written after that point; all later ones were, too.

        Steps back from the end, twice as far each time, then halves the last step: O(log of those) lookups.
        """
        last = self._one("SELECT max(pk) FROM records")
        if last is None or self._sequence_at(last) <= after:
            return None
        changed, step = int(last), 1
        while changed - step > 0 and self._sequence_at(changed - step) > after:
            changed, step = changed - step, 2 * step
        unchanged = max(changed - step, 0)
        while changed - unchanged > 1:
            middle = (changed + unchanged) // 2
            if self._sequence_at(middle) > after:
                changed = middle
            else:
                unchanged = middle
        return changed

    def _sequence_at(self, pk: int) -> int:
        """Of the last record up to that key; 0 when there is none."""
        return int(
            self._one("SELECT sequence FROM records WHERE pk <= ? ORDER BY pk DESC LIMIT 1", (pk,)) or 0
        )

    def meta(self, key: str) -> str | None:
        value = self._one("SELECT value FROM meta WHERE key = ?", (key,))
        return None if value is None else str(value)

    def erasure_pending(self, *, patient: bool = False) -> bool:
        if self.meta(ERASE_PENDING) is not None:
            return True
        if self.meta(ERASE_LATER) is None:
            return False
        erased = self.meta(ERASED)
        if not patient or erased is None or re.fullmatch(r"\d{1,18}", erased) is None:
            return True
        return not 0 <= now_micros() - int(erased) < _ERASING_PAUSE

    def slept(self, user: str) -> str | None:
        pk = self._user_pk(user)
        # Not `meta`: a writer keeps what that says in memory.
        return None if pk is None else self._one("SELECT value FROM meta WHERE key = ?", (slept_key(pk),))

    def upkeep(self, user: str | None) -> str | None:
        pk = 0 if user is None else self._user_pk(user)
        return None if pk is None else self._one("SELECT value FROM meta WHERE key = ?", (upkeep_key(pk),))

    def looked(self, user: str) -> str:
        pk = self._user_pk(user)
        found = None if pk is None else self._one("SELECT value FROM meta WHERE key = ?", (looked_key(pk),))
        return found or ""

    def users(self) -> list[str]:
        return [name for (name,) in self._all("SELECT name FROM users ORDER BY name")]

    def has_user(self, user: str) -> bool:
        return self._user_pk(user) is not None

    def count(self, user: str | None = None) -> int:
        if user is None:
            return int(self._one("SELECT count(*) FROM records"))
        return int(self._one("SELECT count(*) FROM records WHERE user_pk = ?", (self._user_pk(user),)))

    def ids(self, user: str) -> list[str]:
        return [
            id_ for (id_,) in self._all("SELECT id FROM records WHERE user_pk = ?", (self._user_pk(user),))
        ]

    def id_pages(self, user: str, size: int, *, after: str = "") -> Iterator[list[str]]:
        statement = "SELECT id FROM records WHERE user_pk = ? AND id > ? ORDER BY id LIMIT ?"
        pk, last = self._user_pk(user), after
        while page := [id_ for (id_,) in self._all(statement, (pk, last, size))]:
            last = page[-1]
            yield page

    def fetch(self, user: str, ids: Sequence[str], *, embeddings: bool = False) -> dict[str, Record]:
        pk = self._user_pk(user)
        found: dict[str, Record] = {}
        if pk is None:
            return found
        blob = "r.embedding" if embeddings else "NULL"
        for piece in chunks(ids):
            places, values = marks(piece)
            statement = f"SELECT {blob}, {FIELDS} FROM {RECORDS} WHERE r.user_pk = ? AND r.id IN ({places})"  # noqa: S608
            for row in self._all(statement, (pk, *values)):
                record = decode_record(user, row[1:], _present(row[0]) if embeddings else None)
                found[record.id] = record
        return found

    def changed(self, after: int, batch: int) -> Iterator[list[Record]]:
        first = self._first_changed(after)
        if first is None:
            return
        statement = (
            f"SELECT r.pk, u.name, r.embedding, {FIELDS} "  # noqa: S608
            f"FROM {RECORDS} JOIN users u ON u.pk = r.user_pk WHERE r.pk > ? ORDER BY r.pk LIMIT ?"
        )
        last = first - 1
        while rows := self._all(statement, (last, batch)):
            last = rows[-1][0]
            yield [decode_record(row[1], row[3:], _present(row[2])) for row in rows]

    def learnt_after(self, user: str, after: int, kinds: Sequence[str]) -> dict[str, Micros]:
        first, pk = self._first_changed(after), self._user_pk(user)
        if first is None or pk is None:
            return {}
        # Keys first, which an index tells: of what did not change, no row is read.
        # A page is one row. With each row of its own the interpreter is let go of, and taken back at once: another
        # thread that waits for it is woken by every one of thousands, too late, and stands there for a millisecond.
        keys = "SELECT json_group_array(pk) FROM records WHERE user_pk = ? AND pk >= ?"
        changed: list[int] = sorted(json.loads(self._one(keys, (pk, first))))
        places, values = marks(list(kinds))
        statement = (
            "SELECT json_group_array(json_array(id, recorded_at)) FROM records "  # noqa: S608
            f"WHERE pk IN (SELECT value FROM json_each(?)) AND kind IN ({places})"
        )
        learnt: dict[str, Micros] = {}
        for start in range(0, len(changed), _PAGE):
            page = json.dumps(changed[start : start + _PAGE])
            learnt.update(json.loads(self._one(statement, (page, *values))))
        return learnt

    def scan(self, user: str | None, batch: int, *, embeddings: bool = False) -> Iterator[list[Record]]:
        if user is not None:
            yield from self._scan_user(user, batch, embeddings)
            return
        blob = "r.embedding" if embeddings else "NULL"
        statement = (
            f"SELECT r.pk, u.name, {blob}, {FIELDS} "  # noqa: S608
            f"FROM {RECORDS} JOIN users u ON u.pk = r.user_pk WHERE r.pk > ? ORDER BY r.pk LIMIT ?"
        )
        last = -1
        while rows := self._all(statement, (last, batch)):
            last = rows[-1][0]
            yield [decode_record(row[1], row[3:], _present(row[2]) if embeddings else None) for row in rows]

    def _scan_user(self, user: str, batch: int, embeddings: bool) -> Iterator[list[Record]]:
        # No index has a user's records in the order of their keys: a page with what follows a key would look at all of
        # them, and a scan at the square. Keys take 8 bytes a record.
        ordered = "SELECT pk FROM records WHERE user_pk = ? ORDER BY pk"
        keys = array("q", (pk for (pk,) in self._all(ordered, (self._user_pk(user),))))
        blob = "r.embedding" if embeddings else "NULL"
        statement = (
            f"SELECT {blob}, {FIELDS} FROM {RECORDS} "  # noqa: S608
            "WHERE r.pk IN (SELECT value FROM json_each(?)) ORDER BY r.pk"
        )
        for start in range(0, len(keys), batch):
            rows = self._all(statement, (json.dumps(keys[start : start + batch].tolist()),))
            yield [decode_record(user, row[1:], _present(row[0]) if embeddings else None) for row in rows]

    def relations(self, user: str | None = None, after: int = 0) -> list[Relation]:
        rows = self._all(
            "SELECT u.name, r.parent, r.child FROM relations r JOIN users u ON u.pk = r.user_pk "  # noqa: S608
            f"WHERE r.sequence > :after AND {of_user(user)} "
            "ORDER BY r.sequence, u.name, r.parent, r.child",
            {"after": after, "user": user},
        )
        return [Relation(*row) for row in rows]

    def made_tags(self, user: str, ids: Sequence[str] | None = None) -> dict[str, tuple[str, ...]]:
        pk = self._user_pk(user)
        statement = (
            "SELECT r.id, m.tags FROM made_tags m JOIN records r ON r.pk = m.record_pk WHERE r.user_pk = ?"
        )
        if ids is None:
            rows = self._all(statement, (pk,))
        else:
            rows = []
            for piece in chunks(ids):
                places, values = marks(piece)
                rows += self._all(f"{statement} AND r.id IN ({places})", (pk, *values))
        return {id_: tuple(json.loads(tags)) for id_, tags in rows}

    def made_relations(self, user: str | None = None) -> set[Relation]:
        rows = self._all(
            "SELECT u.name, r.parent, r.child FROM relations r JOIN users u ON u.pk = r.user_pk "  # noqa: S608
            f"WHERE r.made AND {of_user(user)}",
            {"user": user},
        )
        return {Relation(*row) for row in rows}

    def is_made(self, user: str, parent: str, child: str) -> bool:
        statement = "SELECT made FROM relations WHERE user_pk = ? AND parent = ? AND child = ?"
        return bool(self._one(statement, (self._user_pk(user), parent, child)))

    def removals(self, after: int) -> Removals:
        vanished = (
            self._one("SELECT 1 FROM removals WHERE user_pk = 0 AND sequence > ?", (after,)) is not None
        )
        lost = self._all(
            # `CROSS`: in the order of names, all users would be gone through.
            "SELECT u.name, x.user_pk < 0 FROM removals x CROSS JOIN users u ON u.pk = abs(x.user_pk) "
            "WHERE x.sequence > ? ORDER BY u.name",
            (after,),
        )
        created = (
            self._all("SELECT name FROM users WHERE sequence > ? ORDER BY name", (after,)) if vanished else []
        )
        users = [name for name, relations in lost if not relations]
        unrelated = [name for name, relations in lost if relations]
        return Removals(vanished, users, unrelated, [name for (name,) in created])

    def tags(self, user: str) -> set[str]:
        rows = self._all(
            "SELECT DISTINCT j.value FROM records r, json_each(r.tags) j WHERE r.user_pk = :user "
            "UNION SELECT parent FROM relations WHERE user_pk = :user "
            "UNION SELECT child FROM relations WHERE user_pk = :user",
            {"user": self._user_pk(user)},
        )
        return {tag for (tag,) in rows}

    def speakers(self, user: str, now: Micros, *, but: str | None = None) -> set[str]:
        rows = self._all(
            f"SELECT DISTINCT r.speaker FROM {RECORDS} WHERE r.user_pk = ? AND r.kind IS NOT ? "  # noqa: S608
            "AND r.speaker IS NOT NULL AND x.retired_at IS NULL AND (x.expires_at IS NULL OR x.expires_at > ?)",
            (self._user_pk(user), but, now),
        )
        return {speaker for (speaker,) in rows}

    def derived(self, user: str, ids: Sequence[str]) -> set[str]:
        pk = self._user_pk(user)
        reached: set[str] = set(ids)
        frontier = list(ids)
        while frontier:
            found: set[str] = set()
            for piece in chunks(frontier):
                places, values = marks(piece)
                rows = self._all(
                    "SELECT r.id FROM derivations d JOIN records r ON r.pk = d.derived_pk "  # noqa: S608
                    f"WHERE d.user_pk = ? AND d.source IN ({places})",
                    (pk, *values),
                )
                found.update(id_ for (id_,) in rows)
            found |= self.cold.derived(user, frontier)
            frontier = sorted(found - reached)
            reached |= found
        return reached - set(ids)

    def unstaged(self, after: int, limit: int) -> list[tuple[int, Record]]:
        rows = self._all(
            f"SELECT r.pk, u.name, {FIELDS} FROM {RECORDS} JOIN users u ON u.pk = r.user_pk "  # noqa: S608
            "LEFT JOIN staged s ON s.record_pk = r.pk AND s.sequence = r.sequence "
            "WHERE r.pk > ? AND s.record_pk IS NULL ORDER BY r.pk LIMIT ?",
            (after, limit),
        )
        return [(row[0], decode_record(row[1], row[2:])) for row in rows]

    def summary(self, user: str | None = None) -> dict[str, Any]:
        scope, only = _scope(user)
        ((retired, versions, held, expiring),) = self._all(
            "SELECT count(x.retired_at), coalesce(sum(instr(r.id, '@') AND "  # noqa: S608
            f"instr(r.id, ({text_at('r.metadata', '$.version_of')}) || '@') = 1), 0), coalesce(sum(x.held), 0), "
            "count(x.expires_at) FROM record_states x CROSS JOIN records r ON r.pk = x.record_pk "
            f"WHERE {scope.replace('user_pk', 'x.user_pk')}",
            only,
        )
        return {
            "retired": retired,
            "versions": versions,
            "held": held + self.cold.held_count(user),
            "expiring": expiring,
            "secrets": self._one(f"SELECT count(*) FROM secrets WHERE {scope}", only),  # noqa: S608
            "resources": len(self.resources.all(user)),
        }

    def extent(self, user: str | None = None) -> Extent:
        scope, only = _scope(user)
        # In one pass: it reads a page of each record.
        groups = self._all(
            "WITH groups AS MATERIALIZED (SELECT user_pk, session, kind, count(*) AS number, min(at) AS first, "  # noqa: S608
            f"max(at) AS last FROM records WHERE {scope} GROUP BY user_pk, session, kind) "
            "SELECT kind, sum(number), min(first), max(last), (SELECT count(*) FROM "
            "(SELECT DISTINCT user_pk, session FROM groups WHERE session IS NOT NULL)) "
            "FROM groups GROUP BY kind ORDER BY kind",
            only,
        )
        return Extent(
            {kind: number for kind, number, *_ in groups},
            groups[0][4] if groups else 0,
            min((row[2] for row in groups), default=None),
            max((row[3] for row in groups), default=None),
        )


def _scope(user: str | None) -> tuple[str, dict[str, str | None]]:
    """The condition that rows are a user's, or with `None` anybody's, and its parameters."""
    condition = "TRUE" if user is None else "user_pk = (SELECT pk FROM users WHERE name = :user)"
    return condition, {"user": user}


def _present(blob: bytes | None) -> bytes:
    """The embedding of a record, which has one."""
    if blob is None:
        raise Malformed("malformed record: it has no embedding")
    return blob
