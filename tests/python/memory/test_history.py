"""What was believed when: versions, retiring, superseding, and searches at other times."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from types import SimpleNamespace
from typing import Any

import pytest

from memspan import Memory, errors
from memspan.records import Record
from memspan.remember.endings.endings import as_believed, before_ending, ended
from memspan.remember.searching.reranking import Readable
from memspan.remember.writing.indexing import write_records
from memspan.times import now_micros, to_micros

UTC = timezone.utc
AT = datetime(2023, 5, 8, tzinfo=UTC)
DAY = timedelta(days=1)
Open = Callable[..., Memory]


def say(memory: Memory, id_: str, text: str, at: datetime = AT, **more: Any) -> None:
    memory.add([{"id": id_, "text": text, "at": at, **more}], user="ana")


def texts(memory: Memory, **more: Any) -> set[str]:
    return {one.text for one in memory.search("tea", user="ana", k=100, **more)}


def stored(memory: Memory, id_: str) -> Record:
    found = memory.get(user="ana", id=id_)
    assert found is not None
    return found


def test_overwriting_leaves_a_version(memory: Memory) -> None:
    say(memory, "m1", "green tea", tags=["drinks"], metadata={"cup": 1}, until=AT + 9 * DAY)
    learnt = stored(memory, "m1").recorded_at
    assert learnt is not None
    say(memory, "m1", "black tea")
    now = stored(memory, "m1")
    assert now.recorded_at is not None
    assert now.recorded_at > learnt
    version = stored(memory, f"m1@{to_micros(learnt)}")
    assert (version.text, version.tags, version.recorded_at) == ("green tea", ("drinks",), learnt)
    assert (version.until, version.retired_at) == (AT, now.recorded_at), "it was never true"
    assert version.metadata == {
        "cup": 1,
        "version_of": "m1",
        "ended": {"action": "overwrite", "by": ["m1"], "until": to_micros(AT + 9 * DAY)},
    }
    assert texts(memory) == {"black tea"}
    assert texts(memory, as_of=learnt) == {"green tea"}
    assert texts(memory, valid_at=AT + DAY) == {"black tea"}
    (then,) = memory.search("tea", user="ana", as_of=learnt)
    assert then.record.until == AT + 9 * DAY, "as it read then"
    assert then.record.metadata == {"cup": 1}
    assert memory.verify() == []


def test_the_same_again_changes_nothing(memory: Memory) -> None:
    say(memory, "m1", "green tea")
    before = stored(memory, "m1")
    say(memory, "m1", "green tea")
    say(memory, "m1", "green tea", recorded_at=AT)
    after = stored(memory, "m1")
    assert after.recorded_at == before.recorded_at
    memory.retire(user="ana", ids=["m1"])
    say(memory, "m1", "green tea")
    assert texts(memory) == set(), "what was retired does not come back with the same words"
    say(memory, "m1", "black tea")
    assert texts(memory) == {"black tea"}
    assert memory.history(user="ana", id="m1").versions[0].action == "retire"  # type: ignore[union-attr]


def test_given_times_of_learning_are_kept_in_order(memory: Memory) -> None:
    say(memory, "m1", "one", recorded_at=AT)
    say(memory, "m1", "two", recorded_at=AT + DAY)
    say(memory, "m1", "three", recorded_at=AT - DAY)
    history = memory.history(user="ana", id="m1")
    assert history is not None
    tick = timedelta(microseconds=1)
    assert [(one.record.text, one.since, one.until) for one in history.versions] == [
        ("one", AT, AT + DAY),
        ("two", AT + DAY, AT + DAY + tick),
        ("three", AT + DAY + tick, None),
    ]


def test_the_vault_and_long_ids_leave_no_version(memory: Memory) -> None:
    for id_, kind in (("m1", "vault"), ("x" * 500, "episodic")):
        say(memory, id_, "green tea", kind=kind)
        say(memory, id_, "black tea", kind=kind)
    assert {one.id for one in memory.search("tea", user="ana", kinds=["vault", "episodic"], as_of=2**52)} == {
        "m1",
        "x" * 500,
    }
    assert memory.stats("ana")["records"] == 2


@pytest.mark.parametrize(("length", "versions"), [(488, 2), (489, 1)])
def test_an_id_has_room_for_the_moment_of_a_version(memory: Memory, length: int, versions: int) -> None:
    say(memory, "x" * length, "green tea")
    say(memory, "x" * length, "black tea")
    history = memory.history(user="ana", id="x" * length)
    assert history is not None
    assert len(history.versions) == versions


def test_a_hold_holds_versions_too(memory: Memory) -> None:
    say(memory, "m1", "green tea")
    memory.hold(user="ana", id="m1")
    say(memory, "m1", "black tea")
    assert stored(memory, "m1").held
    history = memory.history(user="ana", id="m1")
    assert history is not None
    assert [one.record.held for one in history.versions] == [True, True]


def test_a_clock_that_goes_backwards(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    say(memory, "m1", "green tea")
    learnt = to_micros(stored(memory, "m1").recorded_at)  # type: ignore[arg-type]
    monkeypatch.setattr(
        "memspan.times.time", SimpleNamespace(time_ns=lambda: (learnt - 3_600_000_000) * 1000)
    )
    say(memory, "m1", "black tea")
    assert to_micros(stored(memory, "m1").recorded_at) == learnt + 1  # type: ignore[arg-type]
    assert texts(memory) == {"black tea"}
    assert texts(memory, as_of=learnt) == {"green tea"}
    assert texts(memory, as_of=learnt + 1) == {"black tea"}
    memory.retire(user="ana", ids=["m1"])
    assert texts(memory) == set()
    assert texts(memory, as_of=learnt + 1) == {"black tea"}
    assert texts(memory, as_of=learnt + 2) == set()


def test_a_clock_that_goes_backwards_after_a_record_was_retired(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(memory, "m1", "green tea")
    learnt = to_micros(stored(memory, "m1").recorded_at)  # type: ignore[arg-type]
    clock = SimpleNamespace(time_ns=lambda: (learnt + 3_600_000_000) * 1000)
    monkeypatch.setattr("memspan.times.time", clock)
    memory.retire(user="ana", ids=["m1"])
    clock.time_ns = lambda: (learnt + 1_800_000_000) * 1000
    say(memory, "m1", "black tea")
    again = stored(memory, "m1").recorded_at
    assert again is not None
    assert texts(memory, as_of=to_micros(again) - 1) == {"green tea"}
    assert texts(memory, as_of=again) == {"black tea"}
    first, second = memory.history(user="ana", id="m1").versions  # type: ignore[union-attr]
    assert (first.until, first.action) == (second.since, "retire")


def test_retiring(memory: Memory) -> None:
    say(memory, "a", "green tea")
    say(memory, "b", "black tea", until=AT + 2 * DAY)
    say(memory, "c", "no tea")
    before = now_micros()
    assert memory.retire(user="ana", ids=["a", "b", "a"], at=AT + 5 * DAY) == 2
    assert memory.retire(user="ana", ids=["a"]) == 0
    assert memory.retire(user="ana", ids=["c"], at=AT - DAY) == 1
    assert texts(memory) == set()
    assert memory.latest(user="ana") == []
    assert texts(memory, as_of=before) == {"green tea", "black tea", "no tea"}
    assert texts(memory, valid_at=AT + DAY) == {"green tea", "black tea"}, "the last was never true"
    assert texts(memory, valid_at=AT + 3 * DAY) == {"green tea"}
    assert texts(memory, valid_at=AT + 3 * DAY, as_of=before) == {"green tea", "no tea"}
    assert texts(memory, valid_at=AT + 6 * DAY) == set()
    assert stored(memory, "a").until == AT + 5 * DAY
    with pytest.raises(errors.InvalidArgumentError, match="ids: got 'nobody'"):
        memory.retire(user="ana", ids=["nobody"])
    with pytest.raises(errors.InvalidArgumentError, match="ids"):
        memory.retire(user="ana", ids="a")


def test_superseding(memory: Memory) -> None:
    say(memory, "a", "green tea", tags=["drinks"], speaker="Ana", session="s", kind="semantic")
    new = memory.supersede(user="ana", id="a", text="black tea", at=AT + DAY)
    record = stored(memory, new)
    assert (record.text, record.kind, record.at) == ("black tea", "semantic", AT + DAY)
    assert (record.tags, record.speaker, record.session) == (("drinks",), "Ana", "s")
    assert record.metadata == {"replaces": ["a"]}
    assert stored(memory, "a").retired_at == record.recorded_at
    assert texts(memory) == {"black tea"}
    assert texts(memory, valid_at=AT) == {"green tea"}
    say(memory, "c", "no tea", at=AT + 3 * DAY)
    assert memory.supersede(user="ana", id=new, by="c") == "c"
    assert stored(memory, new).until == AT + 3 * DAY
    history = memory.history(user="ana", id=new)
    assert history is not None
    assert [one.record.id for one in history] == ["a", new, "c"]
    assert [one.action for one in history] == ["supersede", "supersede", ""]
    assert [one.record.id for one in history.before] == ["a"]
    assert [one.record.id for one in history.after] == ["c"]
    first = memory.history(user="ana", id="a")
    assert first is not None
    assert {one.record.id for one in first.after} == {new, "c"}
    assert memory.verify() == []


def test_a_correction_is_not_from_where_the_old_record_was(memory: Memory) -> None:
    say(memory, "a", "green tea", provenance="import.csv", importance=0.5)
    new = memory.supersede(user="ana", id="a", text="black tea")
    assert (stored(memory, new).provenance, stored(memory, new).importance) == (None, 0.5)
    assert memory.forget(user="ana", source="import.csv") == 1
    assert texts(memory) == {"black tea"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({}, "text"),
        ({"text": "x", "by": "b"}, "not both"),
        ({"by": "a"}, "another record"),
        ({"by": "nobody"}, "by: got 'nobody'"),
        ({"text": " "}, "^text: got ' '"),
        ({"id": "nobody", "text": "x"}, "id: got 'nobody'"),
        ({"id": "nobody", "by": "b"}, "id: got 'nobody'"),
        ({"id": "gone", "text": "x"}, "retired"),
        ({"by": "gone"}, "retired"),
        ({"text": "x", "at": "soon"}, "at"),
    ],
)
def test_what_cannot_be_superseded(memory: Memory, more: dict[str, Any], message: str) -> None:
    say(memory, "a", "green tea")
    say(memory, "b", "black tea")
    say(memory, "gone", "old tea")
    memory.retire(user="ana", ids=["gone"])
    with pytest.raises(errors.InvalidArgumentError, match=message):
        memory.supersede(user="ana", **{"id": "a", **more})
    assert texts(memory) == {"green tea", "black tea"}


def test_histories_of_versions_and_of_nobody(memory: Memory) -> None:
    assert memory.history(user="ana", id="a") is None
    say(memory, "a", "green tea")
    say(memory, "a", "black tea")
    say(memory, "b", "secret", kind="vault")
    memory.supersede(user="ana", id="a", by="b")
    history = memory.history(user="ana", id="a")
    assert history is not None
    assert [one.record.text for one in history.versions] == ["green tea", "black tea"]
    assert history.after == (), "the vault stays unseen"
    (version, _) = history.versions
    again = memory.history(user="ana", id=version.record.id)
    assert again is not None
    assert again.to_dict() == history.to_dict()
    vault = memory.history(user="ana", id="b")
    assert vault is not None
    assert {one.record.text for one in vault.before} == {"green tea", "black tea"}


def test_other_handles_reopening_and_one_user(open_memory: Open) -> None:
    one, other = open_memory(), open_memory()
    say(one, "a", "green tea")
    assert texts(other) == {"green tea"}
    before = now_micros()
    mine = other.user("ana")
    new = mine.supersede(id="a", text="black tea")
    assert texts(one) == {"black tea"}
    assert mine.retire(ids=[new]) == 1
    assert texts(one) == set()
    one.close()
    again = open_memory()
    assert texts(again) == set()
    assert texts(again, as_of=before) == {"green tea"}
    assert [each.record.id for each in mine.history(id=new) or ()] == ["a", new]


def test_context_and_planning_go_by_what_was_believed(memory: Memory) -> None:
    say(memory, "a", "green tea")
    say(memory, "b", "white tea", at=AT + 400 * DAY)
    before = now_micros()
    memory.retire(user="ana", ids=["b"])
    say(memory, "a", "black tea")
    assert "black tea" in memory.context("tea", user="ana").text
    then = memory.context("tea", user="ana", as_of=before).text
    assert "green tea" in then
    assert "white tea" in then
    assert "black tea" not in then
    now = memory.search("what tea last week?", user="ana").plan
    past = memory.search("what tea last week?", user="ana", as_of=before).plan
    assert now is not None
    assert past is not None
    assert now.intervals != past.intervals, "`last week` is before the newest that was believed"


def test_a_reranker_reads_nothing_that_a_search_may_not_find() -> None:
    record = Record(id="a", user="ana", text="x", at=AT, recorded_at=AT, until=AT + 9 * DAY)
    gone = ended(record, action="retire", by=(), at=AT + DAY, moment=AT + 2 * DAY)
    anything = {"vault": False, "exclude": frozenset[str]()}
    assert Readable(as_of=None, **anything).admits(record)  # type: ignore[arg-type]
    assert not Readable(as_of=None, **anything).admits(gone)  # type: ignore[arg-type]
    assert Readable(as_of=AT, **anything).admits(gone)  # type: ignore[arg-type]
    assert not Readable(as_of=AT + 2 * DAY, **anything).admits(gone)  # type: ignore[arg-type]
    assert Readable(as_of=None, valid_at=AT, **anything).admits(gone)  # type: ignore[arg-type]
    assert not Readable(as_of=None, valid_at=AT + 5 * DAY, **anything).admits(gone)  # type: ignore[arg-type]
    assert Readable(as_of=AT, valid_at=AT + 5 * DAY, **anything).admits(gone)  # type: ignore[arg-type]


def test_endings_as_values() -> None:
    record = Record(id="a", user="ana", text="x", at=AT, recorded_at=AT, metadata={"k": 1})
    gone = ended(record, action="retire", by=["b"], at=AT + DAY, moment=AT + 2 * DAY)
    assert before_ending(gone).metadata == {"k": 1}
    assert (before_ending(gone).until, before_ending(gone).retired_at) == (None, None)
    assert as_believed(gone, AT + 2 * DAY) is gone
    assert as_believed(gone, AT + DAY).until is None
    foreign = Record(
        id="a", user="ana", text="x", at=AT, until=AT + DAY, retired_at=AT, metadata={"ended": 7}
    )
    assert before_ending(foreign).until == AT + DAY
    assert before_ending(foreign).metadata == {"ended": 7}


@pytest.mark.parametrize("until", [10**18, -(10**18), True, 1.5, "soon", None])
def test_a_note_that_names_no_time_names_no_end(memory: Memory, until: Any) -> None:
    note = {"action": "retire", "by": [], "until": until}
    record = Record(
        id="a", user="ana", text="green tea", at=AT, retired_at=AT + DAY, metadata={"ended": note}
    )
    memory.add_records([record])
    memory.add_records([record])
    history = memory.history(user="ana", id="a")
    assert history is not None
    assert history.versions[0].record.until is None


@pytest.mark.parametrize("change", ["overwrite", "retire", "supersede"])
def test_what_was_recorded_at_the_end_of_time_can_still_be_changed(memory: Memory, change: str) -> None:
    last = datetime.max.replace(tzinfo=UTC)
    say(memory, "a", "green tea")
    # As stores have it from before such times were refused.
    with memory._engine.changing() as writing:
        write_records(writing, [replace(stored(memory, "a"), recorded_at=last)])
    if change == "retire":
        memory.retire(user="ana", ids=["a"])
        assert texts(memory) == set()
        return
    for text in ("black tea", "white tea"):
        if change == "supersede":
            memory.supersede(user="ana", id="a", text=text)
            break
        say(memory, "a", text)
    assert texts(memory) == {text}
    assert texts(memory, as_of=last) == {text}
    history = memory.history(user="ana", id="a")
    assert history is not None
    assert len(list(history)) == (3 if change == "overwrite" else 2)
    assert {one.since for one in history} == {last}
    assert memory.verify() == []


def test_the_asynchronous_forms(memory: Memory) -> None:
    async def run() -> None:
        say(memory, "a", "green tea")
        new = await memory.asupersede(user="ana", id="a", text="black tea")
        assert await memory.aretire(user="ana", ids=[new]) == 1
        history = await memory.user("ana").ahistory(id=new)
        assert history is not None
        assert len(list(history)) == 2

    asyncio.run(run())


def test_tags_are_those_of_what_is_believed(memory: Memory) -> None:
    memory.add([{"id": "a", "text": "The boat lies in Porto.", "at": 0, "tags": ["porto"]}], user="ana")
    memory.add([{"id": "b", "text": "The boat lies in Lagos.", "at": 1, "tags": ["lagos"]}], user="ana")
    before = now_micros()
    memory.retire(user="ana", ids=["a"])
    assert [tag.name for tag in memory.tags(user="ana")] == ["lagos"]
    assert memory.verify() == []

    def lifted(**when: Any) -> tuple[str, ...]:
        seen = memory.search("What about porto?", user="ana", **when)
        return () if seen.plan is None else tuple(seen.plan.tags)

    assert "porto" in lifted(as_of=before)
    assert "porto" not in lifted()
