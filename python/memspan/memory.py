"""`Memory`: durable memories of many users, searchable in their own words."""

from __future__ import annotations

import os
import weakref
from types import TracebackType
from typing import NoReturn, SupportsIndex

import memspan

from .arguments import as_flag
from .base.called_as import naming_its_parts
from .calls.adding import AddingCalls
from .calls.answering import AnsweringCalls
from .calls.compressing import CompressingCalls
from .calls.forgetting import ForgettingCalls
from .calls.history import HistoryCalls
from .calls.keeping import KeepingCalls
from .calls.procedures import ProcedureCalls
from .calls.processing import ProcessingCalls
from .calls.quotas import QuotaCalls
from .calls.safekeeping import SafekeepingCalls
from .calls.sleeping import SleepingCalls
from .calls.tagging import TaggingCalls
from .lifecycle.quotas import Quotas, as_quotas
from .llm import LLMSpec
from .remember.asynchronous import in_thread
from .remember.audit.audit_trail import end_tally
from .remember.audit.auditing import checked_actor
from .remember.embedding import EmbedderSpec
from .remember.input.fields import checked_name
from .remember.jobs.processing import Processing
from .remember.jobs.resolving import checked_llm, checked_recipe
from .remember.opening import open_engine
from .remember.searching.reranking import SecondLook
from .remember.tokens.store_tokens import TokenEmbedderSpec
from .rerank import Reranker

__all__ = ["Memory"]


@naming_its_parts
class Memory(
    AddingCalls,
    ProcessingCalls,
    AnsweringCalls,
    TaggingCalls,
    ProcedureCalls,
    QuotaCalls,
    CompressingCalls,
    ForgettingCalls,
    SafekeepingCalls,
    HistoryCalls,
    SleepingCalls,
    KeepingCalls,
):
    """The memories of many users in one SQLite file.

    What a call adds is on disk and searchable when the call returns. Any number of threads, handles and
    processes may use one path at a time; each sees what the others committed before its call began. Every
    call that can wait has an asynchronous form of the same name with an `a` in front; both `with` and `async with`
    close the memory at their end.

    Example:
        >>> memory = memspan.Memory("agent.memspan")
        >>> memory.add([{"id": "m1", "role": "user", "content": "I moved to Bergen.", "at": "2024-04-02"}], user="ana")
        ['m1']
        >>> [recall.text for recall in memory.search("Where do I live?", user="ana", k=3)]
        ['I moved to Bergen.']
        >>> memory.close()

    Args:
        path: the file, such as `agent.memspan`; made when missing, readable by its owner only. A cache of the
            search index lies beside it as `<path>.index` and is rebuilt when it is missing or damaged.
        embedder: makes the vectors: an embedder, a function from texts to vectors, the name of a model, or
            `None` for the one that filled the store (for a new store: the default model). It is loaded when
            first needed. A function is known by its name alone, which methods of two models share: give it
            another by `CallableEmbedder`, or the store takes one model's vectors for the other's.
        analyzer: how words are found in texts, `english` or `simple` (no stemming); fixed when the store is
            made. `None` for the store's own (for a new store: `english`).
        row_format: how the index keeps vectors, `float32` or `bfloat16`, which takes half the memory and moves a
            cosine by about 0.001 / sqrt(dim). A setting of the store, which may change: the index is then made again
            from the file, where vectors stay float32. `None` for the store's own (for a new store: `float32`).
        llm: the language model that recipes ask, and that answers (`ask`): the name of one, or a client
            (`memspan.llm.LLM`). It is looked up when first needed.
        recipe: how turns become memories, the name of one (`memspan recipes`) or a `Recipe` of your own. `verbatim`
            keeps turns as they are. Turns that were added under another recipe are processed by that one.
        reembed: convert a store that another embedder filled, or whose token vectors are of another token embedder,
            instead of refusing to open it. A conversion that was interrupted goes on where it stopped.
        reranker: what `search` uses when it is given time for it: a reranker, the name of one, or `None` for the
            default one. It is loaded when first needed.
        token_embedder: makes a vector of every token of a record, for a second look at the best of a search (late
            interaction): a token embedder, the name of one, `None` for the store's own (for a store that the default
            model fills: the default one, if it is on this machine), or `False` for none. Records that were added
            without one get theirs by `make_token_vectors`.
        progress: show a progress bar on standard error during a conversion.
        max_resident_bytes: how much of the index may be in memory; users who were not asked for lately leave it first
            and come back when they are asked for. `None`: no limit.
        auto_consolidate: keep the layout of the index good while it grows, on a native thread of low priority;
            see `consolidate`.
        process_in_background: see `start_processing`.
        quotas: for everybody without quotas of their own, see `set_quotas`; `None` for those that the store has.
        actor: who acts, for the audit: a person or a service, kept there for good; see `acting`.

    Raises:
        InvalidArgumentError: an argument is not acceptable.
        EmbedderMismatchError: another embedder filled the store.
        ModelNotFoundError, MissingExtraError: a new store needs a model that is not here.
        StoreError: the file is not a store, is damaged, or was written by a newer memspan.
        QuotaError: more records of a kind are pinned or held than `quotas` have room for.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        embedder: EmbedderSpec = None,
        *,
        analyzer: str | None = None,
        row_format: str | None = None,
        llm: LLMSpec = None,
        recipe: memspan.Recipe | str = "verbatim",
        reembed: bool = False,
        reranker: Reranker | str | None = None,
        token_embedder: TokenEmbedderSpec = None,
        progress: bool = False,
        max_resident_bytes: int | None = None,
        auto_consolidate: bool = True,
        process_in_background: bool = False,
        quotas: Quotas | int | None = None,
        actor: str | None = None,
    ) -> None:
        background = as_flag(process_in_background, "process_in_background")
        name = checked_actor(actor)
        chosen, model = checked_recipe(recipe), checked_llm(llm)
        limits = as_quotas(quotas)
        self._second_look = SecondLook(reranker)
        self._engine = open_engine(
            path,
            embedder,
            analyzer=analyzer,
            row_format=row_format,
            reembed=as_flag(reembed, "reembed"),
            progress=progress,
            max_resident_bytes=max_resident_bytes,
            auto_consolidate=as_flag(auto_consolidate, "auto_consolidate"),
            actor=name,
            token_embedder=token_embedder,
        )
        self._processing = Processing(self._engine, chosen, model)
        # What runs in the background has all but the memory itself.
        weakref.finalize(self, self._processing.leave).atexit = False
        try:
            if limits is not None:
                self.set_quotas(limits)
            if background:
                self.start_processing()
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"Memory({str(self._engine.store.path)!r}, embedder={self._engine.embedder.identity.name!r})"

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        # Else an error names what is inside, and a copy shares it: closing one would close both.
        raise TypeError(
            f"cannot copy or pickle a Memory: open {str(self._engine.store.path)!r} again instead"
        )

    def user(self, name: str) -> memspan.UserMemory:
        """The same calls bound to one user: hand this to code that must not reach anybody else's memory."""
        from .one_user.user_memory import UserMemory

        return UserMemory(self, checked_name(name, "name"))

    def close(self) -> None:
        """End processing, write the cache file when that is worth it and close the database. Closing twice is
        harmless."""
        self._processing.close()
        end_tally(self._engine)
        self._engine.close()

    def __enter__(self) -> Memory:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    aclose = in_thread(close)

    async def __aenter__(self) -> Memory:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
