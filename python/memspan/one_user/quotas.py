"""The calls of `UserMemory` about how much there may be of one user's memory."""

from __future__ import annotations

from collections.abc import Sequence

import memspan
from memspan.lifecycle.quotas import Quotas
from memspan.records import Record
from memspan.remember.asynchronous import in_thread
from memspan.reports.evicted import Evicted

__all__ = ["UserQuotaCalls"]


class UserQuotaCalls:
    """See `UserMemory`. Setting quotas is left to whoever has the `Memory`."""

    _memory: memspan.Memory
    name: str

    def quotas(self) -> Quotas | None:
        """See `Memory.quotas`."""
        return self._memory.quotas(self.name)

    def evicted(self, *, k: int = 100, kinds: Sequence[str] | None = None) -> list[Evicted]:
        """See `Memory.evicted`."""
        return self._memory.evicted(user=self.name, k=k, kinds=kinds)

    def restore(self, *, ids: Sequence[str], pin: bool = False, originals: bool = False) -> list[str]:
        """See `Memory.restore`."""
        return self._memory.restore(user=self.name, ids=ids, pin=pin, originals=originals)

    def original(self, *, id: str) -> Record | None:
        """See `Memory.original`."""
        return self._memory.original(user=self.name, id=id)

    def pin(self, *, ids: Sequence[str]) -> int:
        """See `Memory.pin`."""
        return self._memory.pin(user=self.name, ids=ids)

    def unpin(self, *, ids: Sequence[str]) -> int:
        """See `Memory.unpin`."""
        return self._memory.unpin(user=self.name, ids=ids)

    aquotas = in_thread(quotas, reads=True)
    aevicted = in_thread(evicted, reads=True)
    arestore = in_thread(restore)
    aoriginal = in_thread(original, reads=True)
    apin = in_thread(pin)
    aunpin = in_thread(unpin)
