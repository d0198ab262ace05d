"""The calls of `Memory` about encode jobs and what models cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from memspan.arguments import as_choice, as_flag, as_integer, as_texts
from memspan.errors import JobError, UnknownJobError, invalid
from memspan.remember.asynchronous import in_thread
from memspan.remember.input.fields import checked_name
from memspan.remember.jobs.enqueueing import enqueue_all
from memspan.remember.jobs.processor import Scope
from memspan.remember.progress import tracking
from memspan.reports.job_info import JOB_STATES, Job, JobEvent, ProcessReport, UsageEntry
from memspan.times import now_micros

from .base import Calls

__all__ = ["ProcessingCalls"]

_BY: Final = ("user", "recipe", "stage", "model")
_MOST_IN_FLIGHT: Final = 4096
_MOST_RUNS: Final = 2**31


class ProcessingCalls(Calls):
    """See `Memory`."""

    def process(
        self,
        user: str | None = None,
        *,
        jobs_in_flight: int = 64,
        limit: int | None = None,
        follow: bool = False,
        gather: bool | None = None,
        progress: bool = False,
    ) -> ProcessReport:
        """Run the encode jobs that `add` made, until none is left.

        The jobs of one session run one after the other, those of different sessions side by side. What a model
        answered is on disk before it is used: after a crash, an interrupt or a failure a job goes on where it stopped.
        Turns that were retired by then, or outlived their time, are shown to no model, and nothing is made of them. Of
        one reply 1,000 statements are taken, since later stages ask about each, and none of more than 8,000 characters;
        `job_log` counts what was left out.
        A job that fails is tried again after a pause, and parked when it failed five times in a row without getting
        on; at once where code is to blame that it is run with, such as a client of your own (`TypeError`, `NameError`
        and the like, but where a reply lacks something). `retry` lets parked jobs go on. Any number of processes may
        work on one store; none does what another one is doing. Jobs of a recipe of your own are left to memories that
        were opened with it, which the log says.

        Args:
            user: only this user's jobs.
            jobs_in_flight: how many questions the model has at once, 1 to 4,096, as far as its client lets them
                through; half as many jobs more are read, stored or waiting for the disk meanwhile.
            limit: begin at most so many runs.
            follow: when none is left wait for new ones, also from other processes, until interrupted.
            gather: leave jobs of sessions that still go on to wait for more turns, as their recipe wants it
                (`Recipe.gather`), so that a model is not asked for every turn that is added by itself. `None`: if
                `follow` is set; without it every job begins at once.
            progress: show a progress bar on standard error.

        Raises:
            InvalidArgumentError: an argument is not acceptable.
            JobError: a job needs a model, and the memory was opened without `llm`. It is not blamed for that.
            MissingExtraError, ModelNotFoundError: something that every job needs is not here.
            ModelAccessError, EmbedderAccessError: the server of the model or embedder refuses the key, or the account
                has no credit. No job is blamed.
            LLMError, EmbedderError: the server of the model or embedder is gone: six jobs one after the other had no
                answer, with all retries, and no other job had one. None is blamed from the sixth on; in the background,
                processing goes on in a minute.
        """
        scope = _scope(user, jobs_in_flight, limit, follow, gather)
        with tracking("processing", self._open_jobs(user, limit, progress), progress) as advance:
            return self._processing.run(scope, advance)

    async def aprocess(
        self,
        user: str | None = None,
        *,
        jobs_in_flight: int = 64,
        limit: int | None = None,
        follow: bool = False,
        gather: bool | None = None,
        progress: bool = False,
    ) -> ProcessReport:
        """Asynchronous form of `process`. Cancelling the task gives the jobs back that are under way."""
        scope = _scope(user, jobs_in_flight, limit, follow, gather)
        with tracking("processing", self._open_jobs(user, limit, progress), progress) as advance:
            return await self._processing.arun(scope, advance)

    def start_processing(self, *, jobs_in_flight: int = 64, gather: bool = True) -> None:
        """Process in the background from now on: jobs that are there, and new ones as they come, also from other
        processes; `jobs_in_flight` and `gather` as in `process`. It ends with `stop_processing`, with `close`, when
        nobody has the memory any more, or by an error that every job would meet, which is logged. Calling it again
        changes nothing."""
        self._processing.start(_scope(None, jobs_in_flight, None, True, gather))

    def stop_processing(self) -> None:
        """End the processing in the background and wait until it has; jobs under way go on another time."""
        self._processing.stop()

    def enqueue(self, user: str | None = None, *, progress: bool = False) -> int:
        """Give turns that no job has to encode jobs of this memory's recipe: those that were stored before a recipe was
        chosen, under `verbatim`, or by `add_records` and `load`. `process` then runs them.

        Turns that any job has had stay as they are, whatever its recipe, and so do records that have ended. Calling it
        again goes on where an interrupted call stopped. Turns of a session with jobs come after those that these
        have, also where they happened before.

        Args:
            user: only this user's turns.
            progress: show a progress bar on standard error.

        Returns:
            How many turns were given to jobs.

        Raises:
            InvalidArgumentError: the recipe makes nothing of turns.
        """
        _checked_user(user)
        self._engine.require_open()
        recipe = self._processing.recipe
        if not recipe.write:
            raise invalid(
                "recipe", recipe.name, "one with write stages: open the memory with Memory(path, recipe=...)"
            )
        with tracking("enqueueing", None, progress) as advance:
            count = enqueue_all(self._engine, user, recipe, advance)
        if count:
            self._processing.wake()
        return count

    def jobs(self, user: str | None = None, *, state: str | None = None) -> list[Job]:
        """Encode jobs, the oldest first.

        Args:
            user: only this user's.
            state: only those that are `pending`, `running`, `done` or `parked`.

        Raises:
            InvalidArgumentError: another state, or a user's name that cannot be one.
        """
        _checked_user(user)
        if state is not None:
            as_choice(state, "state", JOB_STATES)
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            return reader.jobs.jobs(user, state)

    def job_log(self, job: str, *, user: str | None = None) -> list[JobEvent]:
        """What a job's stages dropped or decided in its last run, and what happened to the job itself, in order.

        Args:
            job: its id, as `jobs` gives it.
            user: refuse jobs of any other user.

        Raises:
            UnknownJobError: there is no such job, or not of that user; a `JobError` and an `UnknownIdError`.
        """
        _checked_user(user)
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            if not reader.jobs.jobs(user, id=checked_name(job, "job")):
                raise _no_job(job)
            return reader.jobs.log(job)

    def retry(self, job: str | None = None, *, user: str | None = None) -> int:
        """Let parked jobs be processed again, from where they stopped; returns how many those are.

        Args:
            job: one of them; `None` for all.
            user: only this user's.

        Raises:
            UnknownJobError: `job` does not exist; a `JobError` and an `UnknownIdError`.
            JobError: it is not parked.
        """
        _checked_user(user)
        self._engine.require_open()
        with self._engine.store.writing() as writer:
            if job is not None:
                found = writer.jobs.jobs(user, id=checked_name(job, "job"))
                if not found:
                    raise _no_job(job)
                if found[0].state != "parked":
                    raise JobError(f"job {job} is {found[0].state}; only parked jobs can be tried again")
            count = writer.jobs.retry(user, job, now_micros())
        self._processing.wake()
        return count

    def usage(
        self, user: str | None = None, *, by: Sequence[str] = ("stage", "recipe", "model")
    ) -> list[UsageEntry]:
        """What models cost since the store was made: tokens, calls, seconds, and the price if prices are known.

        A user's usage goes when the user is forgotten.

        Args:
            user: only this user's.
            by: which of `user`, `recipe`, `stage` and `model` are told apart; none: one sum.

        Raises:
            InvalidArgumentError: something else to tell apart, or a user's name that cannot be one.
        """
        _checked_user(user)
        told_apart = tuple(as_texts(by, "by"))
        if not set(told_apart) <= set(_BY):
            raise invalid("by", by, f"a list of {', '.join(_BY)}")
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            return reader.jobs.usage(user, told_apart)

    def _open_jobs(self, user: str | None, limit: int | None, wanted: bool) -> int | None:
        self._engine.require_open()
        if not wanted:
            return None
        with self._engine.store.reading() as reader:
            count = reader.jobs.open(user)
        return count if limit is None else min(count, limit)

    aenqueue = in_thread(enqueue)
    astart_processing = in_thread(start_processing)
    astop_processing = in_thread(stop_processing)
    ajobs = in_thread(jobs, reads=True)
    ajob_log = in_thread(job_log, reads=True)
    aretry = in_thread(retry)
    ausage = in_thread(usage, reads=True)


def _scope(
    user: str | None, jobs_in_flight: int, limit: int | None, follow: bool, gather: bool | None
) -> Scope:
    return Scope(
        user=_checked_user(user),
        in_flight=as_integer(jobs_in_flight, "jobs_in_flight", 1, _MOST_IN_FLIGHT),
        limit=None if limit is None else as_integer(limit, "limit", 1, _MOST_RUNS),
        follow=as_flag(follow, "follow"),
        gather=follow if gather is None else as_flag(gather, "gather"),
    )


def _checked_user(user: str | None) -> str | None:
    return None if user is None else checked_name(user, "user")


def _no_job(job: str) -> UnknownJobError:
    return UnknownJobError(f"there is no job '{job}'; Memory.jobs lists them")
