"""The audit says who did what, and nothing of what anybody said."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from memspan import errors
from memspan.memory import Memory
from memspan.remember.audit import tally

Open = Callable[..., Memory]


def actions(memory: Memory, **wanted: object) -> list[tuple[str, str]]:
    return [(entry.actor, entry.action) for entry in memory.audit(**wanted)]  # type: ignore[arg-type]


def test_every_change_is_entered(open_memory: Open) -> None:
    memory = open_memory(actor="app")
    memory.add([{"id": "m1", "text": "market in Oslo", "tags": ["a"]}, "x"], user="ana")
    memory.add("y", user="ana")
    memory.relate(user="ana", parent="top", child="a")
    memory.relate(user="ana", parent="top", child="a")
    memory.unrelate(user="ana", parent="top", child="a")
    with memory.acting("dr. smith"):
        memory.hold(user="ana", id="m1")
        memory.release(user="ana", id="m1")
    memory.forget(user="ana", id="m1")
    memory.forget(user="ana", id="m1")
    memory.reembed("hash:16")
    assert actions(memory) == [
        ("app", "add"),
        ("app", "relate"),
        ("app", "unrelate"),
        ("dr. smith", "hold"),
        ("dr. smith", "release"),
        ("app", "forget"),
        ("app", "reembed"),
    ]
    added, *_, forgotten, converted = memory.audit()
    assert added.details == {"records": 3}
    assert added.records == ()
    assert forgotten.details == {"by": "ids", "records": 1}
    assert (converted.user, converted.details) == (None, {"records": 2})
    assert memory.verify() == []


def test_what_only_lives_on_otherwise_is_entered(memory: Memory) -> None:
    message = {"id": "m1", "text": "market in Oslo"}
    memory.add(message, user="ana")
    assert [entry.details for entry in memory.audit()] == [{"records": 1}]
    memory.add(message, user="ana")
    assert len(memory.audit()) == 1
    memory.add(message, user="ana", ttl=3600)
    record = memory.get(user="ana", id="m1")
    assert record is not None
    memory.add_records([replace(record, pinned=True)])
    assert [entry.details for entry in memory.audit()] == [{"records": 1}, {"records": 2}]


def test_names_find_entries_and_cannot_be_read_in_them(memory: Memory, path: Path) -> None:
    memory.add([{"id": "Wolfsbane", "text": "x"}], user="Hemlock")
    memory.add([{"id": "m1", "text": "x"}], user="ben")
    memory.hold(user="Hemlock", id="Wolfsbane")
    memory.release(user="Hemlock", id="Wolfsbane")
    memory.forget(user="Hemlock")
    assert [entry.action for entry in memory.audit(user="Hemlock")] == ["add", "hold", "release", "forget"]
    assert [entry.action for entry in memory.audit(user="Hemlock", id="Wolfsbane")] == ["hold", "release"]
    assert [entry.action for entry in memory.audit(user="ben")] == ["add"]
    assert memory.audit(user="nobody") == []
    memory.close()
    for file in path.parent.iterdir():
        content = file.read_bytes().lower()
        assert b"wolfsbane" not in content, file
        assert b"hemlock" not in content, file


def test_the_same_names_have_other_fingerprints_elsewhere(open_memory: Open, path: Path) -> None:
    found = set()
    for name in ("a", "b"):
        memory = open_memory(path.parent / name)
        memory.add([{"id": "m1", "text": "x"}], user="ana")
        memory.hold(user="ana", id="m1")
        entry = memory.audit()[-1]
        found |= {entry.user, *entry.records}
    assert len(found) == 4


def test_filters(memory: Memory) -> None:
    for user in ("ana", "ben"):
        memory.add([{"id": "m1", "text": "x"}], user=user)
        memory.hold(user=user, id="m1")
    entries = memory.audit()
    assert [entry.number for entry in entries] == [1, 2, 3, 4]
    assert memory.audit(limit=2) == entries[2:]
    assert memory.audit(action="hold") == [entries[1], entries[3]]
    assert memory.audit(since=entries[0].at, until=entries[2].at) == entries[:2]
    assert memory.audit(since=entries[-1].at.replace(year=9000)) == []
    assert asyncio.run(memory.user("ana").aaudit(action="hold")) == [entries[1]]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"user": ""}, "user"),
        ({"id": "m1"}, "user"),
        ({"user": "ana", "id": 5}, "id"),
        ({"action": ""}, "action"),
        ({"since": "soon"}, "since"),
        ({"until": 1.5}, "until"),
        ({"limit": 0}, "limit"),
        ({"limit": True}, "limit"),
    ],
)
def test_bad_arguments(memory: Memory, arguments: dict[str, object], named: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=f"^{named}: got .*; accepted: "):
        memory.audit(**arguments)  # type: ignore[arg-type]


def test_bad_actors(memory: Memory, open_memory: Open, path: Path) -> None:
    for actor in (5, "x" * 5000, "\ud800"):
        with pytest.raises(errors.InvalidArgumentError, match=r"^actor: got .*; accepted: "):
            open_memory(path.parent / "new.memspan", actor=actor)
        with pytest.raises(errors.InvalidArgumentError, match=r"^actor: "), memory.acting(actor):  # type: ignore[arg-type]
            pass
    assert not (path.parent / "new.memspan").exists()


def test_who_acts_holds_for_the_block_and_its_tasks(memory: Memory) -> None:
    async def work(name: str) -> None:
        with memory.acting(name):
            await memory.aadd([{"id": name, "text": "x"}], user=name)
            await asyncio.sleep(0.01)
            await memory.ahold(user=name)

    async def both() -> None:
        await asyncio.gather(work("ana"), work("ben"))

    asyncio.run(both())
    memory.hold(user="ana")
    memory.add("x", user="eva")
    for name in ("ana", "ben"):
        assert {entry.actor for entry in memory.audit(user=name)} == {name}
    assert [entry.actor for entry in memory.audit(user="eva")] == [""]


def test_small_additions_are_counted_together(open_memory: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()
    for i in range(300):
        memory.add(f"text {i}", user="ana" if i % 3 else "ben")
    with memory._engine.store.reading() as reader:
        assert reader._one("SELECT count(*) FROM audit") == 2, "of each user, when the tally was due"
    memory.add([f"many {i}" for i in range(64)], user="ana")
    assert memory._engine.tally.empty, "a large one is entered with its transaction"
    monkeypatch.setattr(tally, "_SECONDS", 0.0)
    memory.add("first", user="eva")
    memory.add("second", user="eva")
    counts: dict[str | None, int] = {}
    for entry in memory.audit():
        counts[entry.user] = counts.get(entry.user, 0) + entry.details["records"]
    assert sorted(counts.values()) == [2, 100, 264]


def test_what_was_counted_is_entered_on_closing(open_memory: Open) -> None:
    memory = open_memory()
    memory.add("x", user="ana")
    memory.close()
    memory.close()
    assert [entry.details for entry in open_memory().audit()] == [{"records": 1}]


def test_what_fails_is_not_entered(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add([{"id": "m1", "text": "x"}], user="ana")

    def fail(*arguments: object) -> None:
        raise errors.StoreError("refused half-way")

    monkeypatch.setattr("memspan.remember.endings.holding.restate", fail)
    with pytest.raises(errors.StoreError):
        memory.hold(user="ana")
    monkeypatch.undo()

    def late(self: object) -> None:
        raise errors.StoreError("too late")

    monkeypatch.setattr("memspan.store.sqlite.writer.SqliteWriter.request_erasure", late)
    with pytest.raises(errors.StoreError, match="too late"):
        memory.forget(user="ana", id="m1")
    monkeypatch.undo()
    assert [(entry.action, entry.details) for entry in memory.audit()] == [("add", {"records": 1})]
    assert memory.get(user="ana", id="m1") is not None
    assert memory.verify() == []


TAMPERED = {
    "details": ("UPDATE audit SET details = '{\"records\":2}' WHERE pk = 2", "entry 2 was changed"),
    "actor": ("UPDATE audit SET actor = 'eve' WHERE pk = 1", "entry 1 was changed"),
    "at": ("UPDATE audit SET at = at + 1 WHERE pk = 3", "entry 3 was changed"),
    "first": ("DELETE FROM audit WHERE pk = 1", "entries 1 to 1 are missing"),
    "middle": ("DELETE FROM audit WHERE pk IN (2, 3)", "entries 2 to 3 are missing"),
    "last": ("DELETE FROM audit WHERE pk >= 3", "entries 3 to 4 are missing"),
    "all": ("DELETE FROM audit", "entries 1 to 4 are missing"),
    "chain": ("UPDATE audit SET previous = hash WHERE pk = 3", "entry 3 does not follow"),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_tampering_shows(memory: Memory, path: Path, open_memory: Open, how: str) -> None:
    memory.add([{"id": "m1", "text": "x"}], user="ana")
    for _ in range(3):
        memory.hold(user="ana")
        memory.release(user="ana")
    memory.close()
    with closing(sqlite3.connect(path)) as connection, connection:
        for trigger in ("audit_is_never_changed", "audit_is_never_shortened"):
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute("DELETE FROM audit WHERE pk > 4")
        connection.execute("UPDATE sqlite_sequence SET seq = 4 WHERE name = 'audit'")
        connection.commit()
        assert open_memory().verify() == []
        statement, expected = TAMPERED[how]
        connection.execute(statement)
    assert any(expected in problem for problem in open_memory().verify())


def test_the_database_itself_refuses(memory: Memory, path: Path) -> None:
    memory.add("x", user="ana")
    memory.audit()
    for statement in ("UPDATE audit SET actor = 'eve'", "DELETE FROM audit"):
        with (
            closing(sqlite3.connect(path)) as connection,
            pytest.raises(sqlite3.IntegrityError, match="only grows"),
        ):
            connection.execute(statement)


def test_many_records_take_several_entries(memory: Memory) -> None:
    ids = memory.add([{"id": f"m{i}", "text": f"{i}"} for i in range(4100)], user="ana")
    assert memory.retire(user="ana", ids=ids) == 4100
    assert [len(entry.records) for entry in memory.audit(action="retire")] == [4096, 4]
    assert len(memory.audit(user="ana", id="m7", action="retire")) == 1
    assert memory.verify() == []


def test_clocks_that_go_backwards_show(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    memory.add("x", user="ana")
    memory.hold(user="ana")
    monkeypatch.setattr("memspan.remember.audit.auditing.now_micros", lambda: 5)
    memory.release(user="ana")
    entries = memory.audit()
    assert entries[-1].at < entries[0].at
    assert memory.verify() == []


def test_handles_take_turns(open_memory: Open) -> None:
    one, other = open_memory(actor="one"), open_memory(actor="other")
    one.add("x", user="ana")
    for _ in range(5):
        one.hold(user="ana")
        other.release(user="ana")
        other.add("y", user="ana")
    other.close()
    assert [entry.number for entry in one.audit()] == list(range(1, 17))
    assert one.verify() == []


def test_a_conversion_while_opening_is_entered(tmp_path):
    path = tmp_path / "c.memspan"
    with Memory(path, "hash:16") as memory:
        memory.add("a story", user="ana")
    with Memory(path, "hash:32", reembed=True) as memory:
        (entry,) = memory.audit(action="reembed")
        assert entry.details == {"records": 1}
    with Memory(path, "hash:32", reembed=True) as memory:
        assert len(memory.audit(action="reembed")) == 1
