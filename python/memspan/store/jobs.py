"""What processing needs from a database: jobs, their results on the way, their workers and their costs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from memspan.llm.usage import Usage
from memspan.reports.job_info import Job, JobEvent, UsageEntry
from memspan.times import Micros

__all__ = [
    "ClaimedJob",
    "Due",
    "Gathering",
    "JobReader",
    "JobWriter",
    "Note",
    "Outcome",
    "Step",
    "Trail",
    "Worker",
    "at_once",
]


Gathering: TypeAlias = Literal["wait", "begin", "leave"]
"""What is done about jobs that wait for more turns: wait for them, begin them at once, or leave them alone."""

Due: TypeAlias = Callable[[int, int], Micros]
"""When a job with so many turns and tokens may begin; 0 for at once."""


def at_once(turns: int, tokens: int) -> Micros:
    """Jobs do not wait for more turns."""
    return 0


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job in the hands of a worker."""

    pk: int
    id: str
    user: str
    user_pk: int
    recipe: str
    session: str | None
    owner: str
    """The worker's token."""
    run: int
    """Of how many runs this one is the last; a result of an earlier one is refused."""
    suspect: bool = False
    """Attempts have gone by without a result, and its last worker died."""


class Step(NamedTuple):
    """A result that a job keeps, under its key."""

    value: str | None
    """JSON; `None` for an answer that was too long to be given."""
    model: str | None = None
    prompt: str | None = None
    version: int | None = None
    """Of the prompt."""


class Note(NamedTuple):
    """A line of a job's log, before it is written."""

    at: Micros
    stage: str | None
    event: str
    details: Mapping[str, Any]


class Outcome(NamedTuple):
    """What came of a job."""

    made: Sequence[str] = ()
    """Ids of records."""
    tagged: Sequence[str] = ()
    """Ids of the job's turns that have tags made by it."""
    relations: Sequence[tuple[str, str]] = ()
    """(parent, child) of tags, but those that a caller gave."""


class Trail(NamedTuple):
    """What has to be known of a job to forget what came of it."""

    id: str
    recipe: str
    session: str | None
    done: bool
    """Else it has to run once more: one of its turns says something else since."""
    own: Sequence[str]
    """Ids of its turns, in order."""
    before: Sequence[str]
    """Ids of those before them, which it saw."""
    made: Sequence[str]
    """Ids of the records that came of it."""


class Worker(NamedTuple):
    """Something that works on jobs, alive until `expires` at least if nothing is known of its process."""

    token: str
    host: str
    process: str
    expires: Micros


class JobReader(Protocol):
    """Jobs of one consistent view. `user` is always a name, `None` for every user."""

    def jobs(self, user: str | None = None, state: str | None = None, id: str | None = None) -> list[Job]: ...

    def log(self, id: str) -> list[JobEvent]: ...

    def turns(self, pk: int) -> tuple[list[str], list[str]]:
        """Ids of a job's own turns and of those before them, each in order."""

    def steps(self, pk: int) -> dict[str, Step]: ...

    def attempts(self, pk: int) -> int:
        """How many attempts of a job failed since it last got on."""

    def is_held(self, job: ClaimedJob) -> bool:
        """Whether this run of the job is still the one that counts, as `JobWriter.holds` says it, at this moment."""

    def open(self, user: str | None) -> int:
        """How many jobs are pending or running."""

    def suspected(
        self,
        user: str | None,
        count: int,
        now: Micros,
        gathering: Gathering = "wait",
        without: Collection[str] = (),
    ) -> bool:
        """Whether a suspect is among the jobs that `claim` would look at."""

    def held(self, user: str | None, owners: Collection[str]) -> bool:
        """Whether one of these workers is at work on a job."""

    def next_due(
        self, user: str | None, now: Micros, gathering: Gathering = "wait", without: Collection[str] = ()
    ) -> Micros | None:
        """When the first of the pending jobs that nothing else holds back may be claimed; see `claim` for `without`."""

    def seeing(self, user: str, ids: Sequence[str], *, own: bool = False) -> dict[str, set[int]]:
        """The keys of the jobs that see a turn, or with `own` have it, by its id; ids without one are left out."""

    def making(self, user: str, ids: Sequence[str]) -> set[int]:
        """The keys of the jobs that made these records."""

    def made(self, pks: Collection[int]) -> list[str]:
        """Ids of the records that came of these jobs."""

    def tagged(self, pks: Collection[int]) -> list[str]:
        """Ids of the turns whose made tags came of these jobs."""

    def trails(self, user: str) -> list[Trail]:
        """Of the jobs that records came of, the oldest first."""

    def workers(self) -> list[Worker]: ...

    def orphans(self) -> set[str]:
        """Tokens of workers that jobs name and nobody is registered under. O(open jobs)."""

    def dangling(self) -> list[tuple[str, str]]:
        """Ids of jobs and of the records that they name and that do not exist; empty when sound."""

    def usage(self, user: str | None, by: Sequence[str]) -> list[UsageEntry]: ...


class JobWriter(JobReader, Protocol):
    """Changes of jobs inside the one exclusive transaction. None of them advances the change counter."""

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
        """Give (session, id) pairs to the job of their session that nobody has begun yet, or to a new one.

        Args:
            tokens: of each turn; without any they do not count.
            due: when a job with these turns may begin.
        """

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
        """Take up to so many jobs that are due, none of a session with an earlier open job or one that runs, the
        oldest first. A suspect among them is taken alone, and when the worker is busy nothing is taken until it is not:
        who dies with that job is to be known.

        Args:
            busy: whether the worker has other jobs in hand.
            history: from a recipe's name to the number of turns before its own that a job sees; `None` for one that the
                worker does not know: its jobs are left to others, and no job waits for them.
            without: recipes that are known to be such.
        """

    def holds(self, job: ClaimedJob, now: Micros) -> bool:
        """Whether this run of the job is still the one that counts; everything a run writes comes after it."""

    def begin(self, job: ClaimedJob) -> None:
        """Note that this run asks a model or stores what came of it: when its worker dies, it may be why."""

    def put_step(self, job: ClaimedJob, key: str, step: Step) -> None:
        """Keep a result. With a value the job got on: earlier failures do not count any more."""

    def drop_truncated(self, job: ClaimedJob, but: Collection[str]) -> None:
        """Forget which answers did not fit, so that they are asked for again, but for those with these keys."""

    def add_usage(self, user: str, recipe: str, stage: str, model: str, usage: Usage) -> None:
        """Count what calls cost for a user; nothing when there is no such user any more."""

    def finish(self, job: ClaimedJob, outcome: Outcome, notes: Sequence[Note]) -> None:
        """The job is done, and this came of it."""

    def fail(self, job: ClaimedJob, reason: str, due: Micros | None, notes: Sequence[Note]) -> None:
        """The run failed; `due` is when to try again, `None` to park the job."""

    def release(self, owner: str) -> None:
        """Give back all jobs of a worker as if it had not claimed them."""

    def bury(self, tokens: Collection[str], attempts: int, now: Micros) -> int:
        """Take the jobs of dead workers back, and park those that this happens to for the `attempts`th time; returns
        how many those are.

        Only runs that had begun count as attempts, as `begin` tells: what waited beside them is given back as by
        `release`. Where none of a worker's had, each of them may be why it died, and all count.
        """

    def restart(self, pks: Collection[int], *, erase: bool) -> None:
        """Let jobs begin from their turns again; those without turns vanish. With `erase`, nothing that says what the
        turns said stays; else what came of the job stays until its next run is done."""

    def lose(self, user: str, ids: Sequence[str]) -> None:
        """Take the ids of removed records out of all jobs; `StoreWriter.remove` does, too."""

    def forget_results(self, pks: Collection[int]) -> None:
        """Erase what jobs keep of what models said: steps, log and reasons."""

    def dissolve(self, pk: int) -> list[tuple[str, str]]:
        """Take back that relations came of a job; returns those that nothing else holds."""

    def drop_spent(self, pks: Collection[int]) -> list[tuple[str, str]]:
        """Take out those of the jobs that have no turn any more, and of which nothing came that is left, but for those
        that run; returns their relations that nothing else holds."""

    def own_relation(self, user: str, parent: str, child: str) -> None:
        """A caller gave the relation, so that it came of no job any more."""

    def came_of_jobs(self, user: str, parent: str, child: str) -> bool:
        """Whether the relation is there because of jobs."""

    def follow_trail(self, user: str, trail: Trail, now: Micros) -> None:
        """Let a job of another store be known here, which may be here already: whatever is known of it, is so then as
        well. Its turns and records are there. Where it is not here, and another user's has its id, it gets a new one.
        """

    def retry(self, user: str | None, id: str | None, now: Micros) -> int:
        """Make parked jobs pending; returns how many those are."""

    def register(self, worker: Worker) -> None:
        """Enter a worker, or prolong its life."""

    def unregister(self, token: str) -> None: ...
