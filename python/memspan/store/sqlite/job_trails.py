"""Let a SQLite store know what jobs of another store were shown and made."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection

from memspan.store.jobs import Trail
from memspan.times import Micros

from .job_reader import SqliteJobReader
from .known_users import KnownUsers
from .writer_state import WriterState

__all__ = ["SqliteTrailWriter"]


class SqliteTrailWriter(KnownUsers, SqliteJobReader):
    """`JobWriter.follow_trail` on an open exclusive transaction."""

    def __init__(self, connection: sqlite3.Connection, state: WriterState) -> None:
        super().__init__(connection)
        self._state = state

    def follow_trail(self, user: str, trail: Trail, now: Micros) -> None:
        user_pk = self._user_pk(user)
        here = self._one("SELECT pk FROM jobs WHERE id = ? AND user_pk = ?", (trail.id, user_pk))
        # A record has one job: where others have these records, they are shown its turns as well.
        jobs = sorted(self.making(user, trail.made) | ({here} if here is not None else set()))
        if jobs:
            own = set(trail.own).difference(self.seeing(user, trail.own, own=True))
            for pk in jobs:
                self._show(pk, user_pk, trail, own if pk == jobs[-1] else ())
        else:
            jobs = [self._done_elsewhere(user_pk, trail, now)]
            self._show(jobs[0], user_pk, trail, trail.own)
        self._connection.executemany(
            "INSERT OR IGNORE INTO job_made VALUES (?, ?, ?)",
            [(user_pk, id_, jobs[-1]) for id_ in trail.made],
        )

    def _done_elsewhere(self, user_pk: int | None, trail: Trail, now: Micros) -> int:
        taken = self._one("SELECT 1 FROM jobs WHERE id = ?", (trail.id,)) is not None
        cursor = self._connection.execute(
            "INSERT INTO jobs (user_pk, id, recipe, session, state, run, created, updated) "
            "VALUES (?, coalesce(?, lower(hex(randomblob(10)))), ?, ?, ?, 1, ?, ?)",
            (
                user_pk,
                None if taken else trail.id,
                trail.recipe,
                trail.session,
                "done" if trail.done else "pending",
                now,
                now,
            ),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def _show(self, pk: int, user_pk: int | None, trail: Trail, own: Collection[str]) -> None:
        """Let a job have seen all turns of a trail, those that it had not as its own if they are among these."""
        places = self._all("SELECT position, record FROM job_turns WHERE job_pk = ? ORDER BY position", (pk,))
        known = {record for _, record in places}
        first, last = (places[0][0], places[-1][0]) if places else (0, -1)
        new = [id_ for id_ in trail.own if id_ not in known]
        owned = [id_ for id_ in new if id_ in own]
        rows = [(pk, max(last, -1) + 1 + i, user_pk, id_) for i, id_ in enumerate(owned)]
        seen = [*(id_ for id_ in trail.before if id_ not in known), *(id_ for id_ in new if id_ not in own)]
        rows += [(pk, min(first, 0) - 1 - i, user_pk, id_) for i, id_ in enumerate(reversed(seen))]
        self._connection.executemany("INSERT INTO job_turns VALUES (?, ?, ?, ?)", rows)
