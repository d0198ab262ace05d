"""All that says the same is merged at once, whichever pairs of it were found."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan import Memory, Record
from memspan.lifecycle.merging import duplicates
from memspan.lifecycle.merging.duplicates import Merging, mergers
from memspan.lifecycle.merging.likeness import groups_of
from memspan.reports.duplicates import Duplicate

START = datetime(2024, 1, 1, tzinfo=timezone.utc)
TEA = "Ana drinks green tea in the morning."


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "a.memspan", "hash:64", auto_consolidate=False) as opened:
        yield opened


def fact(id_: str, text: str = TEA, vector: Any = (1.0, 0.0), **fields: Any) -> Record:
    given = {"user": "ana", "kind": "semantic", "at": START, **fields}
    embedding = None if vector is None else np.array(vector, dtype=np.float32)
    return Record(id=id_, text=text, embedding=embedding, **given)


def left(memory: Memory) -> set[str]:
    return {hit.id for hit in memory.latest(user="ana", k=1000)}


def test_facts_of_several_speakers(memory: Memory):
    """The embeddings are the same, and pairs are found with one of them only, whoever says it."""
    records = [fact(f"{name}{n}", vector=None, speaker=name) for name in "abcdef" for n in range(4)]
    memory.add_records(records)
    assert memory.consolidate("ana").upkeep.merged == 18
    assert left(memory) == {f"{name}0" for name in "abcdef"}
    assert memory.consolidate("ana").upkeep.merged == 0


def test_turns_of_several_sessions(memory: Memory):
    turns = [
        Record(
            id=f"s{s}{n}", user="ana", text=TEA, at=START + timedelta(days=s), session=f"s{s}", speaker="ana"
        )
        for s in range(6)
        for n in range(4)
    ]
    memory.add_records(turns)
    assert memory.consolidate("ana", merge=Merging(kinds=("episodic",))).upkeep.merged == 18
    assert left(memory) == {f"s{s}0" for s in range(6)}


def test_what_is_near_one_is_near_all_with_its_embedding(memory: Memory):
    close = (0.99, 0.141)
    records = [fact("a"), fact("b", speaker="ben"), fact("c", "Ana drinks green tea in the mornings.", close)]
    records.append(fact("d", "Ben drinks green tea in the morning.", close, speaker="ben"))
    records.append(fact("e", "Ana drinks green tea in the morning!", close, speaker="ben"))
    pairs = [
        Duplicate("a", "b", 1.0),
        Duplicate("a", "c", 0.99),
        Duplicate("c", "d", 1.0),
        Duplicate("c", "e", 1.0),
    ]
    found = mergers(pairs, {record.id: record for record in records}, Merging())
    assert {one.kept.id: [record.id for record in one.ending] for one in found} == {"a": ["c"], "b": ["e"]}


def test_what_says_something_else_since_it_was_found_stays():
    records = {"a": fact("a"), "b": fact("b", vector=(0.0, 1.0)), "c": fact("c", vector=(1.0, 0.0, 0.0))}
    pairs = [Duplicate("a", "b", 0.99), Duplicate("a", "c", 0.99)]
    assert mergers(pairs, records, Merging()) == []


def test_groups_are_what_is_connected():
    pairs = [Duplicate(one, other, 0.99) for one, other in ("ab", "cd", "bc", "ef", "gf")]
    groups = [{id_ for pair in group for id_ in pair[:2]} for group in groups_of(pairs)]
    assert groups == [set("abcd"), set("efg")]
    assert groups_of([]) == []


def test_many_of_one_embedding_are_not_compared_with_each_other(monkeypatch: pytest.MonkeyPatch):
    count, compared = 400, []

    def same(*arguments: Any) -> bool:
        compared.append(arguments)
        return original(*arguments)

    original = duplicates._same
    monkeypatch.setattr(duplicates, "_same", same)
    repeated = [fact(f"s{n:04}", pinned=n % 2 == 0) for n in range(count)]
    different = [
        fact(f"t{n:04}", f"Ana drinks green tea in the morning, and {n} cups.") for n in range(count)
    ]
    records = {record.id: record for record in [*repeated, *different]}
    pairs = [Duplicate("s0000", id_, 1.0) for id_ in records if id_ != "s0000"]
    found = mergers(pairs, records, Merging())
    assert sum(len(one.ending) for one in found) == count // 2
    assert len(compared) < 2 * 65 * count


def test_readings_of_many_days_are_told_apart_by_their_numbers(monkeypatch: pytest.MonkeyPatch):
    """Each is near all others, and to compare the words of all pairs would take seconds for a thousand."""
    compared: list[tuple[str, str]] = []
    real = duplicates.agree
    monkeypatch.setattr(
        duplicates, "agree", lambda one, other: compared.append((one, other)) or real(one, other)
    )
    records = [fact(f"f{n:02}", f"The sensor in house {n // 2} said 21 degrees") for n in range(40)]
    records[-1] = fact("f39", "The sensor in house 19 said: 21 degrees")
    pairs = [Duplicate(a.id, b.id, 0.99) for a in records for b in records if a.id < b.id]
    found = mergers(pairs, {record.id: record for record in records}, Merging())
    assert {(m.kept.id, *(record.id for record in m.ending)) for m in found} == {
        (f"f{n:02}", f"f{n + 1:02}") for n in range(0, 40, 2)
    }
    assert compared == [("The sensor in house 19 said 21 degrees", "The sensor in house 19 said: 21 degrees")]
