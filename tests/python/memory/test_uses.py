"""How uses get from searches to the store and back, and what they are good for."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan import Index, InvalidArgumentError, Memory, Quotas, StoreError
from memspan.records import Record
from memspan.remember import use_counts
from memspan.store import SqliteStore
from memspan.store.sqlite import write_turns
from memspan.store.sqlite.write_turns import WriteTurns
from memspan.store.uses import Use
from memspan.times import from_micros, now_micros

Open = Callable[..., Memory]
WORDS = ("apple", "banana", "cherry", "damson", "elder")


def fill(memory: Memory) -> None:
    memory.add(
        [{"id": word, "text": f"about the {word}", "at": i} for i, word in enumerate(WORDS)], user="ana"
    )


def uses(memory: Memory, user: str = "ana") -> dict[str, int]:
    with memory._engine.store.reading() as reader:
        return {use.record: use.searches for use in reader.uses.of(user)}


def look_for(memory: Memory, word: str, times: int = 1) -> None:
    for _ in range(times):
        assert memory.search(word, user="ana", k=1, views=["lexical"])[0].id == word


def test_closing_writes_uses(open_memory: Open) -> None:
    memory = open_memory()
    fill(memory)
    before = now_micros()
    look_for(memory, "apple", 3)
    look_for(memory, "cherry")
    memory.latest(user="ana")
    assert uses(memory) == {}
    memory.close()
    memory = open_memory()
    assert uses(memory) == {"apple": 3, "cherry": 1}
    with memory._engine.store.reading() as reader:
        # In whole seconds.
        assert all(before - 1_000_000 <= use.last <= now_micros() for use in reader.uses.of("ana"))
    look_for(memory, "apple")
    memory.close()
    assert uses(open_memory()) == {"apple": 4, "cherry": 1}


def test_closing_does_not_wait_for_a_writer_to_write_uses(
    open_memory: Open, path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """As a search from the shell, beside a process that rewrites the file."""
    monkeypatch.setattr(write_turns, "HURRIED", 0.05)
    memory = open_memory()
    fill(memory)
    memory.close()
    memory = open_memory()
    look_for(memory, "apple")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        start = time.monotonic()
        memory.close()
        assert time.monotonic() - start < 10
    assert "uses could not be written" in caplog.text
    assert "locked for more than 0.05 seconds" in caplog.text


def test_uses_that_closing_wrote_are_not_missed(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A thread that was about to write them when somebody closed the memory."""
    memory = open_memory()
    fill(memory)
    look_for(memory, "apple")
    changing = memory._engine.changing

    def late() -> Any:
        monkeypatch.undo()
        memory.close()
        return changing()

    monkeypatch.setattr(memory._engine, "changing", late)
    memory._engine.write_uses()
    assert caplog.text == ""
    assert uses(open_memory()) == {"apple": 1}


def test_a_search_that_is_not_tracked_is_no_use(open_memory: Open) -> None:
    memory = open_memory()
    fill(memory)
    tracked = memory.search("apple", user="ana", k=2)
    again = memory.search("apple", user="ana", k=2, track=False)
    assert [recall.id for recall in again] == [recall.id for recall in tracked]
    memory.user("ana").search("apple", k=2, track=False)
    memory.context("apple", user="ana", k=2, track=False)
    memory.user("ana").context("apple", k=2, track=False)
    memory.search("apple", user="ana", k=2, as_of="2030-01-01", track=False, confidence=True)
    memory.forget_matching("apple", user="ana", k=2)
    memory.close()
    memory = open_memory()
    assert uses(memory) == {recall.id: 1 for recall in tracked}
    memory.context("apple", user="ana", k=2)
    memory.close()
    assert uses(open_memory()) == {recall.id: 2 for recall in tracked}


class Indifferent:
    """A reranker."""

    name = "indifferent"

    def score(self, question: str, passages: Sequence[str]) -> Any:
        return np.zeros(len(passages), dtype=np.float32)


@pytest.mark.parametrize("options", [{}, {"rerank_ms": 600_000}, {"fusion": "rrf", "rerank_ms": 600_000}])
def test_only_what_comes_back_is_used(open_memory: Open, options: dict[str, Any]) -> None:
    """Not what was found beside it: candidates of the reranker, and procedures that a how-to did not want."""
    memory = open_memory(reranker=Indifferent())
    texts = [("episodic", f"we deploy number {i} of the server") for i in range(12)]
    texts += [("procedural", "to deploy, copy it to the server"), ("procedural", "zebra, lion, giraffe")]
    memory.add_records(
        Record(id=f"{kind[0]}{i}", user="ana", kind=kind, text=text, at=from_micros(i))
        for i, (kind, text) in enumerate(texts)
    )
    found = memory.search("How do I deploy the server?", user="ana", k=2, **options)
    assert len(found) == 2
    assert found.lifted == (() if options.get("fusion") else ("p12",))
    memory.close()
    assert uses(open_memory()) == {recall.id: 1 for recall in found}


def test_the_clock_of_a_question_is_no_use(open_memory: Open) -> None:
    """When a question of the past was asked is when the newest record that was believed then happened."""
    memory = open_memory()
    fill(memory)
    found = memory.search("apple", user="ana", k=1, as_of="2030-01-01")
    assert [recall.id for recall in found] == ["apple"]
    memory.close()
    assert uses(open_memory()) == {"apple": 1}


def test_track_is_a_flag(open_memory: Open) -> None:
    with pytest.raises(InvalidArgumentError, match="track"):
        open_memory().search("apple", user="ana", track="no")


def test_a_write_takes_uses_along(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()
    fill(memory)
    look_for(memory, "apple")
    memory.add("more", user="ana")
    assert uses(memory) == {}
    monkeypatch.setattr(use_counts, "_SECONDS", 0.0)
    sequence = memory._engine.store.sequence()
    memory.add("even more", user="ana")
    assert uses(memory) == {"apple": 1}
    assert memory._engine.store.sequence() == sequence + 1
    memory.add("and more", user="ana")
    assert uses(memory) == {"apple": 1}


def test_many_uses_ride_on_many_writes(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()
    fill(memory)
    monkeypatch.setattr(use_counts, "_SECONDS", 0.0)
    monkeypatch.setattr(use_counts.UseCounts.write, "__defaults__", (2,))
    for word in WORDS:
        look_for(memory, word)
    counts = []
    for n in range(3):
        memory.add(f"number {n}", user="ben")
        counts.append(len(uses(memory)))
    assert counts == [2, 4, 5]


def test_a_thread_writes_where_nobody_else_does(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()
    fill(memory)
    monkeypatch.setattr(use_counts, "_MANY", 3)
    look_for(memory, "apple", 3)
    assert uses(memory) == {}
    monkeypatch.setattr(use_counts, "_LONG", 0.0)
    look_for(memory, "apple", 3)
    deadline = time.monotonic() + 10
    while not uses(memory) and time.monotonic() < deadline:
        time.sleep(0.005)
    assert uses(memory)["apple"] >= 3
    for thread in threading.enumerate():
        if thread.name == "memspan-uses":
            thread.join()
    memory.close()


def test_it_is_time_to_write_after_many_searches_and_some_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(use_counts, "_MANY", 3)
    assert not any(use_counts.UseCounts().note("ana") for _ in range(9)), "no minute has passed"
    monkeypatch.setattr(use_counts, "_LONG", 0.0)
    counts = use_counts.UseCounts()
    assert [counts.note("ana") for _ in range(6)] == [False, False, True] * 2


def test_uses_keep_records(open_memory: Open, path: Path) -> None:
    """The oldest is used: another one goes, also after the index was made anew from the store."""
    memory = open_memory()
    fill(memory)
    look_for(memory, "apple", 20)
    look_for(memory, "banana", 10)
    memory.close()
    path.with_name(path.name + ".index").unlink(missing_ok=True)
    memory = open_memory()
    memory.set_quotas(Quotas(capacity=6))
    assert {recall.id for recall in memory.latest(user="ana")} >= {"apple", "banana"}
    assert len(memory.evicted(user="ana")) == 3
    memory.verify()


def test_a_snapshot_that_is_older_than_the_uses(open_memory: Open) -> None:
    first, second = open_memory(), open_memory()
    fill(first)
    first._engine._unsaved = 10**6
    first.close()
    look_for(second, "apple", 20)
    second._engine._unsaved = 0
    second.close()
    third = open_memory()
    third.set_quotas(Quotas(capacity=6))
    assert "apple" in {recall.id for recall in third.latest(user="ana")}


def test_a_snapshot_of_a_handle_that_others_searched_beside(open_memory: Open) -> None:
    """What others wrote is in its snapshot, or read after it."""
    first, second = open_memory(), open_memory()
    fill(first)
    look_for(first, "elder")
    look_for(second, "apple", 20)
    second._engine._unsaved = 0
    second.close()
    first._engine._unsaved = 10**6
    first.close()
    third = open_memory()
    third.set_quotas(Quotas(capacity=6))
    assert {recall.id for recall in third.latest(user="ana")} == {"apple", "elder"}


def test_a_record_that_came_back_after_the_snapshot_has_its_uses(open_memory: Open) -> None:
    memory = open_memory()
    fill(memory)
    look_for(memory, "apple", 20)
    look_for(memory, "banana")
    memory._engine.write_uses()
    memory.set_quotas(Quotas(capacity=9, eviction="oldest"))
    assert [evicted.id for evicted in memory.evicted(user="ana")] == ["apple"]
    memory._engine._unsaved = 10**6
    memory.close()
    memory = open_memory()
    memory.restore(user="ana", ids=["apple"])
    memory._engine._unsaved = 0
    memory.close()
    memory = open_memory()
    memory.set_quotas(Quotas(capacity=3))
    assert [recall.id for recall in memory.latest(user="ana")] == ["apple"]


def test_an_opening_reads_the_uses_since_the_snapshot(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[list[str]] = []
    set_uses = Index.set_uses

    def noted(self: Index, **arguments: Any) -> int:
        read.append(arguments["ids"])
        return set_uses(self, **arguments)

    def reopened(*words: str, saved: bool) -> Memory:
        memory._engine._unsaved = 10**6 if saved else 0
        for word in words:
            look_for(memory, word)
        memory.close()
        read.clear()
        return open_memory()

    monkeypatch.setattr(Index, "set_uses", noted)
    memory = open_memory()
    fill(memory)
    memory = reopened(*WORDS, saved=True)
    assert read == []
    memory = reopened("apple", saved=False)
    assert read == [["apple"]]
    memory = reopened("cherry", saved=False)
    assert read == [["apple", "cherry"]]
    memory = reopened(saved=True)
    assert read == []
    assert uses(memory) == {"apple": 2, "banana": 1, "cherry": 2, "damson": 1, "elder": 1}


def test_what_was_forgotten_does_not_come_back_as_a_use(open_memory: Open) -> None:
    memory = open_memory()
    fill(memory)
    look_for(memory, "apple")
    look_for(memory, "banana")
    memory.forget(user="ana", id="apple")
    memory.close()
    assert uses(open_memory()) == {"banana": 1}


def test_a_restored_record_has_its_uses(open_memory: Open) -> None:
    memory = open_memory()
    fill(memory)
    look_for(memory, "apple", 20)
    memory.close()
    memory = open_memory(quotas=Quotas(capacity=9, eviction="oldest"))
    assert [evicted.id for evicted in memory.evicted(user="ana")] == ["apple"]
    memory.restore(user="ana", ids=["apple"])
    memory.set_quotas(Quotas(capacity=3))
    assert [recall.id for recall in memory.latest(user="ana")] == ["apple"]


@pytest.mark.parametrize("soon", [False, True])
@pytest.mark.parametrize("by_quotas", [False, True])
def test_what_is_evicted_keeps_its_uses(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch, soon: bool, by_quotas: bool
) -> None:
    memory = open_memory(quotas=Quotas(capacity=12, eviction="oldest"))
    fill(memory)
    look_for(memory, "apple", 20)
    if soon:
        monkeypatch.setattr(use_counts, "_SECONDS", 0.0)
    if by_quotas:
        memory.set_quotas(Quotas(capacity=9, eviction="oldest"))
    else:
        memory.add({"id": "fig", "text": "about the fig", "at": 9}, user="ana")
    assert [evicted.id for evicted in memory.evicted(user="ana")] == ["apple"]
    memory._engine.write_uses()
    assert uses(memory) == {"apple": 20}


def test_uses_are_only_statistics(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from memspan.errors import StoreError

    memory = open_memory()
    fill(memory)
    look_for(memory, "apple")

    def fail(*_: object) -> None:
        raise StoreError("the disk is full")

    monkeypatch.setattr("memspan.store.sqlite.uses.SqliteUseWriter.add", fail)
    memory._engine.write_uses()
    assert "uses could not be written" in caplog.text
    monkeypatch.undo()
    assert memory.search("apple", user="ana")
    assert memory.verify() == []


def test_counts_of_a_batch() -> None:
    counts = use_counts.UseCounts()
    assert counts.empty
    assert not counts.due
    assert not counts.note("ana")
    assert not counts.empty
    assert Use("a", 1, 2).searches == 1


def test_what_was_looked_at_is_still_written_once(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()
    fill(memory)
    look_for(memory, "apple", 2)
    for _ in range(2):
        memory.search("apple", user="ana", k=1, views=["lexical"], staleness="refresh", track=False)
        look_for(memory, "apple")
    memory.add("more", user="ben")
    assert uses(memory) == {}, "looking at them makes no write take them along"
    monkeypatch.setattr(use_counts, "_SECONDS", 0.0)
    memory.add("even more", user="ben")
    assert uses(memory) == {"apple": 4}


def test_no_transaction_writes_very_many_uses(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()
    memory.add([{"id": f"m{number}", "text": "about the apple"} for number in range(10)], user="ana")
    monkeypatch.setattr(use_counts, "_BATCH", 2)
    monkeypatch.setattr(use_counts.UseCounts.write, "__defaults__", (2,))
    written: list[int] = []
    commit = SqliteStore._commit

    def counted(self: SqliteStore, *arguments: Any, **options: Any) -> None:
        commit(self, *arguments, **options)
        written.append(len(uses(memory)))

    monkeypatch.setattr(SqliteStore, "_commit", counted)
    assert len(memory.search("apple", user="ana", k=10, views=["lexical"])) == 10
    memory._engine.write_uses()
    assert written[-1] == 10
    # What waits rides on each of them besides.
    assert max(after - before for before, after in zip([0, *written], written, strict=False)) <= 4


def test_a_commit_that_fails_loses_no_uses(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: Any, **options: Any) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    memory = open_memory()
    fill(memory)
    known = memory._engine.uses.known
    look_for(memory, "apple", 3)
    monkeypatch.setattr(use_counts, "_SECONDS", 0.0)
    for _ in range(2):
        with monkeypatch.context() as patched:
            patched.setattr(SqliteStore, "_commit", fail)
            with pytest.raises(StoreError):
                memory.add("one that is not kept", user="ana")
    assert uses(memory) == {}
    assert memory._engine.uses.known == known
    monkeypatch.setattr(use_counts, "_SECONDS", 3600.0)
    look_for(memory, "apple")
    memory.add("one that is kept", user="ana")
    assert uses(memory) == {"apple": 4}
    memory.add("another one", user="ana")
    assert uses(memory) == {"apple": 4}


def test_an_index_that_is_rebuilt_loses_no_uses(open_memory: Open) -> None:
    memory = open_memory()
    fill(memory)
    look_for(memory, "cherry", 2)
    before = memory._engine.current()

    def change_and_fail() -> None:
        with memory._engine.changing() as change:
            change.apply(lambda index: index.relate(user="ana", parent="a", child="b"))
            raise StoreError("scripted")

    with pytest.raises(StoreError, match="scripted"):
        change_and_fail()
    assert memory._engine.current() is not before
    memory.close()
    assert uses(open_memory()) == {"cherry": 2}


def test_an_interrupt_after_the_commit_counts_nothing_twice(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: Any) -> None:
        raise KeyboardInterrupt

    memory = open_memory()
    fill(memory)
    look_for(memory, "apple", 3)
    monkeypatch.setattr(use_counts, "_SECONDS", 0.0)
    with monkeypatch.context() as patched:
        patched.setattr(WriteTurns, "end", interrupt)
        with pytest.raises(KeyboardInterrupt):
            memory.add("one that is kept", user="ana")
    look_for(memory, "apple")
    memory.add("another one", user="ana")
    assert uses(memory) == {"apple": 4}
    assert len(memory.latest(user="ana")) == len(WORDS) + 2
    with monkeypatch.context() as patched:
        patched.setattr(WriteTurns, "end", interrupt)
        with pytest.raises(KeyboardInterrupt):
            memory.audit()
    assert [entry.details["records"] for entry in memory.audit(action="add")] == [len(WORDS) + 1]
    assert memory.verify() == []
