"""Change jobs of a SQLite store inside its exclusive transaction."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, Final, NamedTuple

from memspan.llm.usage import Usage
from memspan.store.jobs import ClaimedJob, Due, Gathering, Note, Outcome, Step, Worker, at_once
from memspan.times import Micros

from .job_reader import BEGUN, INTERRUPTED, USAGE_COLUMNS
from .job_trails import SqliteTrailWriter
from .statements import chunks, marks

__all__ = ["MOST_TURNS", "SqliteJobWriter"]

MOST_TURNS: Final = 512
"""Turns of a job: what is lost of the model's work when a job has to begin anew stays bounded."""

_ADD_USAGE: Final = (
    f"INSERT INTO usage (user_pk, recipe, stage, model, {', '.join(USAGE_COLUMNS)}) "  # noqa: S608
    f"VALUES ({', '.join('?' * (4 + len(USAGE_COLUMNS)))}) ON CONFLICT (user_pk, recipe, stage, model) DO UPDATE SET "
    + ", ".join(f"{column} = {column} + excluded.{column}" for column in USAGE_COLUMNS[:-1])
    # What has no price does not take away the price of the rest.
    + ", price = coalesce(price + excluded.price, price, excluded.price)"
)
_HISTORY: Final = (
    "INSERT INTO job_turns SELECT ?, -row_number() OVER (ORDER BY j.pk DESC, t.position DESC), j.user_pk, t.record "
    "FROM jobs j JOIN job_turns t ON t.job_pk = j.pk "
    "WHERE j.user_pk = ? AND j.session IS ? AND j.pk < ? AND t.position >= 0 "
    "ORDER BY j.pk DESC, t.position DESC LIMIT ?"
)


# All its turns may have run out and been erased.
_LAST: Final = (
    "SELECT recipe, run, state, pk, gathered, due, "
    "(SELECT coalesce(max(position), -1) + 1 FROM job_turns WHERE job_pk = jobs.pk) "
    "FROM jobs WHERE user_pk = ? AND session IS ? ORDER BY pk DESC LIMIT 1"
)


class _Gathered(NamedTuple):
    """A job that waits for more turns."""

    pk: int | None
    tokens: int
    due: Micros
    turns: int
    """The position after its last one."""


_NEW: Final = _Gathered(None, 0, 0, 0)


class SqliteJobWriter(SqliteTrailWriter):
    """`JobWriter` on an open exclusive transaction."""

    def _change(self, statement: str, parameters: Sequence[Any] = ()) -> int:
        """How many rows a statement changed."""
        return self._connection.execute(statement, parameters).rowcount

    def enqueue(
        self,
        user: str,
        turns: Sequence[tuple[str | None, str]],
        recipe: str,
        now: Micros,
        *,
        tokens: Sequence[int] = (),
        due: Due = at_once,
    ) -> None:
        user_pk = self._user_pk(user)
        sessions: dict[str | None, list[tuple[str, int]]] = {}
        for (session, id_), count in zip(turns, tokens or [0] * len(turns), strict=True):
            sessions.setdefault(session, []).append((id_, count))
        for session, new in sessions.items():
            job = self._unbegun(user_pk, session, recipe)
            while new:
                if job is None or job.turns >= MOST_TURNS:
                    job = _NEW
                room = MOST_TURNS - job.turns
                piece, new = new[:room], new[room:]
                count = job.turns + len(piece)
                held = job.tokens + sum(tokens for _, tokens in piece)
                # One that is full waits for no more.
                until = 0 if count >= MOST_TURNS else due(count, held)
                pk = job.pk
                if pk is None:
                    pk = self._new_job(user_pk, session, recipe, now, held, until)
                elif (held, until) != (job.tokens, job.due):
                    waiting = "UPDATE jobs SET gathered = ?, due = ?, updated = ? WHERE pk = ?"
                    self._change(waiting, (held, until, now, pk))
                rows = [(pk, job.turns + i, user_pk, id_) for i, (id_, _) in enumerate(piece)]
                self._connection.executemany("INSERT INTO job_turns VALUES (?, ?, ?, ?)", rows)
                job = None

    def _unbegun(self, user_pk: int | None, session: str | None, recipe: str) -> _Gathered | None:
        """The session's last job when nobody has begun it and it is of this recipe."""
        row = self._connection.execute(_LAST, (user_pk, session)).fetchone()
        if row is None or row[:3] != (recipe, 0, "pending"):
            return None
        return _Gathered(*row[3:])

    def _new_job(
        self, user_pk: int | None, session: str | None, recipe: str, now: Micros, tokens: int, due: Micros
    ) -> int:
        cursor = self._connection.execute(
            "INSERT INTO jobs (user_pk, id, recipe, session, created, updated, gathered, due) "
            "VALUES (?, lower(hex(randomblob(10))), ?, ?, ?, ?, ?, ?)",
            (user_pk, recipe, session, now, now, tokens, due),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def claim(
        self,
        owner: str,
        user: str | None,
        count: int,
        now: Micros,
        history: Callable[[str], int | None],
        *,
        gathering: Gathering = "wait",
        busy: bool = False,
        without: Collection[str] = (),
    ) -> list[ClaimedJob]:
        unknown: set[str] = {*without}
        while True:
            rows = self._claimable(user, count, now, gathering, unknown)
            strange = {recipe for _, _, _, _, recipe, *_ in rows if history(recipe) is None}
            if not strange:
                break
            unknown |= strange
        if suspects := [row for row in rows if row[-1]]:
            rows = [] if busy else suspects[:1]
        claimed = []
        for pk, id_, name, user_pk, recipe, session, run, suspect in rows:
            job = ClaimedJob(pk, id_, name, user_pk, recipe, session, owner, run + 1, bool(suspect))
            self._change(
                "UPDATE jobs SET state = 'running', owner = ?, run = ?, due = 0, updated = ? WHERE pk = ?",
                (owner, job.run, now, pk),
            )
            seen = history(recipe)
            if seen and self._one("SELECT min(position) FROM job_turns WHERE job_pk = ?", (pk,)) == 0:
                self._change(_HISTORY, (pk, user_pk, session, pk, seen))
            claimed.append(job)
        return claimed

    def holds(self, job: ClaimedJob, now: Micros) -> bool:
        return bool(
            self._change(
                "UPDATE jobs SET updated = ? WHERE pk = ? AND owner = ? AND run = ? AND state = 'running'",
                (now, job.pk, job.owner, job.run),
            )
        )

    def begin(self, job: ClaimedJob) -> None:
        self.put_step(job, BEGUN, Step(None, version=job.run))

    def put_step(self, job: ClaimedJob, key: str, step: Step) -> None:
        self._change("INSERT OR REPLACE INTO job_steps VALUES (?, ?, ?, ?, ?, ?)", (job.pk, key, *step))
        if step.value is not None:
            self._change(
                "UPDATE jobs SET attempts = 0, reason = NULL WHERE pk = ? AND attempts > 0", (job.pk,)
            )

    def drop_truncated(self, job: ClaimedJob, but: Collection[str]) -> None:
        self._change(
            "DELETE FROM job_steps WHERE job_pk = ? AND value IS NULL"
            " AND key NOT IN (SELECT value FROM json_each(?))",
            (job.pk, json.dumps(list(but))),
        )

    def add_usage(self, user: str, recipe: str, stage: str, model: str, usage: Usage) -> None:
        user_pk = self._user_pk(user)
        if user_pk is None:
            return
        values = [getattr(usage, column) for column in USAGE_COLUMNS]
        self._change(_ADD_USAGE, (user_pk, recipe, stage, model, *values))

    def finish(self, job: ClaimedJob, outcome: Outcome, notes: Sequence[Note]) -> None:
        for table, ids in (("job_made", outcome.made), ("job_tagged", outcome.tagged)):
            self._change(f"DELETE FROM {table} WHERE job_pk = ?", (job.pk,))  # noqa: S608
            self._connection.executemany(
                f"INSERT OR REPLACE INTO {table} VALUES (?, ?, ?)",  # noqa: S608
                [(job.user_pk, id_, job.pk) for id_ in ids],
            )
        self._connection.executemany(
            "INSERT OR IGNORE INTO job_relations VALUES (?, ?, ?, ?)",
            [(job.user_pk, parent, child, job.pk) for parent, child in outcome.relations],
        )
        self._log(job, notes)
        self._change("DELETE FROM job_steps WHERE job_pk = ?", (job.pk,))
        self._end(job, "done", None, 0)

    def fail(self, job: ClaimedJob, reason: str, due: Micros | None, notes: Sequence[Note]) -> None:
        self._log(job, notes)
        self._change("UPDATE jobs SET attempts = attempts + 1 WHERE pk = ?", (job.pk,))
        self._end(job, "parked" if due is None else "pending", reason, due or 0)

    def _end(self, job: ClaimedJob, state: str, reason: str | None, due: Micros) -> None:
        self._change(
            "UPDATE jobs SET state = ?, reason = ?, due = ?, owner = NULL, attempts = iif(?, 0, attempts) WHERE pk = ?",
            (state, reason, due, state == "done", job.pk),
        )

    def _log(self, job: ClaimedJob, notes: Sequence[Note]) -> None:
        """Add the lines of a run. Those that stages wrote in earlier ones go: a run makes them all again."""
        self._change("DELETE FROM job_log WHERE job_pk = ? AND stage IS NOT NULL", (job.pk,))
        rows = [
            (job.pk, note.at, job.run, note.stage, note.event, json.dumps(dict(note.details)))
            for note in notes
        ]
        self._connection.executemany(
            "INSERT INTO job_log (job_pk, at, run, stage, event, details) VALUES (?, ?, ?, ?, ?, ?)", rows
        )

    def release(self, owner: str) -> None:
        self._change(
            "UPDATE jobs SET state = 'pending', owner = NULL "
            "WHERE state IN ('pending', 'running') AND state = 'running' AND owner = ?",
            (owner,),
        )

    def bury(self, tokens: Collection[str], attempts: int, now: Micros) -> int:
        parked = 0
        for token in sorted(tokens):
            held = self._all(
                "SELECT j.pk, s.version IS j.run FROM jobs j "
                "LEFT JOIN job_steps s ON s.job_pk = j.pk AND s.key = ? "
                "WHERE j.state IN ('pending', 'running') AND j.state = 'running' AND j.owner = ?",
                (BEGUN, token),
            )
            begun = [pk for pk, began in held if began] or [pk for pk, _ in held]
            parked += sum(self._interrupt(pk, attempts, now) for pk in begun)
            self.release(token)
            self.unregister(token)
        return parked

    def _interrupt(self, pk: int, attempts: int, now: Micros) -> bool:
        """Count an attempt whose worker died; whether the job is parked for it."""
        self._change(
            "INSERT INTO job_log (job_pk, at, run, stage, event, details) "
            "SELECT pk, ?, run, NULL, 'interrupted', '{}' FROM jobs WHERE pk = ?",
            (now, pk),
        )
        self._change(
            "UPDATE jobs SET owner = NULL, updated = ?, attempts = attempts + 1, "
            "reason = ?, state = iif(attempts + 1 >= ?, 'parked', 'pending') WHERE pk = ?",
            (now, INTERRUPTED, attempts, pk),
        )
        return bool(self._one("SELECT state = 'parked' FROM jobs WHERE pk = ?", (pk,)))

    def restart(self, pks: Collection[int], *, erase: bool) -> None:
        for pk in sorted(pks):
            self._change("DELETE FROM job_steps WHERE job_pk = ?", (pk,))
            if erase:
                self._change("DELETE FROM job_log WHERE job_pk = ?", (pk,))
                self._change("DELETE FROM job_made WHERE job_pk = ?", (pk,))
                self._change("DELETE FROM job_tagged WHERE job_pk = ?", (pk,))
                self._change(
                    "DELETE FROM jobs WHERE pk = ? AND NOT EXISTS "
                    "(SELECT 1 FROM job_turns WHERE job_pk = jobs.pk AND position >= 0)",
                    (pk,),
                )
            # `run` stays: it tells results of a run that is under way from those of the next one.
            self._change(
                "UPDATE jobs SET state = 'pending', owner = NULL, attempts = 0, reason = NULL, "
                "due = iif(run = 0, due, 0) WHERE pk = ?",
                (pk,),
            )

    def lose(self, user: str, ids: Sequence[str]) -> None:
        pk = self._user_pk(user)
        for piece in chunks(ids):
            places, values = marks(piece)
            for table in ("job_turns", "job_made", "job_tagged"):
                self._change(
                    f"DELETE FROM {table} WHERE user_pk = ? AND record IN ({places})",  # noqa: S608
                    (pk, *values),
                )

    def forget_results(self, pks: Collection[int]) -> None:
        for pk in sorted(pks):
            self._change("DELETE FROM job_steps WHERE job_pk = ?", (pk,))
            self._change("DELETE FROM job_log WHERE job_pk = ?", (pk,))
            self._change("UPDATE jobs SET reason = NULL WHERE pk = ?", (pk,))

    def dissolve(self, pk: int) -> list[tuple[str, str]]:
        rows = self._all(
            "SELECT r.parent, r.child FROM job_relations r WHERE r.job_pk = ? AND NOT EXISTS "
            "(SELECT 1 FROM job_relations o WHERE o.user_pk = r.user_pk AND o.parent = r.parent "
            "AND o.child = r.child AND o.job_pk <> r.job_pk)",
            (pk,),
        )
        self._change("DELETE FROM job_relations WHERE job_pk = ?", (pk,))
        return [(parent, child) for parent, child in rows]

    def drop_spent(self, pks: Collection[int]) -> list[tuple[str, str]]:
        left = " AND ".join(
            f"NOT EXISTS (SELECT 1 FROM {table} t WHERE t.job_pk = jobs.pk{turns})"  # noqa: S608
            for table, turns in (("job_turns", " AND position >= 0"), ("job_made", ""), ("job_tagged", ""))
        )
        relations: list[tuple[str, str]] = []
        for pk in sorted(pks):
            if self._one(f"SELECT 1 FROM jobs WHERE pk = ? AND state <> 'running' AND {left}", (pk,)):  # noqa: S608
                relations += self.dissolve(pk)
                self._change("DELETE FROM jobs WHERE pk = ?", (pk,))
        return relations

    def own_relation(self, user: str, parent: str, child: str) -> None:
        self._change(
            "DELETE FROM job_relations WHERE user_pk = ? AND parent = ? AND child = ?",
            (self._user_pk(user), parent, child),
        )

    def came_of_jobs(self, user: str, parent: str, child: str) -> bool:
        found = self._one(
            "SELECT 1 FROM job_relations WHERE user_pk = ? AND parent = ? AND child = ?",
            (self._user_pk(user), parent, child),
        )
        return found is not None

    def retry(self, user: str | None, id: str | None, now: Micros) -> int:
        # By what is asked for alone: `? IS NULL OR` would keep SQLite from the indexes.
        conditions = {"id = ?": id, "user_pk = (SELECT pk FROM users WHERE name = ?)": user}
        given = {condition: value for condition, value in conditions.items() if value is not None}
        scope, values = " AND ".join(("state = 'parked'", *given)), tuple(given.values())
        self._change(
            "INSERT INTO job_log (job_pk, at, run, stage, event, details) "  # noqa: S608
            f"SELECT pk, ?, run, NULL, 'retried', '{{}}' FROM jobs WHERE {scope}",
            (now, *values),
        )
        return self._change(
            f"UPDATE jobs SET state = 'pending', attempts = 0, due = 0, updated = ? WHERE {scope}",  # noqa: S608
            (now, *values),
        )

    def register(self, worker: Worker) -> None:
        self._change("INSERT OR REPLACE INTO workers VALUES (?, ?, ?, ?)", worker)

    def unregister(self, token: str) -> None:
        self._change("DELETE FROM workers WHERE token = ?", (token,))
