"""The calls of `Memory` about procedures: how things are done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memspan.arguments import as_flag
from memspan.procedure_info import Procedure, ProcedureReport
from memspan.remember.asynchronous import in_thread

from .base import Calls

if TYPE_CHECKING:
    from memspan.lifecycle.procedures import Mining

__all__ = ["ProcedureCalls"]


class ProcedureCalls(Calls):
    """See `Memory`."""

    def procedures(self, *, user: str) -> list[Procedure]:
        """What is known of how things are done, the procedure that was run last first: those that were learnt, with
        their steps and how often they worked, and those that a caller added with `kind="procedural"`."""
        from memspan.remember.procedural import procedures

        return procedures(self._engine, user)

    def learn_procedures(
        self, user: str | None = None, *, settings: Mining | None = None, dry_run: bool = False
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
            dry_run: only tell what would be done.

        Raises:
            InvalidArgumentError: an argument is not acceptable.
            EmbedderError: the embedder failed; users before this one are done.
        """
        from memspan.remember.procedural import learn_procedures

        return learn_procedures(self._engine, user, settings, as_flag(dry_run, "dry_run"))

    aprocedures = in_thread(procedures)
    alearn_procedures = in_thread(learn_procedures)
