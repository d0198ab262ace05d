"""Calls that look at much let others write meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

from memspan.lifecycle.sleep.update import SleepUpdate
from memspan.memory import Memory
from memspan.store.sqlite.reader import SqliteReader

Look = Callable[[Memory], Any]

WAITED = 60.0
"""Seconds after which a write is taken for one that waits; it takes milliseconds."""

LOOKS: dict[str, tuple[str, Look]] = {
    "stats of a user": ("summary", lambda memory: memory.stats("ana")),
    "stats": ("summary", lambda memory: memory.stats()),
    "the update in sleep": ("scan", lambda memory: SleepUpdate().records(memory._engine, "ana")),
}


@pytest.mark.parametrize("name", LOOKS)
def test_others_write_meanwhile(memory: Memory, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    read, look = LOOKS[name]
    memory.add("the first", user="ana")
    original, written = getattr(SqliteReader, read), []

    def reading(self: SqliteReader, *arguments: Any, **options: Any) -> Any:
        thread = threading.Thread(target=lambda: written.append(memory.add("meanwhile", user="ana")))
        thread.start()
        thread.join(WAITED)
        written.append("in time" if not thread.is_alive() else "too late")
        return original(self, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(SqliteReader, read, reading)
        look(memory)
    assert written[-1] == "in time"
    assert len(memory.latest("ana")) == 2


def test_stats_are_of_one_state(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add("the first", user="ana")
    original = SqliteReader.summary

    def summary(self: SqliteReader, user: str | None = None) -> dict[str, Any]:
        thread = threading.Thread(target=lambda: memory.add("meanwhile", user="ana"))
        thread.start()
        thread.join(WAITED)
        return original(self, user)

    with monkeypatch.context() as patched:
        patched.setattr(SqliteReader, "summary", summary)
        stats = memory.stats("ana")
    assert (stats["records"], stats["index"]["records"]) == (1, 1)
    assert memory.stats("ana")["records"] == 2


def test_others_write_while_everything_is_compared(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add("the first", user="ana")
    original, written = SqliteReader.scan, []

    def scan(self: SqliteReader, *arguments: Any, **options: Any) -> Any:
        if not written:
            thread = threading.Thread(target=lambda: memory.add("meanwhile", user="ben"))
            thread.start()
            thread.join(WAITED)
            written.append(not thread.is_alive())
        return original(self, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(SqliteReader, "scan", scan)
        assert memory.verify() == []
    assert written == [True]
    assert memory.users() == ["ana", "ben"]


def test_what_others_write_meanwhile_is_no_problem(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add("the first", user="ana")
    original, written = SqliteReader.users, []

    def users(self: SqliteReader) -> list[str]:
        if not written:
            written.append(True)
            thread = threading.Thread(target=lambda: memory.add("meanwhile", user="ana", tags=["new"]))
            thread.start()
            thread.join(WAITED)
        return original(self)

    with monkeypatch.context() as patched:
        patched.setattr(SqliteReader, "users", users)
        assert memory.verify() == []
    memory._engine.current().remove(user="ana", ids=[memory.latest("ana")[0].id])
    assert any("ana" in problem for problem in memory.verify())


def test_what_was_written_meanwhile_is_compared_again_alone(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not all there is once more, while everybody waits."""
    memory.add([{"id": f"fact {number}", "text": "fact"} for number in range(20)], user="ana")
    scan, fetch, scans, fetched = SqliteReader.scan, SqliteReader.fetch, [], []

    def scanning(self: SqliteReader, *arguments: Any, **options: Any) -> Any:
        scans.append(0)
        for page in scan(self, *arguments, **options):
            memory.add({"id": page[0].id, "text": "fact", "at": "2020-01-01"}, user="ana")
            yield page

    def fetching(self: SqliteReader, user: str, ids: Any, **options: Any) -> Any:
        fetched.append(list(ids))
        return fetch(self, user, ids, **options)

    with monkeypatch.context() as patched:
        patched.setattr(SqliteReader, "scan", scanning)
        patched.setattr(SqliteReader, "fetch", fetching)
        assert memory.verify() == []
    assert len(scans) == 1
    assert fetched[-1] == ["fact 0"]


def test_what_stays_different_is_told(memory: Memory) -> None:
    memory.add([{"id": id_, "text": "fact", "tags": ["tea"]} for id_ in ("a", "b", "c")], user="ana")
    index = memory._engine.current()
    index.remove(user="ana", ids=["b", "c"])
    index.add(user="ben", id="x", at=0, text="", embedding=[1.0] * 32)
    index.relate(user="ana", parent="drink", child="tea")
    assert memory.verify() == [
        "index: user 'ana' has 1 records, the store 3",
        "index: knows user 'ben', the store does not",
        "index: user 'ana' has an unknown tag 'drink'",
        "index: user 'ana' has an unknown relation ('drink', 'tea')",
        "index: record 'b' of user 'ana' is missing or at another time",
        "index: record 'c' of user 'ana' is missing or at another time",
    ]
