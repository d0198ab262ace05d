"""A worker: claims jobs, runs many of them at once, and sees to it that none is lost or done twice."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from time import monotonic, perf_counter
from typing import Final

from memspan.base.worker_threads import InterpreterEndsError, in_worker
from memspan.errors import (
    EmbedderAccessError,
    EmbedderError,
    EmbedderMismatchError,
    InvalidArgumentError,
    MissingExtraError,
    ModelAccessError,
    ModelNotFoundError,
    QuotaError,
    StoreError,
    TruncatedReplyError,
)
from memspan.llm import LLM, Usage
from memspan.recipes import Recipe, recipe
from memspan.remember.engine import Engine
from memspan.reports.job_info import ProcessReport
from memspan.store import StoreWriter
from memspan.store.jobs import ClaimedJob, Gathering, Note, Worker
from memspan.times import Micros, now_micros

from .broken_code import is_broken_code
from .committer import Committer, JobLostError, in_store
from .finishing import finish_all
from .outage import Outage
from .pace import Pace
from .run import JobRun, Shared
from .slots import Slots
from .tools import NoModelError
from .worker import ended, gone, new_worker, renewed

__all__ = ["Processor", "Scope"]

_logger = logging.getLogger("memspan")
_NOBODYS_FAULT: Final = (
    EmbedderAccessError,
    EmbedderMismatchError,
    InterpreterEndsError,
    MissingExtraError,
    ModelAccessError,
    ModelNotFoundError,
    NoModelError,
    StoreError,
)
"""Errors that every job would meet alike: processing ends, and no job is blamed."""
_REASON_CHARS: Final = 1000
_BRIEFLY: Final = 0.05
"""Seconds between looks at what a colleague has in hand."""
_RECORDS: Final = 256
"""Records and tags of jobs that end in one transaction, about; answers that came meanwhile wait for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which jobs, and how many."""

    user: str | None = None
    in_flight: int = 64
    limit: int | None = None
    """Runs to begin at most."""
    follow: bool = False
    """Wait for new jobs instead of ending."""
    gather: bool = False
    """Leave jobs to wait for more turns where their recipe wants that, see `Recipe.gather`; else begin them at once."""

    @property
    def gathering(self) -> Gathering:
        """What is done about such jobs."""
        if not self.gather:
            return "begin"
        return "wait" if self.follow else "leave"


@dataclass(slots=True)
class _Counts:
    done: int = 0
    failed: int = 0
    parked: int = 0
    records: int = 0
    usage: Usage = field(default_factory=Usage)


class Processor:
    """One worker on one event loop. `wake` may be called from any thread.

    Args:
        own: a recipe that the memory was opened with; others are found by name.
        colleagues: tokens of the workers of this memory that are at work; kept up by the processors themselves.
        departed: tokens of those that could not write that they left; kept up likewise.
        outage: of the servers of their model and embedder.
        advance: is told every job that ends.
    """

    def __init__(
        self,
        engine: Engine,
        llm: LLM | None,
        own: Recipe,
        pace: Pace,
        scope: Scope,
        *,
        colleagues: set[str],
        departed: set[str],
        outage: Outage,
        advance: Callable[[int], object] = lambda count: None,
    ) -> None:
        self._engine = engine
        self._own = own
        self._pace = pace
        self._scope = scope
        self._reserve = max(1, scope.in_flight // 2)
        """Jobs beyond those that may ask: about to begin, or storing what came of them."""
        self._bunch = max(1, self._reserve // 4)
        """Jobs that end before others are claimed, as long as there are more than may ask: a claim is a commit."""
        self._colleagues = colleagues
        self._departed = departed
        self._advance = advance
        self._counts = _Counts()
        self._left = scope.limit
        self._unknown: frozenset[str] = frozenset()
        """Recipes whose jobs are left to workers that know them."""
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._running: dict[asyncio.Task[None], JobRun] = {}
        self._ended: list[asyncio.Task[None]] = []
        """Those of them that were not looked at since they ended."""
        self._worker = new_worker(now_micros(), pace.lease)
        self._trusting = 0.0
        """Until then, by the monotonic clock, only workers whose process is seen to have ended are gone."""
        self._committer = Committer(in_store(engine.store))
        self._finisher = Committer(partial(finish_all, engine), "memspan-jobs-finish", _RECORDS)
        slots = Slots(scope.in_flight)
        self._outage = outage
        self._shared = Shared(engine, self._committer, llm, slots, pace.stage, outage, self._finisher)

    def wake(self) -> None:
        """Look for new jobs now."""
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._news.set)

    def abandon(self) -> None:
        """End its threads, where its loop cannot any more."""
        self._finisher.close()
        self._committer.close()

    async def run(self) -> ProcessReport:
        """Work until nothing is left to do, or until cancelled; jobs that are under way are then given back.

        Raises:
            StoreError, EmbedderAccessError, EmbedderMismatchError, MissingExtraError, ModelAccessError,
            ModelNotFoundError, JobError: no job can be processed; none is blamed for it.
            LLMError, EmbedderError: the server of the model or embedder is gone, see `Outage`.
        """
        start = perf_counter()
        self._colleagues.add(self._worker.token)
        beating = asyncio.create_task(self._beat())
        try:
            await self._register()
            await self._work()
            waiting = await in_worker(self._open)
        finally:
            beating.cancel()
            await self._leave()
        counts = self._counts
        return ProcessReport(
            done=counts.done,
            failed=counts.failed,
            parked=counts.parked,
            waiting=waiting,
            records=counts.records,
            usage=counts.usage,
            seconds=perf_counter() - start,
        )

    async def _work(self) -> None:
        while True:
            self._news.clear()
            free = self._free()
            claimed, held_back = await self._claim(free) if free else ([], False)
            for job in claimed:
                self._start(job)
            if self._left is not None:
                self._left -= len(claimed)
            if self._left == 0 and not self._running:
                return
            pause = await self._pause() if len(claimed) < free and not held_back else None
            if pause is None and not self._running:
                return
            await self._wait(pause)

    def _free(self) -> int:
        """How many jobs may be claimed now; none beside a suspect."""
        if any(run.job.suspect for run in self._running.values()):
            return 0
        free = self._scope.in_flight + self._reserve - len(self._running)
        return free if self._left is None else min(free, self._left)

    async def _pause(self) -> float | None:
        """Seconds until there may be something to claim; `None` when only the end of a running job can change that."""
        due, colleague_busy = await in_worker(self._outlook)
        pauses = []
        if due is not None:
            pauses.append(max(0.0, (due - now_micros()) / 1e6))
        if self._scope.follow:
            pauses.append(self._pace.poll)
        elif colleague_busy:
            pauses.append(_BRIEFLY)
        return min(pauses, default=None)

    def _outlook(self) -> tuple[int | None, bool]:
        others = self._colleagues - {self._worker.token}
        with self._engine.store.reading() as reader:
            due = reader.jobs.next_due(self._scope.user, now_micros(), self._scope.gathering, self._unknown)
            return due, bool(others) and reader.jobs.held(self._scope.user, others)

    def _open(self) -> int:
        with self._engine.store.reading() as reader:
            return reader.jobs.open(self._scope.user)

    async def _wait(self, pause: float | None) -> None:
        """Until enough jobs ended, news come, or the pause is over. Raises what ends processing."""
        news = asyncio.create_task(self._news.wait())
        try:
            await asyncio.wait([news], timeout=pause)
        finally:
            news.cancel()
        ended, self._ended = self._ended, []
        for task in ended:
            task.result()  # When it raises, the job is given back with the others.
            del self._running[task]

    def _note_end(self, task: asyncio.Task[None]) -> None:
        self._ended.append(task)
        left = len(self._running) - len(self._ended)
        failed = task.cancelled() or task.exception() is not None
        if failed or left <= self._scope.in_flight or len(self._ended) >= self._bunch:
            self._news.set()

    async def _claim(self, count: int) -> tuple[list[ClaimedJob], bool]:
        """Jobs, and whether others wait until those that run are done, for one of them is to run alone."""
        busy = bool(self._running)

        def claim(writer: StoreWriter) -> tuple[list[ClaimedJob], bool, int]:
            now, workers, own = now_micros(), writer.jobs.workers(), self._worker.token
            dead = self._dead(workers, now)
            parked = writer.jobs.bury(dead, self._pace.attempts, now)
            if own not in {each.token for each in workers}:
                writer.jobs.register(self._worker)  # Another one took it for dead.
            scope = self._scope
            gathering = scope.gathering
            jobs = writer.jobs.claim(
                own,
                scope.user,
                count,
                now,
                self._history,
                gathering=gathering,
                busy=busy,
                without=self._unknown,
            )
            held_back = (
                busy and not jobs and writer.jobs.suspected(scope.user, count, now, gathering, self._unknown)
            )
            return jobs, held_back, parked

        claimed, held_back, parked = await self._committer.commit(claim)
        self._count_buried(parked)
        return claimed, held_back

    def _dead(self, workers: Sequence[Worker], now: Micros) -> set[str]:
        """Tokens of the others that are gone."""
        own, lease = self._worker.token, self._pace.lease
        if any(each.token == own and each.expires < now for each in workers):
            # Nor could the others say that they live: the store was locked for long, or the machine asleep.
            self._trusting = monotonic() + lease / 2
        trusting = monotonic() < self._trusting
        return {
            each.token
            for each in workers
            if each.token != own and (ended(each) if trusting else gone(each, now, lease))
        }

    def _count_buried(self, parked: int) -> None:
        if parked:
            _logger.warning("%d jobs are parked: the processes that worked on them ended", parked)
            self._counts.parked += parked
            self._advance(parked)

    def _recipe(self, name: str) -> Recipe | None:
        if name == self._own.name:
            return self._own
        try:
            return recipe(name)
        except InvalidArgumentError:
            return None

    def _history(self, name: str) -> int | None:
        found = self._recipe(name)
        if found is not None:
            return found.history
        if name not in self._unknown:
            self._unknown = self._unknown | {name}
            _logger.warning(
                "jobs of recipe %r, which is not known here, are left to others: "
                "Memory(path, recipe=...) opens the memory with it",
                name,
            )
        return None

    def _start(self, job: ClaimedJob) -> None:
        found = self._recipe(job.recipe)
        assert found is not None  # Others are not claimed.
        run = JobRun(self._shared, job, found)
        task = asyncio.create_task(self._attempt(run))
        self._running[task] = run
        task.add_done_callback(self._note_end)

    async def _attempt(self, run: JobRun) -> None:
        try:
            records = await run.run()
        except JobLostError as error:
            await run.results.settle()  # What else is under way has to be paid for as well.
            _logger.info("%s", error)
        except _NOBODYS_FAULT:
            raise
        except Exception as error:
            if self._outage.explains(run.job.pk, error):
                raise
            await self._fail(run, error)
        else:
            self._outage.answered(EmbedderError)
            self._counts.done += 1
            self._counts.records += records
            self._advance(1)
        finally:
            self._counts.usage += run.results.usage

    async def _fail(self, run: JobRun, error: Exception) -> None:
        """Note the failure. A failing job is tried again after a pause, or parked; at once where code is to blame, or
        what is pinned leaves no room: waiting changes neither."""
        await run.results.settle()
        reason = f"{type(error).__name__}: {error}"[:_REASON_CHARS].encode("utf-8", "replace").decode()
        # A stage that cannot ask for less needs another answer, not to be told again that there was none.
        truncated = isinstance(error, TruncatedReplyError)
        lasting = is_broken_code(error) or isinstance(error, QuotaError)
        attempts = 1 if lasting else self._pace.attempts
        await self._end(run, reason, type(error).__name__, attempts, truncated=truncated)

    async def _end(
        self, run: JobRun, reason: str, error: str, attempts: int, *, truncated: bool = False
    ) -> None:
        job = run.job

        def fail(writer: StoreWriter) -> bool:
            now = now_micros()
            if not writer.jobs.holds(job, now):
                raise JobLostError(f"job {job.id} is not this run's any more")
            failures = writer.jobs.attempts(job.pk) + 1
            parked = failures >= attempts
            due = None if parked else now + int(self._pace.pause(failures) * 1e6)
            event = Note(now, None, "parked" if parked else "failed", {"reason": reason})
            if truncated:
                # One that is parked is tried again by somebody who changed something.
                writer.jobs.drop_truncated(job, () if parked else run.results.split())
            writer.jobs.fail(job, reason, due, [*run.results.notes, event])
            return parked

        with suppress(JobLostError):
            parked = await self._committer.commit(fail)
            self._counts.failed += 1
            self._counts.parked += parked
            # Not the reason: it may hold what somebody said.
            level = logging.WARNING if parked else logging.INFO
            what = " and is parked; `jobs` has the reason" if parked else ""
            _logger.log(level, "job %s failed (%s)%s", job.id, error, what)
            if parked:
                self._advance(1)

    async def _register(self) -> None:
        self._worker = renewed(self._worker, now_micros(), self._pace.lease)
        worker = self._worker
        departed = frozenset(self._departed)

        def register(writer: StoreWriter) -> int:
            for token in departed:
                _sign_off(writer, token)
            self._dead(
                writer.jobs.workers(), now_micros()
            )  # Whether its own lease had ended can be seen now alone.
            writer.jobs.register(worker)
            return writer.jobs.bury(writer.jobs.orphans(), self._pace.attempts, now_micros())

        self._count_buried(await self._committer.commit(register))
        self._departed -= departed

    async def _beat(self) -> None:
        """Give signs of life. One that fails is made good by the next; without any, others take the jobs."""
        while True:
            await asyncio.sleep(self._pace.lease / 4)
            with suppress(StoreError, MemoryError):
                await self._register()

    async def _leave(self) -> None:
        """Give back what is under way, and sign off. What cannot be written now is found by others later."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        token = self._worker.token
        self._departed.add(token)
        try:
            # Also what a claim brought that was cancelled while it was committed.
            await self._committer.commit(lambda writer: _sign_off(writer, token))
            self._departed.discard(token)
        except (StoreError, MemoryError):
            pass  # The next worker of this memory does it, or others when the lease has ended.
        finally:
            self.abandon()
            self._colleagues.discard(token)


def _sign_off(writer: StoreWriter, token: str) -> None:
    """Give back what a worker has, and strike it off."""
    writer.jobs.release(token)
    writer.jobs.unregister(token)
