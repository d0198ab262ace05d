"""Times to live in the cold tier: what was evicted expires as what is in memory does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from memspan import Memory
from memspan.embed import HashEmbedder
from memspan.lifecycle.expiring import Expired, expired_ids, sweep
from memspan.store.cold import EVICTED, ORIGINAL
from memspan.times import from_micros, now_micros

HOUR = 3600.0
LATER = 2 * 3600 * 1_000_000
TEXT = "Anna said that she will move to Lisbon in May because the new office there opens."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """Ana has four turns in memory and six in the cold tier, Ben one of each."""
    with Memory(tmp_path / "m", HashEmbedder(dim=16), quotas=10, auto_consolidate=False) as opened:
        opened.add([{"id": f"m{n}", "text": f"sesame tea {n}"} for n in range(10)], user="ana")
        opened.add([{"id": f"b{n}", "text": f"sesame milk {n}"} for n in range(5)], user="ben")
        assert len(opened.evicted(user="ana")) == 6
        yield opened


def cold(memory: Memory, user: str = "ana") -> set[str]:
    return {one.record.id for one in memory.evicted(user=user)}


def on_disk(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


def test_a_lifetime_by_kind_reaches_the_cold_tier(memory: Memory, tmp_path: Path) -> None:
    assert memory.set_lifetime("episodic", HOUR, "ana") == 10
    assert memory.set_lifetime("episodic", HOUR, "ana") == 0
    for one in memory.evicted(user="ana"):
        assert one.record.expires_at is not None
        assert one.record.recorded_at is not None
        assert (one.record.expires_at - one.record.recorded_at).total_seconds() == HOUR
    assert sweep(memory._engine, now=now_micros() + LATER) == Expired(records=10, users=1)
    assert cold(memory) == set()
    assert len(cold(memory, "ben")) == 1
    assert b"sesame tea" not in on_disk(tmp_path)
    entries = memory.audit(user="ana", action="expire")
    assert [len(one.records) for one in entries] == [4, 6]
    assert memory.verify() == []


def test_everybodys_lifetime_passes_over_other_kinds_and_ends_of_their_own(tmp_path: Path) -> None:
    with Memory(tmp_path / "own", "hash:16", quotas=10) as memory:
        memory.add([{"id": f"s{n}", "text": f"tea {n}", "kind": "semantic"} for n in range(5)], user="ana")
        memory.add([{"id": "own", "text": "milk"}], user="ana", ttl=7)
        memory.add([{"id": f"m{n}", "text": f"tea {n}"} for n in range(4)], user="ana")
        assert cold(memory) == {"s0", "own"}
        memory.set_lifetime("episodic", HOUR)
        ends = {one.record.id: one.record.expires_at for one in memory.evicted(user="ana")}
        assert ends["s0"] is None
        assert ends["own"] < from_micros(now_micros() + 8_000_000)
        memory.set_lifetime("episodic", None)
        assert {one.record.id for one in memory.evicted(user="ana") if one.record.expires_at} == {"own"}


def test_a_restored_record_carries_its_end(memory: Memory) -> None:
    memory.set_lifetime("episodic", HOUR)
    assert memory.restore(user="ana", ids=["m0"]) == ["m0"]
    record = memory.get(user="ana", id="m0")
    assert record is not None
    assert record.expires_at is not None
    memory.set_lifetime("episodic", 0.01)
    time.sleep(0.05)
    assert memory.restore(user="ana", ids=["m1"]) == []


def test_only_what_is_this_users_expires(memory: Memory) -> None:
    memory.set_lifetime("episodic", 0.01)
    time.sleep(0.05)
    assert memory.consolidate("ben").upkeep.expired == 5
    assert len(cold(memory)) == 6
    assert cold(memory, "ben") == set()
    assert memory.consolidate("ana").upkeep.expired == 10
    assert memory.stats("ana")["cold"]["evicted"] == 0
    memory.set_lifetime("episodic", None)
    memory.consolidate()
    assert memory.users() == []


def test_a_dry_run_counts_the_cold_tier(memory: Memory) -> None:
    memory.set_lifetime("episodic", 0.01)
    time.sleep(0.05)
    assert set(expired_ids(memory._engine, "ana")["ana"]) == {f"m{n}" for n in range(10)}
    assert set(expired_ids(memory._engine, None)) == {"ana", "ben"}
    planned = memory.consolidate("ana", dry_run=True).upkeep
    assert planned.expired == 10
    assert memory.consolidate("ana").upkeep.expired == 10


def test_an_original_lives_as_long_as_its_evicted_record(tmp_path: Path) -> None:
    with Memory(tmp_path / "originals", "hash:16", auto_consolidate=False) as memory:
        memory.add([{"id": "a", "text": TEXT}], user="ana", ttl=0.5)
        memory.compress("ana", "uniform", 0.4)
        shortened = memory.get(user="ana", id="a")
        assert shortened is not None
        longer = replace(shortened, expires_at=from_micros(now_micros() + LATER))
        with memory._engine.changing() as change:
            change.writer.cold.evict([longer], now_micros())
            change.apply(lambda index: index.remove(user="ana", ids=["a"]))
        soon = now_micros() + 3_000_000
        assert expired_ids(memory._engine, "ana", soon) == {}
        sweep(memory._engine, "ana", soon)
        assert cold(memory) == {"a"}
        assert memory.original(user="ana", id="a") is not None
        sweep(memory._engine, "ana", now_micros() + 2 * LATER)
        with memory._engine.store.reading() as reader:
            assert reader.cold.counts() == {EVICTED: 0, ORIGINAL: 0}


def test_what_is_held_in_the_cold_tier_stays(memory: Memory) -> None:
    with memory._engine.changing() as change:
        (copy,) = change.writer.cold.fetch("ana", ["m0"]).values()
        change.writer.cold.evict([replace(copy.record, held=True)], now_micros())
    memory.set_lifetime("episodic", 0.01)
    time.sleep(0.05)
    memory.consolidate("ana")
    assert cold(memory) == {"m0"}


def test_names_of_what_expires_there_leave_the_memory_of_the_process(tmp_path: Path) -> None:
    with Memory(tmp_path / "names", "hash:16", quotas=10, auto_consolidate=False) as memory:
        memory.add({"id": "old", "text": "tea", "speaker": "Wolfsbane"}, user="ana", ttl=HOUR)
        memory.search("What did Wolfsbane drink?", user="ana", track=False)
        memory.add([{"id": f"m{n}", "text": f"milk {n}"} for n in range(4)], user="ana")
        assert cold(memory) == {"old"}
        vocabulary = memory._engine.vocabularies
        assert vocabulary._known
        assert sweep(memory._engine, now=now_micros() + LATER).records == 1
        assert not vocabulary._known


@pytest.mark.parametrize("evicted", [False, True])
def test_evicted_versions_go_with_their_record(tmp_path: Path, evicted: bool) -> None:
    """Whether it lies in memory or in the cold tier itself; those that are held stay."""
    with Memory(tmp_path / "versions", "hash:16") as memory:
        memory.add([{"id": id_, "text": "sesame", "kind": "semantic"} for id_ in ("a", "b")], user="ana")
        memory.add(
            [{"id": id_, "text": "tea", "kind": "semantic"} for id_ in ("a", "b")], user="ana", ttl=HOUR
        )
        memory.set_quotas(3)
        if evicted:
            memory.add({"id": "c", "text": "milk", "kind": "semantic"}, user="ana")
            assert {"a", "b"} <= cold(memory)
        (kept,) = (id_ for id_ in cold(memory) if id_.startswith("b@"))
        memory.hold(user="ana", id=kept)
        sweep(memory._engine, now=now_micros() + LATER)
        assert cold(memory) == {kept}
        assert memory.verify() == []
        memory.release(user="ana", id=kept)
        memory.forget(user="ana", id=kept)
    assert b"sesame" not in on_disk(tmp_path)
