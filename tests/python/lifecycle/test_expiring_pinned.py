"""Pins and times to live: searches do not find what has expired, and sleep does not erase it before it is unpinned."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memspan import Memory
from memspan.lifecycle.expiring import Expired, expired_ids, sweep
from memspan.times import now_micros

LATER = 2 * 3600 * 1_000_000


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m", "hash:16") as opened:
        opened.add([{"id": "a", "text": "sesame tea"}, {"id": "b", "text": "tea"}], user="ana", ttl=0.05)
        opened.pin(user="ana", ids=["a"])
        time.sleep(0.1)
        yield opened


def test_it_is_not_found_and_not_erased_until_it_is_unpinned(memory: Memory, tmp_path: Path) -> None:
    assert not memory.search("tea", user="ana")
    assert memory.latest(user="ana") == []
    assert expired_ids(memory._engine, "ana") == {"ana": ["b"]}
    assert memory.consolidate("ana", dry_run=True).upkeep.expired == 1
    assert memory.consolidate("ana").upkeep.expired == 1
    record = memory.get(user="ana", id="a")
    assert record is not None
    assert record.text == "sesame tea"
    assert memory.unpin(user="ana", ids=["a"]) == 1
    assert memory.consolidate().upkeep.expired == 1
    assert memory.get(user="ana", id="a") is None
    assert not any(b"sesame" in file.read_bytes() for file in tmp_path.iterdir())


def test_a_longer_life_brings_it_back(memory: Memory) -> None:
    memory.add([{"id": "a", "text": "sesame tea"}], user="ana", ttl=3600)
    assert [one.id for one in memory.search("tea", user="ana")] == ["a"]
    record = memory.get(user="ana", id="a")
    assert record is not None
    assert record.pinned


def test_the_pin_stays_with_another_content(memory: Memory) -> None:
    memory.add([{"id": "a", "text": "other tea"}], user="ana")
    record = memory.get(user="ana", id="a")
    assert record is not None
    assert (record.pinned, record.expires_at) == (True, None)
    memory.consolidate("ana")
    assert memory.stats("ana")["records"] == 1, "the old wording, which had expired, leaves no version"


def test_a_version_goes_unless_it_is_pinned_itself(memory: Memory) -> None:
    for text in ("one", "two", "three"):
        memory.add([{"id": "c", "text": text}], user="ana", ttl=3600)
    with memory._engine.store.reading() as reader:
        first, _ = sorted(reader.traces.versions("ana", ["c"]))
    memory.pin(user="ana", ids=[first])
    assert sweep(memory._engine, "ana", now_micros() + LATER) == Expired(records=3, users=1)
    assert memory.get(user="ana", id=first) is not None


def test_what_was_released_is_not_pinned(memory: Memory) -> None:
    memory.add([{"id": "d", "text": "one"}], user="ana", ttl=3600)
    memory.hold(user="ana", id="d")
    memory.add([{"id": "d", "text": "two"}], user="ana")
    memory.release(user="ana", id="d")
    assert sweep(memory._engine, "ana", now_micros() + LATER).records == 3
