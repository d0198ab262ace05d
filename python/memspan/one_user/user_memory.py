"""`UserMemory`: a `Memory` that can reach one user only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import memspan
from memspan.base.called_as import naming_its_parts
from memspan.lifecycle.staleness import StalenessPolicy
from memspan.lifetimes import TimeToLive
from memspan.ranking import Ranker
from memspan.recall.answer import Answer, AnswerStream
from memspan.recall.chat_history import ChatHistory
from memspan.recall.context import Context, TokenCounter
from memspan.recall.plan import Plan
from memspan.records import Record
from memspan.remember.asynchronous import in_thread
from memspan.remember.input.messages import Messages
from memspan.remember.searching.recall import Recalls
from memspan.remember.transfer.export_target import TextFile
from memspan.reports.tag_info import TagInfo, TagReport
from memspan.times import Between, TimeLike

from .compressing import UserCompressing
from .forgetting import UserForgetting
from .history import UserHistory
from .procedures import UserProcedures
from .processing import UserProcessing
from .quotas import UserQuotaCalls
from .safekeeping import UserSafekeeping
from .sleep import UserSleepCalls

__all__ = ["UserMemory"]


@naming_its_parts
class UserMemory(
    UserCompressing,
    UserForgetting,
    UserHistory,
    UserProcedures,
    UserProcessing,
    UserQuotaCalls,
    UserSafekeeping,
    UserSleepCalls,
):
    """The calls of `Memory` for one user; made by `Memory.user`. See there for arguments and errors."""

    def __init__(self, memory: memspan.Memory, name: str) -> None:
        self._memory = memory
        self.name = name

    def __repr__(self) -> str:
        return f"{self._memory!r}.user({self.name!r})"

    def add(
        self,
        messages: Messages,
        *,
        at: TimeLike | None = None,
        session: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        tags: Sequence[str] = (),
        kind: str = "episodic",
        ttl: TimeToLive | None = None,
        progress: bool = False,
    ) -> list[str]:
        """See `Memory.add`."""
        return self._memory.add(
            messages,
            user=self.name,
            at=at,
            session=session,
            metadata=metadata,
            tags=tags,
            kind=kind,
            ttl=ttl,
            progress=progress,
        )

    def add_records(self, records: Iterable[Record], *, batch: int = 512, progress: bool = False) -> int:
        """See `Memory.add_records`; records of other users are refused."""
        return self._memory.add_records(records, user=self.name, batch=batch, progress=progress)

    def search(
        self,
        question: str,
        *,
        k: int | None = 10,
        between: Between | None = None,
        now: TimeLike | None = None,
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        views: Sequence[str] | None = None,
        fusion: str | None = None,
        neighbors: int = 0,
        plan: Plan | None = None,
        ranker: Ranker | None = None,
        route: int = 0,
        rerank_ms: int = 0,
        confidence: bool = False,
        staleness: str | StalenessPolicy = "none",
        explain: bool = False,
        track: bool = True,
    ) -> Recalls:
        """See `Memory.search`."""
        return self._memory.search(
            question,
            user=self.name,
            k=k,
            between=between,
            now=now,
            as_of=as_of,
            valid_at=valid_at,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
            views=views,
            fusion=fusion,
            neighbors=neighbors,
            plan=plan,
            ranker=ranker,
            route=route,
            rerank_ms=rerank_ms,
            confidence=confidence,
            staleness=staleness,
            explain=explain,
            track=track,
        )

    def context(
        self,
        question: str,
        *,
        tokens: int = 600,
        k: int | None = None,
        between: Between | None = None,
        now: TimeLike | None = None,
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        views: Sequence[str] | None = None,
        fusion: str | None = None,
        neighbors: int = 0,
        plan: Plan | None = None,
        ranker: Ranker | None = None,
        route: int = 0,
        rerank_ms: int = 0,
        count_tokens: TokenCounter | None = None,
        track: bool = True,
    ) -> Context:
        """See `Memory.context`."""
        return self._memory.context(
            question,
            user=self.name,
            tokens=tokens,
            k=k,
            between=between,
            now=now,
            as_of=as_of,
            valid_at=valid_at,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
            views=views,
            fusion=fusion,
            neighbors=neighbors,
            plan=plan,
            ranker=ranker,
            route=route,
            rerank_ms=rerank_ms,
            count_tokens=count_tokens,
            track=track,
        )

    def ask(
        self,
        question: str,
        *,
        tokens: int | None = None,
        plan: Plan | str | None = None,
        k: int | None = None,
        between: Between | None = None,
        now: TimeLike | None = None,
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        rerank_ms: int = 0,
        plan_ms: int = 10_000,
        least_confidence: float = 0.0,
        count_tokens: TokenCounter | None = None,
        history: ChatHistory = (),
    ) -> Answer:
        """See `Memory.ask`."""
        return self._memory.ask(
            question,
            user=self.name,
            tokens=tokens,
            plan=plan,
            k=k,
            between=between,
            now=now,
            as_of=as_of,
            valid_at=valid_at,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
            rerank_ms=rerank_ms,
            plan_ms=plan_ms,
            least_confidence=least_confidence,
            count_tokens=count_tokens,
            history=history,
        )

    async def aask(
        self,
        question: str,
        *,
        tokens: int | None = None,
        plan: Plan | str | None = None,
        k: int | None = None,
        between: Between | None = None,
        now: TimeLike | None = None,
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        rerank_ms: int = 0,
        plan_ms: int = 10_000,
        least_confidence: float = 0.0,
        count_tokens: TokenCounter | None = None,
        history: ChatHistory = (),
    ) -> Answer:
        """See `Memory.aask`."""
        return await self._memory.aask(
            question,
            user=self.name,
            tokens=tokens,
            plan=plan,
            k=k,
            between=between,
            now=now,
            as_of=as_of,
            valid_at=valid_at,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
            rerank_ms=rerank_ms,
            plan_ms=plan_ms,
            least_confidence=least_confidence,
            count_tokens=count_tokens,
            history=history,
        )

    def stream_answer(
        self,
        question: str,
        *,
        tokens: int | None = None,
        plan: Plan | str | None = None,
        k: int | None = None,
        between: Between | None = None,
        now: TimeLike | None = None,
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        rerank_ms: int = 0,
        plan_ms: int = 10_000,
        least_confidence: float = 0.0,
        count_tokens: TokenCounter | None = None,
        history: ChatHistory = (),
    ) -> AnswerStream:
        """See `Memory.stream_answer`."""
        return self._memory.stream_answer(
            question,
            user=self.name,
            tokens=tokens,
            plan=plan,
            k=k,
            between=between,
            now=now,
            as_of=as_of,
            valid_at=valid_at,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
            rerank_ms=rerank_ms,
            plan_ms=plan_ms,
            least_confidence=least_confidence,
            count_tokens=count_tokens,
            history=history,
        )

    async def astream_answer(
        self,
        question: str,
        *,
        tokens: int | None = None,
        plan: Plan | str | None = None,
        k: int | None = None,
        between: Between | None = None,
        now: TimeLike | None = None,
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        rerank_ms: int = 0,
        plan_ms: int = 10_000,
        least_confidence: float = 0.0,
        count_tokens: TokenCounter | None = None,
        history: ChatHistory = (),
    ) -> AnswerStream:
        """See `Memory.astream_answer`."""
        return await self._memory.astream_answer(
            question,
            user=self.name,
            tokens=tokens,
            plan=plan,
            k=k,
            between=between,
            now=now,
            as_of=as_of,
            valid_at=valid_at,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
            rerank_ms=rerank_ms,
            plan_ms=plan_ms,
            least_confidence=least_confidence,
            count_tokens=count_tokens,
            history=history,
        )

    def latest(
        self, *, k: int = 20, between: Between | None = None, kinds: Sequence[str] | None = None
    ) -> Recalls:
        """See `Memory.latest`."""
        return self._memory.latest(user=self.name, k=k, between=between, kinds=kinds)

    def get(self, *, id: str) -> Record | None:
        """See `Memory.get`."""
        return self._memory.get(user=self.name, id=id)

    def relate(self, *, parent: str, child: str) -> bool:
        """See `Memory.relate`."""
        return self._memory.relate(user=self.name, parent=parent, child=child)

    def unrelate(self, *, parent: str, child: str) -> bool:
        """See `Memory.unrelate`."""
        return self._memory.unrelate(user=self.name, parent=parent, child=child)

    def tag(self, *, progress: bool = False) -> TagReport:
        """See `Memory.tag`."""
        return self._memory.tag(self.name, progress=progress)

    def untag(self, *, progress: bool = False) -> TagReport:
        """See `Memory.untag`."""
        return self._memory.untag(self.name, progress=progress)

    def tags(self) -> list[TagInfo]:
        """See `Memory.tags`."""
        return self._memory.tags(user=self.name)

    def export(self, file: TextFile, embeddings: bool = False, *, records_only: bool = False) -> int:
        """See `Memory.export`."""
        return self._memory.export(self.name, file, embeddings, records_only=records_only)

    def make_token_vectors(self, progress: bool = False) -> int:
        """See `Memory.make_token_vectors`."""
        return self._memory.make_token_vectors(self.name, progress)

    def stats(self) -> dict[str, Any]:
        """See `Memory.stats`."""
        return self._memory.stats(self.name)

    aadd = in_thread(add)
    aadd_records = in_thread(add_records)
    asearch = in_thread(search, reads=True)
    acontext = in_thread(context, reads=True)
    alatest = in_thread(latest, reads=True)
    aget = in_thread(get, reads=True)
    arelate = in_thread(relate)
    aunrelate = in_thread(unrelate)
    atag = in_thread(tag)
    auntag = in_thread(untag)
    amake_token_vectors = in_thread(make_token_vectors)
    atags = in_thread(tags, reads=True)
    aexport = in_thread(export)
    astats = in_thread(stats)
