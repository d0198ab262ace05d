"""Which memories say the same, which of them stays, and what becomes of the others."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from time import sleep
from typing import Any

import pytest

from memspan import Memory, Record
from memspan.embed import HashEmbedder
from memspan.errors import InvalidArgumentError, UndoError
from memspan.lifecycle.merging.duplicates import Merging, mergers
from memspan.lifecycle.upkeep import Upkeep
from memspan.remember.tagging.made_tags import write_made_tags
from memspan.remember.transfer.export_format import encode_record_line
from memspan.reports.duplicates import Duplicate

START = datetime(2023, 5, 1, tzinfo=timezone.utc)
DAY = timedelta(days=1)
TEA = "Ana drinks green tea in the morning."
Open = Callable[..., Memory]


def fact(id: str, text: str = TEA, day: int = 0, **fields: Any) -> Record:
    given = {"user": "ana", "kind": "semantic", "sources": (f"turn-{id}",), "recorded_at": START, **fields}
    return Record(id=id, text=text, at=START + day * DAY, **given)


def chosen(*records: Record, merging: Merging | None = None) -> dict[str, tuple[str, ...]]:
    """Who stays for whom when all are near each other."""
    known = {record.id: record for record in records}
    ids = sorted(known)
    pairs = [Duplicate(one, other, 0.99) for one in ids for other in ids if one < other]
    found = mergers(pairs, known, merging or Merging())
    return {merger.kept.id: tuple(sorted(record.id for record in merger.ending)) for merger in found}


def test_the_best_wording_stays():
    assert chosen(fact("a"), fact("b")) == {"a": ("b",)}
    assert chosen(fact("a"), fact("b", recorded_at=START - DAY)) == {"b": ("a",)}
    assert chosen(fact("a", fidelity=0.5), fact("b")) == {"b": ("a",)}
    assert chosen(fact("a"), fact("b", importance=0.2)) == {"b": ("a",)}
    assert chosen(fact("a"), fact("b", TEA + " She likes it.")) == {"b": ("a",)}
    assert chosen(fact("a", fidelity=0.5, pinned=True), fact("b")) == {"a": ("b",)}


@pytest.mark.parametrize(
    "other",
    [
        "Ana drinks green tea in the morning at 7.",
        "Ana drinks no green tea in the morning.",
        "Ana drives to work in the evening.",
        "Ana drinks green tea in the morning, goes for a run along the river, and then reads two newspapers.",
    ],
)
def test_what_says_something_else_stays_apart(other):
    assert chosen(fact("a"), fact("b", other)) == {}


@pytest.mark.parametrize(
    ("text", "one", "other"),
    [
        ("Ana's brother {} works at the bakery in the old town near the harbour.", "Ben", "Tom"),
        ("{} works as a nurse at the hospital in the old town near the harbour.", "Ben", "Tom"),
        ("Ana sings in the choir of the old town near the harbour on {} evenings.", "Monday", "Friday"),
    ],
)
def test_what_names_somebody_else_stays_apart(text, one, other):
    assert chosen(fact("a", text.format(one)), fact("b", text.format(other))) == {}
    assert chosen(fact("a", text.format(one)), fact("b", text.format(one).lower())) != {}


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "procedural"},
        {"speaker": "Ben"},
        {"until": START + DAY},
        {"retired_at": START + DAY},
        {"expires_at": START + DAY},
    ],
)
def test_what_is_something_else_stays_apart(fields):
    assert chosen(fact("a"), fact("b", **fields)) == {}


def test_what_lives_as_long_as_its_kind_is_merged_into_what_lives_longest(memory: Memory):
    memory.set_lifetime("semantic", 3600, "ana")
    text = "Ana has moved to Rome."
    for id_ in ("x", "y"):
        memory.add(
            [{"id": id_, "text": text, "importance": 0.9 if id_ == "x" else None}],
            user="ana",
            kind="semantic",
        )
    memory.add([{"id": "own", "text": text}], user="ana", kind="semantic", ttl=1800)
    (merged,) = (one for one in memory.consolidate("ana").upkeep.runs)
    ended = {id_: memory.get(user="ana", id=id_).retired_at is not None for id_ in ("x", "y", "own")}
    assert ended == {"x": True, "y": False, "own": False}
    memory.undo(merged)
    assert memory.get(user="ana", id="x").retired_at is None


def test_what_lives_longer_does_not_end_for_what_is_pinned():
    lifetimes = {"semantic": DAY.total_seconds()}
    first = fact("a", pinned=True, expires_at=START + DAY)
    second = fact("b", recorded_at=START + DAY / 2, expires_at=START + 1.5 * DAY)
    third = fact("c", recorded_at=START - DAY / 2, expires_at=START + DAY / 2)
    pairs = [Duplicate("a", "b", 0.99), Duplicate("a", "c", 0.99)]
    known = {record.id: record for record in (first, second, third)}
    found = mergers(pairs, known, Merging(), lifetimes=lifetimes)
    assert [(one.kept.id, [record.id for record in one.ending]) for one in found] == [("a", ["c"])]


def test_what_is_pinned_or_held_never_ends():
    assert chosen(fact("a", pinned=True), fact("b", held=True)) == {}
    assert chosen(fact("a", held=True), fact("b", pinned=True), fact("c")) == {"a": ("c",)}


def test_a_chain_of_small_steps_leads_nowhere():
    known = {id_: fact(id_) for id_ in "abcd"}
    pairs = [Duplicate("a", "b", 0.96), Duplicate("b", "c", 0.96), Duplicate("c", "d", 0.96)]
    found = mergers(pairs, known, Merging())
    assert [(one.kept.id, [record.id for record in one.ending]) for one in found] == [
        ("a", ["b"]),
        ("c", ["d"]),
    ]


def test_sources_that_do_not_fit_keep_memories_apart():
    many = tuple(f"t{i}" for i in range(1023))
    assert chosen(fact("a", sources=many), fact("b", sources=("u",))) == {}
    assert chosen(fact("a", sources=many), fact("b", sources=())) == {"a": ("b",)}


@pytest.mark.parametrize(
    "settings",
    [
        {"least": 0},
        {"least": 2},
        {"kinds": ("vault",)},
        {"kinds": ("x",)},
        {"kinds": "semantic"},
        {"kinds": None},
        {"within": -DAY},
        {"within": 60},
    ],
)
def test_bad_settings_are_refused(settings):
    with pytest.raises(InvalidArgumentError, match=next(iter(settings))):
        Merging(**settings)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m.memspan"


@pytest.fixture
def open_memory(path: Path) -> Iterator[Open]:
    opened: list[Memory] = []

    def open_one(**options: Any) -> Memory:
        opened.append(Memory(path, HashEmbedder(dim=64), auto_consolidate=False, **options))
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


@pytest.fixture
def memory(open_memory: Open) -> Memory:
    memory = open_memory()
    memory.add_records(
        [
            fact("a", tags=("tea",), importance=0.3),
            fact(
                "b", "ana drinks green tea in the morning", 3, tags=("morning",), importance=0.9, fidelity=0.8
            ),
            fact("c", "Ana bought a saw.", 1),
        ]
    )
    return memory


def test_one_stays_with_the_sources_of_all(memory: Memory):
    report = memory.consolidate("ana")
    assert report.upkeep is not None
    assert (report.upkeep.merged, report.upkeep.skipped, report.upkeep.finished) == (1, 0, True)
    kept, ended = memory.get(user="ana", id="a"), memory.get(user="ana", id="b")
    assert kept is not None
    assert ended is not None
    assert kept.sources == ("turn-a", "turn-b", "b")
    assert kept.tags == ("tea", "morning")
    assert kept.importance == 0.9
    assert kept.recorded_at == START
    assert ended.until == START + 3 * DAY
    assert ended.retired_at is not None
    gave = {"sources": ["turn-b", "b"], "tags": ["morning"]}
    assert ended.metadata["ended"] == {"action": "merge", "by": ["a"], "gave": gave}
    assert memory.get(user="ana", id="c").until is None


def test_it_is_done_once(memory: Memory):
    assert memory.consolidate("ana").upkeep.merged == 1
    again = memory.consolidate("ana").upkeep
    assert (again.compared, again.merged, again.runs) == (0, 0, ())
    memory.add_records([fact("d", recorded_at=None)])
    news = memory.consolidate("ana").upkeep
    assert (news.merged, len(news.runs)) == (1, 1)
    assert next(run.id for run in memory.runs("ana")) == news.runs[0]
    assert len(memory.runs()) == 2


def test_a_dry_run_changes_nothing(memory: Memory, path: Path):
    before = {hit.id: hit.record.metadata for hit in memory.latest(user="ana")}
    report = memory.consolidate("ana", dry_run=True)
    assert report.upkeep.merged == 1
    assert report.upkeep.planned == (("merge", "ana", ("b",), "a"),)
    assert (report.upkeep.runs, memory.runs()) == ((), [])
    assert {hit.id: hit.record.metadata for hit in memory.latest(user="ana")} == before
    assert memory.consolidate("ana").upkeep.merged == 1


def test_it_may_be_turned_off(memory: Memory):
    assert memory.consolidate("ana", merge=False).upkeep.merged == 0
    assert memory.consolidate("ana", merge=Merging(kinds=("episodic",))).upkeep.merged == 0
    # Other settings make all of it news.
    assert memory.consolidate("ana").upkeep.merged == 1


@pytest.mark.parametrize("arguments", [{"merge": 3}, {"seconds": -1}, {"dry_run": "yes"}, {"user": ""}])
def test_bad_arguments_are_refused(memory: Memory, arguments: dict[str, Any]):
    with pytest.raises(InvalidArgumentError, match=next(iter(arguments))):
        memory.consolidate(**arguments)


def test_without_time_a_slice_is_done_and_the_next_call_goes_on(memory: Memory):
    report = memory.consolidate("ana", seconds=0)
    assert (report.upkeep.finished, report.upkeep.merged) == (False, 1)
    rest = memory.consolidate("ana")
    assert (rest.upkeep.finished, rest.upkeep.merged) == (True, 0)


def many(count: int) -> list[Record]:
    """Pairs of facts that say the same."""
    words = ("saw", "boat", "lamp", "desk", "kite", "drum", "vase", "rope", "coat", "ring")
    return [
        fact(f"{side}{i:03}", f"Ana bought a {words[i % 10]} and a {words[i // 10 % 10]} in shop {i}.")
        for i in range(count)
        for side in "ab"
    ]


def test_slices_that_were_done_stay_when_the_time_is_over(open_memory: Open, monkeypatch: pytest.MonkeyPatch):
    memory = open_memory()
    memory.add_records(many(100))
    checks = iter([True, True, True, True, True, False])
    monkeypatch.setattr(Upkeep, "in_time", lambda self: next(checks, False))
    first = memory.consolidate("ana").upkeep
    monkeypatch.undo()
    assert first.finished is False
    assert 0 < first.merged < 100
    second = memory.consolidate("ana").upkeep
    assert first.merged + second.merged == 100
    assert [run.changes for run in memory.runs()] == [2 * second.merged, 2 * first.merged]


def test_memories_that_change_meanwhile_are_left_alone(
    open_memory: Open, memory: Memory, monkeypatch: pytest.MonkeyPatch
):
    from memspan.lifecycle import upkeep

    def unite(*arguments: Any) -> Any:
        memory.add_records([fact("b", "Ana drinks coffee.", 3)])
        return original(*arguments)

    original = upkeep.unite
    monkeypatch.setattr(upkeep, "unite", unite)
    done = memory.consolidate("ana").upkeep
    assert (done.merged, done.skipped) == (0, 1)
    assert memory.get(user="ana", id="b").text == "Ana drinks coffee."


def test_users_are_apart(open_memory: Open):
    memory = open_memory()
    memory.add_records([fact("a"), fact("b", user="ben"), fact("c", user="ben")])
    report = memory.consolidate().upkeep
    assert (report.users, report.merged, len(report.runs)) == (2, 1, 1)
    assert memory.get(user="ana", id="a").sources == ("turn-a",)
    assert [run.user for run in memory.runs()] == ["ben"]
    with pytest.raises(InvalidArgumentError, match="run"):
        memory.undo(report.runs[0], user="ana")


def test_another_handle_sees_it(open_memory: Open, memory: Memory):
    other = open_memory()
    memory.consolidate("ana")
    found = [one.id for one in other.search("green tea in the morning", user="ana", valid_at=START + 9 * DAY)]
    assert "a" in found
    assert "b" not in found


def test_a_run_that_is_undone_while_it_is_under_way_ends(
    open_memory: Open, memory: Memory, monkeypatch: pytest.MonkeyPatch
):
    from memspan.lifecycle.merging import uniting

    memory.add_records(many(60))
    other = open_memory()
    slices = iter(range(100))

    def unite(*arguments: Any) -> Any:
        if next(slices) == 1:
            other.undo(other.runs("ana")[0].id)
        return original(*arguments)

    original = uniting._unite_slice
    monkeypatch.setattr(uniting, "_unite_slice", unite)
    with pytest.raises(UndoError, match="under way"):
        memory.consolidate("ana")
    assert all(record.until is None for record in (memory.get(user="ana", id=id_) for id_ in ("a", "b")))
    assert memory.verify() == []


def test_what_outlived_its_time_is_erased_and_never_comes_back(memory: Memory):
    soon = datetime.now(timezone.utc) + timedelta(seconds=0.4)
    memory.add_records(
        [fact("x", "Ana is in Rome.", expires_at=soon), fact("y", "Ana is in Rome!", expires_at=soon)]
    )
    (run,) = memory.consolidate("ana").upkeep.runs
    assert memory.get(user="ana", id="y").retired_at is not None
    sleep(max(0.0, (soon - datetime.now(timezone.utc)).total_seconds()) + 0.01)
    dry = memory.consolidate("ana", dry_run=True).upkeep
    assert (dry.expired, memory.get(user="ana", id="x") is None) == (2, False)
    assert [(one.action, sorted(one.records)) for one in dry.planned] == [("expire", ["x", "y"])]
    assert memory.consolidate("ana").upkeep.expired == 2
    assert memory.undo(run).restored == 2
    assert [memory.get(user="ana", id=id_) for id_ in ("x", "y")] == [None, None]
    assert memory.get(user="ana", id="b").until is None


def test_what_is_kept_as_history_is_counted(memory: Memory):
    assert memory.consolidate("ana").upkeep.stale == 0
    assert memory.consolidate("ana").upkeep.stale == 1


def _merge_and_die(path: Path) -> None:
    from memspan.lifecycle.merging import uniting

    slices = iter(range(100))

    def unite(*arguments: Any) -> Any:
        if next(slices) == 2:
            os.kill(os.getpid(), signal.SIGKILL)
        return original(*arguments)

    original = uniting._unite_slice
    uniting._unite_slice = unite
    Memory(path, HashEmbedder(dim=64), auto_consolidate=False).consolidate("ana")


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
def test_killed_between_slices_it_goes_on_and_can_be_undone(open_memory: Open, path: Path):
    memory = open_memory()
    memory.add_records(many(100))
    child = multiprocessing.get_context("spawn").Process(target=_merge_and_die, args=(path,))
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    (cut,) = memory.runs()
    assert cut.state == "running"
    assert 0 < cut.changes < 200
    rest = memory.consolidate("ana").upkeep
    assert cut.changes + 2 * rest.merged == 200
    assert [memory.undo(run.id).restored for run in memory.runs()] == [2 * rest.merged, cut.changes]
    assert all(hit.record.retired_at is None for hit in memory.latest(user="ana", k=500))
    assert len(memory.latest(user="ana", k=500)) == 200
    assert memory.verify() == []


def test_what_was_given_and_what_was_made_stay_apart(memory: Memory):
    """Tags that were made for a copy are not taken for given ones of the memory that stays."""
    with memory._engine.changing() as change:
        write_made_tags(change, "ana", {"a": ("drink", "morning"), "b": ("drink", "green"), "c": ("tool",)})
    stored = memory.get(user="ana", id="a")
    assert stored is not None
    assert stored.tags == ("tea", "drink", "morning")
    report = memory.consolidate("ana").upkeep
    assert report.merged == 1
    after = memory.get(user="ana", id="a")
    assert after is not None
    # `morning` was given to the copy and made for the one that stays: it is there once.
    assert after.tags == ("tea", "drink", "morning")
    with memory._engine.store.reading() as reader:
        assert reader.made_tags("ana") == {"a": ("drink", "morning"), "b": ("drink", "green"), "c": ("tool",)}
    assert memory.undo(report.runs[0]).restored == 2
    undone = memory.get(user="ana", id="a")
    assert undone is not None
    assert encode_record_line(undone, embedding=True) == encode_record_line(stored, embedding=True)


def test_given_tags_of_copies_stay_given_when_made_ones_are_taken_back(memory: Memory):
    with memory._engine.changing() as change:
        write_made_tags(change, "ana", {"a": ("drink",), "b": ("drink", "green")})
    memory.consolidate("ana")
    memory.untag("ana")
    after = memory.get(user="ana", id="a")
    assert after is not None
    assert after.tags == ("tea", "morning")


def test_settings_do_not_change_with_the_list_they_were_made_of() -> None:
    kinds = ["semantic"]
    merging = Merging(kinds=kinds)  # type: ignore[arg-type]
    kinds.append("vault")
    assert merging == Merging()
    assert hash(merging) == hash(Merging())
