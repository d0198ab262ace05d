"""What a turn follows in its session: whether two turns that say the same may be one that was delivered twice."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

from memspan.index import Index
from memspan.records import Record

__all__ = ["followed", "said"]

_FAR: Final = 64
"""Steps from a turn to the one before it; whoever is farther away is not looked for."""

_Fetch = Callable[[Sequence[str]], Mapping[str, Record]]


def said(turn: Record) -> Hashable:
    """All that two deliveries of a turn have in common, but for the time."""
    return turn.session, turn.speaker, turn.text, turn.provenance, json.dumps(turn.metadata, sort_keys=True)


def followed(index: Index, fetch: _Fetch, user: str, records: Iterable[Record]) -> dict[str, Hashable]:
    """Of turns that have a copy among the records: who said what right before, by the id of the turn.

    Copies of the same moment are passed over. Left out is a turn of no session, one with something else at the same
    moment in its session, and one that follows a copy of itself: nobody can tell what it answers. O(turns log records).

    Args:
        fetch: gives records of the user by id.
    """
    copies: defaultdict[Hashable, list[Record]] = defaultdict(list)
    for record in records:
        if record.kind == "episodic" and record.session is not None:
            copies[said(record)].append(record)
    found: dict[str, Hashable] = {}
    for turn in chain.from_iterable(each for each in copies.values() if len(each) > 1):
        before, after = (_next(index, fetch, user, turn, side) for side in (0, 1))
        if before is turn or after is turn or (after is not None and after.at == turn.at):
            continue
        if before is None:
            found[turn.id] = None
        elif before.at != turn.at and not _is_copy(before, turn):
            found[turn.id] = before.speaker, before.text
    return found


def _next(index: Index, fetch: _Fetch, user: str, turn: Record, side: int) -> Record | None:
    """The next turn before (0) or after it (1) that is no copy of its moment; the turn itself if that is too far."""
    at = turn.id
    for _ in range(_FAR):
        neighbour = index.beside(user=user, ids=[at])[0][side]
        if neighbour is None:
            return None
        record = fetch([neighbour]).get(neighbour)
        if record is None:
            return turn
        if record.kind == "episodic" and not (record.at == turn.at and _is_copy(record, turn)):
            return record
        at = neighbour
    return turn


def _is_copy(one: Record, other: Record) -> bool:
    return said(one) == said(other)
