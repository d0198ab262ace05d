"""Read jobs, their results and their costs from a SQLite store."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any, Final

from memspan.llm.usage import Usage
from memspan.reports.job_info import Job, JobEvent, UsageEntry
from memspan.store.jobs import ClaimedJob, Gathering, Step, Trail, Worker
from memspan.times import Micros, from_micros

from .malformed import reads
from .rows import SqliteRows, of_user
from .statements import chunks, marks

__all__ = ["BEGUN", "INTERRUPTED", "OPEN", "USAGE_COLUMNS", "SqliteJobReader", "claimable"]

BEGUN: Final = ""
"""The key of no step: its value is the last run of the job that began, see `JobWriter.begin`."""

OPEN: Final = "state IN ('pending', 'running')"

_OTHER: Final = (
    "SELECT 1 FROM jobs e "
    "WHERE e.user_pk = j.user_pk AND e.session IS j.session AND e.state IN ('pending', 'running')"
)
_UNBLOCKED: Final = (
    "j.state IN ('pending', 'running') AND j.state = 'pending' "
    f"AND NOT EXISTS ({_OTHER} AND e.pk < j.pk{{known}}) "
    f"AND (j.run = 0 OR NOT EXISTS ({_OTHER} AND e.pk > j.pk AND e.state = 'running'))"
)
_KNOWN: Final = " AND {0}.recipe NOT IN (SELECT value FROM json_each(:without))"

_DUE: Final = "iif((:gathering = 'begin' AND j.run = 0) OR j.updated > :now, 0, j.due)"
"""When a job `j` may begin. One that nobody has begun yet is held back only by the wish for more turns. One that was
written after `:now` waits no longer: the clock was set back since, maybe by a year, and would take as long to get
there."""

INTERRUPTED: Final = "the process that worked on it ended"
"""The reason of a job whose worker died."""

_SUSPECT: Final = 2
"""So many attempts without a result, the last of which ended with its worker. After the first, all that were under way
go on beside each other: most often a process is ended from outside, and no job is to blame."""

USAGE_COLUMNS: Final = (
    "prompt_tokens", "completion_tokens", "cached_tokens", "calls", "uncounted", "reused", "seconds", "price",
)  # fmt: skip
_NAMES: Final = {"user": "u.name", "recipe": "g.recipe", "stage": "g.stage", "model": "g.model"}
_JOB: Final = (
    "SELECT j.id, u.name, j.recipe, j.session, j.state, "
    "(SELECT count(*) FROM job_turns t WHERE t.job_pk = j.pk AND t.position >= 0), "
    "(SELECT count(*) FROM job_made m WHERE m.job_pk = j.pk), "
    "j.attempts, j.reason, j.due, j.created, j.updated FROM jobs j JOIN users u ON u.pk = j.user_pk "
)


def _unblocked(user: str | None, without: Collection[str]) -> str:
    """The condition that jobs `j`, of the user that `:user` names or with `None` of any, wait for no other job of their
    session: for none before; and for none behind, which may run if this one was parked. Named as the partial indexes
    have it. With recipes in `:without`, their jobs are none, and none waits for them."""
    known = _KNOWN if without else ""
    condition = _UNBLOCKED.format(known=known.format("e")) + known.format("j")
    if user is None:
        return condition
    # Not by the name of `users u`: jobs are to be looked at in the order of their keys, until there are enough.
    return f"{condition} AND j.user_pk = (SELECT pk FROM users WHERE name = :user)"  # noqa: S608


def claimable(user: str | None, without: Collection[str] = ()) -> str:
    """The statement for jobs that may be claimed, the oldest first; at last whether it is a suspect."""
    return (
        "SELECT j.pk, j.id, u.name, j.user_pk, j.recipe, j.session, j.run, "  # noqa: S608
        f"coalesce(j.attempts >= {_SUSPECT} AND j.reason = '{INTERRUPTED}', 0) FROM jobs j "
        f"JOIN users u ON u.pk = j.user_pk WHERE {_unblocked(user, without)} AND {_DUE} <= :now "
        "ORDER BY j.pk LIMIT :count"
    )


class SqliteJobReader(SqliteRows):
    """`JobReader` on an open transaction."""

    def jobs(self, user: str | None = None, state: str | None = None, id: str | None = None) -> list[Job]:
        # By what is asked for alone, and named as the partial indexes have it.
        named, order = "" if id is None else "AND j.id = :id ", "j.pk"
        if state in ("pending", "running"):
            named += "AND j.state IN ('pending', 'running') AND j.state = :state "
        elif state == "parked":
            named += "AND j.state = 'parked' "
            order = "+j.pk"  # few are sorted, instead of all gone through in that order
        elif state is not None:
            named += "AND j.state = :state "
        rows = self._all(
            _JOB + f"WHERE {of_user(user)} {named}ORDER BY {order}",
            {"user": user, "state": state, "id": id},
        )
        return [
            Job._make(
                (*values, from_micros(due) if due else None, from_micros(created), from_micros(updated))
            )
            for *values, due, created, updated in rows
        ]

    @reads("entry of a job's log")
    def log(self, id: str) -> list[JobEvent]:
        rows = self._all(
            "SELECT l.at, l.run, l.stage, l.event, l.details FROM job_log l JOIN jobs j ON j.pk = l.job_pk "
            "WHERE j.id = ? ORDER BY l.pk",
            (id,),
        )
        return [
            JobEvent(from_micros(at), run, stage, event, json.loads(details))
            for at, run, stage, event, details in rows
        ]

    def turns(self, pk: int) -> tuple[list[str], list[str]]:
        rows = self._all("SELECT position, record FROM job_turns WHERE job_pk = ? ORDER BY position", (pk,))
        own = [id_ for position, id_ in rows if position >= 0]
        return own, [id_ for position, id_ in rows if position < 0]

    def steps(self, pk: int) -> dict[str, Step]:
        rows = self._all(
            "SELECT key, value, model, prompt, version FROM job_steps WHERE job_pk = ? AND key <> ?",
            (pk, BEGUN),
        )
        return {key: Step(*step) for key, *step in rows}

    def attempts(self, pk: int) -> int:
        return int(self._one("SELECT attempts FROM jobs WHERE pk = ?", (pk,)) or 0)

    def is_held(self, job: ClaimedJob) -> bool:
        found = self._one(
            "SELECT 1 FROM jobs WHERE pk = ? AND owner = ? AND run = ? AND state = 'running'",
            (job.pk, job.owner, job.run),
        )
        return found is not None

    def open(self, user: str | None) -> int:
        return int(
            self._one(
                "SELECT count(*) FROM jobs j JOIN users u ON u.pk = j.user_pk "  # noqa: S608
                f"WHERE j.state IN ('pending', 'running') AND {of_user(user)}",
                {"user": user},
            )
        )

    def suspected(
        self,
        user: str | None,
        count: int,
        now: Micros,
        gathering: Gathering = "wait",
        without: Collection[str] = (),
    ) -> bool:
        return any(row[-1] for row in self._claimable(user, count, now, gathering, without))

    def _claimable(
        self, user: str | None, count: int, now: Micros, gathering: Gathering, without: Collection[str]
    ) -> list[Any]:
        parameters = {"user": user, "now": now, "count": count, "gathering": gathering}
        return self._all(claimable(user, without), {**parameters, "without": json.dumps(sorted(without))})

    def held(self, user: str | None, owners: Collection[str]) -> bool:
        rows = self._all(
            "SELECT j.owner FROM jobs j JOIN users u ON u.pk = j.user_pk "  # noqa: S608
            "WHERE j.state IN ('pending', 'running') AND j.state = 'running' "
            f"AND {of_user(user)}",
            {"user": user},
        )
        return any(owner in owners for (owner,) in rows)

    def next_due(
        self, user: str | None, now: Micros, gathering: Gathering = "wait", without: Collection[str] = ()
    ) -> Micros | None:
        due = self._one(
            f"SELECT min({_DUE}) FROM jobs j JOIN users u ON u.pk = j.user_pk "  # noqa: S608
            f"WHERE {_unblocked(user, without)} AND (:gathering <> 'leave' OR j.run > 0 OR j.due = 0)",
            {"user": user, "now": now, "gathering": gathering, "without": json.dumps(sorted(without))},
        )
        return None if due is None else int(due)

    def seeing(self, user: str, ids: Sequence[str], *, own: bool = False) -> dict[str, set[int]]:
        first = 0 if own else -(1 << 62)
        found: dict[str, set[int]] = {}
        pk = self._user_pk(user)
        for piece in chunks(ids):
            places, values = marks(piece)
            rows = self._all(
                "SELECT record, job_pk FROM job_turns "  # noqa: S608
                f"WHERE user_pk = ? AND position >= ? AND record IN ({places})",
                (pk, first, *values),
            )
            for id_, job in rows:
                found.setdefault(id_, set()).add(job)
        return found

    def making(self, user: str, ids: Sequence[str]) -> set[int]:
        pk = self._user_pk(user)
        found: set[int] = set()
        for piece in chunks(ids):
            places, values = marks(piece)
            statement = f"SELECT job_pk FROM job_made WHERE user_pk = ? AND record IN ({places})"  # noqa: S608
            found.update(job for (job,) in self._all(statement, (pk, *values)))
        return found

    def made(self, pks: Collection[int]) -> list[str]:
        return self._records("job_made", pks)

    def tagged(self, pks: Collection[int]) -> list[str]:
        return self._records("job_tagged", pks)

    def _records(self, table: str, pks: Collection[int]) -> list[str]:
        statement = f"SELECT record FROM {table} WHERE job_pk = ? ORDER BY record"  # noqa: S608
        return [id_ for pk in sorted(pks) for (id_,) in self._all(statement, (pk,))]

    def trails(self, user: str) -> list[Trail]:
        rows = self._all(
            "SELECT j.pk, j.id, j.recipe, j.session, j.state = 'done' FROM jobs j WHERE j.user_pk = ? "
            "AND EXISTS (SELECT 1 FROM job_made m WHERE m.job_pk = j.pk) ORDER BY j.pk",
            (self._user_pk(user),),
        )
        return [
            Trail(id_, recipe, session, bool(done), *self.turns(pk), self.made([pk]))
            for pk, id_, recipe, session, done in rows
        ]

    def workers(self) -> list[Worker]:
        return [Worker(*row) for row in self._all("SELECT token, host, process, expires FROM workers")]

    def orphans(self) -> set[str]:
        rows = self._all(
            "SELECT DISTINCT owner FROM jobs WHERE state IN ('pending', 'running') AND state = 'running' "
            "AND owner NOT IN (SELECT token FROM workers)"
        )
        return {owner for (owner,) in rows}

    def dangling(self) -> list[tuple[str, str]]:
        return [
            (job, record)
            for table in ("job_turns", "job_made", "job_tagged")
            for job, record in self._all(
                f"SELECT j.id, t.record FROM {table} t JOIN jobs j ON j.pk = t.job_pk "  # noqa: S608
                "WHERE NOT EXISTS (SELECT 1 FROM records r WHERE r.user_pk = t.user_pk AND r.id = t.record) "
                "AND NOT EXISTS (SELECT 1 FROM cold c WHERE c.user_pk = t.user_pk AND c.id = t.record) "
                "ORDER BY j.pk, t.record"
            )
        ]

    def usage(self, user: str | None, by: Sequence[str]) -> list[UsageEntry]:
        names = ", ".join(_NAMES[name] if name in by else "NULL" for name in _NAMES)
        sums = ", ".join(f"sum(g.{column})" for column in USAGE_COLUMNS)
        grouped = f" GROUP BY {', '.join(_NAMES[name] for name in _NAMES if name in by)}" if by else ""
        rows = self._all(
            f"SELECT {names}, {sums} FROM usage g JOIN users u ON u.pk = g.user_pk "  # noqa: S608
            f"WHERE {of_user(user)}{grouped} ORDER BY 1, 2, 3, 4",
            {"user": user},
        )
        # Without names to group by, no rows at all are one row of NULLs.
        return [
            UsageEntry._make((*row[:4], Usage(**dict(zip(USAGE_COLUMNS, row[4:], strict=True)))))
            for row in rows
            if row[4] is not None
        ]
