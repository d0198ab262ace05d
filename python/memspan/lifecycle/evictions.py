"""Which records would make room for others, told without moving any."""

from __future__ import annotations

from collections.abc import Container, Sequence

from memspan.record_order import record_order
from memspan.records import Record
from memspan.remember.capacity.quota_settings import stored_quotas
from memspan.remember.capacity.quotas import excess
from memspan.remember.damage import survives_damage
from memspan.remember.engine import Engine
from memspan.times import from_micros, now_micros

__all__ = ["would_evict"]

_PAGE = 256


@survives_damage
def would_evict(engine: Engine, user: str, gone: Container[str] = ()) -> tuple[int, list[str]]:
    """How many records `enforce` would evict, and the ids of those of which that is certain.

    By `oldest` these are all of them. By `value` they are those that are retired: they go first, and among the others
    the index decides when it comes to it. Costs nothing within the quotas, otherwise O(records).

    Args:
        gone: ids of records that are not there any more by then.
    """
    beyond = excess(engine, user)
    if not beyond:
        return 0, []
    total = dict.fromkeys(beyond, 0)
    there: dict[str, list[Record]] = {kind: [] for kind in beyond}
    with engine.store.reading() as reader:
        quotas = stored_quotas(reader, user)
        for page in reader.id_pages(user, _PAGE):
            for record in reader.fetch(user, page).values():
                if record.kind in beyond:
                    total[record.kind] += 1
                    if record.id not in gone:
                        there[record.kind].append(record)
    count = 0
    ids: list[str] = []
    for kind, records in there.items():
        free = [record for record in records if not (record.pinned or record.held)]
        going = min(len(records) - total[kind] + beyond[kind], len(free))
        if going > 0:
            count += going
            ids += _first(free, going, oldest=quotas is not None and quotas.eviction == "oldest")
    return count, ids


def _first(records: Sequence[Record], count: int, *, oldest: bool) -> list[str]:
    """Ids of the records of a kind that go first, as far as that is known."""
    now = from_micros(now_micros())
    ends = {
        record.id: min(end for end in (record.retired_at, record.expires_at) if end is not None)
        for record in records
        if any(end is not None and end <= now for end in (record.retired_at, record.expires_at))
    }
    ended = sorted(ends, key=lambda id_: ends[id_])
    if len(ended) > count:
        # Of those that ended together, the index knows which goes first.
        return [id_ for id_ in ended if ends[id_] < ends[ended[count]]]
    if not oldest:
        return ended
    others = sorted(
        (record for record in records if record.id not in ends),
        key=lambda one: record_order(one.at, one.id),
    )
    return [*ended, *(one.id for one in others[: count - len(ended)])]
