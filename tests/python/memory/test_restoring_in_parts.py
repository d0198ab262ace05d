"""Very many records that come back from the cold tier do so a part at a time, and all together or not at all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from numbered_turns import live, turns

from memspan import Memory, QuotaError, Quotas
from memspan.remember.capacity import cold
from memspan.store.sqlite.cold import SqliteColdReader

Open = Callable[..., Memory]
OLD = [f"m{n}" for n in range(6)]


@pytest.fixture
def memory(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """m0 to m5 are in the cold tier, m6 to m13 in memory."""
    monkeypatch.setattr(cold, "_PIECE", 2, raising=False)
    opened = open_memory(quotas=Quotas(capacity=20, eviction="oldest"))
    opened.add(turns(*range(14)), user="ana")
    assert live(opened) == {f"m{n}" for n in range(6, 14)}
    return opened


def test_those_of_a_part_make_no_room_for_those_of_the_next(open_memory: Open, memory: Memory) -> None:
    assert memory.restore(user="ana", ids=OLD) == OLD
    assert live(memory) == {*OLD, "m12", "m13"}
    memory.add(turns(14), user="ana")
    assert live(memory) == {*OLD[1:], "m12", "m13", "m14"}, "nobody pinned them"
    assert memory.verify() == []
    assert live(open_memory()) == live(memory)


def test_without_room_for_the_last_part_nothing_changes(open_memory: Open, memory: Memory) -> None:
    memory.pin(user="ana", ids=["m6", "m7", "m8"])
    before = live(memory)
    with pytest.raises(QuotaError, match="bring back fewer"):
        memory.restore(user="ana", ids=OLD)
    assert live(memory) == before
    assert {evicted.id for evicted in memory.evicted(user="ana")} == set(OLD)
    assert memory.verify() == []
    memory.add(turns(14), user="ana")
    assert live(memory) == {*before, "m14"} - {"m9"}
    assert live(open_memory()) == live(memory)


@pytest.mark.parametrize("reembedded", [False, True])
def test_no_more_than_a_part_is_read_at_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, reembedded: bool
) -> None:
    if reembedded:
        memory.reembed("hash:16")
    read: list[int] = []
    fetch = SqliteColdReader.fetch

    def note(self: SqliteColdReader, user: str, ids: Sequence[str], **options: Any) -> Any:
        read.append(len(ids))
        return fetch(self, user, ids, **options)

    monkeypatch.setattr(SqliteColdReader, "fetch", note)
    assert memory.restore(user="ana", ids=OLD, originals=True) == OLD
    assert max(read) == 2
    assert memory.verify() == []
