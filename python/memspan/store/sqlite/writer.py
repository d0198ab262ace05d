"""Change a SQLite store inside one exclusive transaction."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan.records import Record
from memspan.store.codec import (
    ROW_COLUMNS,
    ROW_PLACES,
    STATE_COLUMNS,
    embedding_blob,
    encode_rows,
    encode_state,
    has_state,
)
from memspan.store.traces import ended_by

from .audit import SqliteAuditWriter
from .cold import SqliteColdWriter
from .job_writer import SqliteJobWriter
from .known_users import KnownUsers
from .lifetimes import SqliteLifetimeWriter, unsettled_lifetimes_key
from .quotas import SqliteQuotaWriter, unsettled_key
from .reader import ERASE_LATER, ERASE_PENDING, SqliteReader, looked_key, slept_key, upkeep_key
from .resources import SqliteResourceWriter
from .runs import SqliteRunWriter
from .secrets import SqliteSecretWriter
from .statements import chunks, marks
from .token_vectors import SqliteTokenVectorWriter
from .traces import PUT_ENDING, SqliteTraceWriter
from .unlearnt import SqliteUnlearntWriter, unlearnt_key
from .uses import SqliteUseWriter
from .writer_state import WriterState

__all__ = ["SqliteWriter"]

_INSERT: Final = (
    f"INSERT INTO records ({', '.join(ROW_COLUMNS)}) VALUES ({ROW_PLACES}) "  # noqa: S608
    "ON CONFLICT (user_pk, id) DO NOTHING"
)
_PUT_LOOKED: Final = (
    "INSERT OR REPLACE INTO meta SELECT :key, coalesce(max(id), '') FROM records "
    "WHERE user_pk = :user AND id <= :id"
)
_DELETE_OLDER: Final = "DELETE FROM records WHERE user_pk = ? AND id = ? AND pk <= ?"
_PUT_SOURCE: Final = (
    "INSERT OR IGNORE INTO derivations SELECT user_pk, ?, pk FROM records WHERE user_pk = ? AND id = ?"
)
_PUT_STATE: Final = (
    f"INSERT INTO record_states ({', '.join(STATE_COLUMNS)}, user_pk, record_pk) "  # noqa: S608
    "SELECT ?, ?, ?, ?, user_pk, pk FROM records WHERE user_pk = ? AND id = ?"
)
_PUT_MADE: Final = (
    "INSERT OR REPLACE INTO made_tags (tags, record_pk) "
    "SELECT ?, pk FROM records WHERE user_pk = ? AND id = ?"
)
_MARK: Final = (
    "INSERT INTO removals VALUES (?, ?) ON CONFLICT (user_pk) DO UPDATE SET sequence = excluded.sequence"
)
_STAGE: Final = (
    "INSERT OR REPLACE INTO staged SELECT r.pk, r.sequence, ? FROM records r "
    "JOIN users u ON u.pk = r.user_pk WHERE u.name = ? AND r.id = ? AND r.sequence <= ?"
)
_PIECE: Final = 256
"""Records that are made into rows at a time: what is made is still in the cache when it is written."""

_VANISHED: Final = 0
"""The row of `removals` that stands for users that are gone."""


class SqliteWriter(KnownUsers, SqliteReader, SqliteTokenVectorWriter):
    """`StoreWriter` on an open exclusive transaction, and after it on the connection's next one, see `WriterState`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        super().__init__(connection)
        # Now, while the last record is there.
        self._state = WriterState(super().sequence())
        self.begin()

    def begin(self) -> None:
        """Nothing has been written by this transaction."""
        self._sequence = self._state.sequence
        self._counted = False
        self.committed = False
        self.written = 0
        """Records put by this transaction."""

    def end(self) -> None:
        """The transaction is committed."""
        self._state.sequence = self._sequence

    @cached_property
    def jobs(self) -> SqliteJobWriter:
        """See `StoreWriter.jobs`."""
        return SqliteJobWriter(self._connection, self._state)

    @cached_property
    def runs(self) -> SqliteRunWriter:
        """See `StoreWriter.runs`."""
        return SqliteRunWriter(self._connection)

    @cached_property
    def lifetimes(self) -> SqliteLifetimeWriter:
        """See `StoreWriter.lifetimes`."""
        return SqliteLifetimeWriter(self._connection, self._state, self._ensure_user)

    @cached_property
    def cold(self) -> SqliteColdWriter:
        """See `StoreWriter.cold`."""
        return SqliteColdWriter(
            self._connection, self._state, self._advance, self.mark_removal, self._ensure_user
        )

    @cached_property
    def quotas(self) -> SqliteQuotaWriter:
        """See `StoreWriter.quotas`."""
        return SqliteQuotaWriter(self._connection, self._advance, self._ensure_user)

    @cached_property
    def uses(self) -> SqliteUseWriter:
        """See `StoreWriter.uses`."""
        return SqliteUseWriter(self._connection, self._first_changed)

    @cached_property
    def audit(self) -> SqliteAuditWriter:
        """See `StoreWriter.audit`."""
        return SqliteAuditWriter(self._connection, self._state)

    @cached_property
    def resources(self) -> SqliteResourceWriter:
        """See `StoreWriter.resources`."""
        return SqliteResourceWriter(self._connection)

    @cached_property
    def secrets(self) -> SqliteSecretWriter:
        """See `StoreWriter.secrets`."""
        return SqliteSecretWriter(self._connection)

    @cached_property
    def unlearnt(self) -> SqliteUnlearntWriter:
        """See `StoreWriter.unlearnt`."""
        return SqliteUnlearntWriter(self._connection)

    @cached_property
    def traces(self) -> SqliteTraceWriter:
        """See `StoreWriter.traces`."""
        return SqliteTraceWriter(self._connection)

    def sequence(self) -> int:
        return self._sequence

    def _count_up(self) -> int:
        """The sequence number of this transaction, one more than before. Rows with it have to follow."""
        self._sequence = self._state.sequence + 1
        return self._sequence

    def _advance(self) -> int:
        """As `_count_up`, for changes that do not write a record."""
        sequence = self._count_up()
        if not self._counted:
            self._connection.execute("UPDATE meta SET value = ? WHERE key = 'sequence'", (sequence,))
            self._counted = True
        return sequence

    def _reserve(self, count: int) -> int:
        """The first of so many successive keys that are greater than every record's."""
        if self._state.last_pk is None:
            self._state.last_pk = int(self._one("SELECT max(pk) FROM records") or 0)
        first = self._state.last_pk + 1
        self._state.last_pk += count
        return first

    def meta(self, key: str) -> str | None:
        settings = self._state.settings
        if key not in settings:
            settings[key] = super().meta(key)
        return settings[key]

    def set_meta(self, key: str, value: str | None) -> None:
        self._state.settings[key] = value
        if value is None:
            self._connection.execute("DELETE FROM meta WHERE key = ?", (key,))
        else:
            self._connection.execute(
                "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, value),
            )

    def drop_token_vectors(self) -> None:
        super().drop_token_vectors()
        self._advance()

    def set_slept(self, user: str, state: str) -> None:
        pk = self._user_pk(user)
        if pk is not None:
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (slept_key(pk), state))

    def set_upkeep(self, user: str | None, state: str | None) -> None:
        pk = 0 if user is None else self._user_pk(user)
        if pk is None:
            return
        if state is not None:
            self._connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (upkeep_key(pk), state))
        elif user is None:
            self._connection.execute("DELETE FROM meta WHERE key GLOB ?", (f"{upkeep_key(0)[:-1]}*",))
        else:
            self._connection.execute("DELETE FROM meta WHERE key IN (?, ?)", (upkeep_key(pk), looked_key(pk)))

    def set_looked(self, user: str, id: str) -> None:
        pk = self._user_pk(user)
        if pk is not None:
            self._connection.execute(_PUT_LOOKED, {"key": looked_key(pk), "user": pk, "id": id})

    def _ensure_user(self, user: str) -> int:
        pk = self._user_pk(user)
        if pk is None:
            cursor = self._connection.execute(
                "INSERT INTO users (name, sequence) VALUES (?, ?)", (user, self._advance())
            )
            assert cursor.lastrowid is not None
            pk = cursor.lastrowid
            self._keep_user(user, pk)
        return pk

    def put(self, records: Sequence[Record]) -> None:
        if not records:
            return
        self.written += len(records)
        sequence = self._count_up()
        pks: dict[str, int] = {}
        for record in records:
            user = record.user
            if user not in pks:
                pks[user] = self._state.user_pks.get(user) or self._ensure_user(user)
        first = self._reserve(len(records))
        if self._insert(records, pks, first, sequence) < len(records):
            self._replace(records, pks, first, sequence)
        sources, states, endings = [], [], []
        for record in records:
            if record.sources:
                sources += [(source, pks[record.user], record.id) for source in record.sources]
            if has_state(record):
                states.append((*encode_state(record), pks[record.user], record.id))
            if "ended" in record.metadata:
                endings += [(pks[record.user], name, record.id) for name in ended_by(record.metadata)]
        if sources:
            self._connection.executemany(_PUT_SOURCE, sources)
        if states:
            self._connection.executemany(_PUT_STATE, states)
        if endings:
            self._connection.executemany(PUT_ENDING, endings)

    def _replace(self, records: Sequence[Record], pks: dict[str, int], first: int, sequence: int) -> None:
        """Delete what is there already and let it come again: keys follow the order of changes."""
        for start in range(0, len(records), _PIECE):
            piece = records[start : start + _PIECE]
            staying = self._staying_token_vectors(piece, pks, first + start, first)
            keys = [(pks[record.user], record.id, first - 1) for record in piece]
            self._connection.executemany(_DELETE_OLDER, keys)
            self._insert(piece, pks, first + start, sequence)
            self._put_back_token_vectors(staying)

    def _insert(self, records: Sequence[Record], pks: dict[str, int], first: int, sequence: int) -> int:
        """Insert those whose ids are not there; returns how many."""
        inserted = 0
        for start in range(0, len(records), _PIECE):
            rows = encode_rows(records[start : start + _PIECE], pks, first + start, sequence)
            inserted += self._connection.executemany(_INSERT, rows).rowcount
        return inserted

    def remove(self, user: str, ids: Sequence[str]) -> int:
        pk = self._user_pk(user)
        if pk is None:
            return 0
        removed = 0
        looked = self.looked(user)
        for piece in chunks(ids):
            places, values = marks(piece)
            removed += self._connection.execute(
                f"DELETE FROM records WHERE user_pk = ? AND id IN ({places})",  # noqa: S608
                (pk, *values),
            ).rowcount
        if looked in ids:
            self.set_looked(user, looked)
        if removed:
            self.jobs.lose(user, ids)
            self._mark(pk)
        return removed

    def remove_user(self, user: str) -> int:
        pk = self._user_pk(user)
        if pk is None:
            return 0
        self.traces.erase_user(user)
        self._state.user_pks.pop(user, None)
        self._state.lifetimes.pop(user, None)
        removed = self._connection.execute("DELETE FROM records WHERE user_pk = ?", (pk,)).rowcount
        self._connection.execute("DELETE FROM users WHERE pk = ?", (pk,))
        for key in (slept_key, unlearnt_key, upkeep_key, looked_key, unsettled_key, unsettled_lifetimes_key):
            self._connection.execute("DELETE FROM meta WHERE key = ?", (key(pk),))
        self._connection.execute("DELETE FROM removals WHERE user_pk IN (?, ?)", (pk, -pk))
        self._mark(_VANISHED)
        return removed

    def set_made_tags(self, user: str, tags: Mapping[str, Sequence[str]]) -> None:
        pk = self._user_pk(user)
        rows = [(json.dumps(list(made), ensure_ascii=False), pk, id_) for id_, made in tags.items() if made]
        self._connection.executemany(_PUT_MADE, rows)

    def relate(self, user: str, parent: str, child: str, *, made: bool = False) -> bool:
        pk = self._ensure_user(user)
        exists = "SELECT made FROM relations WHERE user_pk = ? AND parent = ? AND child = ?"
        known = self._one(exists, (pk, parent, child))
        if known is not None:
            if known and not made:
                given = "UPDATE relations SET made = 0 WHERE user_pk = ? AND parent = ? AND child = ?"
                self._connection.execute(given, (pk, parent, child))
            return False
        self._connection.execute(
            "INSERT INTO relations VALUES (?, ?, ?, ?, ?)", (pk, parent, child, self._advance(), made)
        )
        return True

    def unrelate(self, user: str, parent: str, child: str) -> bool:
        pk = self._user_pk(user)
        statement = "DELETE FROM relations WHERE user_pk = ? AND parent = ? AND child = ?"
        if pk is None or not self._connection.execute(statement, (pk, parent, child)).rowcount:
            return False
        self._mark(-pk)
        return True

    def mark_removal(self, user: str) -> None:
        pk = self._user_pk(user)
        if pk is not None:
            self._mark(pk)

    def _mark(self, user_pk: int) -> None:
        self._connection.execute(_MARK, (user_pk, self._advance()))

    def request_erasure(self, *, later: bool = False) -> None:
        self.set_meta(ERASE_LATER if later else ERASE_PENDING, str(self._advance()))

    def stage(self, records: Sequence[Record], embeddings: NDArray[np.float32], as_of: int) -> None:
        rows = [
            (embedding_blob(embedding), record.user, record.id, as_of)
            for record, embedding in zip(records, embeddings, strict=True)
        ]
        self._connection.executemany(_STAGE, rows)

    def adopt_staged(self) -> None:
        sequence = self._advance()
        self._connection.execute(
            "UPDATE records SET sequence = ?, embedding = "
            "(SELECT embedding FROM staged WHERE record_pk = records.pk)",
            (sequence,),
        )
        self.discard_staged()

    def discard_staged(self) -> None:
        self._connection.execute("DELETE FROM staged")
