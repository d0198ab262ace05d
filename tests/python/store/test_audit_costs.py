"""What reading the audit costs, and that it finds the same by whatever way."""

from __future__ import annotations

from typing import Any

import pytest
from counted_steps import steps

from memspan.store import SqliteStore
from memspan.store.audit import AuditFilter

MANY = 2_000


@pytest.mark.parametrize("id_", [None, "m1"])
def test_what_the_audit_says_of_others_costs_nothing(store: SqliteStore, id_: str | None) -> None:
    def entries(reader: Any) -> int:
        return len(reader.audit.entries(AuditFilter("ana", id_), 100))

    def enter(user: str | None, count: int) -> None:
        with store.writing() as writer:
            for number in range(count):
                writer.audit.append(number, "", "tested", user, ["m1"], {})

    enter("ana", 5)
    before = steps(store, entries)
    enter("ben", MANY // 2)
    enter(None, MANY // 2)
    with store.reading() as reader:
        assert entries(reader) == 5
    assert steps(store, entries) <= before + 20


WANTED: dict[str, AuditFilter] = {
    "action": AuditFilter(action="asked"),
    "action of a user": AuditFilter("ana", action="tested"),
    "since": AuditFilter(since=10**9),
    "until": AuditFilter(until=5),
    "between": AuditFilter(since=10**8, until=10**8 + 5),
    "since, of a user": AuditFilter("ana", since=10),
    "action, since": AuditFilter(action="tested", since=10**9),
    "since, when there is none": AuditFilter(since=10**15),
}


@pytest.mark.parametrize("name", WANTED)
def test_what_else_the_audit_says_costs_nothing(store: SqliteStore, name: str) -> None:
    def entries(reader: Any) -> int:
        return len(reader.audit.entries(WANTED[name], 100))

    def enter(first: int, count: int, action: str = "tested", user: str | None = "ben") -> None:
        with store.writing() as writer:
            for number in range(count):
                writer.audit.append(first + number, "", action, user, ["m1"], {})

    enter(10**9 + 9, 1)  # by a clock that was set back later
    enter(0, 5, user=None)
    enter(10, 3, "asked")
    enter(50, 3, user="ana")
    enter(10**8, 5)
    enter(10**9, 5)
    before = steps(store, entries)
    with store.reading() as reader:
        found = entries(reader)
    enter(1_000, MANY)
    enter(10**7, MANY)
    with store.reading() as reader:
        assert entries(reader) == found
    assert steps(store, entries) <= before + 20


@pytest.mark.parametrize("limit", [2, 100])
def test_entries_whose_clock_was_set_back_are_found(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, limit: int
) -> None:
    times = [5, 6, 7, 3, 4, 5, 90, 6, 8]
    with store.writing() as writer:
        for at in times:
            writer.audit.append(at, "", "tested", "ana", ["m1"], {})
    for few in (3, 100):
        monkeypatch.setattr("memspan.store.sqlite.audit._FEW", few)
        for since, until in [(None, 5), (5, None), (4, 7), (50, None), (91, None), (None, 3), (6, 6)]:
            low, high = since or 0, until or 100
            wanted = [number for number, at in enumerate(times, 1) if low <= at < high][-limit:]
            with store.reading() as reader:
                for user in (None, "ana"):
                    found = reader.audit.entries(AuditFilter(user, since=since, until=until), limit)
                    assert [entry.number for entry in found] == wanted
