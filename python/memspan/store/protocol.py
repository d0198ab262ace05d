"""What `Memory` needs from a database."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from memspan.records import Record
from memspan.times import Micros

from .audit import AuditReader, AuditWriter
from .beliefs import BeliefReader
from .cold import ColdReader, ColdWriter
from .jobs import JobReader, JobWriter
from .lifetimes import LifetimeReader, LifetimeWriter
from .quotas import QuotaReader, QuotaWriter
from .resources import ResourceReader, ResourceWriter
from .runs import RunReader, RunWriter
from .secrets import SecretReader, SecretWriter
from .token_vectors import TokenVectorReader, TokenVectorWriter
from .traces import TraceReader, TraceWriter
from .transcripts import TranscriptReader
from .unlearnt import UnlearntReader, UnlearntWriter
from .uses import UseReader, UseWriter

__all__ = ["Extent", "Relation", "Removals", "Store", "StoreReader", "StoreWriter"]


class Extent(NamedTuple):
    """How much there is of a user, or of all."""

    kinds: dict[str, int]
    """Records by kind, by their names; those that there are."""
    sessions: int
    """Of each user by themselves."""
    first: Micros | None
    last: Micros | None
    """When the first and the last record happened."""


class Relation(NamedTuple):
    """One parent-child edge between two tags of a user."""

    user: str
    parent: str
    child: str


class Removals(NamedTuple):
    """What was removed after a point of the change sequence, without naming what it was.

    Removed names and ids are erased everywhere, this log included, so it can only say where to compare.
    """

    any_user_vanished: bool
    users: list[str]
    """Users that still exist and lost a record or a tag."""
    unrelated: list[str]
    """Users that still exist and lost a relation."""
    created: list[str]
    """Users that came to be after that point: an older user of that name is another one."""


class StoreReader(TokenVectorReader, Protocol):
    """One consistent view of the database. Records come without embeddings unless asked for."""

    @property
    def jobs(self) -> JobReader:
        """Encode jobs, and what models cost."""

    @property
    def beliefs(self) -> BeliefReader:
        """What was believed before."""

    @property
    def lifetimes(self) -> LifetimeReader:
        """Times to live, and what has expired."""

    @property
    def cold(self) -> ColdReader:
        """What went out of memory, and originals of what was shortened."""

    @property
    def quotas(self) -> QuotaReader:
        """How many records users may have."""

    @property
    def uses(self) -> UseReader:
        """How often searches returned records."""

    @property
    def unlearnt(self) -> UnlearntReader:
        """Procedures that are not to be learnt again."""

    @property
    def transcripts(self) -> TranscriptReader:
        """Turns in which tools were called, and what was learnt from them."""

    @property
    def runs(self) -> RunReader:
        """The journal of consolidations."""

    @property
    def audit(self) -> AuditReader:
        """Who did what."""

    @property
    def resources(self) -> ResourceReader:
        """The targets of records that point elsewhere."""

    @property
    def secrets(self) -> SecretReader:
        """What vault records keep, encrypted."""

    @property
    def traces(self) -> TraceReader:
        """What there is of records in all tables."""

    def sequence(self) -> int:
        """The change counter: grows by one with every transaction that changed something the index holds, and begins
        another history (see `same_history`) where the database was put back to an older state."""

    def meta(self, key: str) -> str | None:
        """A setting of the store, such as `embedder`, `analyzer` or `store_id`; `None` if it was never set."""

    def erasure_pending(self, *, patient: bool = False) -> bool:
        """Whether an erasure was promised and has not ended: removed rows may have left bytes in the files. With
        `patient`, whether that must not wait: what was promised for later does for ten minutes after an `erase`."""

    def users(self) -> list[str]:
        """Users that the store knows, in order."""

    def has_user(self, user: str) -> bool:
        """Whether it knows this one."""

    def count(self, user: str | None = None) -> int:
        """Records of the user, or of all."""

    def ids(self, user: str) -> list[str]:
        """Ids of all records of the user."""

    def id_pages(self, user: str, size: int, *, after: str = "") -> Iterator[list[str]]:
        """The same in pieces of at most so many, ascending, those after an id: what comes or goes meanwhile may be
        among them or not."""

    def fetch(self, user: str, ids: Sequence[str], *, embeddings: bool = False) -> dict[str, Record]:
        """Those of the asked records that exist, by id; one query for each 1,024 ids or fewer."""

    def changed(self, after: int, batch: int) -> Iterator[list[Record]]:
        """Records last written after that point of the sequence, oldest change first, with embeddings."""

    def learnt_after(self, user: str, after: int, kinds: Sequence[str]) -> dict[str, Micros]:
        """Records of the user, of these kinds, last written after that point of the sequence, by id, with when they say
        that they were recorded. O(those, and a look into an index for each record of the user)."""

    def scan(self, user: str | None, batch: int, *, embeddings: bool = False) -> Iterator[list[Record]]:
        """All records of one user or of all, in the order of their last changes, in pages of at most so many. O(those
        records), with the keys of a user's in memory."""

    def relations(self, user: str | None = None, after: int = 0) -> list[Relation]:
        """Relations between tags that came after that point of the sequence, of the user or of all."""

    def made_tags(self, user: str, ids: Sequence[str] | None = None) -> dict[str, tuple[str, ...]]:
        """Those of the records' tags that were made and not given, by id; of these records or of all."""

    def slept(self, user: str) -> str | None:
        """What `set_slept` was given for the user."""

    def upkeep(self, user: str | None) -> str | None:
        """What `set_upkeep` was given for the user, or for all."""

    def looked(self, user: str) -> str:
        """What `set_looked` was given for the user, or the last id before that there still is; nothing otherwise."""

    def made_relations(self, user: str | None = None) -> set[Relation]:
        """Those of the relations that were made and not given."""

    def is_made(self, user: str, parent: str, child: str) -> bool:
        """Whether that relation is there, and is one of these."""

    def removals(self, after: int) -> Removals:
        """Whose records or relations were removed after that point of the sequence."""

    def tags(self, user: str) -> set[str]:
        """Tags that a record of the user has or a relation names; no other tag exists."""

    def speakers(self, user: str, now: Micros, *, but: str | None = None) -> set[str]:
        """Who speaks in records of the user that are believed and have not run out by `now`, those of the kind `but`
        left out. O(records of the user)."""

    def derived(self, user: str, ids: Sequence[str]) -> set[str]:
        """Ids of the records that were derived from these, directly or through others; without these. Those in the
        cold tier are among them, and a way may lead through it."""

    def unstaged(self, after: int, limit: int) -> list[tuple[int, Record]]:
        """Records without an up-to-date staged embedding, by ascending keys greater than `after`."""

    def summary(self, user: str | None = None) -> dict[str, Any]:
        """Counts of records that are retired (versions among them), held (in the cold tier, too) or expiring, of
        secrets and resources. O(found)."""

    def extent(self, user: str | None = None) -> Extent:
        """Counts of records by kind, and of sessions; the time span. Reads a page of each record."""


class StoreWriter(StoreReader, TokenVectorWriter, Protocol):
    """The one exclusive transaction; everything in it happens or nothing does."""

    committed: bool
    """Whether it happened, although an interrupt came before the end of the block."""

    @property
    def jobs(self) -> JobWriter:
        """Encode jobs, and what models cost."""

    @property
    def unlearnt(self) -> UnlearntWriter:
        """Procedures that are not to be learnt again."""

    @property
    def runs(self) -> RunWriter:
        """The journal of consolidations."""

    @property
    def lifetimes(self) -> LifetimeWriter:
        """Times to live, and what has expired."""

    @property
    def cold(self) -> ColdWriter:
        """What went out of memory, and originals of what was shortened."""

    @property
    def quotas(self) -> QuotaWriter:
        """How many records users may have."""

    @property
    def uses(self) -> UseWriter:
        """How often searches returned records."""

    @property
    def audit(self) -> AuditWriter:
        """Who did what."""

    @property
    def resources(self) -> ResourceWriter:
        """The targets of records that point elsewhere."""

    @property
    def secrets(self) -> SecretWriter:
        """What vault records keep, encrypted."""

    @property
    def traces(self) -> TraceWriter:
        """What there is of records in all tables."""

    def set_meta(self, key: str, value: str | None) -> None:
        """Write or, with `None`, delete a setting; does not advance the sequence."""

    def put(self, records: Sequence[Record]) -> None:
        """Insert or replace by (user, id). Every record carries its embedding and `recorded_at`. One that is replaced
        keeps its token vectors if speaker, text and images stay the same."""

    def remove(self, user: str, ids: Sequence[str]) -> int:
        """Delete those of the records that exist, and say how many these were."""

    def remove_user(self, user: str) -> int:
        """Delete everything of the user, and say how many records these were."""

    def set_made_tags(self, user: str, tags: Mapping[str, Sequence[str]]) -> None:
        """Say which tags of records were made, by id, in the transaction that put these records."""

    def set_slept(self, user: str, state: str) -> None:
        """Keep how far the memories of a user were updated in sleep, for as long as there is that user; nothing when
        there is none. Does not advance the sequence."""

    def set_upkeep(self, user: str | None, state: str | None) -> None:
        """Keep how far a consolidation of the user, or of all, got, for as long as there is that user; `None` drops
        that, and what `set_looked` was given, with everybody's when no user is named. Nothing when there is no such
        user. Does not advance the sequence."""

    def set_looked(self, user: str, id: str) -> None:
        """Keep up to which id a consolidation looked at the records of a user. It names no record that is not there:
        where that one goes, or is gone, the one before stands for it. Does not advance the sequence."""

    def relate(self, user: str, parent: str, child: str, *, made: bool = False) -> bool:
        """A relation that was made and is now given stays as given; returns whether it is new."""

    def unrelate(self, user: str, parent: str, child: str) -> bool:
        """Delete a relation between two tags; `False` when there is none."""

    def mark_removal(self, user: str) -> None:
        """Tell other handles to compare this user with the store."""

    def request_erasure(self, *, later: bool = False) -> None:
        """Promise that what this transaction removes is erased even if the process dies before `erase`; `later`: with
        what comes next, where the files were just rewritten."""

    def stage(self, records: Sequence[Record], embeddings: NDArray[np.float32], as_of: int) -> None:
        """Keep replacement embeddings beside the valid ones.

        Records that changed after `as_of`, the sequence of the view they were read from, are passed over.
        """

    def adopt_staged(self) -> None:
        """Make the staged embeddings the valid ones."""

    def discard_staged(self) -> None:
        """Drop what `stage` kept."""


class Store(Protocol):
    """A durable database shared by threads, handles and processes."""

    @property
    def path(self) -> Path:
        """Where the database is."""

    def sequence(self) -> int:
        """`StoreReader.sequence` without opening a view; has to be cheap, as every operation asks."""

    def reading(self) -> AbstractContextManager[StoreReader]:
        """A consistent view; any number at once, also during a write."""

    def writing(self) -> AbstractContextManager[StoreWriter]:
        """Wait for the write lock and hold it; commit (durably) at the end, roll back on an exception."""

    def hurry(self) -> None:
        """Wait for other processes only for a moment from now on: what is still to be written may as well be lost."""

    def erase(self) -> None:
        """Return when no file of the database holds bytes of removed rows. Linear in its size."""

    def check(self) -> list[str]:
        """Problems of the database itself; empty when sound."""

    def close(self) -> None:
        """Give connections and files back; calls afterwards fail, another `close` does nothing."""
