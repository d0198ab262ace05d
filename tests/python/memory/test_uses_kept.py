"""Uses that nobody had written yet when the index that counted them was given up, or lost the records."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from memspan import Memory, Quotas
from memspan.errors import CorruptSnapshotError

Open = Callable[..., Memory]


def fill(memory: Memory) -> None:
    for word in ("apple", "banana", "cherry"):
        memory.add([{"id": word, "text": f"about the {word}", "at": 0}], user="ana", kind="semantic")


def look_for(memory: Memory, word: str, times: int) -> None:
    for _ in range(times):
        memory.search(word, user="ana", k=1)


def uses(memory: Memory) -> dict[str, int]:
    with memory._engine.store.reading() as reader:
        return {use.record: use.searches for use in reader.uses.of("ana")}


def test_what_another_handle_evicted(open_memory: Open) -> None:
    first, second = open_memory(), open_memory()
    fill(first)
    look_for(second, "apple", 20)
    first.set_quotas(Quotas(capacity=6, eviction="oldest"))
    assert [evicted.id for evicted in second.evicted(user="ana")] == ["apple"]
    look_for(second, "banana", 1)
    second.close()
    assert uses(first) == {"apple": 20, "banana": 1}


def test_what_was_embedded_anew(open_memory: Open) -> None:
    memory = open_memory()
    fill(memory)
    look_for(memory, "apple", 3)
    memory.reembed("hash:24")
    look_for(memory, "apple", 2)
    memory._engine.write_uses()
    assert uses(memory) == {"apple": 5}


def test_a_snapshot_that_was_damaged(open_memory: Open) -> None:
    memory = open_memory()
    fill(memory)
    look_for(memory, "apple", 3)
    memory._engine.distrust_snapshot(CorruptSnapshotError("damaged"))
    look_for(memory, "apple", 2)
    memory._engine.write_uses()
    assert uses(memory) == {"apple": 5}


def test_a_state_from_a_copy(open_memory: Open, path: Path) -> None:
    memory = open_memory()
    fill(memory)
    with closing(sqlite3.connect(path)) as file, closing(sqlite3.connect(":memory:")) as copy:
        file.backup(copy)
        look_for(memory, "apple", 3)
        copy.backup(file)
    look_for(memory, "apple", 2)
    memory.add("something new", user="ben")
    look_for(memory, "apple", 1)
    memory._engine.write_uses()
    assert uses(memory) == {"apple": 6}
