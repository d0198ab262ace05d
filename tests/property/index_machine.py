"""A state machine that drives `memspan.Index` and the oracle side by side, for two users at once.

Every user also has an index of their own that never hears of the other one: whatever the shared index answers
must be the same, bit for bit.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import event
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from native import arguments, assert_same_contents, columns, fields, oracle_arguments
from oracle import Oracle, admits
from oracle_views import Rec, Vector
from ranking import assert_same_bits, assert_same_ranking
from strategies import (
    DIM,
    IDS,
    KINDS,
    TAGS,
    USERS,
    intervals,
    queries,
    query_vectors,
    records,
    tags,
    users,
    vectors,
)

import memspan


class IndexMachine(RuleBasedStateMachine):
    max_resident_bytes: int | None = None
    """Of the shared index."""

    def __init__(self) -> None:
        super().__init__()
        self.oracle = Oracle()
        self.shared = memspan.Index(DIM, analyzer="simple", max_resident_bytes=self.max_resident_bytes)
        self.alone = {user: memspan.Index(DIM, analyzer="simple") for user in USERS}
        self.versions: dict[tuple[str, int], Any] = {}

    def both(self, user: str, call: Callable[[memspan.Index], Any]) -> tuple[Any, Any]:
        """Make the call on the shared index and on the user's own."""
        return call(self.shared), call(self.alone[user])

    def same(self, user: str, call: Callable[[memspan.Index], Any]) -> Any:
        """The same, for calls with plain answers, which must be equal."""
        shared, alone = self.both(user, call)
        assert shared == alone
        return shared

    # --- writing

    @initialize(first=st.lists(st.tuples(users, records()), max_size=12))
    def start_with_some(self, first: list[tuple[str, Rec]]) -> None:
        for user, rec in first:
            self.add(user, rec)

    @rule(user=users, rec=records())
    def add(self, user: str, rec: Rec) -> None:
        self.same(user, lambda index: index.add(user=user, **fields(rec)))
        self.oracle.add(user, rec)

    @rule(user=users, rec=records(), position=st.integers(0, 8))
    def add_a_copy(self, user: str, rec: Rec, position: int) -> None:
        """The same text, embedding and tags under another id: scores that are equal by construction."""
        kept = sorted(self.oracle.user(user).records)
        if kept:
            twin = self.oracle.user(user).records[kept[position % len(kept)]]
            self.add(
                user, replace(rec, text=twin.text, embedding=twin.embedding, tags=twin.tags, kind=twin.kind)
            )

    @rule(
        batch=st.lists(st.tuples(users, records()), max_size=6, unique_by=lambda item: (item[0], item[1].id)),
        embedding=st.one_of(st.none(), vectors),
    )
    def add_many(self, batch: list[tuple[str, Rec]], embedding: Vector | None) -> None:
        """One columnar call; the column of embeddings is there for all records or for none."""
        filled = [
            (user, replace(rec, embedding=embedding and (rec.embedding or embedding))) for user, rec in batch
        ]
        self.shared.add_many(**columns(filled, DIM))
        for user in USERS:
            self.alone[user].add_many(**columns([item for item in filled if item[0] == user], DIM))
        for user, rec in filled:
            self.oracle.add(user, rec)

    @rule(user=users, ids=st.lists(st.sampled_from((*IDS, "nobody")), max_size=4))
    def remove(self, user: str, ids: list[str]) -> None:
        removed = self.same(user, lambda index: index.remove(user=user, ids=ids))
        assert removed == self.oracle.remove(user, ids)

    @rule(user=users, sure=st.integers(0, 3))
    def forget(self, user: str, sure: int) -> None:
        if sure == 0:
            assert self.same(user, lambda index: index.forget(user=user)) == self.oracle.forget(user)

    # --- tags

    @rule(user=users, parent=tags, child=tags)
    def relate(self, user: str, parent: str, child: str) -> None:
        model = self.oracle.make_user(user)
        if parent in model.distances([child], len(TAGS)) or parent == child:
            for index in (self.shared, self.alone[user]):
                with pytest.raises(memspan.TagCycleError, match=parent):
                    index.relate(user=user, parent=parent, child=child)
            return
        added = self.same(user, lambda index: index.relate(user=user, parent=parent, child=child))
        assert added == ((parent, child) not in model.edges)
        model.edges.add((parent, child))

    @rule(user=users, parent=tags, child=tags)
    def unrelate(self, user: str, parent: str, child: str) -> None:
        edges = self.oracle.user(user).edges
        removed = self.same(user, lambda index: index.unrelate(user=user, parent=parent, child=child))
        assert removed == ((parent, child) in edges)
        edges.discard((parent, child))

    @rule(user=users, tag=tags, vector=vectors)
    def set_tag_embedding(self, user: str, tag: str, vector: Vector) -> None:
        embedding = np.array(vector, np.float32)
        self.same(user, lambda index: index.set_tag_embedding(user=user, tag=tag, embedding=embedding))
        self.oracle.make_user(user).tag_vectors[tag] = vector

    @rule(user=users, old=tags, new=tags)
    def rename_tag(self, user: str, old: str, new: str) -> None:
        self.merge(user, [old], new, lambda index: index.rename_tag(user=user, old=old, new=new))

    @rule(user=users, old=st.lists(tags, min_size=1, max_size=3), into=tags)
    def merge_tags(self, user: str, old: list[str], into: str) -> None:
        self.merge(user, old, into, lambda index: index.merge_tags(user=user, tags=old, into=into))

    def merge(self, user: str, old: list[str], into: str, call: Callable[[memspan.Index], bool]) -> None:
        merged = {tag for tag in old if tag != into and tag in self.oracle.user(user).tags()}
        if merged and self.oracle.merging_closes_a_cycle(user, merged, into):
            for index in (self.shared, self.alone[user]):
                with pytest.raises(memspan.TagCycleError):
                    call(index)
            return
        assert self.same(user, call) == bool(merged)
        for tag in old:
            if tag in merged:
                self.oracle.merge_tag(user, tag, into)

    @rule(user=users, names=st.lists(tags, min_size=1, max_size=2, unique=True))
    def drop_tags(self, user: str, names: list[str]) -> None:
        dropped = self.same(user, lambda index: index.drop_tags(user=user, tags=names))
        assert dropped == len(set(names) & set(self.oracle.user(user).tags()))
        for name in names:
            self.oracle.drop_tag(user, name)

    # --- reading

    @rule(user=users, query=queries())
    def search(self, user: str, query: dict[str, Any]) -> None:
        shared, alone = self.both(user, lambda index: index.search(user=user, **arguments(query)))
        assert_same_bits(shared, alone)
        answer = self.oracle.search(user=user, **oracle_arguments(query))
        event(f"undecidable in float32: {answer.undecidable}")
        event(f"hits: {'some' if len(shared) else 'none'}")
        assert_same_ranking(shared, answer, query["k"])

    @rule(user=users, query=queries())
    def explaining_changes_nothing(self, user: str, query: dict[str, Any]) -> None:
        plain = self.shared.search(user=user, **arguments(query))
        explained = self.shared.search(user=user, **arguments(query), explain=True)
        assert_same_bits(plain, explained)
        assert plain.explanation is None
        assert explained.explanation is not None

    @rule(
        user=users,
        k=st.sampled_from((1, 3, 20)),
        between=st.one_of(st.none(), st.lists(intervals, min_size=1, max_size=3)),
        kinds=st.one_of(st.none(), st.lists(st.sampled_from(KINDS), min_size=1, unique=True)),
    )
    def latest(self, user: str, k: int, between: Any, kinds: Any) -> None:
        shared, alone = self.both(
            user, lambda index: index.latest(user=user, k=k, between=between, kinds=kinds)
        )
        assert_same_bits(shared, alone)
        expected = self.oracle.latest(user, k, between, kinds)
        assert shared.ids == [rec.id for rec in expected]
        assert shared.ats.tolist() == [rec.at for rec in expected]

    @rule(user=users, key=st.sampled_from((*IDS, "nobody")))
    def locate(self, user: str, key: str) -> None:
        rec = self.oracle.user(user).records.get(key)
        found = self.same(user, lambda index: index.locate(user=user, id=key))
        assert (found is None) == (rec is None)
        assert self.same(user, lambda index: index.contains(user=user, id=key)) == (rec is not None)
        if rec is not None and admits(rec, kinds=KINDS):
            (hit,) = [hit for hit in self.shared.latest(user=user, k=100, kinds=KINDS) if hit.id == key]
            assert hit.at == found

    @rule(user=users, names=st.lists(tags, max_size=3, unique=True), depth=st.integers(0, 4))
    def expand(self, user: str, names: list[str], depth: int) -> None:
        distances = self.oracle.user(user).distances(names, depth)
        found = self.same(user, lambda index: index.expand(user=user, tags=names, depth=depth))
        assert sorted(found) == sorted(distances)
        assert [distances[tag] for tag in found] == sorted(distances.values()), "not breadth first"

    @rule(
        user=users,
        query=query_vectors,
        k=st.integers(1, 7),
        method=st.sampled_from(("auto", "exact", "hnsw")),
    )
    def route(self, user: str, query: Vector, k: int, method: str) -> None:
        embedding = np.array(query, np.float32)
        found = self.same(user, lambda index: index.route(user=user, embedding=embedding, k=k, method=method))
        expected = self.oracle.route(user, query, k)
        assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-5)
        everything = dict(self.oracle.route(user, query, len(TAGS)))
        assert all(everything[tag] == pytest.approx(score, abs=1e-5) for tag, score in found)
        assert len({tag for tag, _ in found}) == len(found)

    # --- upkeep

    @rule(user=users, shared=st.booleans(), alone=st.booleans())
    def consolidate(self, user: str, shared: bool, alone: bool) -> None:
        """Re-laid vectors answer as before: the two indexes may be consolidated at different times."""
        for index, chosen in ((self.shared, shared), (self.alone[user], alone)):
            if chosen:
                index.consolidate(user=user, force=True)

    # --- snapshots

    @rule()
    def save_and_load(self) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "index.snapshot"
            self.shared.save(path, stamp="step")
            self.shared = memspan.Index.load(path, max_resident_bytes=self.max_resident_bytes)
        assert self.shared.stamp == "step"
        assert (self.shared.dim, self.shared.analyzer) == (DIM, "simple")

    @invariant()
    def contents_agree(self) -> None:
        assert_same_contents(self.shared, self.oracle, USERS)

    @invariant()
    def names_of_a_version_stay_the_same(self) -> None:
        for user in USERS:
            version = self.shared.names_version(user=user)
            names = [self.shared.names(user=user, retired=retired) for retired in (False, True)]
            assert self.versions.setdefault((user, version), names) == names

    @invariant()
    def figures_do_not_depend_on_others(self) -> None:
        for user in USERS:
            shared, alone = self.both(user, lambda index, user=user: dict(index.stats(user=user)))
            for figures in (shared, alone):
                # Memory and erased slots depend on the history of the process, which a reload shortens.
                figures.pop("bytes", None)
                figures.pop("mapped_bytes", None)
                figures.pop("dead_slots", None)
            assert shared == alone


class CrowdedIndexMachine(IndexMachine):
    """No user stays in memory once the other one is asked for."""

    max_resident_bytes = 1
