"""The part of `memspan.Index` that lays embeddings out, and tells how they lie."""

from __future__ import annotations

from memspan import _core
from memspan.arguments import as_flag, as_integer, as_text
from memspan.reports.consolidation import AutoConsolidations, ConsolidationReport, TagSpan

__all__ = ["LayoutCalls"]


class LayoutCalls:
    """A base of `Index`."""

    __slots__ = ()

    _native: _core.Index

    def consolidate(
        self, *, user: str | None = None, force: bool = False, threads: int = 0
    ) -> ConsolidationReport:
        """Lay out the embeddings of a user, or of every user, cluster by cluster (SwiftMem 3.4).

        Clusters come from the tags (hierarchy, co-occurrence, connected components) where those lie together as
        vectors too, otherwise from the vectors. Searches go on meanwhile, and find the same afterwards, up to their
        `recall`. Users for whom the gain that is estimated from the cohesion and the size of their clusters and from
        fragmentation is small are skipped, unless `force` is given, which also finds the clusters anew; otherwise new
        records join those that are there, or make some of their own, until the user has doubled, or they have come
        loose (blocks that held one topic hold several) or been outgrown (searches read much more). O(n log n) for n
        records, and for each a comparison with O(n^(1/4)) centroids: 200 at 200,000 records, 300 at 1,000,000.

        Args:
            threads: at most so many lay out; 0: two, where there are cores for them, and never more. With 1, searches
                have a core of their own on a machine with two.
        """
        name = None if user is None else as_text(user, "user")
        return ConsolidationReport(
            *self._native.consolidate(name, as_flag(force, "force"), as_integer(threads, "threads", 0, 1024))
        )

    def auto_consolidations(self) -> AutoConsolidations:
        """How often the index consolidated a user by itself since it was made or loaded, and the last reports."""
        done, failed, waiting, reports = self._native.auto_consolidations()
        return AutoConsolidations(done, failed, waiting, [ConsolidationReport(*report) for report in reports])

    def layout_map(self, *, user: str) -> list[TagSpan]:
        """Where the records of each tag lie since the last consolidation, by tag; empty before the first."""
        return [TagSpan(*row) for row in self._native.layout_map(as_text(user, "user"))]
