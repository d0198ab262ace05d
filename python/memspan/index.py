"""The native index under a memory: per-user timeline, tags, inverted lists and embeddings, searched in one call."""

from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .arguments import as_choice, as_flag, as_integer, as_number, as_path, as_residency, as_text, as_texts
from .base.called_as import naming_its_parts
from .base.save_target import as_target
from .index_calls.columns import pack_columns, pack_record
from .index_calls.duplicates import DuplicateCalls
from .index_calls.layout import LayoutCalls
from .index_calls.names import NameCalls
from .index_calls.quotas import QuotaCalls
from .index_calls.tags import TagCalls
from .limits import MAX_DIM
from .query import Query, answers_of, natives_of
from .ranking import Ranking
from .reports.tag_info import TagInfo
from .times import Between, TimeLike, from_micros

__all__ = ["Hit", "Hits", "Index", "TagInfo"]

Hit = _core.Hit
Hits = _core.Hits
Sequence.register(Hits)

ANALYZERS = ("english", "simple")
ROW_FORMATS = ("float32", "bfloat16")


@naming_its_parts
class Index(DuplicateCalls, LayoutCalls, NameCalls, QuotaCalls, TagCalls):
    """An in-memory index of records by user. Durable storage is `memspan.Memory`'s part; `save` writes a cache.

    Nothing of one user (postings, statistics, tags, embeddings) can be reached or inferred through another. Unknown
    users are empty, not an error. Every method may be called from any thread: searches of a user run in parallel with
    each other and with all that happens to other users. The GIL is released while the core works. A fork waits for
    the calls of other threads, and Python with it, for 30 seconds at most; the child may use its copy of the index.

    Example:
        >>> index = memspan.Index(dim=2)
        >>> index.add(user="ana", id="m1", at="2024-05-19", text="The bill was 640 euros.", embedding=[1.0, 0.0])
        []
        >>> [hit.id for hit in index.search(user="ana", text="what bill?", embedding=[0.6, 0.8], k=3)]
        ['m1']

    Args:
        dim: dimension of every embedding, 1-8,192.
        analyzer: how text becomes words. `"english"` folds case and accents, stems (Snowball) and drops stop words;
            `"simple"` only folds. Stored with the index.
        k1, b: BM25's saturation of the term frequency, 0-100, and its weight of a text's length, 0-1.
        row_format: how vectors are kept for exact scores. `"bfloat16"` takes half the memory of `"float32"` (768 bytes
            less a record at 384 dimensions): values are rounded to 8 significant bits, which moves a cosine by about
            0.001 / sqrt(dim). Stored with the index.
        max_resident_bytes: when the users in memory take more, those who were not asked for lately leave it and come
            back when they are asked for; `None`: no limit. One call's users may pass the limit.
        spill_directory: where users wait who left memory and are in no snapshot as they are: in files without names,
            which vanish with the process. Default: the system's directory for temporary files. It must be there and
            writable if there is a limit; when it fails later, users stay in memory (`stats`).
        auto_consolidate: let a native thread of low priority call `consolidate` for users whose writes have made that
            worth it, so that searches stay fast while an index grows. Without it, only `consolidate` does.
        track_uses: count how often searches bring each record (`take_uses`); `latest` does not count. 12 bytes a
            record, and at most 2 % of a search.

    Raises:
        InvalidArgumentError: an argument is out of range. Every method raises it, or a subclass, for bad input, and
            leaves the index as it was.
    """

    __slots__ = ()

    # `add`, `search` and `latest` are answered natively when every argument is of a common exact type; what is written
    # here is their signature, their documentation, and the way of all other calls, which convert or refuse.

    def __init__(
        self,
        dim: int,
        *,
        analyzer: str = "english",
        k1: float = 1.2,
        b: float = 0.75,
        row_format: str = "float32",
        max_resident_bytes: int | None = None,
        spill_directory: str | os.PathLike[str] | None = None,
        auto_consolidate: bool = True,
        track_uses: bool = False,
    ) -> None:
        as_choice(analyzer, "analyzer", ANALYZERS)
        as_choice(row_format, "row_format", ROW_FORMATS)
        by_itself, tracks = as_flag(auto_consolidate, "auto_consolidate"), as_flag(track_uses, "track_uses")
        self._native = _core.Index(
            as_integer(dim, "dim", 1, MAX_DIM),
            analyzer,
            as_number(k1, "k1", 0, 100),
            as_number(b, "b", 0, 1),
            row_format,
            *as_residency(max_resident_bytes, spill_directory),
        )
        self._start(by_itself, tracks)

    def _start(self, consolidates: bool, tracks: bool) -> None:
        if tracks:
            self._native.track_uses()
        if consolidates:
            self._native.consolidate_by_itself()

    @property
    def dim(self) -> int:
        """Dimension of every embedding."""
        return self._native.dim

    @property
    def analyzer(self) -> str:
        """Name of the analyzer."""
        return self._native.analyzer

    @property
    def row_format(self) -> str:
        """How vectors are kept for exact scores, `float32` or `bfloat16`."""
        return self._native.row_format

    @property
    def stamp(self) -> str:
        """The note that was given to `save`, for an index that was loaded; otherwise empty."""
        return self._native.stamp

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        if operator.index(protocol) < 2:  # Python 3.10 would write an index without anything in it.
            raise TypeError("cannot copy or pickle memspan.Index objects")
        return super().__reduce_ex__(protocol)

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return f"Index(dim={self.dim}, analyzer={self.analyzer!r}, records={len(self)})"

    # Writing

    @_core.native_add
    def add(
        self,
        *,
        user: str,
        id: str,
        at: TimeLike,
        text: str = "",
        embedding: ArrayLike | None = None,
        tags: Sequence[str] = (),
        kind: str = "episodic",
        until: TimeLike | None = None,
        recorded_at: TimeLike | None = None,
        session: str | None = None,
        speaker: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        importance: float | None = None,
        pinned: bool = False,
        retired_at: TimeLike | None = None,
        expires_at: TimeLike | None = None,
    ) -> list[str]:
        """Insert one record, or replace the user's record of the same id; of the old version only the count
        of uses stays. Returns the ids of the records that had to make room within the quotas: nearly always none.

        O(log n + text) for a user of n records, plus the move of later entries when `at` is not the newest.

        Args:
            user, id: 1-512 bytes of UTF-8 each.
            at: when it happened; `until` is the end of its validity (exclusive) and `recorded_at` when it was learnt
                (default: now).
            embedding: shape (dim,), any float dtype, finite and not zero; normalised inside. A record without one is
                invisible to the semantic view.
            tags: at most 64; normalised to lower case and underscores.
            metadata: JSON-able; what `where` filters look at. At most 1 MiB as JSON.
            importance: 0-1; `None` while nobody judged it.
            pinned: never evicted.
            retired_at: since when it is not believed; only an earlier `as_of` finds it. `expires_at`: gone from then.

        Raises:
            QuotaError: its kind is full and nothing of it may be evicted.
        """
        evicted = self._native.add(
            *pack_record(
                self.dim,
                user=user,
                id=id,
                at=at,
                text=text,
                embedding=embedding,
                tags=tags,
                kind=kind,
                until=until,
                recorded_at=recorded_at,
                session=session,
                speaker=speaker,
                metadata=metadata,
                importance=importance,
                pinned=pinned,
                retired_at=retired_at,
                expires_at=expires_at,
            ),
            True,
        )
        return [id for _, id in evicted]

    def add_many(
        self,
        *,
        ids: Sequence[str],
        ats: Sequence[TimeLike] | np.ndarray[Any, np.dtype[np.int64]],
        user: str | None = None,
        users: Sequence[str] | None = None,
        texts: Sequence[str] | None = None,
        embeddings: ArrayLike | Sequence[ArrayLike | None] | None = None,
        tags: Sequence[Sequence[str]] | None = None,
        kinds: Sequence[str] | None = None,
        untils: Sequence[TimeLike | None] | None = None,
        recorded_ats: Sequence[TimeLike] | None = None,
        sessions: Sequence[str | None] | None = None,
        speakers: Sequence[str | None] | None = None,
        metadatas: Sequence[Mapping[str, Any] | None] | None = None,
        importances: Sequence[float | None] | None = None,
        pins: Sequence[bool] | None = None,
        retired_ats: Sequence[TimeLike | None] | None = None,
        expires_ats: Sequence[TimeLike | None] | None = None,
        evict: bool = True,
    ) -> list[tuple[str, str]]:
        """Insert or replace many records by columns, in one native call: all of them or, on an error, none.

        Every column has one entry for each id; `user` serves for all, `users` for each. `embeddings` is an array of
        shape (n, dim), or a list with `None` for records without one; `ats` may be an int64 array of microseconds. A
        (user, id) may come only once. The meaning of the columns is that of the arguments of `add`. Returns (user, id)
        of the records that had to make room; they may be of this batch. With `evict=False` none has to, as when
        following what another process has decided; `evict` then brings users within their quotas.
        """
        enforced = as_flag(evict, "evict")
        return self._native.add(
            *pack_columns(
                self.dim,
                ids=ids,
                ats=ats,
                user=user,
                users=users,
                texts=texts,
                embeddings=embeddings,
                tags=tags,
                kinds=kinds,
                untils=untils,
                recorded_ats=recorded_ats,
                sessions=sessions,
                speakers=speakers,
                metadatas=metadatas,
                importances=importances,
                pins=pins,
                retired_ats=retired_ats,
                expires_ats=expires_ats,
            ),
            enforced,
        )

    def remove(self, *, user: str, ids: Sequence[str]) -> int:
        """Erase records with their text's postings, vectors and tags; returns how many of the ids existed."""
        return self._native.remove(as_text(user, "user"), as_texts(ids, "ids"))

    def forget(self, *, user: str) -> int:
        """Erase everything about a user; returns how many records that were."""
        return self._native.forget(as_text(user, "user"))

    # Reading

    @_core.native_search
    def search(
        self,
        *,
        user: str,
        text: str | None = None,
        embedding: ArrayLike | None = None,
        tags: Sequence[str] = (),
        between: Between | None = None,
        kinds: Sequence[str] | None = None,
        require_tags: Sequence[str] = (),
        where: Mapping[str, Any] | None = None,
        exclude: Sequence[str] = (),
        as_of: TimeLike | None = None,
        valid_at: TimeLike | None = None,
        k: int = 10,
        views: Sequence[str] | None = None,
        fusion: str = "rrf",
        weights: Mapping[str, float] | None = None,
        ranking: Ranking | None = None,
        depth: int | None = None,
        route: int = 0,
        tag_depth: int = 1,
        neighbors: int = 0,
        exact: bool = False,
        recall: float = 0.995,
        explain: bool = False,
        track: bool = True,
        features: bool = False,
    ) -> Hits:
        """The best `k` records of a user, best first (1-10,000); equal scores: newer first, then the later id.

        Example:
            >>> for hit in index.search(
            ...     user="ana", text="the bill", between=("2024-05-01", "2024-06-01"), where={"city": "Houten"}, k=3
            ... ):
            ...     print(hit.id, f"{hit.at:%Y-%m-%d}", hit.views["lexical"][0])
            m1 2024-05-19 1

        What to look for:
            text: words, ranked by BM25 with the user's own statistics (lexical view).
            embedding: shape (dim,), ranked by cosine (semantic view).
            tags, route: up to 1,000, and the `route` tags nearest to `embedding`, lift the records that carry them or,
                with half the weight for each step, a descendant up to `tag_depth` steps down (symbolic view;
                SwiftMem 3.2.3).
            views: the views to use, of those with a query; default: all. With filters alone, the newest records come.

        Filters (a record passes all of them or cannot come back):
            between: `(start, end)` or up to 1,024 such pairs; closed-open, `None` leaves an end open.
            kinds: default: every kind but `vault`; require_tags: up to 64 that the record itself must carry.
            where: conditions on metadata: `{"city": "Oslo", "trip.days": {"$gte": 3}}` with `$eq $ne $gt $gte $lt
                $lte $in $nin $contains $exists $and $or $not`. A dot steps into an object; in a key `\\.` stands for
                it, and `\\$` for a dollar. A missing key differs from every value, `None` too: only `$ne`, `$nin`,
                `{"$exists": False}` and `$not` hold for it. `$gt` and its kin compare two numbers or two texts, and
                hold for nothing else; 1 is 1.0, but not `True`.
            exclude: ids, 100,000 at most.
            as_of: only what was recorded by then and not retired; `valid_at`: only what held then (`at <= valid_at <
                until`). What was retired after `as_of` held until `metadata["ended"]["until"]`, or for ever.

        Ranking:
            fusion: `rrf` sums weight / (60 + rank) over the first `depth` records of each view (default: the larger
                of 100 and 4 k); `union` interleaves the views; `weighted` sums scores scaled to 0-1. A single view
                under `rrf` keeps its own scores. `ranking`: of `learned`, what `Ranker.ranking` gives.
            weights: of `rrf` and `weighted`, by the name of a view; 1 where one is not named.
            neighbors: each hit lends half of its score to the records next to it in its session, a quarter to those
                two turns away, and so on up to so many turns; not with `learned`, which looks at neighbours itself.
            exact: no approximation, in the tag router either.
            recall: above 0 and at most 1; the share of the exact best k that an approximate search finds on average.
            explain: fill `Hits.explanation` and `Hit.explanation`.
            track: count this as a use of the records that come back, if the index tracks uses.
            features: of `learned`, fill `Hits.features`.

        With an embedding, k records come back whenever k admissible ones exist.
        """
        query = Query(
            user=user,
            text=text,
            embedding=embedding,
            tags=tags,
            between=between,
            kinds=kinds,
            require_tags=require_tags,
            where=where,
            exclude=exclude,
            as_of=as_of,
            valid_at=valid_at,
            k=k,
            views=views,
            fusion=fusion,
            weights=weights,
            ranking=ranking,
            depth=depth,
            route=route,
            tag_depth=tag_depth,
            neighbors=neighbors,
            exact=exact,
            recall=recall,
            explain=explain,
            track=track,
            features=features,
        )
        return self._native.search(query._native)

    def features(self, query: Query) -> tuple[list[str], NDArray[np.float32]]:
        """The ids of the records that a `learned` query scores (`InvalidArgumentError` for others), and what its
        ranking sees in them, shape (n, len(FEATURES)): `memspan.fitting` learns from it. Costs what a search does.
        """
        (native,) = natives_of([query])
        return _core.ranking_features(self._native, native)

    def search_many(self, queries: Iterable[Query], threads: int = 0) -> list[Hits]:
        """Answer many queries on `threads` threads (0: all cores); the answers keep the queries' order.

        Exact queries of one user, without filters, share the reading of rows: many take a quarter to two thirds.
        """
        return answers_of(self._native, natives_of(queries), as_integer(threads, "threads", 0, 1024))

    @_core.native_latest
    def latest(
        self, *, user: str, k: int = 20, between: Between | None = None, kinds: Sequence[str] | None = None
    ) -> Hits:
        """The newest `k` records, newest first, of one time the later id. O(log n + k), more with filters."""
        views = ("symbolic",)
        query = Query(user=user, k=k, depth=k, between=between, kinds=kinds, views=views, track=False)
        return self._native.search(query._native)

    def locate(self, *, user: str, id: str) -> datetime | None:
        """When a record happened, or `None`. O(1) (SwiftMem 3.3, definition 3.4)."""
        at = self._native.locate(as_text(user, "user"), as_text(id, "id"))
        return None if at is None else from_micros(at)

    def beside(
        self, *, user: str, ids: Sequence[str], same_kind: bool = False
    ) -> list[tuple[str | None, str | None]]:
        """For each id, the ids of the records right before and after it in its session, by time, of one time by the
        id (shorter, then smaller); `None` at the ends, and around unknown ids. Retired records stand in no session.
        With `same_kind`, records of other kinds than its own do not count. O(log n + passed over) an id."""
        asked = as_text(user, "user"), as_texts(ids, "ids"), as_flag(same_kind, "same_kind")
        return [(before or None, after or None) for before, after in self._native.beside(*asked)]

    def contains(self, *, user: str, id: str) -> bool:
        """Whether the user has a record of that id. O(1)."""
        return self._native.locate(as_text(user, "user"), as_text(id, "id")) is not None

    def users(self) -> list[str]:
        """Every user with a record or a tag, sorted."""
        return self._native.users()

    def ids(self, *, user: str) -> list[str]:
        """The ids of a user's records, sorted."""
        return self._native.ids(as_text(user, "user"))

    def stats(self, *, user: str | None = None) -> dict[str, Any]:
        """Counts of a user or of the whole index (zero for an unknown user), and its estimated bytes.

        `bytes` are in memory; `mapped_bytes` are used where they lie in the snapshot's file. `failed_spills`, of the
        whole index: how often a user stayed in memory beyond the limit because the disk was full, or failed.
        """
        if user is None:
            return self._native.total_stats()
        stats = self._native.user_stats(as_text(user, "user"))
        for end in ("earliest", "latest"):
            stats[end] = None if stats[end] is None else from_micros(stats[end])
        return stats

    # Snapshots

    def save(self, path: str | os.PathLike[str], stamp: str = "") -> None:
        """Write everything to one file (mode 0600), which replaces an older one, or a link, only when it is whole and
        durable. Of a batch that is being added meanwhile, its first records may be in it.

        Another version of memspan may refuse the file, and nothing converts it: keep what was added elsewhere.

        Raises:
            InvalidArgumentError: a pipe or a device is there, or a link to one.
            OSError: the file cannot be written; the older one stays.
        """
        self._native.save(as_target(path, "path"), as_text(stamp, "stamp"))

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        max_resident_bytes: int | None = None,
        spill_directory: str | os.PathLike[str] | None = None,
        auto_consolidate: bool = True,
        track_uses: bool = False,
        verify: bool = False,
    ) -> Index:
        """Open a file that `save` wrote. Safe on any file, but checksums are no signature.

        The file is mapped; a user is read and checked when it is first asked for, its embeddings bit by bit as searches
        come upon them. So opening takes O(users), and every method may raise `CorruptSnapshotError` when it comes upon
        damage. The file may be replaced or deleted meanwhile, but not changed in place.

        Args:
            max_resident_bytes, spill_directory, auto_consolidate, track_uses: as for a new index.
            verify: read and check everything now.

        Raises:
            CorruptSnapshotError: damaged or truncated.
            SnapshotVersionError: of another format or analyzer version; a `CorruptSnapshotError`, too.
            OSError: the file cannot be read, or the path is a symbolic link.
        """
        by_itself, tracks = as_flag(auto_consolidate, "auto_consolidate"), as_flag(track_uses, "track_uses")
        index = cls.__new__(cls)
        index._native = _core.Index.load(
            as_path(path, "path"),
            *as_residency(max_resident_bytes, spill_directory),
            as_flag(verify, "verify"),
        )
        index._start(by_itself, tracks)
        return index
