"""The part of `memspan.Index` that finds records that nearly say the same."""

from __future__ import annotations

from collections.abc import Sequence

from memspan import _core
from memspan.arguments import as_integer, as_kind, as_number, as_text, as_texts
from memspan.errors import invalid
from memspan.reports.duplicates import Duplicate, Duplicates
from memspan.times import MIN_MICROS, TimeLike, to_micros

__all__ = ["DuplicateCalls"]


class DuplicateCalls:
    """A base of `Index`."""

    __slots__ = ()

    _native: _core.Index

    def duplicates(
        self,
        *,
        user: str,
        threshold: float = 0.97,
        kinds: Sequence[str] = ("episodic", "semantic", "procedural"),
        since: TimeLike | None = None,
        most: int = 1_000_000,
        threads: int = 0,
    ) -> Duplicates:
        """The pairs of a user's records that nearly say the same: of one kind, believed and without an end, and with a
        cosine of their embeddings of `threshold` or more. None is missed that nobody touches during the call.

        Records with the same embedding, to the bit, are pairs with one of them only, which stands for all in other
        pairs. Searches go on meanwhile. O(n^2) for n records of a kind, a nanosecond a pair on one core; O(n new)
        with `since`.

        Args:
            threshold: above 0, at most 1; the lower, the longer it takes.
            since: only pairs with a record that was recorded at this time or later.
            most: pairs that are kept, 1 to 10,000,000; `complete` says whether there are more.
            threads: that compare, 0 (all cores) to 1,024, of which 64 at most are used. All but the first take only
                time that the processor has to spare (on Linux): a search that comes takes their core at once.

        Raises:
            InvalidArgumentError: a threshold, kind, time or number that is not one of these.
        """
        least = as_number(threshold, "threshold", 0, 1)
        if least == 0:
            raise invalid("threshold", threshold, "above 0, at most 1")
        pairs, complete, records = self._native.duplicates(
            as_text(user, "user"),
            least,
            [as_kind(kind, "kinds") for kind in dict.fromkeys(as_texts(kinds, "kinds"))],
            MIN_MICROS if since is None else to_micros(since, "since"),
            as_integer(most, "most", 1, 10_000_000),
            as_integer(threads, "threads", 0, 1024),
        )
        return Duplicates([Duplicate._make(pair) for pair in pairs], complete, records)
