"""`Memory.supersede(text=)` where the kind is full: something makes room, and `undo` brings it back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memspan import Memory, Quotas
from memspan.embed import HashEmbedder
from memspan.errors import QuotaError

from .test_undo import rows
from .test_undo_evictions import FOUR, fact

OLDEST = FOUR
VALUE = Quotas(capacity=6, shares=FOUR.shares, eviction="value")


@pytest.fixture(params=[OLDEST, VALUE], ids=["oldest", "value"])
def memory(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Memory]:
    with Memory(tmp_path / "m.memspan", HashEmbedder(dim=64), auto_consolidate=False) as opened:
        opened.add_records([fact(f"f{day}", day) for day in range(4)])
        opened.set_quotas(request.param, user="ana")
        yield opened


def path(memory: Memory) -> Path:
    return Path(memory._engine.store.path)


@pytest.mark.parametrize("retired", [(), ("f2",)])
def test_something_makes_room_and_comes_back(memory: Memory, retired: tuple[str, ...]):
    if retired:
        memory.retire(user="ana", ids=retired)
    before = rows(path(memory))
    new = memory.supersede(user="ana", id="f3", text="Ana stays at home.")
    assert new in {record.id for record in memory.latest(user="ana")}
    (gone,) = memory.evicted(user="ana")
    run = memory.runs("ana")[0]
    assert (run.action, run.state) == ("supersede", "done")
    assert run.changes == len({"f3", new, gone.record.id})
    undone = memory.undo(run.id)
    assert (undone.removed, undone.cold) == (1, ())
    assert memory.evicted(user="ana") == []
    assert memory.get(user="ana", id=new) is None
    assert rows(path(memory)) == before
    assert memory.verify() == []


def test_it_is_done_again_after_it_was_undone(memory: Memory):
    memory.supersede(user="ana", id="f0", text="Ana stays at home.")
    memory.undo(memory.runs("ana")[0].id)
    new = memory.supersede(user="ana", id="f0", text="Ana stays at home.")
    assert memory.history(user="ana", id=new).versions[0].record.text == "Ana stays at home."
    assert [run.state for run in memory.runs("ana")] == ["done", "undone"]


def test_the_successor_stays_however_old(memory: Memory):
    new = memory.supersede(user="ana", id="f3", text="Ana stayed at home.", at="2020-01-01")
    assert new in {record.id for record in memory.latest(user="ana")}
    assert len(memory.evicted(user="ana")) == 1


def test_without_room_nothing_changes(memory: Memory):
    memory.pin(user="ana", ids=["f0", "f1", "f2", "f3"])
    before = rows(path(memory))
    with pytest.raises(QuotaError):
        memory.supersede(user="ana", id="f0", text="Ana stays at home.")
    assert rows(path(memory)) == before
    assert memory.runs("ana") == []
    assert memory.verify() == []
