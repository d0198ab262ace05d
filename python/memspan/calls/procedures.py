"""The calls of `Memory` about procedures: how things are done."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

import memspan
from memspan.arguments import as_flag
from memspan.errors import JobError
from memspan.remember.asynchronous import in_thread, in_writers_thread
from memspan.reports.procedure_info import Procedure, ProcedureReport

from .base import Calls

if TYPE_CHECKING:
    from memspan.llm import LLM

__all__ = ["ProcedureCalls"]


class ProcedureCalls(Calls):
    """See `Memory`."""

    def procedures(self, user: str) -> list[Procedure]:
        """What is known of how things are done, the procedure that was run last first: those that were learnt, with
        their steps and how often they worked, and those that a caller added with `kind="procedural"`."""
        from memspan.remember.procedural import procedures

        return procedures(self._engine, user)

    def learn_procedures(
        self,
        user: str | None = None,
        *,
        settings: memspan.Mining | None = None,
        ask: bool | None = None,
        dry_run: bool = False,
    ) -> ProcedureReport:
        """Learn procedures from the tool calls in a user's turns, or in every user's, as `consolidate` does.

        A procedure is a sequence of actions that comes back, in any session, with little between them and more often
        than by chance. Its record, of kind `procedural`, tells its steps with what their arguments have in common,
        what was always done before it, and what it was asked for with; its metadata (`procedure`) counts when it
        worked and when not, and its `importance` is the chance that it works. Its sources are the turns of its runs.

        Learning again adds to what is known: the same procedure keeps its id, and its counts grow, also when its old
        transcripts were evicted. A procedure that was retired, or replaced under its id, is left alone. Each user's
        are written in one transaction.

        Args:
            user: `None` for every user, each from their own turns only.
            settings: what makes a sequence a procedure.
            ask: whether a model finds the words for what is new: a name, when it is of use, what each step does; one
                call for each. What it tells must be the steps that were learnt. `None`: if the memory has a model.
            dry_run: only tell what would be done, without asking.

        Raises:
            InvalidArgumentError: an argument is not acceptable.
            JobError: `ask` is true, and the memory was opened without `llm`.
            EmbedderError: the embedder failed; users before this one are done.
        """
        from memspan.remember.procedural import learn_procedures

        work = self._with_words(user, settings, ask, dry_run)
        if work is None:
            return learn_procedures(self._engine, user, settings, dry_run)
        return self._processing.ask(work)

    async def alearn_procedures(
        self,
        user: str | None = None,
        *,
        settings: memspan.Mining | None = None,
        ask: bool | None = None,
        dry_run: bool = False,
    ) -> ProcedureReport:
        """Asynchronous form of `learn_procedures`. Cancelling the task ends it; users that are done stay so."""
        from memspan.remember.procedural import learn_procedures

        work = self._with_words(user, settings, ask, dry_run)
        if work is None:
            return await in_writers_thread(learn_procedures, self._engine, user, settings, dry_run)
        return await self._processing.aask(work)

    def _with_words(
        self, user: str | None, settings: memspan.Mining | None, ask: bool | None, dry_run: bool
    ) -> Callable[[LLM | None], Coroutine[Any, Any, ProcedureReport]] | None:
        """The work that asks a model; `None` for work without one."""
        from memspan.remember.procedural import learn_with_model, learners

        learners(self._engine, user, settings)
        wanted = self._processing.has_model if ask is None else as_flag(ask, "ask")
        if as_flag(dry_run, "dry_run") or not wanted:
            return None
        if not self._processing.has_model:
            raise JobError(
                "words for procedures need a language model: open the memory with Memory(path, llm=...)"
            )
        recipe = self._processing.recipe.name

        async def work(llm: LLM | None) -> ProcedureReport:
            assert llm is not None
            return await learn_with_model(self._engine, llm, user, settings, recipe)

        return work

    aprocedures = in_thread(procedures, reads=True)
