"""What looking back tells of records that were shortened or evicted since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

from memspan import Memory, Quotas
from memspan.times import from_micros, now_micros

TEXT = "Anna said that she will move to Lisbon in May because the new office there opens."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m", "hash:32", auto_consolidate=False) as opened:
        yield opened


def now() -> datetime:
    return from_micros(now_micros())


@pytest.mark.parametrize("kept", [True, False])
def test_as_of_gives_the_wording_of_then(memory: Memory, kept: bool) -> None:
    (id_,) = memory.add(TEXT, user="ana")
    before = now()
    memory.compress("ana", "uniform", 0.4, keep_originals=kept)
    short = memory.get(user="ana", id=id_)
    assert short is not None
    assert short.text != TEXT
    (then,) = memory.search("Lisbon", user="ana", as_of=before)
    (later,) = memory.search("Lisbon", user="ana", as_of=now())
    assert later.text == short.text
    assert then.text == then.record.text == (TEXT if kept else short.text)
    if kept:
        assert then.record.fidelity == 1
        assert "compression" not in then.record.metadata


def test_as_of_gives_the_wording_of_then_where_the_short_one_got_other_metadata(memory: Memory) -> None:
    memory.add({"id": "a", "text": TEXT}, user="ana")
    before = now()
    memory.compress("ana", "uniform", 0.4)
    between = now()
    short = memory.get(user="ana", id="a")
    assert short is not None
    memory.add_records([replace(short, metadata={**short.metadata, "seen": True}, recorded_at=None)])

    def read(then: datetime) -> list[str]:
        return [one.text for one in memory.search("Lisbon", user="ana", as_of=then)]

    assert [read(then) for then in (before, between, now())] == [[TEXT], [short.text], [short.text]]
    assert memory.verify() == []
    memory.forget(user="ana", id="a")
    folder = Path(memory._engine.store.path).parent
    assert not any(b"new office there" in file.read_bytes() for file in folder.iterdir() if file.is_file())


def test_a_superseded_record_that_was_evicted_is_history(memory: Memory) -> None:
    memory.set_quotas(Quotas(capacity=10))
    for n in range(4):
        memory.add([{"id": f"m{n}", "text": f"Ana lives in town {n}", "kind": "semantic"}], user="ana")
    new = memory.supersede(user="ana", id="m0", text="Ana lives in Rome")
    newest = memory.supersede(user="ana", id=new, text="Ana lives in Oslo")
    cold = {one.record.id: one.moved_at for one in memory.evicted(user="ana")}
    assert set(cold) == {"m0", new}
    history = memory.history(user="ana", id=newest)
    assert history is not None
    assert [(one.record.id, one.evicted_at, one.action) for one in history.before] == [
        ("m0", cold["m0"], "supersede"),
        (new, cold[new], "supersede"),
    ]
    assert history.versions[0].evicted_at is None
    assert history.to_dict()["before"][0]["evicted_at"] == cold["m0"].isoformat()
    oldest = memory.history(user="ana", id="m0")
    assert oldest is not None
    assert [one.record.id for one in oldest.versions] == ["m0"]
    assert [one.record.id for one in oldest.after] == [new, newest]


def test_an_evicted_version_is_history(memory: Memory) -> None:
    for text in ("one", "two", "three"):
        memory.add([{"id": "a", "text": text}], user="ana", at="2023-01-01")
    whole = memory.history(user="ana", id="a")
    assert whole is not None
    memory.set_quotas(Quotas(capacity=5))  # two of them episodic
    left = memory.history(user="ana", id="a")
    assert left is not None
    assert [one.record.text for one in left.versions] == ["one", "two", "three"]
    assert [one.since for one in left.versions] == [one.since for one in whole.versions]
    gone = [one.record.id for one in left.versions if one.evicted_at is not None]
    assert gone == [one.record.id for one in memory.evicted(user="ana")]
    assert len(gone) == 1
    again = memory.history(user="ana", id=gone[0])
    assert again is not None
    assert again.to_dict() == left.to_dict()
    memory.forget(user="ana", id="a")
    assert memory.history(user="ana", id="a") is None


def test_what_expired_in_the_cold_tier_stays_out(memory: Memory) -> None:
    memory.set_quotas(Quotas(capacity=10))
    memory.add([{"id": "gone", "text": "Ana is here", "kind": "semantic"}], user="ana", ttl=0.001)
    memory.add([{"id": f"m{n}", "text": f"Ana {n}", "kind": "semantic"} for n in range(4)], user="ana")
    assert {one.record.id for one in memory.evicted(user="ana")} >= {"gone"}
    assert memory.history(user="ana", id="gone") is None
