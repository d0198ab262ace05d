"""What a search that names both times finds besides what was believed then: what had ended by then, where it was true.

A record that was superseded or retired is not believed any more, and what took its place says nothing about the time
before. What was known of that time is still that the record held, until the end that it got.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, NamedTuple

from memspan.limits import MAX_EXCLUDED
from memspan.record_order import record_order
from memspan.remember.endings.endings import ENDED, was_known
from memspan.remember.engine import Engine
from memspan.times import to_micros

from .asking import Asked
from .recall import Recall, Recalls

__all__ = ["Ended", "ended_by_then", "united"]

_MOST_EXCLUDED: Final = MAX_EXCLUDED - 1000
"""Those that vanish meanwhile are added."""


class Ended(NamedTuple):
    """The search for it."""

    arguments: Mapping[str, Any]
    """For `Index.search`, all but `exclude`."""
    exclude: list[str]


def ended_by_then(engine: Engine, question: Asked, arguments: Mapping[str, Any]) -> Ended | None:
    """What to search for besides, given the arguments of a search; `None` when it does not name both times, or nothing
    had ended by then. O(retired records)."""
    if question.as_of is None or arguments.get("valid_at") is None:
        return None
    then = to_micros(question.as_of)
    with engine.store.reading() as reader:
        if not reader.beliefs.any_ended(question.user, then):
            return None
        room = max(0, _MOST_EXCLUDED - len(question.exclude))
        later = reader.beliefs.learnt_later(question.user, then, room)
    where, ended = arguments.get("where"), {f"{ENDED}.action": {"$exists": True}}
    return Ended(
        {
            **arguments,
            # Without it the index takes the ends that are known now, which those that count had by then.
            "as_of": None,
            "where": ended if where is None else {"$and": [where, ended]},
            "track": False,
        },
        later,
    )


def united(believed: Recalls, ended: Recalls, as_of: datetime, k: int) -> Recalls:
    """The best `k` of what was believed then and of what had ended by then, in the order of searches. O(k log k)."""
    known = {recall.id for recall in believed}
    more = [recall for recall in ended if recall.id not in known and _had_ended(recall, as_of)]
    if not more:
        return believed
    both = sorted(
        [*believed, *more],
        key=lambda recall: (recall.score, record_order(recall.at, recall.id)),
        reverse=True,
    )
    found = Recalls(both[:k], _explained(believed.explanation, {recall.id for recall in more}))
    found.timings = replace(
        believed.timings,
        search=believed.timings.search + ended.timings.search,
        fetch=believed.timings.fetch + ended.timings.fetch,
    )
    return found


def _had_ended(recall: Recall, as_of: datetime) -> bool:
    record = recall.record
    return was_known(record, as_of) and record.retired_at is not None and record.retired_at <= as_of


def _explained(explanation: Mapping[str, Any] | None, admitted: set[str]) -> Mapping[str, Any] | None:
    """What the search of what was believed says, but that these were not left out."""
    if explanation is None:
        return None
    excluded = dict(explanation["excluded"])
    left = excluded.pop("as_of", {"count": 0, "ids": []})
    count = max(0, left["count"] - len(admitted))
    if count:
        excluded["as_of"] = {"count": count, "ids": [id_ for id_ in left["ids"] if id_ not in admitted]}
    return {
        **explanation,
        "admissible": explanation["admissible"] + len(admitted),
        "excluded": excluded,
    }
