"""Searches that name both times: what was believed at `as_of` to be true at `valid_at`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from memspan import Memory
from memspan.remember.searching import ended_by_then
from memspan.remember.searching.recall import Recalls
from memspan.remember.searching.reranking import Readable
from memspan.times import from_micros, now_micros

TIMES = {"bergen": "2023-01-01", "rome": "2024-06-01", "oslo": "2025-06-01"}


def now() -> datetime:
    return from_micros(now_micros())


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    with Memory(tmp_path / "m", "hash:32", auto_consolidate=False) as opened:
        yield opened


@pytest.fixture
def moved(memory: Memory) -> list[datetime]:
    """Ana moves twice; the moments after each thing was learnt."""
    facts = [("f", f"Ana has a cat number {n}") for n in range(5)]
    memory.add([{"text": text, "kind": "semantic"} for _, text in facts], user="ana", at="2022-01-01")
    memory.add(
        [{"id": "bergen", "text": "Ana lives in Bergen", "kind": "semantic", "metadata": {"city": 1}}],
        user="ana",
        at=TIMES["bergen"],
    )
    moments = [now()]
    old = "bergen"
    for city in ("rome", "oslo"):
        new = memory.supersede(user="ana", id=old, text=f"Ana lives in {city.title()}", at=TIMES[city])
        moments.append(now())
        old = new
    return moments


def homes(memory: Memory, **more: Any) -> list[str]:
    found = memory.search("where does Ana live", user="ana", k=50, **more)
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    return [one.text.rsplit(" ", 1)[1] for one in found if "lives" in one.text]


@pytest.mark.parametrize("fusion", ["learned", "rrf", "union", "weighted"])
def test_what_had_ended_is_known_of_its_time(memory: Memory, moved: list[datetime], fusion: str) -> None:
    first, second, third = moved
    expected = {
        (first, "2023-05-01"): ["Bergen"],
        (first, "2026-01-01"): ["Bergen"],
        (second, "2023-05-01"): ["Bergen"],
        (second, "2024-12-01"): ["Rome"],
        (second, "2026-01-01"): ["Rome"],
        (third, "2023-05-01"): ["Bergen"],
        (third, "2024-12-01"): ["Rome"],
        (third, "2026-01-01"): ["Oslo"],
        (third, "2020-01-01"): [],
    }
    for (as_of, valid_at), cities in expected.items():
        assert homes(memory, as_of=as_of, valid_at=valid_at, fusion=fusion) == cities
        assert homes(memory, as_of="2040-01-01", valid_at=valid_at) == homes(memory, valid_at=valid_at)
    (rome,) = memory.search("Rome", user="ana", k=1, as_of=third, valid_at="2024-12-01")
    assert rome.record.until is not None
    assert rome.record.retired_at is not None


def test_other_filters_hold_too(memory: Memory, moved: list[datetime]) -> None:
    then = {"as_of": moved[2], "valid_at": "2023-05-01"}
    assert homes(memory, **then, where={"city": 1}) == ["Bergen"]
    assert homes(memory, **then, where={"city": 2}) == []
    assert homes(memory, **then, kinds=["episodic"]) == []
    assert homes(memory, **then, exclude=["bergen"]) == []
    assert homes(memory, **then, between=(None, "2022-06-01")) == []
    assert len(memory.search("Ana", user="ana", k=2, **then)) == 2
    assert memory.search("lives in Bergen", user="ana", k=1, **then)[0].id == "bergen"
    with pytest.raises(ValueError, match="where"):
        homes(memory, **then, where={"$odd": 1})


def test_of_one_score_and_time_the_later_id_comes_first(memory: Memory) -> None:
    for number in (9, 10, 11, 12):
        memory.add({"id": f"m{number}", "text": "Ana has a cat", "at": "2022-01-01"}, user="ana")
    memory.retire(user="ana", ids=["m11"], at="2024-01-01")
    asked = now()
    believed = memory.search("cat", user="ana", k=3)
    ended = memory.search("cat", user="ana", k=9, as_of=asked, valid_at="2023-01-01")
    alike = Recalls(replace(one, score=0.0) for one in believed)
    more = Recalls(replace(one, score=0.0) for one in ended if one.id == "m11")
    found = ended_by_then.united(alike, more, asked, 9)
    assert [one.id for one in found] == ["m12", "m11", "m10", "m9"]


def test_what_was_learnt_later_does_not_come(
    memory: Memory, moved: list[datetime], monkeypatch: pytest.MonkeyPatch
) -> None:
    for most in (99_000, 0):
        monkeypatch.setattr(ended_by_then, "_MOST_EXCLUDED", most)
        assert homes(memory, as_of=moved[1], valid_at="2025-01-01") == ["Rome"]
        assert homes(memory, as_of=moved[0], valid_at="2025-01-01") == ["Bergen"]


def test_a_metadata_field_of_that_name_is_nothing_special(memory: Memory, moved: list[datetime]) -> None:
    memory.add(
        [{"id": "e", "text": "Ana lives in Ended", "kind": "semantic", "metadata": {"ended": {"action": 1}}}],
        user="ana",
        at="2022-01-01",
    )
    assert set(homes(memory, as_of=moved[2], valid_at="2023-05-01")) == {"Bergen"}
    assert set(homes(memory, as_of=now(), valid_at="2023-05-01")) == {"Bergen", "Ended"}


def test_what_was_corrected_was_never_true(memory: Memory) -> None:
    memory.add([{"id": "a", "text": "Ana lives in Bergen"}], user="ana", at="2023-01-01")
    memory.add([{"id": "a", "text": "Ana lives in Oslo"}], user="ana", at="2023-01-01")
    assert homes(memory, as_of=now(), valid_at="2023-05-01") == ["Oslo"]


def test_explanation_confidence_and_uses(memory: Memory, moved: list[datetime]) -> None:
    then: dict[str, Any] = {"user": "ana", "as_of": moved[2], "valid_at": "2023-05-01"}
    found = memory.search("Bergen", **then, explain=True, confidence=True)
    assert found.explanation is not None
    assert found.explanation["admissible"] == len(found) == 6
    assert "bergen" not in found.explanation["excluded"].get("as_of", {"ids": []})["ids"]
    assert found.confidence is not None
    memory._engine.write_uses()
    with memory._engine.store.reading() as reader:
        (use,) = reader.uses.of("ana", ["bergen"])
    assert use.searches == 1
    assert "Bergen" in memory.context("Where does Ana live?", **then).text


def test_a_reranker_reads_the_same(memory: Memory, moved: list[datetime]) -> None:
    record = memory.get(user="ana", id="bergen")
    assert record is not None
    valid = datetime.fromisoformat("2023-05-01T00:00+00:00")
    later = datetime.fromisoformat("2025-05-01T00:00+00:00")
    for as_of, valid_at, admitted in [
        (moved[0], later, True),
        (moved[2], valid, True),
        (moved[2], later, False),
        (moved[2], None, False),
    ]:
        readable = Readable(vault=False, as_of=as_of, exclude=frozenset(), valid_at=valid_at)
        assert readable.admits(record) == admitted
