"""The calls of a `UserMemory` that erase, that keep from erasing, and that tell who did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import memspan
from memspan.remember.asynchronous import in_thread
from memspan.remember.forgetting.forget_plans import ForgetPlan
from memspan.reports.audit_info import AuditEntry
from memspan.times import Between, TimeLike

__all__ = ["UserForgetting"]


class UserForgetting:
    """See `UserMemory`, which sets the attributes."""

    _memory: memspan.Memory
    name: str

    def forget(
        self,
        *,
        id: str | Sequence[str] | None = None,
        source: str | None = None,
        session: str | None = None,
        between: Between | None = None,
        kinds: Sequence[str] | None = None,
        confirm: ForgetPlan | str | None = None,
    ) -> int:
        """See `Memory.forget`; without arguments, everything of this user goes."""
        return self._memory.forget(
            user=self.name,
            id=id,
            source=source,
            session=session,
            between=between,
            kinds=kinds,
            confirm=confirm,
        )

    def forget_matching(
        self,
        question: str,
        *,
        k: int = 10,
        between: Between | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
    ) -> ForgetPlan:
        """See `Memory.forget_matching`."""
        return self._memory.forget_matching(
            question,
            user=self.name,
            k=k,
            between=between,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
        )

    def hold(
        self,
        *,
        id: str | Sequence[str] | None = None,
        source: str | None = None,
        session: str | None = None,
        between: Between | None = None,
        kinds: Sequence[str] | None = None,
    ) -> int:
        """See `Memory.hold`."""
        return self._memory.hold(
            user=self.name, id=id, source=source, session=session, between=between, kinds=kinds
        )

    def release(
        self,
        *,
        id: str | Sequence[str] | None = None,
        source: str | None = None,
        session: str | None = None,
        between: Between | None = None,
        kinds: Sequence[str] | None = None,
    ) -> int:
        """See `Memory.release`."""
        return self._memory.release(
            user=self.name, id=id, source=source, session=session, between=between, kinds=kinds
        )

    def audit(
        self,
        *,
        id: str | None = None,
        action: str | None = None,
        since: TimeLike | None = None,
        until: TimeLike | None = None,
        limit: int = 1000,
    ) -> list[AuditEntry]:
        """See `Memory.audit`; only what was done to this user."""
        return self._memory.audit(user=self.name, id=id, action=action, since=since, until=until, limit=limit)

    aforget = in_thread(forget)
    aforget_matching = in_thread(forget_matching, reads=True)
    ahold = in_thread(hold)
    arelease = in_thread(release)
    aaudit = in_thread(audit)
