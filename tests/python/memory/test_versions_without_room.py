"""Corrections in a kind that is full of what has to stay: what was said before goes to the cold tier at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from numbered_turns import live, turns

from memspan import Memory, QuotaError, Quotas

Open = Callable[..., Memory]
FOUR = [f"m{n}" for n in range(4)]


def keep_all(memory: Memory, how: str) -> None:
    if how == "pin":
        memory.pin(user="ana", ids=FOUR)
    else:
        memory.hold(user="ana", id=FOUR)


def said(memory: Memory, id_: str) -> list[tuple[str, bool]]:
    """What a record said, one after the other, and whether that lies in the cold tier."""
    history = memory.history(user="ana", id=id_)
    assert history is not None
    return [(one.record.text, one.evicted_at is not None) for one in history.versions]


@pytest.fixture(params=["oldest", "value"])
def full(open_memory: Open, request: pytest.FixtureRequest) -> Memory:
    memory = open_memory(quotas=Quotas(capacity=10, eviction=request.param))
    memory.add(turns(*range(4)), user="ana")
    return memory


def correct(memory: Memory, *numbers: int, **more: Any) -> None:
    memory.add([{"id": f"m{n}", "text": f"corrected {n}", "at": n, **more} for n in numbers], user="ana")


@pytest.mark.parametrize("how", ["pin", "hold"])
def test_what_is_kept_by_force_can_be_corrected(full: Memory, open_memory: Open, how: str) -> None:
    before = {n: said(full, f"m{n}")[0][0] for n in range(4)}
    keep_all(full, how)
    correct(full, 0)
    correct(full, 1, 2)
    assert live(full) == set(FOUR)
    for memory in (full, open_memory()):
        assert said(memory, "m0") == [(before[0], True), ("corrected 0", False)]
        assert said(memory, "m2") == [(before[2], True), ("corrected 2", False)]
        assert memory.stats("ana")["cold"]["evicted"] == 3
        assert memory.verify() == []
    assert full.get(user="ana", id="m0").pinned is (how == "pin")  # type: ignore[union-attr]
    correct(full, 0)
    assert len(said(full, "m0")) == 2, "the same again changes nothing"
    versions = [one.id for one in full.evicted(user="ana")]
    if how == "hold":
        assert all(one.record.held for one in full.evicted(user="ana"))
    else:
        full.unpin(user="ana", ids=FOUR)
        full.set_quotas(20, user="ana")
        assert set(full.restore(user="ana", ids=versions)) == set(versions)
        assert said(full, "m0") == [(before[0], False), ("corrected 0", False)]


def test_other_kinds_keep_their_versions_in_memory(full: Memory) -> None:
    full.add({"id": "fact", "text": "a fact", "at": 1, "kind": "semantic"}, user="ana")
    keep_all(full, "pin")
    full.add(
        [
            {"id": "fact", "text": "another fact", "at": 1, "kind": "semantic"},
            {"id": "m0", "text": "corrected 0", "at": 0},
        ],
        user="ana",
    )
    assert said(full, "fact") == [("a fact", False), ("another fact", False)]
    assert [cold for _, cold in said(full, "m0")] == [True, False]
    assert full.verify() == []


def test_many_corrections_at_once(open_memory: Open) -> None:
    memory = open_memory(quotas=Quotas(capacity=1000, eviction="oldest"))
    count = memory.quotas("ana").capacities["episodic"]  # type: ignore[union-attr]
    assert count > 256
    memory.add(turns(*range(count)), user="ana")
    memory.pin(user="ana", ids=[f"m{n}" for n in range(count)])
    correct(memory, *range(count))
    assert len(live(memory)) == count
    assert memory.stats("ana")["cold"]["evicted"] == count
    assert memory.verify() == []


def test_what_is_new_still_needs_room(full: Memory) -> None:
    keep_all(full, "pin")
    before = said(full, "m0")
    for messages in (
        [{"id": "new", "text": "new"}],
        [{"id": "m0", "text": "corrected 0", "at": 0}, {"id": "new", "text": "new"}],
    ):
        with pytest.raises(QuotaError, match="no room for '(m0|new)'"):
            full.add(messages, user="ana")
    assert said(full, "m0") == before
    assert full.evicted(user="ana") == []
    assert full.verify() == []


@pytest.mark.parametrize("how", ["converted", "loaded"])
@pytest.mark.parametrize("held", [False, True])
def test_what_lies_in_the_cold_tier_without_a_vector_stays_as_a_version(
    full: Memory, open_memory: Open, path: Path, how: str, held: bool
) -> None:
    full.add(turns(4), user="ana")
    (evicted,) = full.evicted(user="ana")
    number = int(evicted.id[1:])
    if held:
        full.hold(user="ana", id=evicted.id)
    if how == "converted":
        memory = full
        memory.reembed("hash:16")
    else:
        file = path.with_name("export.jsonl")
        full.export("ana", file)
        memory = open_memory(path.with_name("other.memspan"))
        memory.load(file)
    correct(memory, number)
    assert said(memory, evicted.id) == [(evicted.record.text, True), (f"corrected {number}", False)]
    (version,) = (one for one in memory.evicted(user="ana") if "@" in one.id)
    assert version.record.held is held
    assert memory.verify() == []
    memory.set_quotas(None, user="ana")
    memory.set_quotas(None)
    assert memory.restore(user="ana", ids=[version.id]) == [version.id]
    assert said(memory, evicted.id) == [(evicted.record.text, False), (f"corrected {number}", False)]
    assert memory.verify() == []


@pytest.mark.parametrize("kind", ["episodic", "semantic"])
def test_a_version_makes_nothing_leave_that_is_believed(full: Memory, kind: str) -> None:
    full.add(turns(4, 5), user="ana")
    away = {one.id for one in full.evicted(user="ana")}
    believed = live(full)
    correct(full, int(max(believed)[1:]))
    assert live(full) == believed
    (version,) = (one.id for one in full.evicted(user="ana") if one.id not in away)
    assert "@" in version
    back = min(away)
    correct(full, int(back[1:]), kind=kind)
    gone = {one.id for one in full.evicted(user="ana") if "@" not in one.id} - (away - {back})
    assert len(gone) == (1 if kind == "episodic" else 0), "only for what came back to a full kind"
    assert live(full) == (believed | {back}) - gone
    assert full.verify() == []


def test_what_has_ended_when_it_comes_makes_nothing_leave(full: Memory) -> None:
    before = live(full)
    record = full.get(user="ana", id="m0")
    assert record is not None
    over = datetime(2024, 1, 1, tzinfo=timezone.utc)
    full.add_records(
        [
            replace(record, id="retired", text="not any more", retired_at=over),
            replace(record, id="expired", text="over", expires_at=over),
        ]
    )
    assert live(full) == before
    assert {one.id for one in full.evicted(user="ana")} == {"retired", "expired"}
    assert full.verify() == []
