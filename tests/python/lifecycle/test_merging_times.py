"""Of memories that say the same at different times the latest stays, and what happened twice is two memories."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from memspan import Memory, Record
from memspan.lifecycle.merging.duplicates import Merging, _ending, mergers, united
from memspan.reports.duplicates import Duplicate

START = datetime(2022, 5, 1, tzinfo=timezone.utc)
DAY = timedelta(days=1)
PORTO, BRAGA, MARATHON = "Ana lives in Porto.", "Ana lives in Braga.", "Ana ran a marathon."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "a.memspan", "hash:64", auto_consolidate=False) as opened:
        yield opened


def fact(id_: str, text: str, day: int, **fields: Any) -> Record:
    given = {"user": "ana", "kind": "semantic", **fields}
    return Record(id=id_, text=text, at=START + day * DAY, **given)


def left(memory: Memory, *records: Record) -> list[str]:
    memory.add_records(records)
    memory.consolidate("ana")
    return [hit.id for hit in memory.latest(user="ana", kinds=["semantic"])]


@pytest.mark.parametrize(
    "fields", [{}, {"importance": 0.9}, {"fidelity": 0.5}, {"recorded_at": START + 900 * DAY}]
)
def test_what_is_true_again_is_the_newest(memory: Memory, fields: dict[str, Any]) -> None:
    first, last = fact("a", PORTO, 0, **fields), fact("c", PORTO, 400)
    assert left(memory, first, fact("b", BRAGA, 200), last) == ["c", "b"]
    ended = memory.get(user="ana", id="a")
    assert ended is not None
    assert ended.until == last.at
    then = memory.search("Porto", user="ana", valid_at=START + 100 * DAY)
    assert [hit.id for hit in then] == ["a"]
    memory.undo(memory.runs("ana")[0].id)
    assert [hit.id for hit in memory.latest(user="ana")] == ["c", "b", "a"]


def test_what_comes_again_later_is_the_newest_then(memory: Memory) -> None:
    assert left(memory, fact("a", PORTO, 0), fact("b", BRAGA, 200)) == ["b", "a"]
    assert left(memory, fact("c", PORTO, 400)) == ["c", "b"]
    assert left(memory, fact("d", BRAGA, 600)) == ["d", "c"]


def test_what_is_true_again_in_other_words_is_the_newest() -> None:
    known = {
        "a": fact("a", PORTO, 0, importance=0.9),
        "c": fact("c", "Ana lives in Porto!", 400, importance=0.5),
    }
    (found,) = mergers([Duplicate("a", "c", 0.99)], known, Merging())
    assert (found.kept.id, united(found.kept, found.ending)["importance"]) == ("c", 0.9)


WORK = "Ana works as an engineer for trains on the signalling team"


@pytest.mark.parametrize("new", [f"{WORK} at the bank.", f"{WORK} at the airport."])
def test_what_is_corrected_later_is_not_lost(memory: Memory, new: str) -> None:
    old = fact("a", f"{WORK} at Siemens, in the old town by the river.", 0)
    for day, fields in ((300, {}), (0, {"recorded_at": START + 300 * DAY})):
        told = [replace(old, recorded_at=START), fact("b", new, day, **fields)]
        assert mergers([Duplicate("a", "b", 0.99)], {one.id: one for one in told}, Merging()) == []
    (found,) = mergers([Duplicate("a", "b", 0.99)], {"a": old, "b": fact("b", f"{WORK}.", 300)}, Merging())
    assert found.kept.id == "a"
    before = fact("b", new, -300)
    (found,) = mergers([Duplicate("a", "b", 0.99)], {"a": old, "b": before}, Merging())
    assert found.kept.id == "a"


def test_what_is_truer_ends_nothing_that_was_told_later(memory: Memory) -> None:
    last = fact("c", PORTO, 400, fidelity=0.9)
    assert left(memory, fact("a", PORTO, 0), fact("b", BRAGA, 200), last) == ["c", "b", "a"]
    assert left(memory, fact("d", PORTO, 500, fidelity=0.9)) == ["d", "b", "a"]
    assert left(memory, fact("e", PORTO, 600)) == ["e", "b"]


def test_what_is_pinned_ends_nothing_that_was_told_later(memory: Memory) -> None:
    old = fact("a", PORTO, 10, pinned=True)
    assert left(memory, old, fact("b", BRAGA, 200), fact("c", PORTO, 400), fact("0", PORTO, 0)) == [
        "c",
        "b",
        "a",
    ]


def test_what_happened_twice_is_two_memories(memory: Memory) -> None:
    again = [fact("c", MARATHON, 365), fact("d", MARATHON, 365, fidelity=0.5)]
    assert left(memory, fact("a", MARATHON, 0), fact("b", MARATHON, 1), *again) == ["c", "b"]


@pytest.mark.parametrize(
    "text",
    [
        "Ana ist einen Marathon gelaufen.",
        "Ana lief einen Marathon.",
        "Ana a couru un marathon.",
        "Ana corrió una maratón.",
        "Ana ha corso una maratona.",
        "Ana correu uma maratona.",
        "Ana heeft een marathon gelopen.",
        "Ana przebiegła maraton.",
        "Анна пробежала марафон.",
        "安娜跑了一场马拉松。",
        "アナはマラソンを走った。",
        "아나는 마라톤을 뛰었다.",
    ],
)
def test_what_happened_twice_is_two_memories_in_other_languages(memory: Memory, text: str) -> None:
    assert left(memory, fact("a", text, 0), fact("b", text, 365)) == ["b", "a"]


@pytest.mark.parametrize(
    "text",
    [
        "Ana owns a bicycle made in Italy.",
        "Ana is interested in chess.",
        "Ana läuft einen Marathon.",
        "Ana wohnt mit ihrem Bruder in Porto.",
        "Ana habite à Porto avec son frère.",
        "Ana vive en Oporto con su hermano.",
        "Ana abita a Porto con suo fratello.",
        "Ana mora no Porto com o irmão.",
        "Ana woont bij haar broer in Porto.",
        "Ana mieszka w Porto z bratem.",
        "Анна живёт с братом в Порту.",
        "安娜住在波尔图。",
        "アナはポルトに住んでいる。",
        "아나는 포르투에 살고 있다.",
    ],
)
def test_what_is_so_is_one_memory_whenever_it_is_told(memory: Memory, text: str) -> None:
    assert left(memory, fact("a", text, 0), fact("b", text, 365)) == ["b"]


def test_what_was_told_without_its_time_is_one_memory(memory: Memory) -> None:
    told = [fact(id_, MARATHON, day, recorded_at=START + day * DAY) for id_, day in (("a", 0), ("b", 20))]
    assert left(memory, *told) == ["b"]


def test_when_a_turn_said_it_is_no_time_of_its_own(memory: Memory) -> None:
    turns = [
        Record(id=f"t{day}", user="ana", text="I ran a marathon.", at=START + day * DAY) for day in (0, 20)
    ]
    memory.add_records(turns)
    made = [fact("a", MARATHON, 0, sources=("t0",)), fact("b", MARATHON, 20, sources=("t20",))]
    assert left(memory, *made) == ["b"]
    dated = [fact("c", MARATHON, -30, sources=("t0",)), fact("d", MARATHON, -60, sources=("t20",))]
    assert left(memory, *dated) == ["b", "c", "d"]


def test_events_of_other_days_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    def ending(kept: Record, near: Any, *arguments: Any, **named: Any) -> list[Record]:
        lists = list(near)
        looked.extend(record.id for records in lists for record in records)
        return _ending(kept, lists, *arguments, **named)

    monkeypatch.setattr("memspan.lifecycle.merging.duplicates._ending", ending)
    records = {f"{day:03}": fact(f"{day:03}", MARATHON, 3 * day) for day in range(200)}
    pairs = [Duplicate("000", id_, 1.0) for id_ in records if id_ != "000"]
    days = {id_: record.at.date() for id_, record in records.items()}
    assert mergers(pairs, records, Merging(), days=days) == []
    assert looked == []
