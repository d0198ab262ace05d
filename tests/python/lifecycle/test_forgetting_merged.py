"""What stays for others that say the same is its own: it outlives those, and keeps nothing that came from them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memspan import Memory, Quotas, Record
from memspan.embed import HashEmbedder
from memspan.errors import HeldError
from memspan.lifecycle.merging.duplicates import Merging
from memspan.lifecycle.sleep.applying import apply_changes
from memspan.lifecycle.sleep.changes import Change

START = datetime(2023, 5, 1, tzinfo=timezone.utc)
DAY = timedelta(days=1)
TEA = "Ana drinks green tea in the morning."


def fact(id: str, text: str = TEA, day: int = 0, **fields: Any) -> Record:
    given = {"user": "ana", "kind": "semantic", "sources": (f"turn-{id}",), "recorded_at": START, **fields}
    return Record(id=id, text=text, at=START + day * DAY, **given)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.memspan"


@pytest.fixture
def memory(path: Path) -> Iterator[Memory]:
    with Memory(path, HashEmbedder(dim=64), auto_consolidate=False) as memory:
        yield memory


def fields(memory: Memory, id: str) -> tuple[set[str], set[str], set[str]]:
    record = memory.get(user="ana", id=id)
    return set(record.sources), set(record.tags), set(record.entities)


def merge(memory: Memory, *records: Record) -> str:
    memory.add_records(records)
    upkeep = memory.consolidate("ana").upkeep
    assert upkeep.merged == 1
    return upkeep.runs[0]


def in_file(memory: Memory, path: Path, word: str) -> bool:
    return any(
        word.encode() in file.read_bytes() for file in path.parent.glob(path.name + "*") if file.is_file()
    )


@pytest.mark.parametrize("what", [{"id": "b"}, {"id": "turn-b"}, {"source": "turn-b"}])
def test_what_stays_outlives_what_ended_for_it(memory: Memory, path: Path, what: dict[str, str]) -> None:
    a = fact("a", tags=("tea", "both"), entities=("Ana",))
    run = merge(memory, a, fact("b", day=-1, tags=("both", "xyzzy"), entities=("Ana", "Plugh"), fidelity=0.5))
    assert fields(memory, "a") == ({"turn-a", "turn-b", "b"}, {"tea", "both", "xyzzy"}, {"Ana", "Plugh"})
    assert memory.forget(user="ana", **what) == 1
    assert fields(memory, "a") == ({"turn-a"}, {"tea", "both"}, {"Ana"})
    assert [hit.id for hit in memory.search("tea", user="ana", require_tags=["tea"])] == ["a"]
    assert memory.search("tea", user="ana", require_tags=["xyzzy"]) == []
    assert not any(in_file(memory, path, word) for word in ("xyzzy", "Plugh"))
    assert memory.verify() == []
    assert memory.undo(run).left == ()
    assert fields(memory, "a") == ({"turn-a"}, {"tea", "both"}, {"Ana"})


def test_what_stays_goes_with_what_it_is_made_of_itself(memory: Memory) -> None:
    merge(memory, fact("a", sources=("turn", "other")), fact("b", day=-1, sources=("turn",), fidelity=0.5))
    assert memory.forget(user="ana", id="turn") == 2
    assert memory.latest(user="ana") == []


def test_what_somebody_wrote_outlives_what_a_turn_said(memory: Memory) -> None:
    merge(memory, fact("a", sources=()), fact("b", day=-1, fidelity=0.5, tags=("xyzzy",)))
    memory.hold(user="ana", id="a")
    with pytest.raises(HeldError):
        memory.forget(user="ana", id="a")
    assert memory.forget(user="ana", id="turn-b") == 1
    assert fields(memory, "a") == (set(), set(), set())
    assert memory.get(user="ana", id="a").held


def test_what_another_one_brings_too_stays(memory: Memory) -> None:
    memory.add_records(
        [
            fact("a"),
            fact("b", day=-1, tags=("morning",), fidelity=0.5),
            fact("c", day=-2, tags=("morning", "xyzzy"), sources=("turn-b", "turn-c"), fidelity=0.4),
        ]
    )
    assert memory.consolidate("ana").upkeep.merged == 2
    memory.forget(user="ana", id="b")
    assert fields(memory, "a")[:2] == ({"turn-a", "turn-b", "turn-c", "c"}, {"morning", "xyzzy"})
    memory.forget(user="ana", id="c")
    assert fields(memory, "a")[:2] == ({"turn-a"}, set())


@pytest.mark.parametrize("cold", [False, True])
def test_what_was_handed_on_goes_everywhere(memory: Memory, path: Path, cold: bool) -> None:
    merge(memory, fact("b"), fact("c", tags=("xyzzy",), fidelity=0.5))
    merge(memory, fact("a", importance=0.9))
    assert fields(memory, "a")[:2] == ({"turn-a", "turn-b", "turn-c", "b", "c"}, {"xyzzy"})
    if cold:
        memory.set_quotas(Quotas(capacity=3, eviction="oldest"), user="ana")
        assert len(memory.evicted("ana")) == 2
    assert memory.forget(user="ana", id="turn-c") == 1
    if cold:
        memory.set_quotas(None, user="ana")
        memory.restore(user="ana", ids=[one.record.id for one in memory.evicted("ana")])
    assert fields(memory, "b")[:2] == ({"turn-b"}, set())
    assert fields(memory, "a")[:2] == ({"turn-a", "turn-b", "b"}, set())
    assert not in_file(memory, path, "xyzzy")
    assert memory.forget(user="ana", id="turn-b") == 1
    assert fields(memory, "a")[:2] == ({"turn-a"}, set())
    assert memory.verify() == []


def test_turns_that_were_delivered_twice_leave_no_tags_behind(memory: Memory, path: Path) -> None:
    memory.add_records(
        [
            Record(id=id, user="ana", text=TEA, at=START, session="s", speaker="ana", tags=tags)
            for id, tags in (("a", ("tea",)), ("b", ("xyzzy",)))
        ]
    )
    assert memory.consolidate("ana", merge=Merging(kinds=("episodic",))).upkeep.merged == 1
    assert fields(memory, "a")[1] == {"tea", "xyzzy"}
    assert memory.forget(user="ana", id="b") == 1
    assert fields(memory, "a")[1] == {"tea"}
    assert not in_file(memory, path, "xyzzy")


@pytest.mark.parametrize("sources", [("turn",), ()])
def test_a_text_that_took_the_place_of_a_derived_memory_keeps_nothing_of_its_turn(
    memory: Memory, path: Path, sources: tuple[str, ...]
) -> None:
    memory.add_records([fact("a", sources=sources, tags=("xyzzy",), entities=("Plugh",))])
    new = memory.supersede(user="ana", id="a", text="Ana drinks coffee.")
    assert fields(memory, new) == (set(), {"xyzzy"}, {"Plugh"})
    assert memory.forget(user="ana", id="turn" if sources else "a") == 1
    kept = fields(memory, new)
    # What a caller gave to a memory of their own is given to the new one, too.
    assert kept == ((set(), set(), set()) if sources else (set(), {"xyzzy"}, {"Plugh"}))
    assert in_file(memory, path, "xyzzy") is not bool(sources)
    assert memory.undo(memory.runs("ana")[0].id).removed == 1


def test_what_a_text_had_from_another_one_is_not_handed_on_for_good(memory: Memory, path: Path) -> None:
    memory.add_records([fact("a", tags=("xyzzy",))])
    first = memory.supersede(user="ana", id="a", text="Ana drinks coffee.")
    second = memory.supersede(user="ana", id=first, text="Ana drinks water.")
    memory.forget(user="ana", id="turn-a")
    assert fields(memory, first) == fields(memory, second) == (set(), set(), set())
    assert not in_file(memory, path, "xyzzy")


@pytest.mark.parametrize("how", ["merged", "superseded"])
def test_what_is_left_as_it_is_when_a_run_is_undone_gives_back_what_it_took_over(
    memory: Memory, path: Path, how: str
) -> None:
    old = fact("b", day=-1, fidelity=0.5, tags=("xyzzy",))
    if how == "merged":
        run, new = merge(memory, fact("a"), old), "a"
    else:
        memory.add_records([old])
        new = memory.supersede(user="ana", id="b", text="Ana drinks coffee.")
        (run,) = (each.id for each in memory.runs("ana"))
    memory.add_records([replace(memory.get(user="ana", id=new), importance=0.7)])
    assert memory.undo(run, leave_changed=True).left == (new,)
    assert fields(memory, new) == ({"turn-a"} if how == "merged" else set(), set(), set())
    assert memory.forget(user="ana", id="turn-b") == 1
    assert memory.get(user="ana", id=new) is not None
    assert not in_file(memory, path, "xyzzy")
    assert memory.verify() == []


def test_what_only_ended_for_it_is_no_source_of_its_own(memory: Memory) -> None:
    merge(memory, fact("a", sources=()), fact("b", day=-1, sources=(), fidelity=0.5))
    assert memory.get(user="ana", id="a").sources == ("b",)
    assert memory.forget(user="ana", source="b") == 0
    assert memory.forget(user="ana", id="b") == 1
    assert memory.get(user="ana", id="a").sources == ()


def test_sleep_brings_nothing_back_of_what_was_forgotten_while_it_asked(memory: Memory, path: Path) -> None:
    recipe = {"recipe": "lightmem"}
    merge(
        memory,
        fact("a", metadata=recipe),
        fact("b", metadata=recipe, entities=("Xyzzy",), fidelity=0.5),
    )
    later = fact("c", "Ana drinks coffee now.", day=3, metadata=recipe)
    memory.add_records([later])
    seen = memory.get(user="ana", id="a")
    change = Change(action="update", ending=(seen,), evidence=(later,), text="Ana drinks coffee.")
    memory.forget(user="ana", id="turn-b")
    assert apply_changes(memory._engine, [change]).skipped == 1
    assert not in_file(memory, path, "Xyzzy")


def test_runs_that_were_undone_keep_nothing(memory: Memory, path: Path) -> None:
    memory.add_records(
        [
            Record(id=id, user="ana", text=TEA, at=START, session="s", speaker="ana", tags=tags)
            for id, tags in (("a", ()), ("b", ("xyzzy",)))
        ]
    )
    assert memory.consolidate("ana", merge=Merging(kinds=("episodic",))).upkeep.merged == 1
    memory.retire(user="ana", ids=["a"])
    for run in memory.runs("ana"):
        memory.undo(run.id)
    assert fields(memory, "a")[1] == set()
    assert memory.forget(user="ana", id="b") == 1
    assert not in_file(memory, path, "xyzzy")


@pytest.mark.parametrize(
    "gave", [7, "tags", {"sources": 7, "tags": "turn-b", "entities": {"Plugh": 1}}, None]
)
def test_a_file_that_says_something_else_is_no_obstacle(memory: Memory, path: Path, gave: Any) -> None:
    merge(memory, fact("a"), fact("b", day=-1, tags=("xyzzy",), fidelity=0.5))
    file = path.with_suffix(".jsonl")
    memory.export("ana", file)
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    for line in lines:
        if line.get("id") == "b":
            line["metadata"]["ended"]["gave"] = gave
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    memory.forget(user="ana")
    memory.load(file)
    assert memory.forget(user="ana", id="b") >= 1
    assert memory.get(user="ana", id="b") is None
