"""The cold tier in a SQLite store."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from memspan.records import Record
from memspan.store.codec import embedding_blob, unpack_embedding
from memspan.store.cold import EVICTED, ORIGINAL, ColdRecord, Reason
from memspan.store.documents import dump_record, load_made_tags, load_record
from memspan.store.schema.endings import COLD_KIND
from memspan.store.traces import ended_by
from memspan.times import Micros, from_micros

from .malformed import Malformed, reads
from .rows import SqliteRows, of_user
from .statements import chunks, marks
from .traces import PUT_ENDING
from .writer_state import WriterState

__all__ = ["SqliteColdReader", "SqliteColdWriter"]

_PUT: Final = (
    "INSERT INTO cold (user_pk, id, sequence, reason, moved_at, record, embedding) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_PUT_SOURCE: Final = (
    "INSERT OR IGNORE INTO cold_sources (user_pk, source, cold_pk) "
    "SELECT user_pk, ?, pk FROM cold WHERE user_pk = ? AND id = ? AND reason = ?"
)
_UNSOURCED: Final = (
    "NOT EXISTS (SELECT 1 FROM derivations o JOIN records s ON s.user_pk = o.user_pk AND s.id = o.source "
    "WHERE o.derived_pk = d.derived_pk)"
)
"""Of derivations `d`: no source of the derived record is a record."""

_EXPIRED: Final = (
    "instr(c.record, '\"expires_at\"') AND json_extract(c.record, '$.expires_at') <= :now "
    "AND json_extract(c.record, '$.held') IS NOT 1 "
    "AND NOT EXISTS (SELECT 1 FROM records r WHERE r.user_pk = c.user_pk AND r.id = c.id) "
    "AND (c.reason = 'evicted' OR NOT EXISTS (SELECT 1 FROM cold e "
    "WHERE e.user_pk = c.user_pk AND e.id = c.id AND e.reason = 'evicted'))"
)
"""Of `cold c`: its life is over, nobody holds it, and that of a record that it is the original of does not count
instead."""
_EXPIRED_OF: Final = f"FROM cold c JOIN users u ON u.pk = c.user_pk WHERE {_EXPIRED}"


class SqliteColdReader(SqliteRows):
    """`ColdReader` on an open transaction."""

    def _for_each(self, statement: str, user: str, ids: Sequence[str], *more: Any) -> list[Any]:
        """The rows of a statement with `{places}` for ids, after the user's key and further values."""
        pk = self._user_pk(user)
        if pk is None:
            return []
        rows: list[Any] = []
        for piece in chunks(ids):
            places, values = marks(piece)
            rows += self._all(statement.format(places=places), (pk, *more, *values))
        return rows

    @property
    def empty(self) -> bool:
        return not self._all("SELECT 1 FROM cold LIMIT 1")

    def fetch(
        self, user: str, ids: Sequence[str], *, reason: Reason = EVICTED, embeddings: bool = False
    ) -> dict[str, ColdRecord]:
        blob = "embedding" if embeddings else "NULL"
        rows = self._for_each(
            f"SELECT id, reason, moved_at, record, {blob} FROM cold "  # noqa: S608
            "WHERE user_pk = ? AND reason = ? AND id IN ({places})",
            user,
            ids,
            reason,
        )
        found = {id_: _decoded(user, row) for id_, *row in rows}
        for id_, cold in found.items():
            if cold.record.id != id_:
                raise Malformed(f"malformed record: {id_!r} says that it is {cold.record.id!r}")
        return found

    def latest(self, user: str, k: int, kinds: Sequence[str] | None = None) -> list[ColdRecord]:
        pk = self._user_pk(user)
        newest = (
            "SELECT pk FROM cold WHERE user_pk = ? AND reason = ? {}ORDER BY sequence DESC, pk DESC LIMIT ?"
        )
        if kinds is None:
            pks = self._all(newest.format(""), (pk, EVICTED, k))
        else:  # each by itself, as their index has them in order
            of_kind = newest.format(f"AND {COLD_KIND} = ? ")
            pks = [row for kind in set(kinds) for row in self._all(of_kind, (pk, EVICTED, kind, k))]
        # The texts of those alone that come back.
        rows = self._all(
            "SELECT reason, moved_at, record, NULL FROM cold WHERE pk IN (SELECT value FROM json_each(?)) "
            "ORDER BY sequence DESC, pk DESC LIMIT ?",
            (json.dumps([key for (key,) in pks]), k),
        )
        return [_decoded(user, row) for row in rows]

    def ids(self, user: str, reason: Reason = EVICTED) -> list[str]:
        rows = self._all(
            "SELECT id FROM cold WHERE user_pk = ? AND reason = ? ORDER BY id", (self._user_pk(user), reason)
        )
        return [id_ for (id_,) in rows]

    def in_order(self, user: str) -> list[str]:
        rows = self._all(
            "SELECT id FROM cold WHERE user_pk = ? AND reason = ? ORDER BY sequence, pk",
            (self._user_pk(user), EVICTED),
        )
        return [id_ for (id_,) in rows]

    def counts(self, user: str | None = None) -> dict[Reason, int]:
        rows = self._all(
            "SELECT c.reason, count(*) FROM cold c JOIN users u ON u.pk = c.user_pk "  # noqa: S608
            f"WHERE {of_user(user)} GROUP BY c.reason",
            {"user": user},
        )
        return {"evicted": 0, "original": 0, **dict(rows)}

    def moved(self, after: int) -> list[tuple[str, str]]:
        return self._all(
            "SELECT u.name, c.id FROM cold c JOIN users u ON u.pk = c.user_pk "
            "WHERE c.sequence > ? AND c.reason = 'evicted' "
            "AND NOT EXISTS (SELECT 1 FROM records r WHERE r.user_pk = c.user_pk AND r.id = c.id) "
            # `+`: an index in this order would be walked from end to end.
            "ORDER BY +c.user_pk, c.pk",
            (after,),
        )

    def derived(self, user: str, ids: Sequence[str]) -> set[str]:
        rows = self._for_each(
            "SELECT c.id FROM cold_sources s JOIN cold c ON c.pk = s.cold_pk "
            "WHERE s.user_pk = ? AND s.source IN ({places})",
            user,
            ids,
        )
        return {id_ for (id_,) in rows}

    def unsourced(self, user: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        rows = self._for_each(
            "SELECT d.source, r.id FROM derivations d JOIN records r ON r.pk = d.derived_pk "  # noqa: S608
            "WHERE d.user_pk = ? AND d.source IN ({places}) AND " + _UNSOURCED + " ORDER BY r.id",
            user,
            ids,
        )
        found: dict[str, tuple[str, ...]] = {}
        for source, id_ in rows:
            found[source] = (*found.get(source, ()), id_)
        return found

    def tags(self, user: str) -> set[str]:
        rows = self._all(
            "SELECT DISTINCT j.value FROM cold c, "
            "(SELECT '$.tags' AS place UNION ALL SELECT '$.made_tags') p, json_each(c.record, p.place) j "
            "WHERE c.user_pk = ? AND c.reason = ?",
            (self._user_pk(user), EVICTED),
        )
        return {tag for (tag,) in rows}

    def of_kind(self, user: str, kind: str) -> list[str]:
        rows = self._all(
            f"SELECT id FROM cold WHERE user_pk = ? AND reason = ? AND {COLD_KIND} = ?",  # noqa: S608
            (self._user_pk(user), EVICTED, kind),
        )
        return [id_ for (id_,) in rows]

    def held(self, user: str, ids: Sequence[str]) -> set[str]:
        rows = self._for_each(
            "SELECT id FROM cold WHERE user_pk = ? AND reason = ? AND json_extract(record, '$.held') "
            "AND id IN ({places})",
            user,
            ids,
            EVICTED,
        )
        return {id_ for (id_,) in rows}

    def held_count(self, user: str | None = None) -> int:
        count = self._one(
            "SELECT count(*) FROM cold c JOIN users u ON u.pk = c.user_pk WHERE c.reason = :evicted "  # noqa: S608
            f"AND {of_user(user)} AND instr(c.record, '\"held\"') "
            "AND json_extract(c.record, '$.held')",
            {"user": user, "evicted": EVICTED},
        )
        return int(count)

    def expired(self, now: Micros, user: str | None = None) -> list[int]:
        statement = f"SELECT c.pk {_EXPIRED_OF} AND {of_user(user)} ORDER BY c.pk"
        keys = self._all(statement, {"now": _as_kept(now), "user": user})
        return [key for (key,) in keys]

    def expired_ids(self, now: Micros, user: str | None = None) -> list[tuple[str, str]]:
        statement = f"SELECT u.name, c.id {_EXPIRED_OF} AND {of_user(user)} ORDER BY c.pk"
        return self._all(statement, {"now": _as_kept(now), "user": user})

    def unsourced_records(self, user: str | None = None) -> int:
        ((count,),) = self._all(
            "SELECT count(DISTINCT d.derived_pk) FROM cold c JOIN users u ON u.pk = c.user_pk "  # noqa: S608
            "JOIN derivations d ON d.user_pk = c.user_pk AND d.source = c.id "
            f"WHERE c.reason = 'evicted' AND {of_user(user)} AND {_UNSOURCED}",
            {"user": user},
        )
        return int(count)


class SqliteColdWriter(SqliteColdReader):
    """`ColdWriter` on an open exclusive transaction.

    Args:
        advance: gives the number of this transaction in the change sequence, and makes it count.
        mark_removal: tells other handles to compare a user with the store.
        ensure_user: the key of a user, who is made when unknown.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        state: WriterState,
        advance: Callable[[], int],
        mark_removal: Callable[[str], None],
        ensure_user: Callable[[str], int],
    ) -> None:
        super().__init__(connection)
        self._state = state
        self._advance = advance
        self._mark_removal = mark_removal
        self._ensure_user = ensure_user

    @property
    def empty(self) -> bool:
        if self._state.cold_empty is None:
            self._state.cold_empty = super().empty
        return self._state.cold_empty

    def evict(
        self, records: Sequence[Record], now: Micros, made_tags: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        for user in dict.fromkeys(record.user for record in records):
            own = [record for record in records if record.user == user]
            self._put(own, EVICTED, now, made_tags or {})
            self._for_each(
                "DELETE FROM records WHERE user_pk = ? AND id IN ({places})",
                user,
                [record.id for record in own],
            )

    def keep_originals(self, records: Sequence[Record], now: Micros) -> None:
        for user in dict.fromkeys(record.user for record in records):
            own = {record.id: record for record in records if record.user == user}
            for id_ in self.fetch(user, list(own), reason=ORIGINAL):
                del own[id_]
            self._put(list(own.values()), ORIGINAL, now, {})

    def _put(
        self, records: Sequence[Record], reason: Reason, now: Micros, made: Mapping[str, Sequence[str]]
    ) -> None:
        if not records:
            return
        self._state.cold_empty = False
        user = records[0].user
        sequence, pk = self._advance(), self._ensure_user(user)
        self.drop(user, [record.id for record in records], reason)
        self._connection.executemany(
            _PUT,
            (
                (pk, one.id, sequence, reason, now, dump_record(one, made.get(one.id, ())), _blob(one))
                for one in records
            ),
        )
        sources = [(source, pk, record.id, reason) for record in records for source in record.sources]
        if sources:
            self._connection.executemany(_PUT_SOURCE, sources)
        endings = [(pk, name, record.id) for record in records for name in ended_by(record.metadata)]
        if endings:
            self._connection.executemany(PUT_ENDING, endings)

    def drop(self, user: str, ids: Sequence[str], reason: Reason = EVICTED) -> int:
        return self._erase(user, ids, "AND reason = ? AND id IN ({places})", reason)

    def set_held(self, user: str, ids: Sequence[str], held: bool) -> list[str]:
        copies = self.fetch(user, ids).values()
        changed = [copy for copy in copies if copy.record.held is not held]
        pk = self._user_pk(user)
        self._connection.executemany(
            "UPDATE cold SET record = ? WHERE user_pk = ? AND id = ? AND reason = ?",
            (
                (dump_record(replace(copy.record, held=held), copy.made_tags), pk, copy.record.id, EVICTED)
                for copy in changed
            ),
        )
        return [copy.record.id for copy in changed]

    def untag(self, user: str, ids: Sequence[str]) -> None:
        self._for_each(
            "UPDATE cold SET record = json_remove(record, '$.made_tags') WHERE user_pk = ? AND id IN ({places}) "
            "AND json_extract(record, '$.made_tags') IS NOT NULL",
            user,
            ids,
        )

    def set_ends(self, user: str, ends: Mapping[str, datetime | None]) -> None:
        pk = self._user_pk(user)
        self._connection.executemany(
            "UPDATE cold SET record = CASE WHEN :end IS NULL THEN json_remove(record, '$.expires_at') "
            "ELSE json_set(record, '$.expires_at', :end) END WHERE user_pk = :user AND id = :id AND reason = :reason",
            (
                {"user": pk, "id": id_, "reason": EVICTED, "end": None if end is None else end.isoformat()}
                for id_, end in ends.items()
            ),
        )

    def rename_originals(self, user: str, ids: Mapping[str, str]) -> None:
        pk = self._user_pk(user)
        for old, cold in self.fetch(user, list(ids), reason=ORIGINAL).items():
            new = ids[old]
            self.drop(user, [new], ORIGINAL)
            self._connection.execute(
                "UPDATE cold SET id = ?, record = ? WHERE user_pk = ? AND id = ? AND reason = ?",
                (new, dump_record(replace(cold.record, id=new)), pk, old, ORIGINAL),
            )

    def expire(self, keys: Sequence[int], now: Micros) -> dict[str, list[Record]]:
        expired: dict[str, list[Record]] = {}
        going: list[int] = []
        for key in keys:
            rows = self._all(
                "SELECT u.name, reason, moved_at, record, NULL FROM cold c JOIN users u ON u.pk = c.user_pk "  # noqa: S608
                f"WHERE c.pk = :key AND {_EXPIRED}",
                {"key": key, "now": _as_kept(now)},
            )
            for user, *row in rows:
                expired.setdefault(user, []).append(_decoded(user, row).record)
                going.append(key)
        self._connection.executemany("DELETE FROM cold WHERE pk = ?", ((key,) for key in going))
        for user in expired:
            # A handle that has not heard of an eviction yet still has the record in its index.
            self._mark_removal(user)
        return expired

    def forget(self, user: str, ids: Sequence[str]) -> int:
        erased = self._erase(user, ids, "AND id IN ({places})")
        if erased:
            self._mark_removal(user)
        return erased

    def _erase(self, user: str, ids: Sequence[str], which: str, *more: Any) -> int:
        pk = self._user_pk(user)
        erased = 0
        for piece in chunks(ids) if pk is not None else ():
            places, values = marks(piece)
            statement = f"DELETE FROM cold WHERE user_pk = ? {which.format(places=places)}"  # noqa: S608
            erased += self._connection.execute(statement, (pk, *more, *values)).rowcount
        return erased

    def drop_embeddings(self) -> None:
        self._connection.execute("UPDATE cold SET embedding = NULL WHERE embedding IS NOT NULL")


def _as_kept(time: Micros) -> str:
    """ISO 8601 in UTC sorts as text; the sign of the offset sorts before a fraction's point."""
    return from_micros(time).isoformat()


def _blob(record: Record) -> Any:
    return None if record.embedding is None else embedding_blob(record.embedding)


@reads("record")
def _decoded(user: str, row: Sequence[Any]) -> ColdRecord:
    reason, moved_at, text, blob = row
    record = load_record(user, text)
    if blob is not None:
        record = replace(record, embedding=unpack_embedding(blob))
    return ColdRecord(record, reason, from_micros(moved_at), load_made_tags(text))
