"""`SleepUpdate`: memories are put in order offline, in parallel (LightMem 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memspan.arguments import as_integer, as_kind, as_number, as_texts
from memspan.base.worker_threads import beside
from memspan.encode.stage import Tools
from memspan.index import Index
from memspan.lifecycle.undo.journal import Journal
from memspan.llm.prompts import template
from memspan.llm.protocol import Ready
from memspan.records import Record
from memspan.remember.engine import Engine
from memspan.remember.forgetting.unforgotten import learnt_at, unforgotten

from .applying import Applied, apply_changes
from .changes import Change
from .deciding import decide
from .queues import UpdateQueue, is_updatable, turn_times, update_queues
from .seen import seen_mark

__all__ = ["SleepUpdate", "Slept"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slept:
    """What an update did."""

    memories: int
    """That were looked at."""
    queues: int
    """Memories with something later that is like them: so many calls of the model."""
    applied: Applied
    seen: frozenset[bytes] = frozenset()
    """Marks of the memories that were looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SleepUpdate:
    """Reconsiders derived memories in the light of later ones. While memories are written, they are only appended.

    Every memory has a queue of later ones like it, and a model decides for each queue, side by side, whether the
    memory is kept, merged, updated or retired. Only later memories change earlier ones. Turns are never touched.
    """

    queue: int = 10
    """n, entries of a queue. The paper fixes it without saying at what; some ten entries are what the tokens of its
    update calls leave room for (table 2)."""
    least: float = 0.85
    """Similarity of an entry: what makes R_2, the share of memories with a queue, small. The paper names none. With
    the default embedder, unrelated sentences have .5 to .7, and of the turns of LoCoMo's conv-26 74 % have a later
    one at .8, 42 % at .85 and 10 % at .9."""
    kinds: tuple[str, ...] = ("semantic",)

    def __post_init__(self) -> None:
        # Kept as JSON has it: the store knows with which settings memories were looked at.
        object.__setattr__(self, "queue", as_integer(self.queue, "queue", 1, 100))
        object.__setattr__(self, "least", as_number(self.least, "least", -1, 1))
        object.__setattr__(self, "kinds", tuple(as_texts(self.kinds, "kinds")))
        for kind in self.kinds:
            as_kind(kind, "kinds")

    @property
    def name(self) -> str:
        """`sleep`: for usage and logs."""
        return "sleep"

    def records(self, engine: Engine, user: str) -> tuple[Index, list[Record], dict[str, datetime]]:
        """A user's memories that may be updated, with embeddings, the index that holds them, and the times of the
        user's turns. O(records)."""
        found: list[Record] = []
        turns: dict[str, datetime] = {}
        with engine.looking(lambda index: index) as (index, reader):
            for batch in reader.scan(user, 512, embeddings=True):
                found += (record for record in batch if is_updatable(record, self.kinds))
                turns |= turn_times(batch)
        return index, found, turns

    def queues(
        self,
        index: Index,
        records: Sequence[Record],
        turns: Mapping[str, datetime] | None = None,
        is_new: Callable[[Record], bool] = lambda record: True,
        again: Callable[[Record], bool] = lambda record: False,
    ) -> list[UpdateQueue]:
        """See `update_queues`."""
        return update_queues(
            index,
            records,
            turns,
            length=self.queue,
            least=self.least,
            kinds=self.kinds,
            is_new=is_new,
            again=again,
        )

    async def run(
        self,
        engine: Engine,
        user: str,
        tools: Tools,
        *,
        model: str | None = None,
        is_new: Callable[[Record], bool] = lambda record: True,
        again: Callable[[Record], bool] = lambda record: False,
        journal: Journal | None = None,
    ) -> Slept:
        """Update the memories of a user.

        Interrupted at any point, it has done all or nothing; run again, it asks what `tools` do not remember.
        Memories that are written meanwhile are seen by the next run. What is forgotten meanwhile is not sent any more,
        and the queues that it was in are looked at again by the next run.

        Args:
            tools: as a job lends them; its embedder and tags are not used.
            model: its name, for the metadata of new memories.
            is_new: whether no run has seen a memory yet; only queues with such a one are looked at.
            again: whether to look at the queue of a memory all the same, because it was not decided then.
            journal: of the run that the changes belong to, so that they can be undone.
        """
        index, records, turns = await beside(self.records, engine, user)
        queues = await beside(self.queues, index, records, turns, is_new, again)

        def ready(queue: UpdateQueue) -> Ready:
            return unforgotten(engine, user, learnt_at((queue.target, *queue.later)))

        changes = await decide(queues, tools, ready)
        prompt = template("update")
        metadata: dict[str, Any] = {"prompt": f"{prompt.name}@{prompt.version}"}
        if model is not None:
            metadata["model"] = model

        def skipped(change: Change) -> None:
            for target in change.ending if change.action == "update" else change.ending[:1]:
                tools.note("skipped", action=change.action, memory=target.id)

        applied = Applied()
        if changes:
            applied = await beside(
                apply_changes, engine, changes, metadata=metadata, skipped=skipped, journal=journal
            )
        return Slept(
            memories=len(records),
            queues=len(queues),
            applied=applied,
            seen=frozenset(map(seen_mark, records)),
        )
