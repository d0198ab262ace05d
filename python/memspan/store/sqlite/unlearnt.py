"""What was unlearnt, in a SQLite store: one setting for each user."""

from __future__ import annotations

import json
from collections.abc import Sequence

from memspan.times import Micros

from .audit import fingerprint
from .rows import SqliteRows

__all__ = ["SqliteUnlearntReader", "SqliteUnlearntWriter", "unlearnt_key"]


def unlearnt_key(user_pk: int) -> str:
    """The setting of a user. Keys of users are never used again."""
    return f"unlearnt/{user_pk}"


class SqliteUnlearntReader(SqliteRows):
    """`UnlearntReader` on an open transaction."""

    def any(self, user: str) -> bool:
        pk = self._user_pk(user)
        return pk is not None and bool(self._known(pk))

    def through(self, user: str, actions: Sequence[Sequence[str]]) -> list[Micros | None]:
        pk = self._user_pk(user)
        known = {} if pk is None else self._known(pk)
        if not known:
            return [None] * len(actions)
        store_id = self._store_id()
        return [known.get(_name(store_id, user, each)) for each in actions]

    def _known(self, user_pk: int) -> dict[str, Micros]:
        text = self._one("SELECT value FROM meta WHERE key = ?", (unlearnt_key(user_pk),))
        known: dict[str, Micros] = {} if text is None else json.loads(text)
        return known

    def _store_id(self) -> str:
        return str(self._one("SELECT value FROM meta WHERE key = 'store_id'"))


class SqliteUnlearntWriter(SqliteUnlearntReader):
    """`UnlearntWriter` on an open exclusive transaction."""

    def add(self, user: str, actions: Sequence[str], through: Micros) -> None:
        pk = self._user_pk(user)
        if pk is None:
            return
        known = self._known(pk)
        name = _name(self._store_id(), user, actions)
        known[name] = max(through, known.get(name, through))
        # Not `set_meta`: a writer keeps what that says in memory.
        self._connection.execute(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)", (unlearnt_key(pk), json.dumps(known))
        )


def _name(store_id: str, user: str, actions: Sequence[str]) -> str:
    """What a procedure is known by: its steps, whatever shows them."""
    return fingerprint(store_id, user, json.dumps(["procedure", *actions]))
