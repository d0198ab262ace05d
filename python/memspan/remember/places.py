"""Where records are: in memory, or in the cold tier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memspan.records import Record
from memspan.remember.input.tags import without_made
from memspan.store import StoreReader
from memspan.times import Micros, to_micros

__all__ = ["Place", "places"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record is now, and what it says there."""

    record: Record
    """With its embedding, if that was asked for and is valid, and without the tags that were made for it."""
    made_tags: tuple[str, ...]
    moved_at: Micros | None
    """When it went to the cold tier; `None` for one in memory."""

    @property
    def cold(self) -> bool:
        """Whether it lies in the cold tier."""
        return self.moved_at is not None


def places(
    reader: StoreReader, user: str, ids: Sequence[str], *, embeddings: bool = True
) -> dict[str, Place]:
    """Where each record is now; those that are nowhere are left out."""
    live = reader.fetch(user, ids, embeddings=embeddings)
    made = reader.made_tags(user, ids)
    found = {id_: Place(without_made(one, made), made.get(id_, ()), None) for id_, one in live.items()}
    if not reader.cold.empty:
        away = reader.cold.fetch(user, [id_ for id_ in ids if id_ not in live], embeddings=embeddings)
        for id_, cold in away.items():
            found[id_] = Place(cold.record, cold.made_tags, to_micros(cold.moved_at))
    return found
