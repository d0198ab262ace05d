"""A write that fails leaves the index as it was, and does not make it anew: that takes seconds for 100,000 records, in
which nobody finds anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from memspan.errors import QuotaError, StoreError
from memspan.lifecycle.quotas import Quotas
from memspan.memory import Memory
from memspan.records import Record
from memspan.store import StoreWriter
from memspan.times import from_micros

Call = Callable[[Memory], object]

CHANGES: dict[str, Call] = {
    "new records": lambda memory: memory.add([f"new text {number}" for number in range(5)], user="ana"),
    "one that makes another go": lambda memory: memory.add("new text", user="ana"),
    "many": lambda memory: memory.add([f"new text {number}" for number in range(300)], user="ben"),
    "somebody new": lambda memory: memory.add("new text", user="cleo", tags=["new"]),
    "other words": lambda memory: memory.add([{"id": "m7", "text": "other text"}], user="ana"),
    "retired": lambda memory: memory.retire(user="ana", ids=["m7", "m8"]),
    "superseded": lambda memory: memory.supersede(user="ana", id="m7", text="other text"),
    "pinned": lambda memory: memory.pin(user="ana", ids=["m7"]),
    "held": lambda memory: memory.hold(user="ana", id=["m7", "m8"]),
    "restored": lambda memory: memory.restore(user="ana", ids=["m0", "m1"]),
    "shortened": lambda memory: memory.compress("ana", "uniform", 0.5),
    "forgotten": lambda memory: memory.forget(user="ana", id="m7"),
}
OTHER_CHANGES: dict[str, Call] = {
    "a relation": lambda memory: memory.relate(user="ana", parent="b", child="c"),
    "quotas": lambda memory: memory.set_quotas(room_for(3), user="ana"),
    "a user": lambda memory: memory.forget(user="ben"),
}


def room_for(turns: int, eviction: str = "value") -> Quotas:
    count = {"episodic": turns, "semantic": 1, "procedural": 1}
    total = sum(count.values())
    return Quotas(
        capacity=total, shares={kind: each / total for kind, each in count.items()}, eviction=eviction
    )


@pytest.fixture
def filled(memory: Memory) -> Memory:
    """Ana has as many records as there is room for, and others in the cold tier."""
    memory.set_quotas(room_for(10, "oldest"), user="ana")
    for user, count in (("ana", 12), ("ben", 5)):
        memory.add(
            [
                {
                    "id": f"m{n}",
                    "text": f"text {n} of a very long day",
                    "tags": [f"t{n}"],
                    "at": f"2024-01-{n + 1:02}",
                }
                for n in range(count)
            ],
            user=user,
        )
    memory.relate(user="ana", parent="a", child="t11")
    return memory


@contextmanager
def failing(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No transaction can be committed, as on a full disk."""
    store = memory._engine.store
    writing = store.writing

    @contextmanager
    def full() -> Iterator[StoreWriter]:
        with writing() as writer:
            yield writer
            raise StoreError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(store, "writing", full)
        yield


def said(record: Record) -> tuple[Any, ...]:
    return record.id, record.text, record.at, record.tags, record.pinned, record.held


def observed(memory: Memory) -> dict[str, Any]:
    index = memory._engine.current()
    return {
        user: (
            [(hit.score, said(hit.record)) for hit in memory.search("text", user=user, k=1000, track=False)],
            [hit.id for hit in memory.latest(user, k=1000)],
            index.ids(user=user),
            index.tags(user=user, retired=True),
            index.stats(user=user)["kinds"],
        )
        for user in ("ana", "ben", "cleo")
    }


@pytest.mark.parametrize("name", CHANGES)
def test_the_index_is_what_it_was(filled: Memory, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    before, index = observed(filled), filled._engine.current()
    with failing(filled, monkeypatch), pytest.raises(StoreError, match="the disk is full"):
        CHANGES[name](filled)
    assert filled._engine.current() is index
    assert observed(filled) == before
    assert filled.verify() == []
    CHANGES[name](filled)
    assert filled._engine.current() is index
    assert observed(filled) != before
    assert filled.verify() == []


@pytest.mark.parametrize("name", OTHER_CHANGES)
def test_what_is_more_than_records_is_made_anew(
    filled: Memory, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    before, index = observed(filled), filled._engine.current()
    with failing(filled, monkeypatch), pytest.raises(StoreError, match="the disk is full"):
        OTHER_CHANGES[name](filled)
    assert filled._engine.current() is not index
    assert observed(filled) == before
    assert filled.verify() == []


def test_what_others_wrote_meanwhile_is_there(
    filled: Memory, open_memory: Callable[..., Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = open_memory()
    with failing(filled, monkeypatch), pytest.raises(StoreError):
        filled.add([{"id": "m7", "text": "text in vain"}, {"id": "new", "text": "text in vain"}], user="ana")
    other.add([{"id": "m7", "text": "text of the other"}, {"id": "new2", "text": "text"}], user="ana")
    assert observed(filled) == observed(other)
    assert filled.verify() == []


def test_uses_of_what_had_gone_come_back(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["apples grow", "boats sail", "cats sleep", "dogs bark", "eels swim"]
    memory.set_quotas(room_for(3), user="ana")
    memory.add([{"id": f"m{n}", "text": words[n], "at": f"2024-01-{n + 1:02}"} for n in range(3)], user="ana")
    for _ in range(3):
        memory.search("apples", user="ana", k=1, between=("2024-01-01", "2024-01-02"))
    memory._engine.write_uses()
    with failing(memory, monkeypatch), pytest.raises(StoreError):
        memory.forget(user="ana", id="m0")
    memory.add(
        [{"id": f"n{n}", "text": words[n + 3], "at": f"2024-02-{n + 1:02}"} for n in range(2)], user="ana"
    )
    assert sorted(memory._engine.current().ids(user="ana")) == ["m0", "n0", "n1"]


def test_a_record_without_room_costs_nobody_else_anything(filled: Memory) -> None:
    filled.pin(user="ana", ids=[hit.id for hit in filled.latest("ana", k=100)])
    before, index = observed(filled), filled._engine.current()
    with pytest.raises(QuotaError):
        filled.supersede(user="ana", id="m9", text="text for which there is no room")
    assert filled._engine.current() is index
    assert observed(filled) == before
    assert filled.verify() == []


def test_a_full_disk_does_not_deny_what_was_committed_before(memory: Memory) -> None:
    at = from_micros(0)
    records = [Record(id=f"m{n}", user="ana", text=f"{n} " + "long " * 2000, at=at) for n in range(30)]
    with memory._engine.store._pool.writer() as connection:  # type: ignore[attr-defined]
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 30}")
    with pytest.raises(StoreError, match="no space left for the database") as raised:
        memory.add_records(records, batch=1)
    assert "the transaction that failed changed nothing" in str(raised.value)
    there = [recall.id for recall in memory.latest("ana", k=100)]
    assert 0 < len(there) < len(records)
    assert memory.verify() == []
