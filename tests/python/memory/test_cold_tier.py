"""The cold tier of a memory: listing it, and bringing records back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pytest
from numbered_turns import live, turns

from memspan import InvalidArgumentError, Memory, QuotaError, Quotas, Record
from memspan.remember.writing.indexing import write_records
from memspan.times import from_micros, now_micros

Open = Callable[..., Memory]
OLDEST = Quotas(capacity=10, eviction="oldest")


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    """m0 and m1 are in the cold tier, m2 to m5 in memory."""
    opened = open_memory(quotas=OLDEST)
    opened.add(turns(*range(6), tags=["given"], metadata={"city": "Oslo"}, importance=0.3), user="ana")
    return opened


def test_what_was_evicted(memory: Memory) -> None:
    before = datetime.now(timezone.utc) - timedelta(minutes=1)
    listed = memory.evicted(user="ana")
    assert {evicted.id for evicted in listed} == {"m0", "m1"}
    first = next(evicted for evicted in listed if evicted.id == "m0")
    assert first.record.text == "turn number 0"
    assert first.record.metadata == {"city": "Oslo"}
    assert before < first.moved_at <= datetime.now(timezone.utc)
    assert first.last_source_of == ()
    assert len(memory.evicted(user="ana", k=1)) == 1
    assert memory.evicted(user="ana", kinds=["semantic"]) == []
    assert memory.evicted(user="ben") == []
    assert [evicted.id for evicted in memory.user("ana").evicted()] == [evicted.id for evicted in listed]


def same_content(one: Record, other: Record) -> bool:
    """Whether two records say the same; embeddings are not compared."""
    parts = [field.name for field in fields(Record) if field.name not in ("embedding", "recorded_at")]
    return all(getattr(one, part) == getattr(other, part) for part in parts)


@pytest.mark.parametrize("arguments", [{"user": ""}, {"k": 0}, {"kinds": ["x"]}, {"kinds": "vault"}])
def test_refused_lists(memory: Memory, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        memory.evicted(**{"user": "ana", **arguments})


def test_restoring_into_a_full_kind(open_memory: Open, memory: Memory) -> None:
    other = open_memory()
    before = memory.evicted(user="ana")
    assert sorted(memory.restore(user="ana", ids=["m0", "m1", "unknown", "m5"])) == ["m0", "m1"]
    assert live(memory) == {"m0", "m1", "m4", "m5"}
    assert {evicted.id for evicted in memory.evicted(user="ana")} == {"m2", "m3"}
    for evicted in before:
        record = memory.get(user="ana", id=evicted.id)
        assert record is not None
        assert same_content(record, evicted.record)
        assert record.recorded_at == evicted.record.recorded_at
        assert not record.pinned
    found = memory.search("turn number 0", user="ana", k=1)
    assert found[0].id == "m0"
    assert memory.restore(user="ana", ids=["m0"]) == []
    for handle in (memory, other):
        assert handle.verify() == []
    assert {recall.id for recall in other.latest(user="ana")} == live(memory)


def test_restored_ones_are_the_next_to_go_unless_pinned(memory: Memory) -> None:
    memory.restore(user="ana", ids=["m0"])
    memory.restore(user="ana", ids=["m1"], pin=True)
    assert live(memory) == {"m1", "m3", "m4", "m5"} or live(memory) == {"m0", "m1", "m4", "m5"}
    memory.add(turns(6, 7, 8), user="ana")
    assert live(memory) == {"m1", "m6", "m7", "m8"}


def test_more_than_there_is_room_for(memory: Memory) -> None:
    memory.add(turns(6, 7, 8), user="ana")
    before = live(memory)
    with pytest.raises(
        QuotaError, match="have to stay, pinned, held or brought back with it, are more.* bring back fewer"
    ):
        memory.restore(user="ana", ids=["m0", "m1", "m2", "m3", "m4"])
    memory.pin(user="ana", ids=sorted(before))
    with pytest.raises(QuotaError):
        memory.restore(user="ana", ids=["m0"])
    assert live(memory) == before
    assert len(memory.evicted(user="ana")) == 5
    assert memory.verify() == []


@pytest.mark.parametrize(
    "arguments", [{"ids": "m0"}, {"ids": [""]}, {"pin": 1}, {"originals": "no"}, {"user": ""}]
)
def test_refused_restores(memory: Memory, arguments: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgumentError):
        memory.restore(**{"user": "ana", "ids": ["m0"], **arguments})
    assert live(memory) == {"m2", "m3", "m4", "m5"}


def test_adding_it_again_brings_it_back(memory: Memory) -> None:
    (old,) = [evicted.record for evicted in memory.evicted(user="ana") if evicted.id == "m1"]
    memory.pin(user="ana", ids=["m4", "m5"])
    memory.add(turns(1, tags=["given"], metadata={"city": "Oslo"}, importance=0.3), user="ana")
    assert live(memory) == {"m1", "m3", "m4", "m5"}
    record = memory.get(user="ana", id="m1")
    assert record is not None
    assert record.recorded_at == old.recorded_at
    assert {evicted.id for evicted in memory.evicted(user="ana")} == {"m0", "m2"}
    memory.set_quotas(None)
    memory.add([{"id": "m0", "text": "something else", "at": 0}], user="ana")
    assert {evicted.id for evicted in memory.evicted(user="ana")} == {"m2"}
    assert memory.get(user="ana", id="m0").text == "something else"  # type: ignore[union-attr]
    assert memory.verify() == []


def test_the_last_source(memory: Memory, caplog: pytest.LogCaptureFixture) -> None:
    memory.add([{"id": "fact", "text": "a fact", "kind": "semantic", "sources": ["m2", "m3"]}], user="ana")
    memory.add(turns(6), user="ana")
    assert memory.stats("ana")["unsourced"] == 0
    assert not caplog.records
    with caplog.at_level("WARNING", "memspan"):
        memory.add(turns(7), user="ana")
    assert "evicted records of user 'ana' were the last sources of 1 derived" in caplog.text
    assert memory.stats("ana")["unsourced"] == 1 == memory.stats()["unsourced"]
    found = {evicted.id: evicted.last_source_of for evicted in memory.evicted(user="ana")}
    assert found == {"m0": (), "m1": (), "m2": ("fact",), "m3": ("fact",)}
    memory.restore(user="ana", ids=["m2"], pin=True)
    assert memory.stats("ana")["unsourced"] == 0
    assert not any(evicted.last_source_of for evicted in memory.evicted(user="ana"))


def test_each_that_loses_its_last_source_is_named(
    open_memory: Open, caplog: pytest.LogCaptureFixture
) -> None:
    shares = {"episodic": 0.1, "semantic": 0.8, "procedural": 0.1}
    memory = open_memory(quotas=Quotas(capacity=40, shares=shares, eviction="oldest"))
    facts = [
        {"id": f"fact{n:02}", "text": f"fact {n}", "kind": "semantic", "sources": [f"m{n % 2}"]}
        for n in range(10)
    ]
    for user, derived in (("ana", facts), ("ben", facts[:1])):
        memory.add(turns(*range(4)), user=user)
        memory.add(derived, user=user)
    with caplog.at_level("WARNING", "memspan"):
        memory.add(turns(4, 5), user="ana")
        memory.add(turns(4), user="ben")
    assert [record.getMessage() for record in caplog.records] == [
        "2 evicted records of user 'ana' were the last sources of 10 derived ones: 'fact00', 'fact01', 'fact02', "
        "'fact03', 'fact04', 'fact05', 'fact06', 'fact07' and 2 more",
        "1 evicted records of user 'ben' were the last sources of 1 derived ones: 'fact00'",
    ]


def test_another_embedder_embeds_what_comes_back(memory: Memory) -> None:
    memory.reembed("hash:16")
    assert memory.restore(user="ana", ids=["m0"], pin=True) == ["m0"]
    expected = memory._engine.embedder.documents(["turn number 0"])[0]
    np.testing.assert_array_equal(memory.get(user="ana", id="m0").embedding, expected)  # type: ignore[union-attr, arg-type]
    memory.add(turns(1, importance=1.0), user="ana")
    assert memory.verify() == []


def test_what_expired_does_not_come_back(open_memory: Open) -> None:
    memory = open_memory(quotas=OLDEST)
    soon = from_micros(now_micros() + 150_000)
    for n in range(5):
        record = Record(
            id=f"m{n}", user="ana", text="x", at=from_micros(n), expires_at=soon if n == 0 else None
        )
        memory.add_records([record])
    (evicted,) = memory.evicted(user="ana")
    assert evicted.record.expires_at == soon
    while now_micros() <= evicted.record.expires_at.timestamp() * 1e6 + 1000:
        pass
    assert memory.restore(user="ana", ids=["m0"]) == []


def test_originals(memory: Memory) -> None:
    engine = memory._engine
    before = memory.get(user="ana", id="m5")
    assert before is not None
    with engine.changing() as change:
        change.writer.cold.keep_originals([before], now_micros())
        metadata = {**before.metadata, "compression": {"ratio": 0.5}}
        short = replace(before, text="turn 5", fidelity=0.8, metadata=metadata)
        write_records(change, [short])
    memory.pin(user="ana", ids=["m5"])
    assert "m5" not in {evicted.id for evicted in memory.evicted(user="ana")}
    assert memory.original(user="ana", id="m5").text == "turn number 5"  # type: ignore[union-attr]
    assert memory.original(user="ana", id="m4") is None
    assert memory.stats("ana")["cold"] == {"evicted": 2, "originals": 1}
    assert memory.restore(user="ana", ids=["m5"]) == []
    assert memory.restore(user="ana", ids=["m5", "m4"], originals=True) == ["m5"]
    after = memory.get(user="ana", id="m5")
    assert after is not None
    assert same_content(replace(after, pinned=False), before)
    assert after.pinned
    assert memory.original(user="ana", id="m5") is None
    assert memory.verify() == []


def test_an_original_comes_back_from_the_cold_tier(memory: Memory) -> None:
    before = memory.get(user="ana", id="m2")
    assert before is not None
    with memory._engine.changing() as change:
        change.writer.cold.keep_originals([before], now_micros())
        write_records(change, [replace(before, text="turn 2")])
    memory.add(turns(6), user="ana")
    assert "m2" not in live(memory)
    assert memory.restore(user="ana", ids=["m2"], originals=True, pin=True) == ["m2"]
    assert memory.get(user="ana", id="m2").text == "turn number 2"  # type: ignore[union-attr]
    assert memory.stats("ana")["cold"] == {"evicted": 3, "originals": 0}
    assert memory.verify() == []


def test_another_text_has_no_original(memory: Memory) -> None:
    before = memory.get(user="ana", id="m5")
    assert before is not None
    with memory._engine.changing() as change:
        change.writer.cold.keep_originals([before], now_micros())
    memory.add(turns(5, tags=["other"]), user="ana")
    assert memory.original(user="ana", id="m5") is not None
    memory.add([{"id": "m5", "text": "something else", "at": 0}], user="ana")
    assert memory.original(user="ana", id="m5") is None


def test_what_was_never_shortened_comes_back_beside_originals(memory: Memory) -> None:
    assert memory.restore(user="ana", ids=["m0"], originals=True, pin=True) == ["m0"]
    record = memory.get(user="ana", id="m0")
    assert record is not None
    assert record.pinned
