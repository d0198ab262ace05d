"""The calls of `Memory` that erase, that keep from erasing, and that tell who did."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from memspan.errors import StoreError, invalid
from memspan.remember.asynchronous import in_thread
from memspan.remember.audit.audit_trail import audit
from memspan.remember.audit.auditing import acting
from memspan.remember.endings.holding import hold
from memspan.remember.forgetting.forget_plans import ForgetPlan, plan_of
from memspan.remember.forgetting.forgetting import confirm as confirm_plan
from memspan.remember.forgetting.forgetting import forget
from memspan.remember.selecting import checked_selection
from memspan.reports.audit_info import AuditEntry
from memspan.times import Between, TimeLike

from .searching import SearchingCalls

__all__ = ["ForgettingCalls"]


class ForgettingCalls(SearchingCalls):
    """See `Memory`."""

    def forget(
        self,
        *,
        user: str | None = None,
        id: str | Sequence[str] | None = None,
        source: str | None = None,
        session: str | None = None,
        between: Between | None = None,
        kinds: Sequence[str] | None = None,
        confirm: ForgetPlan | str | None = None,
    ) -> int:
        """Erase a user or some of their records, with everything derived from them.

        Text, vector, words and tags go out of the database, the index and the cache file, and so do their bytes: when
        the call returns, no file of the store holds them. That rewrites the database, which takes time linear in its
        size (up to some 25 s a gigabyte, or 500,000 records, on a common disk) and as much room again beside it and
        among temporary files. Others read meanwhile, but whoever writes waits, and gets a `StoreError` after 30
        seconds: forget much with one call rather than many. What goes with a record: its older versions, its copies in
        the cold tier, what a consolidation could be undone with, its secret in the vault, every record whose `sources`
        lead to it, and tags that no record has any more. What `consolidate` let stay for it, as both said the same,
        stays if it comes from elsewhere, without the sources, tags and entities that it took over. Files that `export`
        wrote before are the caller's; a cache of replies that the model of this memory keeps is emptied.

        An encode job that was shown an erased turn, its own or one before, may have used what it said anywhere: all
        that the job made goes, with its log and the model's answers, and it begins again with the turns that are
        left. If it runs, it sends nothing more, also from other processes; a request that was on its way already
        cannot be called back, but its answer is not kept. A derived record that is erased alone is not made again.

        `ask`, its streams, `consolidate`, `learn_procedures` and `compress` with `CrossEntropy`, which read memories
        and then ask a model, look into the store before each request, too: a question is looked up anew, the others
        leave out what it was about. Embedders and rerankers get what was just read, without another look.

        Args:
            user: whose records.
            id: one record, or a list of them. Of an older version, `<id>@...`, only that goes, and what was made of it.
            source: records with this `provenance`, or with this id among their `sources`.
            session, between, kinds: records of this session, of these times (as in `search`), and of these kinds,
                `vault` included when it is named; records that all those match that are given.
            confirm: what `forget_matching` planned, or its token, instead of everything else; `user` may be left out.
                Without any of these, everything of the user goes.

        Returns:
            How many records were erased, older versions and cold ones included.

        Raises:
            InvalidArgumentError: an argument is not acceptable, or goes with no other.
            HeldError: a record is held that would have to go; nothing was erased.
            PlanChangedError: what the plan would erase changed since; nothing was erased.
            StoreError: another process reads an old state for 30 seconds, or the disk is full: the records are gone,
                their bytes not yet. The same call again erases these, and so does opening the store.
        """
        if confirm is not None:
            others = {"id": id, "source": source, "session": session, "between": between, "kinds": kinds}
            for name, value in others.items():
                if value is not None:
                    raise invalid(name, value, "nothing beside `confirm` but `user`")
            removed = self._forgotten(lambda: confirm_plan(self._engine, confirm, user))
        else:
            selection = checked_selection(id=id, source=source, session=session, between=between, kinds=kinds)
            removed = self._forgotten(lambda: forget(self._engine, user=user, selection=selection))  # type: ignore[arg-type]
        return removed or 0

    def _forgotten(self, erase: Callable[[], int | None]) -> int | None:
        """What `erase` returns; a cache of replies is emptied also where bytes could not be erased."""
        try:
            removed = erase()
        except StoreError:
            self._processing.forget_replies()
            raise
        if removed is not None:
            self._processing.forget_replies()
        return removed

    def forget_matching(
        self,
        question: str,
        *,
        user: str,
        k: int = 10,
        between: Between | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
    ) -> ForgetPlan:
        """Plan to forget what a question finds; nothing is erased yet.

        A search always finds something: look at the matches, leave out with `exclude` what should stay, and give the
        plan, or its token, to `forget(confirm=...)`. That erases exactly what was shown, or nothing.

        Args:
            question, user, k, between, kinds, require_tags, where, exclude: as in `search`.

        Raises:
            InvalidArgumentError: or its subclass `TimeError` or `WhereError`: an argument is not acceptable.
        """
        found = self.search(
            question,
            user=user,
            k=k,
            between=between,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
            track=False,
        )
        with self._engine.store.reading() as reader:
            return plan_of(reader, user, found)

    def hold(
        self,
        *,
        user: str,
        id: str | Sequence[str] | None = None,
        source: str | None = None,
        session: str | None = None,
        between: Between | None = None,
        kinds: Sequence[str] | None = None,
    ) -> int:
        """Put a legal hold on records: they cannot be forgotten until `release`, nor evicted, merged or ended, in sleep
        or by hand, and their times to live do not erase them.

        The hold reaches the cold tier, and older versions, but not what is added later, nor what was derived. What is
        held there comes back held. Writing a record anew keeps its hold, and what it said as a version; where there
        can be none, as in the vault, it is refused. A `forget` that would have to erase a held record erases nothing.

        Args:
            user, id, source, session, between, kinds: as in `forget`; without selectors everything that is there.

        Returns:
            How many records were not held before, those in the cold tier included. In transactions of 256 records;
            when it is interrupted, those that were done are held, and calling it again goes on.

        Raises:
            InvalidArgumentError: an argument is not acceptable, or goes with no other.
        """
        selection = checked_selection(id=id, source=source, session=session, between=between, kinds=kinds)
        return hold(self._engine, user=user, selection=selection, held=True)

    def release(
        self,
        *,
        user: str,
        id: str | Sequence[str] | None = None,
        source: str | None = None,
        session: str | None = None,
        between: Between | None = None,
        kinds: Sequence[str] | None = None,
    ) -> int:
        """End a hold, in the cold tier as well, and in slices as `hold`; returns how many records were held."""
        selection = checked_selection(id=id, source=source, session=session, between=between, kinds=kinds)
        return hold(self._engine, user=user, selection=selection, held=False)

    def audit(
        self,
        *,
        user: str | None = None,
        id: str | None = None,
        action: str | None = None,
        since: TimeLike | None = None,
        until: TimeLike | None = None,
        limit: int = 1000,
    ) -> list[AuditEntry]:
        """Who did what to this store, oldest first.

        Every change is entered in the transaction that makes it, and every reading of a vault before the secret is
        given out; only small additions are counted together, 30 seconds or 256 records of one process at most. Entries
        are never changed or removed, also not by forgetting: they name users and records by fingerprints, and hold no
        text, name, id or time of theirs. `verify` checks that the chain of hashes is whole. Somebody who can write the
        file can write another chain: keep the last entry's `hash` elsewhere to notice.

        Args:
            user: only what was done to this user; the name may be one that was forgotten.
            id: only entries that name this record of the user. Of what was added only the number is kept.
            action: only this action, such as `forget`.
            since, until: only entries of these times, `until` being exclusive.
            limit: the last so many, 1 to 1,000,000.

        Raises:
            InvalidArgumentError: an argument is not acceptable.
        """
        return audit(self._engine, user=user, id=id, action=action, since=since, until=until, limit=limit)

    def acting(self, actor: str | None) -> AbstractContextManager[None]:
        """Say who acts in a `with` block, in place of `Memory(actor=...)`: for servers that act for many.

        Holds for this thread or task, and for the tasks that it starts. The name is kept in the audit for good, also
        when a user of that name is forgotten.
        """
        return acting(actor)

    aforget = in_thread(forget)
    aforget_matching = in_thread(forget_matching, reads=True)
    ahold = in_thread(hold)
    arelease = in_thread(release)
    aaudit = in_thread(audit)
