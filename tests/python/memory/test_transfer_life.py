"""The cold tier, quotas and times to live in exports."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memspan import FormatError, InvalidArgumentError, Memory, Quotas

Open = Callable[..., Memory]


def evicted(memory: Memory, user: str = "ana") -> list[tuple[str, str, Any]]:
    return [(one.id, one.record.text, one.moved_at) for one in memory.evicted(user=user)]


@pytest.fixture
def filled(open_memory: Open) -> Memory:
    memory = open_memory()
    memory.set_quotas(Quotas(capacity=5, eviction="oldest"), user="ana")
    memory.set_lifetime("semantic", 3600, user="ana")
    memory.add([{"id": f"m{i}", "text": f"turn {i}", "at": i} for i in range(6)], user="ana")
    memory.add([{"id": "fact", "text": "a fact", "kind": "semantic"}], user="ana")
    memory.set_quotas(Quotas(capacity=1000))
    memory.set_lifetime("resource", 60)
    return memory


@pytest.fixture
def other(open_memory: Open, tmp_path: Path) -> Memory:
    return open_memory(tmp_path / "other.memspan")


def lines_of(memory: Memory, user: str | None, **options: Any) -> list[dict[str, Any]]:
    output = io.StringIO()
    memory.export(user, output, **options)
    return [json.loads(line) for line in output.getvalue().splitlines()]


def test_everything_goes_along(filled: Memory, other: Memory, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    assert filled.export(None, file) == 3
    assert other.load(file) == 3
    assert len(evicted(filled)) == 4
    assert evicted(other) == evicted(filled)
    assert other.quotas("ana") == filled.quotas("ana") != other.quotas()
    assert other.quotas() == filled.quotas()
    assert other.lifetimes("ana") == filled.lifetimes("ana") == {"semantic": 3600.0, "resource": 60.0}
    for id_ in ("m5", "fact"):
        assert other.get(user="ana", id=id_).expires_at == filled.get(user="ana", id=id_).expires_at  # type: ignore[union-attr]
    assert other.restore(user="ana", ids=["m3"]) == ["m3"]
    assert {one.id for one in other.evicted(user="ana")} == {"m0", "m1", "m2", "m4"}
    assert other.verify() == []


def test_a_user_brings_its_own_and_not_everybodys(filled: Memory, other: Memory, tmp_path: Path) -> None:
    filled.export("ana", tmp_path / "ana.jsonl", embeddings=True)
    other.load(tmp_path / "ana.jsonl")
    assert other.quotas("ana") == filled.quotas("ana")
    assert other.quotas() is None
    assert other.lifetimes() == {}
    assert evicted(other) == evicted(filled)
    again = tmp_path / "again.jsonl"
    other.export("ana", again, embeddings=True)
    assert sorted(again.read_text().splitlines()) == sorted((tmp_path / "ana.jsonl").read_text().splitlines())


def test_records_only(filled: Memory) -> None:
    assert {line["type"] for line in lines_of(filled, None, records_only=True)} == {"header", "record", "end"}
    assert {line["type"] for line in lines_of(filled, None)} == {
        "header", "record", "cold", "quotas", "lifetime", "end",
    }  # fmt: skip
    with pytest.raises(InvalidArgumentError, match="records_only"):
        filled.export(None, io.StringIO(), records_only=1)  # type: ignore[arg-type]


def test_originals_go_along(open_memory: Open, other: Memory, tmp_path: Path) -> None:
    memory = open_memory()
    text = "I went to the market in the morning, and I bought three green apples and some bread there. " * 4
    memory.add([{"id": "long", "text": text, "at": 0}], user="ana")
    memory.compress("ana", "uniform", 0.5)
    assert memory.original(user="ana", id="long") is not None
    memory.export("ana", tmp_path / "a.jsonl")
    other.load(tmp_path / "a.jsonl")
    found = other.original(user="ana", id="long")
    assert found is not None
    assert found.text.strip() == text.strip()


def test_what_is_in_memory_here_is_not_evicted(filled: Memory, other: Memory, tmp_path: Path) -> None:
    filled.export("ana", tmp_path / "ana.jsonl")
    other.add([{"id": "m0", "text": "newer", "at": 100}], user="ana")
    other.load(tmp_path / "ana.jsonl")
    assert "newer" in {recall.text for recall in other.latest(user="ana")}
    assert "m0" not in {one.id for one in other.evicted(user="ana")}
    assert other.verify() == []


def test_another_handle_sees_what_was_loaded(
    filled: Memory, other: Memory, open_memory: Open, tmp_path: Path
) -> None:
    second = open_memory(tmp_path / "other.memspan")
    assert second.latest(user="ana") == []
    filled.export("ana", tmp_path / "ana.jsonl")
    other.load(tmp_path / "ana.jsonl")
    assert evicted(second) == evicted(filled)
    assert second.quotas("ana") == filled.quotas("ana")
    second.add([{"id": "m9", "text": "turn 9", "at": 9}], user="ana")
    assert evicted(second)[0][0] in {"m4", "m5"}
    assert second.verify() == other.verify() == []


def test_loading_twice_changes_nothing(filled: Memory, other: Memory, tmp_path: Path) -> None:
    filled.export(None, tmp_path / "all.jsonl")
    other.load(tmp_path / "all.jsonl")
    before = lines_of(other, None)
    other.load(tmp_path / "all.jsonl")
    assert sorted(map(json.dumps, lines_of(other, None))) == sorted(map(json.dumps, before))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"type": "cold", "user": "ana", "id": "a", "at": 0, "text": "x"}, "reason"),
        ({"type": "cold", "user": "ana", "id": "a", "at": 0, "text": "x", "reason": "lost"}, "reason"),
        ({"type": "cold", "user": "ana", "id": "a", "at": 0, "text": "x", "reason": "evicted"}, "moved_at"),
        ({"type": "cold", "user": "ana", "reason": "evicted", "moved_at": "2024-01-01"}, "id"),
        ({"type": "quotas", "user": "", "settings": {}}, "user"),
        ({"type": "quotas", "user": "ana", "settings": {"capacity": 0}}, "capacity"),
        ({"type": "quotas", "user": "ana"}, "quotas"),
        ({"type": "lifetime", "user": "ana", "kind": "moods", "seconds": 1}, "kind"),
        ({"type": "lifetime", "user": "ana", "kind": "semantic", "seconds": 0}, "seconds"),
        ({"type": "lifetime", "user": "ana", "kind": "semantic", "seconds": True}, "seconds"),
    ],
)  # fmt: skip
def test_broken_lines(filled: Memory, other: Memory, tmp_path: Path, line: Any, message: str) -> None:
    file = tmp_path / "broken.jsonl"
    header = lines_of(filled, "nobody")[0]
    file.write_text(json.dumps(header) + "\n" + json.dumps(line) + "\n", encoding="utf-8")
    with pytest.raises(FormatError, match=message) as caught:
        other.load(file)
    assert str(caught.value).startswith(f"{file}:2: ")
    assert other.verify() == []


def test_what_comes_to_the_cold_tier_is_in_the_audit(filled: Memory, other: Memory, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    filled.export("ana", file)
    other.load(file)
    (entry,) = other.audit(user="ana", action="cold.load")
    assert entry.details == {"records": 4}
    assert other.verify() == []


def test_what_ended_in_the_cold_tier_since_stays_ended(filled: Memory, tmp_path: Path) -> None:
    filled.export("ana", tmp_path / "ana.jsonl")
    filled.restore(user="ana", ids=["m0"])
    filled.retire(user="ana", ids=["m0"])
    filled.add({"id": "m9", "text": "turn 9", "at": 9}, user="ana")
    (ended,) = (one.record for one in filled.evicted(user="ana") if one.id == "m0")
    filled.load(tmp_path / "ana.jsonl")
    (now,) = (one.record for one in filled.evicted(user="ana") if one.id == "m0")
    assert now.retired_at == ended.retired_at is not None
    assert filled.verify() == []


def test_what_the_cold_tier_says_since_stays_as_a_version(filled: Memory, tmp_path: Path) -> None:
    filled.export("ana", tmp_path / "ana.jsonl")
    filled.restore(user="ana", ids=["m0"])
    filled.add({"id": "m0", "text": "newer words", "at": 0}, user="ana")
    filled.add({"id": "m9", "text": "turn 9", "at": 9}, user="ana")
    assert "m0" in {one.id for one in filled.evicted(user="ana")}
    filled.load(tmp_path / "ana.jsonl")
    history = filled.history(user="ana", id="m0")
    assert history is not None
    assert [one.record.text for one in history.versions] == ["turn 0", "newer words", "turn 0"]
    assert filled.verify() == []


LONG = "{} went to the market in the morning and bought three green apples and some bread there. " * 4


def shortened_and_evicted(memory: Memory, who: str) -> None:
    memory.set_quotas(Quotas(capacity=3))
    memory.add({"id": "m0", "text": LONG.format(who, who, who, who), "at": 0}, user="ana")
    memory.compress("ana", "uniform", 0.5)
    memory.add({"id": "new", "text": "x", "at": 9}, user="ana")
    assert "m0" in {one.id for one in memory.evicted(user="ana")}
    assert memory.original(user="ana", id="m0") is not None


def test_an_original_stays_away_from_other_words(open_memory: Open, other: Memory, tmp_path: Path) -> None:
    memory = open_memory()
    shortened_and_evicted(memory, "Ines")
    memory.export("ana", tmp_path / "ana.jsonl")
    other.add({"id": "m0", "text": "other words"}, user="ana")
    other.pin(user="ana", ids=["m0"])
    other.load(tmp_path / "ana.jsonl")
    assert other.get(user="ana", id="m0").text == "other words"  # type: ignore[union-attr]
    assert other.original(user="ana", id="m0") is None


def test_each_wording_in_the_cold_tier_keeps_its_original(
    open_memory: Open, other: Memory, tmp_path: Path
) -> None:
    memory = open_memory()
    shortened_and_evicted(memory, "Ines")
    memory.export("ana", tmp_path / "ana.jsonl")
    shortened_and_evicted(other, "Rosa")
    other.load(tmp_path / "ana.jsonl")
    originals = {
        one.id: other.original(user="ana", id=one.id).text.split()[0]  # type: ignore[union-attr]
        for one in other.evicted(user="ana")
        if one.id.startswith("m0")
    }
    assert originals.pop("m0") == "Ines"
    assert list(originals.values()) == ["Rosa"]
    assert other.verify() == []


FACT = {"id": "fact", "text": "a fact", "kind": "semantic", "sources": ["turn"]}


def end(memory: Memory, id_: str) -> Any:
    return memory.get(user="ana", id=id_).expires_at  # type: ignore[union-attr]


@pytest.mark.parametrize("before", [False, True], ids=["new", "known"])
def test_the_life_of_turns_is_not_that_of_what_was_made_of_them(
    open_memory: Open, other: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    monkeypatch.setattr("memspan.remember.transfer.loading._BATCH", 1)
    memory, file = open_memory(), tmp_path / "all.jsonl"
    memory.add({"id": "turn", "text": "a turn"}, user="ana")
    memory.add(FACT, user="ana")
    if before:
        memory.export("ana", file)
        other.load(file)
    memory.set_lifetime("episodic", 3600, user="ana")
    memory.pin(user="ana", ids=["fact"])  # so that it comes after the turn
    memory.export("ana", file)
    other.load(file)
    assert end(other, "turn") == end(memory, "turn") is not None
    assert end(other, "fact") is None
    assert other.lifetimes("ana") == {"episodic": 3600}


def test_what_was_made_here_of_a_turn_lives_no_longer_than_the_file_says(
    open_memory: Open, other: Memory, tmp_path: Path
) -> None:
    memory, file = open_memory(), tmp_path / "all.jsonl"
    memory.add({"id": "turn", "text": "a turn"}, user="ana")
    memory.export("ana", file)
    other.load(file)
    other.add(FACT, user="ana")
    memory.add({"id": "turn", "text": "a turn"}, user="ana", ttl=3600)
    memory.export("ana", file)
    other.load(file)
    assert end(other, "fact") == end(other, "turn") == end(memory, "turn") is not None


def test_what_a_file_has_made_of_a_turn_that_is_here_alone_lives_no_longer(
    open_memory: Open, other: Memory, tmp_path: Path
) -> None:
    memory, file = open_memory(), tmp_path / "all.jsonl"
    memory.add(FACT, user="ana")
    memory.export("ana", file)
    other.add({"id": "turn", "text": "a turn"}, user="ana", ttl=3600)
    other.load(file)
    assert end(other, "fact") == end(other, "turn") is not None
