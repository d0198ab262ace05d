"""Token vectors in a SQLite store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from memspan.errors import StoreError
from memspan.records import Record
from memspan.store.codec import decode_record
from memspan.store.token_vectors import TokenVectors

from .rows import FIELDS, RECORDS, SqliteRows
from .statements import chunks, marks
from .writer_state import WriterState

__all__ = ["SqliteTokenVectorReader", "SqliteTokenVectorWriter"]

_VAULT: Final = "vault"
_FETCH: Final = (
    "SELECT r.id, r.pk, r.sequence, t.vectors FROM records r JOIN token_vectors t ON t.record_pk = r.pk "
    "WHERE r.user_pk = ? AND r.id IN ({})"
)
# Keys first: what is sorted for a user is then numbers and not whole records.
_WITHOUT: Final = (
    f"SELECT r.pk, u.name, {FIELDS} FROM {RECORDS} JOIN users u ON u.pk = r.user_pk WHERE r.pk IN ("  # noqa: S608
    "SELECT o.pk FROM records o WHERE o.pk > ? {} "
    f"AND o.kind <> '{_VAULT}' AND NOT EXISTS (SELECT 1 FROM token_vectors t WHERE t.record_pk = o.pk) "
    "ORDER BY o.pk LIMIT ?) ORDER BY r.pk"
)
_PUT: Final = (
    "INSERT OR REPLACE INTO token_vectors (vectors, record_pk) SELECT ?, pk FROM records "  # noqa: S608
    f"WHERE user_pk = ? AND id = ? AND sequence <= coalesce(?, sequence) AND kind <> '{_VAULT}'"
)
_OLDER: Final = (
    "SELECT r.id, r.speaker, r.text, r.metadata, t.vectors FROM records r "
    "JOIN token_vectors t ON t.record_pk = r.pk WHERE r.user_pk = ? AND r.pk < ? AND r.id IN ({})"
)
_PUT_BACK: Final = "INSERT INTO token_vectors (vectors, record_pk) SELECT ?, pk FROM records WHERE pk = ?"


class SqliteTokenVectorReader(SqliteRows):
    """`TokenVectorReader` on an open transaction."""

    def token_vectors(self, user: str, ids: Sequence[str], dim: int) -> dict[str, TokenVectors]:
        return {
            id_: TokenVectors(pk, sequence, self._matrix(user, id_, blob, dim))
            for id_, pk, sequence, blob in self._of_ids(_FETCH, self._user_pk(user), ids)
        }

    def record_versions(self, user: str, ids: Sequence[str]) -> dict[str, tuple[int, int]]:
        statement = "SELECT id, pk, sequence FROM records WHERE user_pk = ? AND id IN ({})"
        return {
            id_: (pk, sequence) for id_, pk, sequence in self._of_ids(statement, self._user_pk(user), ids)
        }

    def without_token_vectors(self, user: str | None, after: int, limit: int) -> list[tuple[int, Record]]:
        only, values = ("", ()) if user is None else ("AND o.user_pk = ?", (self._user_pk(user),))
        rows = self._all(_WITHOUT.format(only), (after, *values, limit))
        return [(row[0], decode_record(row[1], row[2:])) for row in rows]

    def _of_ids(self, statement: str, user_pk: int | None, ids: Sequence[str], *more: int) -> list[Any]:
        """The rows of a statement with `{}` for ids, which come after the user's key and further values."""
        if user_pk is None:
            return []
        rows: list[Any] = []
        for piece in chunks(ids):
            places, values = marks(piece)
            rows += self._all(statement.format(places), (user_pk, *more, *values))
        return rows

    def _matrix(self, user: str, id_: str, blob: bytes, dim: int) -> NDArray[np.int8]:
        count, rest = divmod(len(blob), dim)
        if rest:
            file = self._one("SELECT file FROM pragma_database_list WHERE name = 'main'")
            raise StoreError(
                f"{file}: the token vectors of record {id_!r} of user {user!r} are damaged: {len(blob)} bytes are not "
                f"whole vectors of {dim}; restore the store from a backup, or make its token vectors anew"
            )
        return np.frombuffer(blob, np.int8).reshape(count, dim)


class SqliteTokenVectorWriter(SqliteTokenVectorReader):
    """`TokenVectorWriter` on an open exclusive transaction."""

    _state: WriterState

    def put_token_vectors(
        self, user: str, vectors: Mapping[str, NDArray[np.int8]], *, as_of: int | None = None
    ) -> None:
        pk = self._user_pk(user)
        if pk is None or not vectors:
            return
        self._state.token_vectors_empty = False
        rows = ((matrix.tobytes(), pk, id_, as_of) for id_, matrix in vectors.items())
        self._connection.executemany(_PUT, rows)

    def drop_token_vectors(self) -> None:
        self._connection.execute("DELETE FROM token_vectors")
        self._state.token_vectors_empty = True

    def _staying_token_vectors(
        self, records: Sequence[Record], user_pks: Mapping[str, int], first_pk: int, first: int
    ) -> list[tuple[bytes, int]]:
        """What `_put_back_token_vectors` takes when the records, with keys from `first_pk` on, have replaced those that
        are there with keys below `first`: the token vectors whose embedded text stays the same.

        Nothing is read in a store that has none. Embeddings would not tell whether a text is the same: they may be a
        caller's own, many embedders do not see the order of words, and an embedder may round otherwise the next time.
        """
        if self._no_token_vectors():
            return []
        ids: dict[str, list[str]] = {}
        for record in records:
            ids.setdefault(record.user, []).append(record.id)
        older = {
            (user, id_): old
            for user in ids
            for id_, *old in self._of_ids(_OLDER, user_pks[user], ids[user], first)
        }
        staying = []
        for key, record in enumerate(records, first_pk):
            old = older.get((record.user, record.id))
            if old is not None and record.kind != _VAULT and _same_words(record, *old[:3]):
                staying.append((old[3], key))
        return staying

    def _put_back_token_vectors(self, staying: Sequence[tuple[bytes, int]]) -> None:
        if staying:
            self._connection.executemany(_PUT_BACK, staying)

    def _no_token_vectors(self) -> bool:
        if self._state.token_vectors_empty is None:
            self._state.token_vectors_empty = not self._all("SELECT 1 FROM token_vectors LIMIT 1")
        return self._state.token_vectors_empty


def _same_words(record: Record, speaker: str | None, text: str, metadata: str) -> bool:
    """Whether the embedded text of a record is made of the same as that of a stored row."""
    if record.text != text or (record.speaker or None) != speaker:
        return False
    images = json.loads(metadata).get("images") if '"images"' in metadata else None
    return bool(images == record.metadata.get("images"))
