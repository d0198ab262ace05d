"""What a job lends to its stages: a model and a memory for its answers."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from memspan.base.worker_threads import in_worker
from memspan.encode.compression.corpus import Frequencies, index_frequencies
from memspan.errors import JobError, LLMError, TruncatedReplyError
from memspan.llm import LLM, Prompt, Usage
from memspan.llm.deadline import spent_by
from memspan.llm.protocol import Ready
from memspan.llm.when_ready import complete
from memspan.remember.engine import Engine
from memspan.remember.searching.withheld_names import withheld_tags
from memspan.store import Store, StoreWriter
from memspan.store.jobs import ClaimedJob, Note, Step
from memspan.times import now_micros

from .committer import Committer, JobLostError
from .outage import Outage
from .slots import Slots

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["JobTools", "NoModelError", "Results"]

M = TypeVar("M", bound="BaseModel")


class NoModelError(JobError):
    """A stage asks, and the memory was opened without a model: no fault of the job's."""


class Results:
    """What one run of a job has got so far, by what earlier runs committed and by its own asking."""

    def __init__(
        self, job: ClaimedJob, steps: dict[str, Step], committer: Committer[StoreWriter], store: Store
    ) -> None:
        self.job = job
        self.steps = steps
        self.usage = Usage()
        """Of this run."""
        self.notes: list[Note] = []
        self.left_out: tuple[str, ...] = ()
        """Ids of turns of the job that this run goes without."""
        self.models: dict[str, Step] = {}
        """By stage: the last answer of a model, for the model's and the prompt's name."""
        self._committer = committer
        self._store = store
        self._asking = 0
        self._with_model = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._ended = False
        self._begun = False
        self._active = monotonic()

    def place_of(self, stage: str, key: str) -> str:
        """Where a stage's result lies. What was asked about other turns than now is not to be used."""
        full = f"{stage}/{key}"
        if not self.left_out:
            return full
        return f"{full}~{hashlib.sha256(json.dumps(self.left_out).encode()).hexdigest()[:16]}"

    def split(self) -> list[str]:
        """Where answers lie that did not fit, and parts of them were asked for instead; see `ask_in_parts`. These need
        not be asked for again when one of the parts fits in no way."""
        places = [key.split("~")[0].rpartition(".") for key in self.steps]
        wholes = {whole for whole, _, part in places if part.isdigit()}
        return [key for key, step in self.steps.items() if step.value is None and key.split("~")[0] in wholes]

    @property
    def idle(self) -> float:
        """Seconds for which nothing was asked and nothing came."""
        return 0.0 if self._with_model else monotonic() - self._active

    def start(self) -> None:
        """A stage begins."""
        self._active = monotonic()

    @contextmanager
    def asking(self, model: bool = False) -> Iterator[None]:
        """Around every question, so that `settle` can wait for it; `model`: the model's client keeps the time.

        Raises:
            JobLostError: the run has ended, and what would be asked now would be paid for in vain.
        """
        self.require_open()
        self._asking += 1
        self._with_model += model
        self._idle.clear()
        try:
            yield
        finally:
            self._asking -= 1
            self._with_model -= model
            self._active = monotonic()
            if not self._asking:
                self._idle.set()

    def require_open(self) -> None:
        """Refuse to go on after the run has ended.

        Raises:
            JobLostError: it has.
        """
        if self._ended:
            raise JobLostError(f"this run of job {self.job.id} has ended")

    async def require_held(self) -> None:
        """Refuse to send anything on after the job was forgotten, began anew, or another worker took it.

        Raises:
            JobLostError: that has happened.
        """

        def held() -> bool:
            with self._store.reading() as reader:
                return reader.jobs.is_held(self.job)

        if not await in_worker(held):
            raise _lost(self.job)

    async def begin(self) -> None:
        """The same before a request to a model and before results are stored; and it is on disk that the run got here.

        Raises:
            JobLostError: as `require_held`.
        """
        if self._begun:
            await self.require_held()
            return

        def begin(writer: StoreWriter) -> None:
            if not writer.jobs.holds(self.job, now_micros()):
                raise _lost(self.job)
            writer.jobs.begin(self.job)

        await self._committer.commit(begin)
        self._begun = True

    async def settle(self) -> None:
        """End the run: nothing more is asked, and answers that are under way are kept. A stage that asks many things at
        once fails with the first that does."""
        self._ended = True
        await self._idle.wait()

    async def keep(self, stage: str, key: str, step: Step, usage: Usage | None = None) -> None:
        """Commit a result, with what it cost.

        Raises:
            JobLostError: the result is not wanted any more; what it cost counts.
        """
        job = self.job

        def put(writer: StoreWriter) -> bool:
            held = writer.jobs.holds(job, now_micros())
            if held:
                writer.jobs.put_step(job, key, step)
            if usage is not None:
                writer.jobs.add_usage(job.user, job.recipe, stage, step.model or "", usage)
            return held

        held = await self._committer.commit(put)
        if usage is not None:
            self.usage += usage
        if not held:
            raise _lost(job)
        self.steps[key] = step

    async def spend(self, stage: str, model: str, usage: Usage) -> None:
        """Commit what a call cost that had no result."""
        job = self.job

        def put(writer: StoreWriter) -> None:
            writer.jobs.add_usage(job.user, job.recipe, stage, model, usage)

        await self._committer.commit(put)
        self.usage += usage


def _lost(job: ClaimedJob) -> JobLostError:
    return JobLostError(f"job {job.id} is not this run's any more")


class JobTools:
    """`Tools` for one stage of one run of a job."""

    def __init__(
        self, stage: str, results: Results, engine: Engine, llm: LLM | None, slots: Slots, outage: Outage
    ) -> None:
        self._stage = stage
        self._outage = outage
        self._results = results
        self._engine = engine
        self._llm = llm
        self._slots = slots

    async def ask(self, key: str, prompt: Prompt, schema: type[M], *, ready: Ready | None = None) -> M:
        """See `Tools.ask`. That an answer did not fit is kept as well, so that it is not paid for again."""
        full = self._results.place_of(self._stage, key)
        known = self._results.steps.get(full)
        if known is not None and (known.prompt, known.version) == (prompt.name, prompt.version):
            if known.value is None:
                raise TruncatedReplyError(f"the answer to '{full}' did not fit when it was asked before")
            try:
                value = schema.model_validate_json(known.value)
            except ValueError:
                known = known._replace(version=None)  # The schema changed.
            else:
                self._results.models[self._stage] = known
                return value
        if known is not None:
            # It came of another version of memspan. What was asked about it is not to be used either.
            self._results.steps.clear()
        return await self._asked(full, prompt, schema, ready)

    async def _asked(self, key: str, prompt: Prompt, schema: type[M], ready: Ready | None) -> M:
        if self._llm is None:
            raise NoModelError(
                "this recipe asks a language model: open the memory with Memory(path, llm=...)"
            )
        with self._results.asking(model=True):
            try:
                async with self._slots.of(self._results.job.pk):
                    self._results.require_open()
                    reply = await complete(
                        self._llm, prompt, schema, stage=self._stage, ready=self._ready(ready)
                    )
            except (LLMError, JobLostError, asyncio.CancelledError) as error:
                await self._failed(key, prompt, error)
                raise
            self._outage.answered(LLMError)
            step = Step(reply.value.model_dump_json(), reply.model, prompt.name, prompt.version)
            await self._results.keep(self._stage, key, step, reply.usage)
        self._results.models[self._stage] = step
        for remark in reply.remarks:
            self.note("remark", key=key, text=remark)
        return reply.value

    def _ready(self, more: Ready | None) -> Ready:
        if more is None:
            return self._results.begin

        async def ready() -> None:
            await self._results.begin()
            await more()

        return ready

    async def _failed(self, key: str, prompt: Prompt, error: BaseException) -> None:
        assert self._llm is not None
        model, usage = self._llm.model, spent_by(error)
        if isinstance(error, TruncatedReplyError):
            await self._results.keep(self._stage, key, Step(None, model, prompt.name, prompt.version), usage)
        elif usage is not None:
            await self._results.spend(self._stage, model, usage)

    async def once(self, key: str, make: Callable[[], Awaitable[Any]]) -> Any:
        """See `Tools.once`."""
        full = self._results.place_of(self._stage, key)
        known = self._results.steps.get(full)
        if known is None:
            with self._results.asking():
                known = Step(json.dumps(await make(), allow_nan=False))
                await self._results.keep(self._stage, full, known)
        assert known.value is not None
        return json.loads(known.value)

    async def require_wanted(self) -> None:
        """See `Watching.require_wanted`."""
        await self._results.require_held()

    async def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Tools.embed`."""
        if not texts:
            return np.zeros((0, self._engine.embedder.identity.dim), np.float32)
        await self.require_wanted()  # An embedder may be a server, too.
        vectors = await in_worker(self._engine.embedder.documents, list(texts))
        unit: NDArray[np.float32] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit

    async def tags(self) -> Sequence[str]:
        """See `Tools.tags`; without those of the vault and of what has run out, which no model is told."""
        user = self._results.job.user

        def look() -> list[str]:
            index = self._engine.current()
            hidden = withheld_tags(self._engine.store, index, user)
            known = sorted(index.tags(user=user), key=lambda tag: (-tag.records, tag.name))
            return [tag.name for tag in known if tag.name not in hidden]

        return await in_worker(look)

    async def frequencies(self, words: Sequence[str]) -> Frequencies:
        """See `Corpus.frequencies`."""
        user = self._results.job.user
        return await in_worker(lambda: index_frequencies(self._engine.current(), user, words))

    def note(self, event: str, **details: Any) -> None:
        """See `Tools.note`."""
        copied = json.loads(json.dumps(details, allow_nan=False))
        self._results.notes.append(Note(now_micros(), self._stage, event, copied))
