"""The part of `memspan.Index` that is about quotas, evictions, pins and how often records are used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from memspan import _core
from memspan.arguments import as_choice, as_flag, as_integer, as_kind, as_text, as_texts, is_masked
from memspan.errors import invalid
from memspan.records import KINDS
from memspan.times import TimeLike, to_micros

__all__ = ["EVICTIONS", "QuotaCalls"]

EVICTIONS: Final = ("oldest", "value")
"""Which record of a full kind goes first: the oldest by `at`, or the one of the lowest value."""

MOST_USES: Final = 2**32 - 1
_MOST: Final = 2**62


class QuotaCalls:
    """A base of `Index`."""

    __slots__ = ()

    _native: _core.Index

    def set_quotas(
        self, *, user: str | None, capacities: Mapping[str, int | None] | None, eviction: str = "value"
    ) -> None:
        """Limit how many records of each kind a user may have. O(1); what is too much goes by `add` and by `evict`.

        When a record comes to a full kind, another one of that kind goes first: a retired or expired one if there is
        one, never a pinned one, otherwise by `eviction`. `"oldest"` takes the one that happened first (of several the
        smallest id). `"value"` takes the lowest importance + use - redundancy, of equals the oldest: `importance` as
        given (0.5 if nobody judged it), uses / (uses + 4), and how far a later one of the 16 that came next says the
        same (0 up to a cosine of 0.8, 1 at 1), of those that came while their kind was limited by `"value"`. Age
        takes no part in the value. O(log n) for each record that comes.

        Args:
            user: `None`: every user without quotas of their own.
            capacities: records by kind, 0-4,294,967,294; `None`, or a kind that is not there: no limit. `None` instead
                of a mapping: no quotas (of their own) any more.
            eviction: `"oldest"` or `"value"`.
        """
        order = as_choice(eviction, "eviction", EVICTIONS)
        name = None if user is None else as_text(user, "user")
        self._native.set_quotas(name, None if capacities is None else _capacities(capacities), order)

    def quotas(self, *, user: str | None) -> tuple[dict[str, int], str] | None:
        """The capacities and the order of eviction as they were set; `None`: none were (for this user)."""
        found = self._native.quotas(None if user is None else as_text(user, "user"))
        if found is None:
            return None
        capacities, eviction = found
        limits = {
            kind: capacity for kind, capacity in zip(KINDS, capacities, strict=True) if capacity is not None
        }
        return limits, EVICTIONS[eviction]

    def evict(self, *, user: str, most: int = _MOST) -> list[str]:
        """Bring a user within their quotas, as far as pins allow, and return the ids of the records that went.

        For quotas that became smaller. Searches go on in between slices of a few records.

        Args:
            most: evict not more than so many; the next call goes on.
        """
        return self._native.evict(as_text(user, "user"), as_integer(most, "most", 1, _MOST))

    def pin(self, *, user: str, ids: Sequence[str], pinned: bool = True) -> int:
        """Keep records from being evicted, or, with `pinned=False`, no longer; returns how many of the ids exist."""
        return self._native.pin(as_text(user, "user"), as_texts(ids, "ids"), as_flag(pinned, "pinned"))

    def note_uses(self, *, user: str, ids: Sequence[str]) -> int:
        """Count one use of each record, as a search that brought them would (for searches with `track=False` whose
        answer is cut elsewhere); returns how many of the ids exist. 0 if this index does not track uses.
        """
        return self._native.note_uses(as_text(user, "user"), as_texts(ids, "ids"))

    def take_uses(self, *, user: str) -> tuple[list[str], NDArray[np.uint32], NDArray[np.int64]]:
        """The uses since the last call: ids, how many each, and when each was used last (UTC microseconds, in whole
        seconds). They go on counting in `"value"`. Uses of records that went meanwhile are not told; an id may come
        twice. O(1) when there are none, otherwise O(records); holds no search up.
        """
        return self._native.take_uses(as_text(user, "user"))

    def set_uses(
        self,
        *,
        user: str,
        ids: Sequence[str],
        counts: Sequence[int] | NDArray[np.uint32],
        lasts: Sequence[TimeLike] | NDArray[np.int64],
    ) -> int:
        """Replace what is known of the uses of these records, fresh ones included, as after loading: how often each was
        used (0-4,294,967,295) and when last. Ids that do not exist are passed over; returns how many do.
        """
        names = as_texts(ids, "ids")
        return self._native.set_uses(
            as_text(user, "user"), names, _counts(counts, len(names)), _lasts(lasts, len(names))
        )


def _capacities(capacities: Any) -> list[int | None]:
    if not isinstance(capacities, Mapping):
        raise invalid("capacities", capacities, "a dict from " + " | ".join(KINDS) + " to a number or None")
    limits: list[int | None] = [None] * len(KINDS)
    for kind, capacity in capacities.items():
        place = f"capacities[{kind}]"
        position = as_kind(kind, "capacities")
        limits[position] = None if capacity is None else as_integer(capacity, place, 0, MOST_USES - 1)
    return limits


def _is_column(values: Any, dtype: DTypeLike, count: int) -> bool:
    return (
        isinstance(values, np.ndarray)
        and values.dtype == dtype
        and values.shape == (count,)
        and not is_masked(values)
    )


def _counts(values: Any, count: int) -> NDArray[np.uint32]:
    if _is_column(values, np.uint32, count):
        return np.ascontiguousarray(values)
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__") or len(values) != count:
        raise invalid("counts", values, f"{count} numbers, one for each id")
    return np.fromiter(
        (as_integer(value, f"counts[{i}]", 0, MOST_USES) for i, value in enumerate(values)), np.uint32, count
    )


def _lasts(values: Any, count: int) -> NDArray[np.int64]:
    if _is_column(values, np.int64, count):
        return np.ascontiguousarray(values)
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__") or len(values) != count:
        raise invalid("lasts", values, f"{count} times, one for each id")
    return np.fromiter((to_micros(value, f"lasts[{i}]") for i, value in enumerate(values)), np.int64, count)
