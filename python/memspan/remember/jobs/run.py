"""One run of one job, from its turns to its records."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from memspan.base.worker_threads import in_worker
from memspan.encode.stage import Stage
from memspan.encode.values import Work
from memspan.errors import JobError
from memspan.llm import LLM
from memspan.recipes import Recipe
from memspan.remember.engine import Engine
from memspan.remember.writing.change import Change
from memspan.store import StoreWriter
from memspan.store.jobs import ClaimedJob, Note, Step
from memspan.times import now_micros

from . import finishing
from .committer import Committer
from .derived import records_of, relations_of, turn_tags_of
from .outage import Outage
from .slots import Slots
from .tools import JobTools, Results
from .turns import JobTurns, read_turns

__all__ = ["JobRun", "Shared"]


_ENDING: Final = 5.0
"""Seconds that a cancelled stage has to end in."""


@dataclass(frozen=True, slots=True)
class Shared:
    """What all runs of one worker use."""

    engine: Engine
    committer: Committer[StoreWriter]
    llm: LLM | None
    slots: Slots
    """Taken for each question while the model has it, by waiting jobs in turn. A job that is read, stores its records
    or waits for an answer to be on disk does not keep another one from the model."""
    stage_seconds: float
    """See `Pace.stage`."""
    outage: Outage
    finisher: Committer[Change]
    """For the last steps of jobs. They wait for each other in any case, and so do not keep others from threads."""


class JobRun:
    """What happens between the claim of a job and its end. Nothing is lost when it stops at any point: answers of
    models are committed as they come, the rest is computed again by the next run."""

    def __init__(self, shared: Shared, job: ClaimedJob, recipe: Recipe) -> None:
        self._shared = shared
        self._recipe = recipe
        self.job = job
        self.results = Results(job, {}, shared.committer, shared.engine.store)

    async def run(self) -> int:
        """Run all stages and store what came of them; returns the number of records.

        Raises:
            JobLostError: the job is not this run's any more; nothing of it was stored.
            Exception: whatever stages raise.
        """
        given, self.results.steps = await in_worker(self._read)
        self.results.left_out = given.left_out
        turns = given.own
        work = Work(user=self.job.user, turns=turns, history=given.before)
        shared = self._shared
        for stage in self._recipe.write if turns else ():
            tools = JobTools(stage.name, self.results, shared.engine, shared.llm, shared.slots, shared.outage)
            work = await self._within_time(stage, work, tools)
        await self.results.begin()
        arrived_at = await in_worker(self._compose, work)
        finish = partial(finishing.finish, self.job, arrived_at, self.results.notes)
        weight = 1 + len(arrived_at.records) + len(arrived_at.turn_tags)
        return await shared.finisher.commit(finish, weight=weight, source=self.job.user)

    async def _within_time(self, stage: Stage, work: Work, tools: JobTools) -> Work:
        """Run a stage, as long as it gets on.

        Raises:
            JobError: it neither asked nor got anything for too long; it was cancelled, and is left behind if it does
                not end. One that blocks the event loop itself cannot be seen here. Or it cancelled itself.
        """
        limit = self._shared.stage_seconds
        self.results.start()
        task = asyncio.ensure_future(stage.run(work, tools))
        task.add_done_callback(_look_at)
        try:
            while not task.done():
                left = limit - self.results.idle
                if left <= 0:
                    raise JobError(
                        f"stage '{stage.name}' neither asked a model nor got a result for {limit:g} s"
                    )
                await asyncio.wait({task}, timeout=left)
        finally:
            if not task.done():
                task.cancel()
                await asyncio.wait({task}, timeout=_ENDING)
                # Of questions side by side the first ends the stage; what the others cost is still being noted.
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self.results.settle(), _ENDING)
        if task.cancelled():
            # Clients do that when their connection goes; the error would pass for the end of all processing.
            raise JobError(f"stage '{stage.name}' was cancelled from within, as by the model's client")
        return task.result()

    def _read(self) -> tuple[JobTurns, dict[str, Step]]:
        given = read_turns(self._shared.engine, self.job)
        with self._shared.engine.store.reading() as reader:
            return given, reader.jobs.steps(self.job.pk)

    def _compose(self, work: Work) -> finishing.Results:
        own = {turn.id for turn in work.turns}
        seen = own | {turn.id for turn in work.history}
        records = records_of(self.job, work.statements, seen, self.results.models, self._drop)
        turn_tags = turn_tags_of(work.turn_tags, own, self._drop)
        relations = relations_of(work.relations, self._drop)
        embedder = self._shared.engine.embedder
        complete = finishing.with_embeddings(self._shared.engine, records)
        return finishing.Results(complete, embedder, turn_tags, relations)

    def _drop(self, event: str, details: Mapping[str, Any]) -> None:
        self.results.notes.append(Note(now_micros(), "store", event, details))


def _look_at(task: asyncio.Task[Any]) -> None:
    """What a stage says is of no use if nobody waits for it any more, but asyncio wants it to be looked at."""
    if not task.cancelled():
        task.exception()
