"""One run of one job, from its turns to its records."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from memspan.encode.values import Work
from memspan.llm import LLM
from memspan.recipes import Recipe
from memspan.remember.engine import Engine
from memspan.store.jobs import ClaimedJob, Note, Step
from memspan.times import now_micros

from .committer import Committer
from .derived import records_of, relations_of
from .finishing import finish, with_embeddings
from .tools import JobTools, Results
from .turns import read_turns

__all__ = ["JobRun"]


class JobRun:
    """What happens between the claim of a job and its end. Nothing is lost when it stops at any point: answers of
    models are committed as they come, the rest is computed again by the next run."""

    def __init__(
        self, engine: Engine, committer: Committer, llm: LLM | None, job: ClaimedJob, recipe: Recipe
    ) -> None:
        self._engine = engine
        self._llm = llm
        self._recipe = recipe
        self._committer = committer
        self.job = job
        self.results = Results(job, {}, committer)

    async def run(self) -> int:
        """Run all stages and store what came of them; returns the number of records.

        Raises:
            JobLostError: the job is not this run's any more; nothing of it was stored.
            Exception: whatever stages raise.
        """
        turns, history, self.results.steps = await asyncio.to_thread(self._read)
        work = Work(user=self.job.user, turns=turns, history=history)
        if turns:
            for stage in self._recipe.write:
                tools = JobTools(stage.name, self.results, self._engine, self._llm)
                work = await stage.run(work, tools)
        return await asyncio.to_thread(self._finish, work)

    def _read(self) -> tuple[Any, Any, dict[str, Step]]:
        turns, history = read_turns(self._engine, self.job)
        with self._engine.store.reading() as reader:
            return turns, history, reader.jobs.steps(self.job.pk)

    def _finish(self, work: Work) -> int:
        known = {turn.id for turn in (*work.turns, *work.history)}
        records = records_of(self.job, work.statements, known, self.results.models, self._drop)
        relations = relations_of(work.relations, self._drop)
        complete = with_embeddings(self._engine, records)
        return finish(self._engine, self.job, complete, relations, self.results.notes)

    def _drop(self, event: str, details: Mapping[str, Any]) -> None:
        self.results.notes.append(Note(now_micros(), "store", event, details))
