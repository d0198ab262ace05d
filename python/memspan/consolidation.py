"""What a consolidation of the index did, and where it put the records of a tag (SwiftMem 3.4)."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["AutoConsolidations", "ConsolidationReport", "TagSpan"]


class ConsolidationReport(NamedTuple):
    """One or several users' consolidation; then counts are sums, and shares and gains means weighted by records."""

    users: int
    """Users that were looked at."""
    skipped: int
    """Of those, users left as they were, because the estimated gain was too small."""
    records: int
    """Records with an embedding of the users that were consolidated."""
    clusters: int
    clustered_by_tags: int
    """Users whose clusters are those of their tags; the others' come from the vectors."""
    blocks_before: int
    blocks_after: int
    cohesion_before: float
    """Edges / possible edges between tags within the clusters as they were (all tags as one cluster, at first)."""
    cohesion_after: float
    fragmentation_before: float
    """Share of the rows that lay outside their cluster, or were dead."""
    fragmentation_after: float
    bytes_moved: int
    estimated_gain: float
    """Rows that a search reads, before / after, as estimated beforehand."""
    measured_gain: float
    """Seconds that the same searches took, before / after."""
    seconds: float


class AutoConsolidations(NamedTuple):
    """What an index did by itself (`auto_consolidate`)."""

    done: int
    failed: int
    """For want of memory or of a thread; tried again after later writes."""
    waiting: int
    """Users, with the one that is being worked on."""
    reports: list[ConsolidationReport]
    """Of the last 16, oldest first; one user each."""


class TagSpan(NamedTuple):
    """Entry of the layout map, tag -> (start, end, cluster, n): the cluster that holds most of a tag's records."""

    tag: str
    start: int
    end: int
    """Exclusive."""
    cluster: int
    records: int
    """How many of the tag's records lie in that span."""
