"""Update queues: which later memories may change an earlier one (LightMem 3.3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Final

from memspan.index import Index
from memspan.limits import MAX_K
from memspan.query import Query
from memspan.record_order import record_order
from memspan.records import Record
from memspan.remember.jobs.turns import is_turn
from memspan.times import from_micros

__all__ = ["SAID", "UpdateQueue", "is_updatable", "said_at", "turn_times", "update_queues"]

SAID: Final = "said"
"""The key of the metadata of what sleep made, with when the turns said it that it comes from."""

_STILL: Final = datetime(9999, 12, 31, tzinfo=timezone.utc)
"""Only what has no end holds then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateQueue:
    """Q(e_i) of one memory."""

    target: Record
    """e_i, which may be changed."""
    later: tuple[Record, ...]
    """Most similar first; each was said at the same time or later. Never empty."""
    similarities: tuple[float, ...]
    """Cosines, of `later`."""


def is_updatable(record: Record, kinds: Sequence[str]) -> bool:
    """Whether sleep looks at a record: a recipe made it, of these kinds, it has no end, and nobody pinned or
    holds it. Turns are never changed."""
    return (
        record.kind in kinds
        and "recipe" in record.metadata
        and bool(record.sources)
        and record.until is None
        and record.retired_at is None
        and not (record.pinned or record.held)
        and record.embedding is not None
    )


def turn_times(records: Iterable[Record]) -> dict[str, datetime]:
    """By id, when those of the records were said that are turns."""
    return {record.id: record.at for record in records if is_turn(record)}


def update_queues(
    index: Index,
    records: Sequence[Record],
    turns: Mapping[str, datetime] | None = None,
    *,
    length: int = 10,
    least: float = 0.85,
    kinds: Sequence[str] = ("semantic",),
    is_new: Callable[[Record], bool] = lambda record: True,
    again: Callable[[Record], bool] = lambda record: False,
) -> list[UpdateQueue]:
    """Q(e_i) = Top_k {(e_j, sim(v_i, v_j)) | t_j >= t_i, j != i}:n for every record that has such, oldest first.

    t is when the turns say it, and not the time that it is about: who plans an exam for June and calls it off in May
    said the latter later. Where that cannot be told it is the time of the record. What is about a time before both of
    the target's is no news of it.

    One native batch search answers for all, on all cores; time, kind and validity are filtered inside it, so that a
    queue is as long as the memories allow; those for which that is not enough are asked for more. O(n) searches.

    Args:
        records: the updatable ones of one user, with embeddings; only these come into queues.
        turns: of the user, see `turn_times`.
        length: n, entries of a queue.
        least: similarity of an entry.
        kinds: of the records.
        is_new: leave out queues in which nothing is new: an earlier sleep saw them.
        again: whether to look at the queue of a memory all the same.
    """
    known = {record.id: record for record in records}
    ordered = sorted(known.values(), key=lambda record: record_order(record.at, record.id))
    said = {record.id: said_at(record, turns or {}) for record in ordered}
    found = _later(index, ordered, known, said, length=length, least=least, kinds=kinds)
    queues = []
    for target in ordered:
        pairs = found[target.id]
        if pairs and (again(target) or any(map(is_new, (target, *(one for one, _ in pairs))))):
            later, similarities = zip(*pairs, strict=True)
            queues.append(UpdateQueue(target=target, later=later, similarities=similarities))
    return queues


def _later(
    index: Index,
    ordered: Sequence[Record],
    known: Mapping[str, Record],
    said: Mapping[str, datetime | None],
    *,
    length: int,
    least: float,
    kinds: Sequence[str],
) -> dict[str, list[tuple[Record, float]]]:
    """By id of each record the later ones most like it, with their cosines."""
    found: dict[str, list[tuple[Record, float]]] = {}
    asked, depth = list(ordered), length
    while asked:
        several = index.search_many([_query(record, said[record.id], depth, kinds) for record in asked])
        more = []
        for target, hits in zip(asked, several, strict=True):
            near = [(id_, float(score)) for id_, score in zip(hits.ids, hits.scores, strict=True)]
            near = [(id_, score) for id_, score in near if score >= least]
            pairs = [
                (known[id_], score)
                for id_, score in near
                if id_ in known and not _linked(target, known[id_]) and _is_later(known[id_], target, said)
            ]
            found[target.id] = pairs[:length]
            # What is pinned, or says the same on purpose, must not take the place of others.
            if len(pairs) < length and len(near) == depth < MAX_K:
                more.append(target)
        asked, depth = more, min(4 * depth, MAX_K)
    return found


def _query(record: Record, said: datetime | None, depth: int, kinds: Sequence[str]) -> Query:
    return Query(
        user=record.user,
        embedding=record.embedding,
        between=(min(record.at, said or record.at), None),
        kinds=list(kinds),
        where={"recipe": {"$exists": True}},
        exclude=[record.id],
        valid_at=_STILL,
        views=["semantic"],
        k=depth,
        exact=True,
        track=False,
    )


def _is_later(other: Record, target: Record, said: Mapping[str, datetime | None]) -> bool:
    """Whether one was said later than another, or at once and is not about an earlier time."""
    one, two = said[other.id], said[target.id]
    if one is None or two is None:
        return other.at >= target.at
    return (one, other.at) >= (two, target.at)


def said_at(record: Record, turns: Mapping[str, datetime]) -> datetime | None:
    """When its turns said it last; `None` where that cannot be told. Memories may be among the sources, whose times are
    those that they are about; what sleep made of such says itself when it was said."""
    if record.metadata.get("stage") == "sleep":
        kept = record.metadata.get(SAID)
        return from_micros(kept) if isinstance(kept, int) else None
    return max((turns[id_] for id_ in record.sources if id_ in turns), default=None)


def _linked(one: Record, other: Record) -> bool:
    """Whether one is an abstract of the other: they say the same on purpose."""
    return one.metadata.get("abstract") == other.id or other.metadata.get("abstract") == one.id
