"""The calls of `Memory` about a store as a whole: erase, copy, convert, lay out, count, check."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeAlias

from memspan.consolidation import ConsolidationReport, SleepReport
from memspan.remember.asynchronous import in_thread
from memspan.remember.consolidating import consolidate
from memspan.remember.conversion import reembed
from memspan.remember.embedding import EmbedderSpec
from memspan.remember.fields import checked_name
from memspan.remember.progress import tracking
from memspan.remember.statistics import stats
from memspan.remember.transfer import TextFile, export, load
from memspan.remember.verification import verify

from .base import Calls

if TYPE_CHECKING:
    from memspan.lifecycle.sleep import SleepUpdate
    from memspan.llm import LLM

__all__ = ["KeepingCalls"]

_Sleeper: TypeAlias = "Callable[[LLM | None], Coroutine[Any, Any, SleepReport]]"


class KeepingCalls(Calls):
    """See `Memory`."""

    def export(self, user: str | None, file: TextFile, embeddings: bool = False) -> int:
        """Write everything of a user, or of all users (`None`), as JSON Lines; returns the number of records.

        What `tag` made is left out, and encode jobs are: they can be made again. So is what lies in the cold tier
        (`evicted`): restore it first.

        Args:
            user: an unknown user makes a file without records.
            file: a path, which is replaced when the export is complete, or a text file open for writing.
            embeddings: write the vectors too, so that loading needs no model.
        """
        return export(self._engine, user, file, embeddings=embeddings)

    def load(self, file: TextFile, progress: bool = False) -> int:
        """Add what `export` wrote, a record with a known id being replaced; returns the number of records.

        Vectors in the file are used when this store's embedder made them.

        Raises:
            FormatError: a line is broken; names file, line and reason. What came before it is committed.
        """
        with tracking("loading", None, progress) as advance:
            count = load(self._engine, file, advance)
        self._engine.save_if_worthwhile()
        return count

    def reembed(self, embedder: EmbedderSpec, progress: bool = False) -> int:
        """Convert the store to another embedder and go on with it; returns how many records were embedded.

        Until the last moment the store works with the old one. An interrupted conversion is continued by
        calling this again. Other handles on the store then have to be opened anew.
        """
        return reembed(self._engine, embedder, progress)

    def consolidate(
        self,
        user: str | None = None,
        *,
        update: bool | SleepUpdate | None = None,
        progress: bool = False,
    ) -> ConsolidationReport:
        """Put the memories of a user, or of all, in order, and lay out the index for faster searches.

        The first is the update in sleep of LightMem (section 3.3), which asks a language model: every derived memory
        with later ones like it is kept, merged with them, rewritten, or ended because of them. What ends stays
        readable, as history (`valid_at`) and as the state before (`as_of`); turns are never touched. Each user is all
        or nothing. Only what is new since the last time is looked at, and what the model gave no answer for.

        The second needs no model and changes no answer; see `Index.consolidate`. The layout is part of the cache file
        that `close` writes.

        Args:
            update: whether to update memories. `None`: if the recipe does (`lightmem`) and the memory was opened with
                a model. `True` for the recipe's update or the default one, a `SleepUpdate` for this one, `False` for
                none.
            progress: show on standard error how many memories were decided.

        Returns:
            The report of the index, with the one of the update as `sleep`. That a model fails is no error: `undecided`
            tells how many memories it left as they were.

        Raises:
            InvalidArgumentError: an argument is not acceptable.
            JobError: an update is wanted, and the memory was opened without `llm`.
            EmbedderError: a user's new memories could not be embedded; none of that user's changed.
        """
        work = self._sleeper(user, update)
        if work is None:
            return consolidate(self._engine, user)
        with tracking("sleeping", None, progress) as advance:
            slept = self._processing.ask(work(advance))
        return consolidate(self._engine, user)._replace(sleep=slept)

    async def aconsolidate(
        self,
        user: str | None = None,
        *,
        update: bool | SleepUpdate | None = None,
        progress: bool = False,
    ) -> ConsolidationReport:
        """Asynchronous form of `consolidate`. Cancelling the task ends the update; users that are done stay so."""
        work = self._sleeper(user, update)
        if work is None:
            return await asyncio.to_thread(consolidate, self._engine, user)
        with tracking("sleeping", None, progress) as advance:
            slept = await self._processing.aask(work(advance))
        report = await asyncio.to_thread(consolidate, self._engine, user)
        return report._replace(sleep=slept)

    def _sleeper(
        self, user: str | None, update: bool | SleepUpdate | None
    ) -> Callable[[Callable[[int], object]], _Sleeper] | None:
        """What is to be done to memories, as work that tells how it gets on; `None` for nothing."""
        if user is not None:
            checked_name(user, "user")
        self._engine.require_open()
        recipe = self._processing.recipe
        if update is False or (update is None and recipe.sleep is None):
            return None
        from memspan.lifecycle.sleeping import chosen_update, sleep

        chosen = chosen_update(update, recipe.sleep, self._processing.has_model)
        if chosen is None:
            return None

        def work(advance: Callable[[int], object]) -> _Sleeper:
            return lambda llm: sleep(self._engine, llm, user, chosen, recipe=recipe.name, advance=advance)

        return work

    def stats(self, user: str | None = None) -> dict[str, Any]:
        """Counts, time span and sizes of the store, or of one user, as JSON values."""
        return stats(self._engine, user)

    def users(self) -> list[str]:
        """The names of all users that have anything, sorted."""
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            return reader.users()

    def verify(self) -> list[str]:
        """Check the database, and that index and snapshot agree with it; a list of problems, empty when sound."""
        return verify(self._engine)

    aexport = in_thread(export)
    aload = in_thread(load)
    areembed = in_thread(reembed)
    astats = in_thread(stats)
    ausers = in_thread(users)
    averify = in_thread(verify)
