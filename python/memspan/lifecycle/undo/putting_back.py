"""Put records back where they were and as they were: in memory, or in the cold tier."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memspan.record_order import record_order
from memspan.records import Record
from memspan.remember.capacity.cold import give_back_uses
from memspan.remember.capacity.quota_settings import stored_quotas
from memspan.remember.compose import embedded_text
from memspan.remember.engine import Engine
from memspan.remember.forgetting.unlearning import unlearn
from memspan.remember.input.tags import tagged
from memspan.remember.jobs.removing import begin_without
from memspan.remember.places import Place
from memspan.remember.writing.change import Change
from memspan.remember.writing.indexing import write_records
from memspan.times import Micros

__all__ = ["Done", "PutBack", "with_own"]


class Done(NamedTuple):
    """What was put back."""

    restored: int
    removed: int
    cold: tuple[str, ...]
    """Ids of records that could not go back to memory."""


def with_own(before: Record, now: Place | None) -> Record:
    """A record as it was before, with what belongs to whoever set it, and with the embedding if that is of the same
    words."""
    if now is None:
        return before
    own = now.record
    record = replace(before, pinned=own.pinned, held=own.held, expires_at=own.expires_at)
    return replace(record, embedding=own.embedding if embedded_text(own) == embedded_text(record) else None)


class PutBack:
    """Collects what is to be done to some of a user's records within a change, and does it all at once.

    Nothing that is in memory has to make room for what comes back: what finds none goes, or stays, in the cold tier.
    Pins, holds, ends of life and made tags are those that a record has now.

    Args:
        vectors: by text, those that were made before the change, so that nobody waits for the embedder.
    """

    def __init__(
        self, engine: Engine, change: Change, user: str, vectors: Mapping[str, NDArray[np.float32]]
    ) -> None:
        self._engine: Final = engine
        self._vectors: Final = vectors
        self._change: Final = change
        self._user: Final = user
        self._removed: dict[str, Place | None] = {}
        self._made: dict[str, tuple[str, ...]] = {}
        self._live: list[Record] = []
        self._waiting: list[tuple[Record, Place]] = []
        self._cold: list[tuple[Record, Micros]] = []
        self._left: list[str] = []

    def remove(self, id_: str, now: Place | None) -> None:
        """A record goes, from wherever it is."""
        self._removed[id_] = now

    def to_memory(self, before: Record, now: Place | None) -> None:
        """A record is in memory again, or still, in the place of what is there now."""
        self._live.append(self._with_own(before, now))

    def to_memory_if_room(self, before: Record, now: Place) -> None:
        """A record of the cold tier is in memory again, if there is room; what was said last goes first."""
        self._waiting.append((self._with_own(before, now), now))

    def stays_cold(self, before: Record, now: Place) -> None:
        """A record of the cold tier stays there, with what it said before."""
        assert now.moved_at is not None
        self._cold.append((self._with_own(before, now), now.moved_at))
        self._left.append(before.id)

    def to_cold(self, before: Record, now: Place, moved_at: Micros) -> None:
        """A record is in the cold tier again."""
        self._cold.append((self._with_own(before, now), moved_at))

    def carry_out(self) -> Done:
        """Do it. O(records), but for those that have to be embedded anew."""
        self._remove()
        cold = self._embedded([record for record, _ in self._cold])
        self._put_cold(list(zip(cold, (moved_at for _, moved_at in self._cold), strict=True)))
        returning = self._with_room()
        live = self._embedded([*self._live, *returning])
        if live:
            live.sort(key=lambda record: record_order(record.at, record.id))
            made = self._made
            write_records(self._change, [tagged(record, made.get(record.id, ())) for record in live])
            self._change.writer.set_made_tags(self._user, {one.id: made.get(one.id, ()) for one in live})
            give_back_uses(self._change, self._user, [record.id for record in returning])
        return Done(len(live) + len(self._cold), len(self._removed), tuple(sorted(self._left)))

    def _with_own(self, before: Record, now: Place | None) -> Record:
        if now is not None:
            self._made[before.id] = now.made_tags
        return with_own(before, now)

    def _embedded(self, records: Sequence[Record]) -> list[Record]:
        """The journal keeps no vectors, and the store may have been converted since."""
        bare = dict.fromkeys(embedded_text(record) for record in records if record.embedding is None)
        vectors = {text: self._vectors[text] for text in bare if text in self._vectors}
        if texts := [text for text in bare if text not in vectors]:  # somebody wrote a moment ago
            vectors.update(zip(texts, self._engine.embed_texts(texts), strict=True))
        return [
            replace(record, embedding=vectors[embedded_text(record)]) if record.embedding is None else record
            for record in records
        ]

    def _remove(self) -> None:
        writer, user, gone = self._change.writer, self._user, sorted(self._removed)
        if not gone:
            return
        # What a run learnt and is undone is not learnt again from the same runs.
        for now in self._removed.values():
            if now is not None:
                unlearn(self._change, user, now.record)
        begin_without(self._change, user, gone)
        writer.cold.drop(user, gone)
        writer.uses.forget(user, gone)
        writer.remove(user, gone)
        # A handle that has not heard of an eviction yet still has the record in its index.
        writer.mark_removal(user)
        self._change.remove(user, gone)

    def _put_cold(self, records: Sequence[tuple[Record, Micros]]) -> None:
        by_time: defaultdict[Micros, list[Record]] = defaultdict(list)
        for record, moved_at in records:
            by_time[moved_at].append(record)
        for moved_at, own in sorted(by_time.items(), key=lambda item: item[0]):
            self._change.writer.cold.evict(own, moved_at, self._made)
        ids = [record.id for record, _ in records]
        if ids:
            self._change.remove(self._user, ids)

    def _with_room(self) -> list[Record]:
        """Of what waits to come back, that for which there is room: first what left last, which was worth most. The
        rest is put where it is with what it said before."""
        if not self._waiting:
            return []
        quotas = stored_quotas(self._change.writer, self._user)
        capacities = {} if quotas is None else quotas.capacities
        counts = dict(self._change.index.stats(user=self._user)["kinds"])
        chosen: list[Record] = []
        rest: list[tuple[Record, Micros]] = []
        for record, now in reversed(self._waiting):
            capacity = capacities.get(record.kind)
            if capacity is None or counts.get(record.kind, 0) < capacity:
                counts[record.kind] = counts.get(record.kind, 0) + 1
                chosen.append(record)
            else:
                assert now.moved_at is not None
                rest.append((record, now.moved_at))
        if rest:
            embedded = self._embedded([record for record, _ in rest])
            self._put_cold(list(zip(embedded, (moved_at for _, moved_at in rest), strict=True)))
            self._cold += rest
            self._left += [record.id for record, _ in rest]
        return chosen
