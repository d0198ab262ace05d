"""The calls of `Memory` about sleep: put memories in order, and take that back."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import memspan
from memspan.arguments import as_flag, as_number
from memspan.errors import UnknownIdError, invalid
from memspan.remember.asynchronous import in_thread, in_writers_thread
from memspan.remember.consolidating import consolidate, nothing_done
from memspan.remember.input.fields import checked_name
from memspan.remember.progress import tracking
from memspan.reports.consolidation import ConsolidationReport, Planned, SleepReport
from memspan.reports.run_info import Run, Undone

from .base import Calls

if TYPE_CHECKING:
    from memspan.lifecycle.upkeep import Upkeep
    from memspan.llm import LLM

__all__ = ["SleepingCalls"]

_Work: TypeAlias = "Callable[[LLM | None], Coroutine[Any, Any, SleepReport]]"
_ACTION: Final = "consolidate"
_LONGEST = 1e9
"""Seconds."""


class SleepingCalls(Calls):
    """See `Memory`."""

    def consolidate(
        self,
        user: str | None = None,
        *,
        update: bool | memspan.SleepUpdate | None = None,
        merge: bool | memspan.Merging = True,
        staleness: str | memspan.StalenessPolicy | None = None,
        learn: bool = True,
        dry_run: bool = False,
        seconds: float | None = None,
        progress: bool = False,
    ) -> ConsolidationReport:
        """Put the memories of a user, or of all, in order, and lay out the index for faster searches.

        In this order, each step in slices that nobody waits for long:

        1. What outlived its time is erased, unless it is pinned or held, and kinds that are over their quota move
           records to the cold tier. The files are rewritten after that, as by `forget`, but for single users at most
           every ten minutes: bytes that are left go with the next `consolidate` after that or of all, or with
           `forget`. What is stale is counted; with a `staleness` that prunes, what is staler than that goes to the cold
           tier, too.
        2. Facts that say the same are merged, without a model: the best wording stays, of equal ones the latest, or
           where their kind has a time to live the one that has most of it left, and gets the sources of all. What
           happened at different times is not the same: what is told of the past (in English), with a time that is not
           that of telling it, stays where the times are more than a day apart. Turns stay as they were said; see
           `Merging.kinds` for those that were delivered twice.
        3. Procedures are learnt from what agents did; see `learn_procedures`.
        4. The update in sleep of LightMem (section 3.3) asks a language model: every derived memory with later ones
           like it is kept, merged with them, rewritten, or ended because of them. Each user is all or nothing.
        5. The index is laid out anew where that pays, which changes no answer; see `Index.consolidate`.

        What ends in steps 2 to 4 stays readable, as history (`valid_at`) and as the state before (`as_of`); what is
        pinned or held stays as it is. These changes are journalled: `undo` takes them back. Only what is new since the
        last time is looked at. Interrupted at any point, what was done stays done, and the next call goes on.
        What had to make room goes back to memory with `undo`, too; what expired is erased for good.

        Args:
            update: whether to update memories by a model. `None`: if the recipe does (`lightmem`, `best`) and the
                memory was opened with a model. `True` for the recipe's update or the default one, a `SleepUpdate` for
                this one, `False` for none.
            merge: whether to merge what says the same; a `Merging` for other settings.
            staleness: what counts as stale (store-compress-staleness, 3.4): the name of a policy, or a
                `StalenessPolicy`, whose `prune_above` says from where on records go to the cold tier, but for those
                that are pinned or held, pointers and secrets. All records are read then. `None`: what was ended before
                is counted, which costs nothing.
            learn: whether to learn procedures.
            dry_run: change nothing, ask no model, and say in `upkeep.planned` what would be done, each step after those
                before it: what is pruned is not merged as well.
            seconds: begin no slice after so long, but the first: every call does one, so that repeating it comes to the
                same end as one without a limit. `upkeep.finished` says whether it is there. A slice is a transaction
                of some hundred records. Not divided, and so as long as they take, are: finding the pairs that are
                alike, natively, about a second for 100,000 memories when all are new (what was found is kept for the
                next call of this `Memory`; another process looks again), deciding about those that are all alike,
                rewriting the files after something expired, learning the procedures of a user, the update by a
                model, and the layout.
            progress: show on standard error how many memories were decided.

        Returns:
            The report of the index, with the one of the update as `sleep` and of what needs no model as `upkeep`.
            That a model fails is no error: `sleep.undecided` tells how many memories it left as they were.

        Raises:
            InvalidArgumentError: an argument is not acceptable.
            JobError: an update is wanted, and the memory was opened without `llm`.
            EmbedderError: a user's new memories could not be embedded; none of that user's changed by that step.
            UndoError: somebody undid the run while it was under way.
        """
        with tracking("sleeping", None, progress) as advance:
            upkeep, chosen = self._begin(user, update, merge, staleness, learn, dry_run, seconds, advance)
            upkeep.run()
            slept = None
            if chosen is not None and upkeep.begins("update"):
                if upkeep.dry_run:
                    upkeep.plan(self._asked(user, chosen, upkeep))
                else:
                    slept = self._processing.ask(self._work(user, chosen, upkeep, advance))
                    upkeep.ends("update")
        return self._lay_out(user, upkeep, slept)

    async def aconsolidate(
        self,
        user: str | None = None,
        *,
        update: bool | memspan.SleepUpdate | None = None,
        merge: bool | memspan.Merging = True,
        staleness: str | memspan.StalenessPolicy | None = None,
        learn: bool = True,
        dry_run: bool = False,
        seconds: float | None = None,
        progress: bool = False,
    ) -> ConsolidationReport:
        """Asynchronous form of `consolidate`. Cancelling the task ends the update; users that are done stay so."""
        with tracking("sleeping", None, progress) as advance:
            upkeep, chosen = self._begin(user, update, merge, staleness, learn, dry_run, seconds, advance)
            await in_writers_thread(upkeep.run)
            slept = None
            if chosen is not None and upkeep.begins("update"):
                if upkeep.dry_run:
                    upkeep.plan(await in_writers_thread(self._asked, user, chosen, upkeep))
                else:
                    slept = await self._processing.aask(self._work(user, chosen, upkeep, advance))
                    upkeep.ends("update")
        return await in_writers_thread(self._lay_out, user, upkeep, slept)

    def runs(self, user: str | None = None) -> list[Run]:
        """The consolidations that changed memories of a user, or of all, and what `retire` and `supersede` did, the
        latest first: all that `undo` can take back, or has (`Run.state`)."""
        if user is not None:
            checked_name(user, "user")
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            return [run for run in reader.runs.runs(user=user) if run.changes]

    def sleep_log(self, user: str, run: str | None = None) -> list[memspan.SleepDecision]:
        """What the update by a model decided about each memory that it was asked about, and why it was not done where
        it was not: changes first. The log holds no words of memories; ids of what was forgotten since are `None`.

        Args:
            run: a consolidation's id; `None` for the user's latest. A consolidation that changed nothing is remembered
                until the next one.

        Returns:
            Nothing when that consolidation asked no model.

        Raises:
            UnknownIdError: the user has no such run.
        """
        from memspan.lifecycle.sleep.log import read_log

        checked_name(user, "user")
        self._engine.require_open()
        with self._engine.store.reading() as reader:
            if run is None:
                last = reader.runs.last(user, _ACTION)
            else:
                last = next(iter(reader.runs.runs(user=user, id=checked_name(run, "run"))), None)
                if last is None:
                    raise invalid("run", run, "a run of this user; `runs` lists them", UnknownIdError)
            if last is None or "sleep" not in last.report:
                return []
            return read_log(last.report["sleep"], reader.ids(user))

    def undo(self, run: str, *, user: str | None = None, leave_changed: bool = False) -> Undone:
        """Take back what a run did to memories, all of it at once: they are again what they were before.

        What was forgotten since, or had outlived its time, stays away. Pins, holds, times to live and made tags are
        those of now. The next consolidation does not do it again: it looks at what is new since the one that was
        undone. (But for the counts of procedures, which follow the transcripts, and for pruning, which goes by the
        policy that it is given.)

        Where the run made memories these go, bytes and all, as with `forget`: time linear in the size of the database.
        So does what encode jobs made that were shown one of them; these jobs begin again with the turns that are left.
        Bytes that cannot be erased yet are by the next open, or `forget`; the log says so.

        What went to the cold tier comes back to memory, with its uses, where there is room: nothing has to make room
        for it, and what finds none stays in the cold tier as it was before the run (`Undone.cold`).

        Args:
            run: its id, of `runs` or of a report's `upkeep.runs`.
            user: refuse runs of others.
            leave_changed: when somebody changed memories of the run since, leave those as they are instead of refusing
                to undo the rest.

        Raises:
            UnknownIdError: there is no such run.
            UndoError: it was undone already, or memories that it changed were changed since, or something was made of
                one that it made.
        """
        from memspan.lifecycle.undo.undoing import undo

        owner = None if user is None else checked_name(user, "user")
        return undo(
            self._engine,
            checked_name(run, "run"),
            user=owner,
            leave_changed=as_flag(leave_changed, "leave_changed"),
        )

    def _begin(
        self,
        user: str | None,
        update: bool | memspan.SleepUpdate | None,
        merge: bool | memspan.Merging,
        staleness: str | memspan.StalenessPolicy | None,
        learn: bool,
        dry_run: bool,
        seconds: float | None,
        advance: Callable[[int], object],
    ) -> tuple[Upkeep, memspan.SleepUpdate | None]:
        """What is to be done to memories, checked."""
        from memspan.lifecycle.merging.duplicates import Merging
        from memspan.lifecycle.staleness import as_staleness_policy
        from memspan.lifecycle.upkeep import Upkeep

        if user is not None:
            checked_name(user, "user")
        if merge is not True and merge is not False and not isinstance(merge, Merging):
            raise invalid("merge", merge, "True, False, or a memspan.lifecycle.merging.duplicates.Merging")
        limit = None if seconds is None else as_number(seconds, "seconds", 0, _LONGEST)
        self._engine.require_open()
        chosen = self._chosen(update)
        upkeep = Upkeep(
            self._engine,
            user,
            merging=Merging() if merge is True else merge or None,
            staleness=None if staleness is None else as_staleness_policy(staleness),
            learning=as_flag(learn, "learn"),
            updating=chosen is not None,
            dry_run=as_flag(dry_run, "dry_run"),
            seconds=limit,
            advance=advance,
        )
        return upkeep, chosen

    def _chosen(self, update: bool | memspan.SleepUpdate | None) -> memspan.SleepUpdate | None:
        recipe = self._processing.recipe
        if update is False or (update is None and recipe.sleep is None):
            return None
        from memspan.lifecycle.sleep.running import chosen_update

        return chosen_update(update, recipe.sleep, self._processing.has_model)

    def _work(
        self, user: str | None, chosen: memspan.SleepUpdate, upkeep: Upkeep, advance: Callable[[int], object]
    ) -> _Work:
        from memspan.lifecycle.sleep.running import sleep

        return lambda llm: sleep(
            self._engine,
            llm,
            user,
            chosen,
            recipe=self._processing.recipe.name,
            advance=advance,
            journal=upkeep.journal,
        )

    def _asked(self, user: str | None, chosen: memspan.SleepUpdate, upkeep: Upkeep) -> list[Planned]:
        """The memories that a model would be asked about."""
        from memspan.lifecycle.sleep.running import queues_to_ask

        with self._engine.store.reading() as reader:
            users = [user] if user is not None else reader.users()
        return [
            Planned("ask", name, (queue.target.id, *(record.id for record in queue.later)))
            for name in users
            for queue in queues_to_ask(self._engine, name, chosen, upkeep.gone(name))
        ]

    def _lay_out(self, user: str | None, upkeep: Upkeep, slept: SleepReport | None) -> ConsolidationReport:
        """The last step, and the end of the others."""
        counts = {} if slept is None else {"updated": slept.merged + slept.updated + slept.retired}
        done = upkeep.finish(**counts)
        laid = not upkeep.dry_run and upkeep.begins("layout")
        report = consolidate(self._engine, user) if laid else nothing_done(done.users)
        return report._replace(sleep=slept, upkeep=done._replace(finished=upkeep.keep()))

    aruns = in_thread(runs, reads=True)
    asleep_log = in_thread(sleep_log, reads=True)
    aundo = in_thread(undo)
