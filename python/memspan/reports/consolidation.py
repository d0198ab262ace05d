"""What a consolidation did: to the index, with where it put the records of a tag (SwiftMem 3.4), and to the memories
(LightMem 3.3, and what needs no model)."""

from __future__ import annotations

from typing import NamedTuple

from memspan.llm.usage import Usage

__all__ = [
    "AutoConsolidations",
    "ConsolidationReport",
    "Planned",
    "SleepReport",
    "TagSpan",
    "UpkeepReport",
]


class Planned(NamedTuple):
    """Something that a dry run found to be done."""

    action: str
    """`expire`, `evict`, `prune`: too stale, `merge`, `learn`: procedures would be new
    or changed, or `ask`: a language model would be asked about the first of the memories."""
    user: str
    records: tuple[str, ...]
    """Ids of the records that would go, end, or be made. Of those that make room, by `oldest` all; by `value` those
    that are retired, which go first: among the others the index decides when it comes to it, and only the number is
    told."""
    into: str | None = None
    """The record that stays for them."""


class UpkeepReport(NamedTuple):
    """What a consolidation did to memories of one or several users without a model; in a dry run, would do. One with a
    limit of time tells what this call did and looked at."""

    users: int = 0
    """That were looked at."""
    expired: int = 0
    """Records that had outlived their time, and were erased."""
    evicted: int = 0
    """Records that went to the cold tier, because their kind has less room than before."""
    stale: int = 0
    """Records that the policy of staleness holds for stale, by more than .5; without one, those that are kept as
    history, because something replaced or ended them before."""
    pruned: int = 0
    """Records that went to the cold tier, because the policy of staleness says so (`prune_above`)."""
    tracked_staleness: float | None = None
    """Mean of what the policy of staleness believes of all records, 0 (fresh) to 1; `None` without one."""
    true_staleness: float | None = None
    """Mean of the staleness that they have by their age, at the policy's rate, whatever it believes."""
    compared: int = 0
    """Records that were compared with others: none of a user without news."""
    merged: int = 0
    """Records that ended because another one says the same."""
    skipped: int = 0
    """Mergers that were not made: a memory was changed or forgotten meanwhile."""
    learnt: int = 0
    """Procedures that are new, or have more runs or other steps."""
    finished: bool = True
    """`False`: the time was over first, and the next consolidation goes on."""
    runs: tuple[str, ...] = ()
    """Ids of the runs, one for each user whose memories changed; for `Memory.undo`."""
    planned: tuple[Planned, ...] = ()
    """Of a dry run: what would be done."""
    seconds: float = 0.0


class SleepReport(NamedTuple):
    """What the update in sleep did to memories of one or several users (LightMem 3.3)."""

    users: int
    memories: int
    """Derived memories that were looked at."""
    queues: int
    """Of those, memories with later ones like them, and news since the last time: a language model was asked about
    each."""
    merged: int
    """Merges; each ends two or more memories and makes one."""
    updated: int
    """Memories that ended and have another one in their place."""
    retired: int
    """Memories that ended with nothing in their place."""
    skipped: int
    """Changes that were not made: a memory that they rest on was changed or forgotten meanwhile."""
    undecided: int
    """Queues that the model gave no answer for; the next update asks again."""
    reason: str | None
    """Why, of one of these."""
    usage: Usage
    """What the model cost."""
    seconds: float


class ConsolidationReport(NamedTuple):
    """One or several users' consolidation; then counts are sums, and shares and gains means weighted by records with an
    embedding. Of a user that was skipped it says how the user lies, before and after alike."""

    users: int
    """Users that were looked at."""
    skipped: int
    """Of those, users left as they were, because the estimated gain was too small."""
    records: int
    """Records with an embedding that were laid out: those of the users that were consolidated, or, of a large one that
    was consolidated by itself, the ones that came since that was last done to all."""
    clusters: int
    clustered_by_tags: int
    """Users that were consolidated, whose clusters are those of their tags; the others' come from the vectors."""
    clustered_anew: int
    """Users for whose records clusters were found anew: there were none, the user had doubled or halved since, they had
    come loose or been outgrown, or `force` asked for it. The others' joined those that there were, or some of their
    own."""
    blocks_before: int
    blocks_after: int
    cohesion_before: float
    """Edges / possible edges between the tags of different records in a block, each as often as it occurs; the new
    rows, which belong to none, are one more. Blocks of two topics have half of what those of one have. 0: no tags."""
    cohesion_after: float
    fragmentation_before: float
    """Share of the rows that lay outside their cluster, or were dead."""
    fragmentation_after: float
    bytes_moved: int
    estimated_gain: float
    """Rows that a search reads, before / after, as estimated beforehand from cohesion, the size of the clusters and
    fragmentation. Of a skipped user: what a consolidation would bring."""
    measured_gain: float
    """Seconds that the same searches took, before / after."""
    seconds: float
    sleep: SleepReport | None = None
    """What was done to memories before; only `Memory.consolidate` does anything to them."""
    upkeep: UpkeepReport | None = None
    """What was done to them without a model."""


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
