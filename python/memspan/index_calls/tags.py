"""The part of `memspan.Index` that is about tags: their hierarchy, their vectors, and routing by them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from numpy.typing import ArrayLike

from memspan import _core
from memspan.arguments import as_choice, as_embedding, as_flag, as_integer, as_text, as_texts
from memspan.limits import MAX_K
from memspan.reports.tag_info import TagInfo

__all__ = ["TagCalls"]

ROUTE_METHODS: Final = ("auto", "exact", "hnsw")


class TagCalls:
    """A base of `Index`."""

    __slots__ = ("_native",)

    _native: _core.Index

    def relate(self, *, user: str, parent: str, child: str) -> bool:
        """Make `parent` a broader tag than `child`; returns whether the relation is new.

        Raises:
            TagCycleError: `parent` is already below `child`; the message shows the path.
        """
        return self._native.relate(as_text(user, "user"), as_text(parent, "parent"), as_text(child, "child"))

    def unrelate(self, *, user: str, parent: str, child: str) -> bool:
        """Undo `relate`; returns whether the relation was there."""
        return self._native.unrelate(
            as_text(user, "user"), as_text(parent, "parent"), as_text(child, "child")
        )

    def expand(self, *, user: str, tags: Sequence[str], depth: int = 1) -> list[str]:
        """The known ones of `tags` and their descendants down to `depth`, breadth first (SwiftMem 3.2.2)."""
        return self._native.expand(
            as_text(user, "user"), as_texts(tags, "tags"), as_integer(depth, "depth", 0, 1000)
        )

    def route(
        self, *, user: str, embedding: ArrayLike, k: int = 5, method: str = "auto"
    ) -> list[tuple[str, float]]:
        """The `k` tags nearest to `embedding`, with their cosine (SwiftMem 3.2.3, equations 3 and 4).

        A tag's vector is the one set by `set_tag_embedding` or the mean of its records' embeddings; tags without
        either never come, nor those that `tags` leaves out: searches find these again with `as_of` or `valid_at`, for
        which retired records count in the mean of a tag. `method` is
        `"auto"` (all tags compared, by codes first and exactly where these leave a doubt), `"exact"` (no codes) or
        `"hnsw"` (graph search, approximate). The first call with `"hnsw"` builds the graph, a millisecond or two for
        each tag, beside other calls; later ones take up what changed.
        """
        return self._native.route(
            as_text(user, "user"),
            as_embedding(embedding, "embedding", (self._native.dim,)),
            as_integer(k, "k", 1, MAX_K),
            as_choice(method, "method", ROUTE_METHODS),
        )

    def tags(self, *, user: str, retired: bool = False) -> list[TagInfo]:
        """Every tag of a user, sorted by name; O(records that carry tags where some are retired, else tags).

        Retired records count only with `retired`. Without, a tag that only they carry is left out, unless it has a
        parent, a child or an embedding of its own.
        """
        rows = self._native.tags(as_text(user, "user"), as_flag(retired, "retired"))
        return [
            TagInfo(name, records, tuple(parents), tuple(children), specificity)
            for name, records, parents, children, specificity in rows
        ]

    def set_tag_embedding(self, *, user: str, tag: str, embedding: ArrayLike) -> None:
        """Give a tag a vector of its own, shape (dim,); creates the tag if it is new."""
        self._native.set_tag_embedding(
            as_text(user, "user"),
            as_text(tag, "tag"),
            as_embedding(embedding, "embedding", (self._native.dim,)),
        )

    def rename_tag(self, *, user: str, old: str, new: str) -> bool:
        """Rename a tag, merging it into `new` if that exists; returns whether anything changed.

        Raises:
            TagCycleError: the merged relations would hold a cycle.
        """
        return self._native.rename_tag(as_text(user, "user"), as_text(old, "old"), as_text(new, "new"))

    def merge_tags(self, *, user: str, tags: Sequence[str], into: str) -> bool:
        """Move records and relations of `tags` to `into`; returns whether anything changed.

        Raises:
            TagCycleError: the merged relations would hold a cycle.
        """
        return self._native.merge_tags(as_text(user, "user"), as_texts(tags, "tags"), as_text(into, "into"))

    def drop_tags(self, *, user: str, tags: Sequence[str]) -> int:
        """Erase tags from records and hierarchy; returns how many existed."""
        return self._native.drop_tags(as_text(user, "user"), as_texts(tags, "tags"))
