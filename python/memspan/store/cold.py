"""What the cold tier needs from a database: records that went out of memory, and originals of shortened ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final, Literal, NamedTuple, Protocol, TypeAlias

from memspan.records import Record
from memspan.times import Micros

__all__ = ["EVICTED", "ORIGINAL", "ColdReader", "ColdRecord", "ColdWriter", "Reason"]

Reason: TypeAlias = Literal["evicted", "original"]

EVICTED: Final[Reason] = "evicted"
"""The record made room for others: its id is not in `records`, unless it was added anew."""

ORIGINAL: Final[Reason] = "original"
"""The wording before a record was shortened; the record lives on under the same id."""


class ColdRecord(NamedTuple):
    """A record in the cold tier."""

    record: Record
    """With its embedding when that was asked for and is still valid: a conversion to another embedder drops it."""
    reason: Reason
    moved_at: datetime
    made_tags: tuple[str, ...] = ()
    """Tags that were made for it, and that it gets again when it comes back; `record.tags` are without them."""


class ColdReader(Protocol):
    """The cold tier in one consistent view. Nothing in it is searched."""

    @property
    def empty(self) -> bool:
        """Whether nothing is there at all; cheap."""

    def fetch(
        self, user: str, ids: Sequence[str], *, reason: Reason = EVICTED, embeddings: bool = False
    ) -> dict[str, ColdRecord]:
        """Those of the asked records that are there, by id."""

    def latest(self, user: str, k: int, kinds: Sequence[str] | None = None) -> list[ColdRecord]:
        """The `k` records that were evicted last, the last first, without embeddings."""

    def ids(self, user: str, reason: Reason = EVICTED) -> list[str]: ...

    def in_order(self, user: str) -> list[str]:
        """Ids of what was evicted, in the order in which it went."""

    def counts(self, user: str | None = None) -> dict[Reason, int]:
        """How many records are there for each reason, of a user or of all."""

    def moved(self, after: int) -> list[tuple[str, str]]:
        """(user, id) of what was evicted after that point of the change sequence and is not a record again."""

    def derived(self, user: str, ids: Sequence[str]) -> set[str]:
        """Ids of cold copies that name one of these among their sources."""

    def unsourced(self, user: str, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Records that were derived from these ids and have no source left among the records: their ids by that of
        the source; sources without any are left out."""

    def tags(self, user: str) -> set[str]:
        """Those that were given to what was evicted, and those that were made for it. O(cold of the user)."""

    def of_kind(self, user: str, kind: str) -> list[str]:
        """Ids of what was evicted of a kind. O(cold of the user)."""

    def expired(self, now: Micros, user: str | None = None) -> list[int]:
        """Keys of the copies of a user, or of all, whose `expires_at` has come. What is held is none of them, and the
        original of a record that is in memory or was evicted neither: it lives as long as that. O(cold)."""

    def expired_ids(self, now: Micros, user: str | None = None) -> list[tuple[str, str]]:
        """User and id of the copies that `expired` names."""

    def held(self, user: str, ids: Sequence[str]) -> set[str]:
        """Those of the ids whose records were evicted and are held."""

    def held_count(self, user: str | None = None) -> int:
        """How many evicted records, of a user or of all, are held. O(cold)."""

    def unsourced_records(self, user: str | None = None) -> int:
        """How many records, of a user or of all, have lost all of their sources to the cold tier. O(evicted)."""


class ColdWriter(ColdReader, Protocol):
    """Changes of the cold tier inside the one exclusive transaction."""

    def evict(
        self, records: Sequence[Record], now: Micros, made_tags: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        """Move stored records, with their embeddings, out of `records`. Advances the change counter.

        What a job, a derived record or a use names by id stays named.

        Args:
            made_tags: by id, what was made for them; they are not among their tags here. Then all are of one user.
        """

    def keep_originals(self, records: Sequence[Record], now: Micros) -> None:
        """Keep records, with their embeddings, as they are before they are shortened. An original that is there
        already stays: it is the older one."""

    def drop(self, user: str, ids: Sequence[str], reason: Reason = EVICTED) -> int:
        """Take copies out because they are records again; returns how many there were."""

    def set_held(self, user: str, ids: Sequence[str], held: bool) -> list[str]:
        """Hold evicted records, or release them; returns the ids of those that this changed."""

    def untag(self, user: str, ids: Sequence[str]) -> None:
        """Take away the tags that were made for these."""

    def set_ends(self, user: str, ends: Mapping[str, datetime | None]) -> None:
        """Give what was evicted another `expires_at`, by id."""

    def rename_originals(self, user: str, ids: Mapping[str, str]) -> None:
        """Let originals follow their records to other ids, `ids` being from old to new; what is already there under a
        new one is replaced."""

    def expire(self, keys: Sequence[int], now: Micros) -> dict[str, list[Record]]:
        """Erase those of the keys that `ColdReader.expired` still tells; returns the copies by user, without
        embeddings."""

    def forget(self, user: str, ids: Sequence[str]) -> int:
        """Erase every copy of these ids, whatever the reason; returns how many there were."""

    def drop_embeddings(self) -> None:
        """The store goes over to another embedder: what is cold is embedded anew when it comes back."""
