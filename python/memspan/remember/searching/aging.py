"""What staleness does to the answer of a search: a bounded change of order that is told (see `Recalls.moved`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from memspan.lifecycle.reordering import bounded_order
from memspan.lifecycle.staleness import StalenessPolicy
from memspan.records import Record
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.times import Micros, TimeLike, from_micros

from .asking import when_asked
from .recall import Moved, Recall, Recalls

__all__ = ["Aging", "has_ended", "provenance_quality", "staleness_of", "tracked_staleness", "unwritten_uses"]


@dataclass(frozen=True, slots=True)
class Aging:
    """A policy, and the moment that a question is asked at."""

    policy: StalenessPolicy
    now: TimeLike | None
    """`None`: `as_of`, or else the user's newest record that is not still to come."""
    as_of: TimeLike | None = None
    explain: bool = False

    def unwritten(self, engine: Engine, user: str) -> Mapping[str, Micros]:
        """What `__call__` wants of the time before the search, which is no use to go by itself."""
        return unwritten_uses(engine, user, self.policy)

    def __call__(
        self, engine: Engine, user: str, recalls: Recalls, unwritten: Mapping[str, Micros]
    ) -> Recalls:
        """The same records, none of them more than `policy.places` from where it stood."""
        if self.policy.name == "none" or len(recalls) < 2:
            return recalls
        moment = self.now if self.now is not None else self.as_of
        asked = when_asked(engine.current(), user, moment)
        records = [recall.record for recall in recalls]
        found = tracked_staleness(engine, user, records, self.policy, asked, unwritten)
        order = bounded_order(found, self.policy.places)
        aged = Recalls(
            (_told(recalls[place], place, found[place], self.explain) for place in order), recalls.explanation
        )
        aged.timings = recalls.timings
        aged.moved = tuple(
            Moved(id=recalls[place].id, before=place + 1, after=rank, staleness=found[place])
            for rank, place in enumerate(order, 1)
            if rank != place + 1
        )
        return aged


@survives_damage
def unwritten_uses(engine: Engine, user: str, policy: StalenessPolicy) -> Mapping[str, Micros]:
    """When a user's records were last used, as far as the store does not have it yet; nothing for a policy that does
    not look at uses."""
    return engine.uses.unwritten(engine.current(), user) if policy.name == "refresh" else {}


def tracked_staleness(
    engine: Engine,
    user: str,
    records: Sequence[Record],
    policy: StalenessPolicy,
    now: datetime,
    unwritten: Mapping[str, Micros],
) -> list[float]:
    """What a policy holds each record for, 0 (fresh) to 1. O(records); under `refresh` it reads their uses.

    Args:
        unwritten: of `unwritten_uses`.
    """
    used = _last_uses(engine, user, records, unwritten) if policy.name == "refresh" else {}
    return [float(value) for value in staleness_of(records, policy, now, used=used)]


def staleness_of(
    records: Sequence[Record],
    policy: StalenessPolicy,
    now: datetime,
    *,
    used: Mapping[str, datetime],
    quality: Callable[[Record], float] | None = None,
) -> NDArray[np.float64]:
    """What a policy holds each record for, 0-1, given when each was last used. O(records).

    Args:
        used: by id; a record that is not there was used when it was written.
        quality: pi of a record; `provenance_quality` by default.
    """
    judged = quality or provenance_quality
    return policy.tracked(
        [(now - record.at) / policy.unit for record in records],
        unused=[(now - max(record.at, used.get(record.id, record.at))) / policy.unit for record in records],
        provenance=[judged(record) for record in records],
        ended=[has_ended(record, now) for record in records],
    )


def provenance_quality(record: Record) -> float:
    """pi of a record, 0-1: 1 in the words in which something was said, less for what was made of it, and half of that
    where nobody knows of which turns it was made."""
    unknown = bool(record.sources) and record.metadata.get("sources") == "window"
    return min(1.0, max(0.0, record.fidelity)) * (0.5 if unknown else 1.0)


def has_ended(record: Record, now: datetime) -> bool:
    """Whether something later replaced or contradicted it, or it just ended."""
    return any(end is not None and end <= now for end in (record.until, record.retired_at))


def _last_uses(
    engine: Engine, user: str, records: Sequence[Record], unwritten: Mapping[str, Micros]
) -> Mapping[str, datetime]:
    ids = [record.id for record in records]
    lasts = {id_: unwritten[id_] for id_ in ids if id_ in unwritten}
    with engine.store.reading() as reader:
        for use in reader.uses.of(user, ids):
            lasts[use.record] = max(use.last, lasts.get(use.record, use.last))
    return {id_: from_micros(last) for id_, last in lasts.items()}


def _told(recall: Recall, place: int, staleness: float, explain: bool) -> Recall:
    if not explain:
        return recall
    seen = {"rank_before": place + 1, "staleness": round(staleness, 4)}
    return replace(recall, explanation={**(recall.explanation or {}), "staleness": seen})
