"""The calls of `Memory` about how much of it there may be: quotas, pins, and what made room."""

from __future__ import annotations

from collections.abc import Sequence

from memspan.lifecycle.quotas import Quotas
from memspan.records import Record
from memspan.remember.asynchronous import in_thread
from memspan.remember.capacity.cold import evicted, original, restore
from memspan.remember.capacity.quotas import quotas_of, set_quotas
from memspan.remember.endings.pinning import set_pinned
from memspan.reports.evicted import Evicted

from .base import Calls

__all__ = ["QuotaCalls"]


class QuotaCalls(Calls):
    """See `Memory`."""

    def set_quotas(self, quotas: Quotas | int | None, *, user: str | None = None) -> int:
        """Limit how many records users may have, by kind; what is too many goes to the cold tier.

        From then on a record that is added to a full kind sends another one there, in the same transaction: whether
        it was added by `add`, `load` or a job. Every handle on the store keeps to it. O(log n) for each record.

        Args:
            quotas: `Quotas`, a capacity that the kinds share as in the default, or `None` for none.
            user: whose; these go before everybody's, and `None` gives the user back to those. By default the quotas are
                for everybody without their own.

        Returns:
            How many records went to the cold tier because the quotas shrank, oldest or lowest in value first.

        Raises:
            InvalidArgumentError: they are not acceptable.
            QuotaError: more records of a kind are pinned or held than it would have room for; nothing was changed.
        """
        return set_quotas(self._engine, quotas, user)

    def quotas(self, user: str | None = None) -> Quotas | None:
        """The quotas that apply to a user, or to everybody without their own; `None` when there are none."""
        return quotas_of(self._engine, user)

    def evicted(self, user: str, *, k: int = 100, kinds: Sequence[str] | None = None) -> list[Evicted]:
        """The records of a user that made room for others, the last `k` of them, the last one first.

        They are not searched. Adding one of them again, with the same content, brings it back.

        Args:
            kinds: only these; by default all, `vault` among them.
        """
        return evicted(self._engine, user, k, kinds)

    def restore(
        self, *, user: str, ids: Sequence[str], pin: bool = False, originals: bool = False
    ) -> list[str]:
        """Bring records back from the cold tier, as they were; returns the ids of those that came back.

        In a full kind others make room for them. They themselves may be the next to go, unless they are pinned. Ids
        that are not in the cold tier are passed over, and so is what has expired.

        Args:
            pin: pin them.
            originals: with the wording that records had before they were shortened, where there is one; of those in
                memory, too.

        Raises:
            QuotaError: there is no room for all of them: the others are pinned, or there are more of them than their
                kind may have. Nothing was changed.
            EmbedderError: the store went over to another embedder since, and that failed; nothing was changed.
        """
        return restore(self._engine, user, ids, pin=pin, originals=originals)

    def original(self, *, user: str, id: str) -> Record | None:
        """The record with its wording before it was shortened; `None` when there is none."""
        return original(self._engine, user, id)

    def pin(self, *, user: str, ids: Sequence[str]) -> int:
        """Keep records whatever quotas say, and as they are whatever sleep decides; returns how many were not pinned
        before. Ids that are not in memory are passed over. In transactions of 256 records: interrupted, calling it
        again goes on.

        A pin does not lengthen a life: searches do not find a pinned record any more when its time to live is over. But
        it is not erased then, `get` shows it, and a longer life (`add` again, `set_lifetime`) brings it back.
        """
        return set_pinned(self._engine, user, ids, True)

    def unpin(self, *, user: str, ids: Sequence[str]) -> int:
        """Undo `pin`; returns how many were pinned. The next `consolidate` erases those that have expired."""
        return set_pinned(self._engine, user, ids, False)

    aset_quotas = in_thread(set_quotas)
    aquotas = in_thread(quotas, reads=True)
    aevicted = in_thread(evicted, reads=True)
    arestore = in_thread(restore)
    aoriginal = in_thread(original, reads=True)
    apin = in_thread(pin)
    aunpin = in_thread(unpin)
