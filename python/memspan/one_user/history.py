"""What `UserMemory` has of `Memory`'s calls about what was believed when."""

from __future__ import annotations

from collections.abc import Sequence

import memspan
from memspan.lifetimes import TimeToLive
from memspan.remember.asynchronous import in_thread
from memspan.reports.history import History
from memspan.times import TimeLike

__all__ = ["UserHistory"]


class UserHistory:
    """See `UserMemory`, which sets the attributes."""

    _memory: memspan.Memory
    name: str

    def history(self, *, id: str) -> History | None:
        """See `Memory.history`."""
        return self._memory.history(user=self.name, id=id)

    def supersede(
        self, *, id: str, text: str | None = None, by: str | None = None, at: TimeLike | None = None
    ) -> str:
        """See `Memory.supersede`."""
        return self._memory.supersede(user=self.name, id=id, text=text, by=by, at=at)

    def retire(self, *, ids: Sequence[str], at: TimeLike | None = None) -> int:
        """See `Memory.retire`."""
        return self._memory.retire(user=self.name, ids=ids, at=at)

    def set_lifetime(self, kind: str, ttl: TimeToLive | None) -> int:
        """See `Memory.set_lifetime`; only for this user."""
        return self._memory.set_lifetime(kind, ttl, self.name)

    def lifetimes(self) -> dict[str, float]:
        """See `Memory.lifetimes`."""
        return self._memory.lifetimes(self.name)

    ahistory = in_thread(history, reads=True)
    asupersede = in_thread(supersede)
    aretire = in_thread(retire)
    aset_lifetime = in_thread(set_lifetime)
    alifetimes = in_thread(lifetimes, reads=True)
