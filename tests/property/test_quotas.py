"""Quotas, pins and counts of uses against an oracle, over random histories with restarts."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from hypothesis_profile import PROFILE
from oracle_quotas import Kept, NoRoomError, QuotaOracle

import memspan

DIM = 4
USER = "ana"
LIMITED = ("episodic", "semantic")
IDS = [f"m{number}" for number in range(24)]
FUTURE = "2999-01-01"

limits_of_kinds = st.fixed_dictionaries({}, optional={kind: st.integers(2, 6) for kind in LIMITED})
capacities = st.one_of(limits_of_kinds, limits_of_kinds, limits_of_kinds, st.none(), st.just({"episodic": 0}))
evictions = st.sampled_from(["value", "value", "oldest"])
kept = st.builds(
    Kept,
    id=st.sampled_from(IDS),
    at=st.integers(0, 5),
    kind=st.sampled_from((*LIMITED * 3, "procedural")),
    importance=st.none() | st.sampled_from([0.0, 0.25, 0.5, 1.0]),
    pinned=st.sampled_from([False] * 7 + [True]),
    gone=st.sampled_from([False] * 7 + [True]),
    axis=st.sampled_from([None, *range(DIM), *range(DIM)]),
)
batches = st.lists(kept, min_size=1, max_size=12, unique_by=lambda record: record.id)
some_ids = st.lists(st.sampled_from(IDS), max_size=6, unique=True)


def embedding(record: Kept) -> Any:
    return None if record.axis is None else np.eye(DIM, dtype=np.float32)[record.axis]


def ends(record: Kept) -> tuple[str | None, str | None]:
    """When it is retired and when it expires; which of both ends it, its time tells."""
    if not record.gone:
        return (FUTURE, None) if record.at == 3 else (None, None)
    past = f"2001-01-01T00:00:{IDS.index(record.id):02}Z"
    return (past, FUTURE) if record.at % 2 else (None, past)


class QuotaMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.index = memspan.Index(DIM, track_uses=True)
        self.oracle = QuotaOracle()
        self.within = False
        """Did the last change leave every kind within its quota?"""

    @initialize(limits=capacities, eviction=evictions)
    def start_with_quotas(self, limits: dict[str, int] | None, eviction: str) -> None:
        self.set_quotas(limits, eviction, False)

    @rule(limits=capacities, eviction=evictions, for_all=st.booleans())
    def set_quotas(self, limits: dict[str, int] | None, eviction: str, for_all: bool) -> None:
        self.index.set_quotas(user=None, capacities=None)
        self.index.set_quotas(user=USER, capacities=None)
        self.index.set_quotas(user=None if for_all else USER, capacities=limits, eviction=eviction)
        self.oracle.capacities, self.oracle.eviction = limits, eviction if limits else "value"
        self.within = False

    def refused_or(self, expected: Callable[[], list[str]], call: Callable[[], list[str]]) -> None:
        before = sorted(self.oracle.records)
        try:
            evicted = expected()
        except NoRoomError:
            event("no room")
            with pytest.raises(memspan.QuotaError):
                call()
            assert self.index.ids(user=USER) == before
            return
        event(f"evicted {min(len(evicted), 3)}")
        assert call() == evicted

    @rule(record=kept)
    def add(self, record: Kept) -> None:
        retired, expires = ends(record)
        self.refused_or(
            lambda: self.oracle.add([record], True),
            lambda: self.index.add(
                user=USER,
                id=record.id,
                at=record.at,
                kind=record.kind,
                embedding=embedding(record),
                importance=record.importance,
                pinned=record.pinned,
                retired_at=retired,
                expires_at=expires,
            ),
        )

    @rule(records=batches)
    def add_one_by_one(self, records: list[Kept]) -> None:
        for record in records:
            self.add(record)

    @rule(records=batches, ids=some_ids)
    def use_and_add(self, records: list[Kept], ids: list[str]) -> None:
        self.note_uses(ids)
        self.add_one_by_one(records)

    @rule(batch=batches, evict=st.sampled_from([True, True, False]))
    def add_many(self, batch: list[Kept], evict: bool) -> None:
        def call() -> list[str]:
            pairs = self.index.add_many(
                user=USER,
                ids=[record.id for record in batch],
                ats=[record.at for record in batch],
                kinds=[record.kind for record in batch],
                embeddings=[embedding(record) for record in batch],
                importances=[record.importance for record in batch],
                pins=[record.pinned for record in batch],
                retired_ats=[ends(record)[0] for record in batch],
                expires_ats=[ends(record)[1] for record in batch],
                evict=evict,
            )
            assert {user for user, _ in pairs} <= {USER}
            return [id for _, id in pairs]

        self.refused_or(lambda: self.oracle.add(batch, evict), call)
        self.within = self.within and evict

    @rule(ids=some_ids)
    def remove(self, ids: list[str]) -> None:
        known = [id for id in ids if id in self.oracle.records]
        assert self.index.remove(user=USER, ids=ids) == len(known)
        for id in known:
            self.oracle.remove(id)

    @rule(ids=some_ids, pinned=st.booleans())
    def pin(self, ids: list[str], pinned: bool) -> None:
        known = [id for id in ids if id in self.oracle.records]
        assert self.index.pin(user=USER, ids=ids, pinned=pinned) == len(known)
        for id in known:
            self.oracle.records[id].pinned = pinned

    @rule(ids=some_ids)
    def note_uses(self, ids: list[str]) -> None:
        self.use([id for id in ids if id in self.oracle.records])
        self.index.note_uses(user=USER, ids=ids)

    @rule(axis=st.integers(0, DIM - 1), k=st.integers(1, 5), track=st.booleans())
    def search(self, axis: int, k: int, track: bool) -> None:
        hits = self.index.search(user=USER, embedding=np.eye(DIM)[axis], k=k, track=track)
        if track:
            self.use(hits.ids)

    def use(self, ids: list[str]) -> None:
        for id in ids:
            self.oracle.records[id].uses += 1

    @rule()
    def evict(self) -> None:
        if not self.oracle.capacities:
            assert self.index.evict(user=USER) == []
            return
        assert sorted(self.index.evict(user=USER)) == sorted(self.oracle.evict())
        self.within = all(
            sum(each.kind == kind and each.pinned for each in self.oracle.records.values()) <= capacity
            for kind, capacity in self.oracle.capacities.items()
        )

    @rule(force=st.booleans())
    def save_and_load(self, force: bool) -> None:
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "index"
            if force:
                self.index.consolidate(user=USER, force=True)
            self.index.save(path)
            self.index = memspan.Index.load(path, track_uses=True)

    @invariant()
    def the_same_records_are_there(self) -> None:
        assert self.index.ids(user=USER) == sorted(self.oracle.records)

    @invariant()
    def no_quota_is_passed(self) -> None:
        if not self.within or not self.oracle.capacities:
            return
        kinds = self.index.stats(user=USER)["kinds"]
        assert all(kinds.get(kind, 0) <= capacity for kind, capacity in self.oracle.capacities.items())

    def teardown(self) -> None:
        ids, counts, lasts = self.index.take_uses(user=USER)
        found = dict(zip(ids, counts.tolist(), strict=True))
        assert found == {each.id: each.uses for each in self.oracle.records.values() if each.uses}
        assert np.all(lasts > 0)
        assert self.index.take_uses(user=USER)[0] == []


def test_quotas_behave_like_the_oracle() -> None:
    short = settings(PROFILE, max_examples=60, stateful_step_count=40)
    run_state_machine_as_test(QuotaMachine, settings=short)


@pytest.mark.slow
def test_quotas_behave_like_the_oracle_for_long() -> None:
    long = settings(PROFILE, max_examples=300, stateful_step_count=60, derandomize=False)
    run_state_machine_as_test(QuotaMachine, settings=long)
