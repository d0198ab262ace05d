"""A memory with quotas, through two handles, against a model in plain Python: nothing is lost, no capacity exceeded."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memspan import Memory, QuotaError, Quotas, Record
from memspan.lifecycle.allocations import ALLOCATIONS
from memspan.times import from_micros

USERS = ("ana", "ben")
KINDS = ("episodic", "semantic", "procedural", "resource", "vault")
IDS = tuple(f"m{n}" for n in range(14))
users = st.sampled_from(USERS)
some = st.lists(st.sampled_from(IDS), max_size=8, unique=True)
quotas = st.builds(
    Quotas,
    capacity=st.integers(5, 12),
    shares=st.sampled_from(sorted(ALLOCATIONS)),
    resource=st.none() | st.just(1),
    vault=st.none() | st.just(1),
    eviction=st.sampled_from(["value", "oldest"]),
)
records = st.lists(
    st.tuples(
        st.sampled_from(IDS),
        st.sampled_from(KINDS),
        st.integers(0, 5),
        st.none() | st.sampled_from([0.0, 0.5, 1.0]),
        st.booleans() | st.just(False),
    ),
    min_size=1,
    max_size=10,
    unique_by=lambda row: row[0],
)


def is_version(id_: str) -> bool:
    """Whether it names what a record said before: it counts for the quotas, and is no memory of its own."""
    return "@" in id_


class QuotaMachine(RuleBasedStateMachine):
    """Adds, pins, restores, forgets and changes quotas in any order, through either of two handles."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name) / "agent.memspan"
        self.handles = [Memory(self.path, "hash:8", auto_consolidate=False) for _ in range(2)]
        self.texts: dict[tuple[str, str], str] = {}
        """By user and id, of everything that was added and not forgotten."""
        self.pinned: set[tuple[str, str]] = set()
        self.steps = 0

    @property
    def memory(self) -> Memory:
        self.steps += 1
        return self.handles[self.steps % 2]

    def teardown(self) -> None:
        try:
            assert [handle.verify() for handle in self.handles] == [[], []]
        finally:
            for handle in self.handles:
                handle.close()
            self.folder.cleanup()

    def _state(self) -> Any:
        with self.handles[0]._engine.store.reading() as reader:
            return [
                (
                    {r.id: (r.text, r.kind, r.pinned) for page in reader.scan(user, 99) for r in page},
                    reader.cold.ids(user),
                )
                for user in USERS
            ]

    @rule(user=users, rows=records)
    def add(self, user: str, rows: Any) -> None:
        self.steps += 1
        made = [
            Record(
                id=id_,
                user=user,
                kind=kind,
                at=from_micros(at),
                text=f"{self.steps} {id_}",
                importance=importance,
                pinned=pinned,
            )
            for id_, kind, at, importance, pinned in rows
        ]
        before = self._state()
        try:
            self.memory.add_records(made)
        except QuotaError:
            assert self._state() == before
            return
        self.texts |= {(user, record.id): record.text for record in made}
        self.pinned |= {(user, record.id) for record in made if record.pinned}

    @rule(user=users, ids=some)
    def pin(self, user: str, ids: list[str]) -> None:
        live = self._state()[USERS.index(user)][0]
        wanted = {id_ for id_ in ids if id_ in live and not live[id_][2]}
        assert self.memory.pin(user=user, ids=ids) == len(wanted)
        self.pinned |= {(user, id_) for id_ in wanted}

    @rule(user=users, ids=some)
    def unpin(self, user: str, ids: list[str]) -> None:
        wanted = {(user, id_) for id_ in ids} & self.pinned
        assert self.memory.unpin(user=user, ids=ids) == len(wanted)
        self.pinned -= wanted

    @rule(user=users, ids=some, pin=st.booleans())
    def restore(self, user: str, ids: list[str], pin: bool) -> None:
        before = self._state()
        cold = set(before[USERS.index(user)][1])
        try:
            restored = self.memory.restore(user=user, ids=ids, pin=pin)
        except QuotaError:
            assert self._state() == before
            return
        assert set(restored) == cold.intersection(ids)
        assert set(restored) <= set(self._state()[USERS.index(user)][0])
        if pin:
            self.pinned |= {(user, id_) for id_ in restored}

    @rule(user=users | st.none(), wanted=quotas | st.none())
    def set_quotas(self, user: str | None, wanted: Quotas | None) -> None:
        before = self._state()
        known = self.handles[0].quotas(user)
        try:
            evicted = self.memory.set_quotas(wanted, user=user)
        except QuotaError:
            assert self._state() == before
            assert self.handles[0].quotas(user) == known
            return
        after = self._state()
        assert evicted == sum(len(old) - len(new) for (old, _), (new, _) in zip(before, after, strict=True))

    @rule(user=users, id_=st.sampled_from(IDS))
    def forget(self, user: str, id_: str) -> None:
        # Its versions go with it.
        assert bool(self.memory.forget(user=user, id=id_)) == ((user, id_) in self.texts)
        self.texts.pop((user, id_), None)
        self.pinned.discard((user, id_))

    @rule(which=st.booleans())
    def reopen(self, which: bool) -> None:
        self.handles[which].close()
        self.handles[which] = Memory(self.path, "hash:8", auto_consolidate=False)

    @rule(user=users)
    def search(self, user: str) -> None:
        live = self._state()[USERS.index(user)][0]
        found = self.memory.search("m1 m2 m3", user=user, k=50, kinds=list(KINDS))
        assert {recall.id for recall in found} == {id_ for id_ in live if not is_version(id_)}

    @invariant()
    def nothing_is_lost(self) -> None:
        for user, (live, cold) in zip(USERS, self._state(), strict=True):
            assert not set(live).intersection(cold)
            texts = {id_: text for id_, (text, _, _) in live.items()}
            texts |= {each.id: each.record.text for each in self.handles[0].evicted(user=user)}
            now = {id_: text for id_, text in texts.items() if not is_version(id_)}
            assert now == {id_: text for (owner, id_), text in self.texts.items() if owner == user}
            assert {id_ for id_, (_, _, pinned) in live.items() if pinned} == {
                id_ for owner, id_ in self.pinned if owner == user
            }

    @invariant()
    def capacities_are_kept(self) -> None:
        for user, (live, _) in zip(USERS, self._state(), strict=True):
            found = self.handles[1].quotas(user)
            for kind, capacity in ({} if found is None else found.capacities).items():
                if capacity is not None:
                    assert sum(each == kind for _, each, _ in live.values()) <= capacity
