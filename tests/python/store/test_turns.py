"""Who writes in slices, one after the other, gives others a turn between two of them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from memspan import Memory
from memspan.base.turns import Turns
from memspan.store import SqliteStore

SLICE = 0.01
"""Seconds."""
MANY = 60
"""Slices after which a test ends in any case."""

Write = Callable[[], "AbstractContextManager[Any]"]


@pytest.fixture
def store(path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(path)
    yield store
    store.close()


def slices_waited_for(slicing: Write, writing: Write) -> int:
    """How many slices of somebody a single write of somebody else waits for."""
    done = 0
    got_in = threading.Event()

    def work() -> None:
        nonlocal done
        while done < MANY and not got_in.is_set():
            with slicing():
                time.sleep(SLICE)
                done += 1

    thread = threading.Thread(target=work)
    thread.start()
    while done < 2:
        time.sleep(SLICE / 10)
    before = done
    with writing():
        waited = done - before
    got_in.set()
    thread.join()
    return waited


class _Late:
    """A lock of which those who wait are told late, as where cores are busy."""

    def __init__(self) -> None:
        self._lock = threading.RLock()

    def __enter__(self) -> None:
        while not self._lock.acquire(blocking=False):
            time.sleep(0.001)

    def __exit__(self, *_: object) -> None:
        self._lock.release()


def test_threads_of_one_memory(path: Path) -> None:
    with Memory(path, "hash:8") as memory:
        memory._engine._lock = _Late()  # type: ignore[assignment]
        changing = memory._engine.changing
        assert max(slices_waited_for(changing, changing) for _ in range(3)) <= 10


def test_other_handles_and_processes(store: SqliteStore, path: Path) -> None:
    other = SqliteStore(path)
    try:
        assert max(slices_waited_for(store.writing, other.writing) for _ in range(3)) <= 45
    finally:
        other.close()


def test_nobody_waits_for_long_for_somebody_who_is_not_there() -> None:
    turns = Turns()
    thread = threading.Thread(target=turns.arrive)  # and was interrupted before it left
    thread.start()
    thread.join()
    started = time.monotonic()
    for _ in range(500):
        came = turns.arrive()
        turns.take()
        turns.leave(came)
    assert time.monotonic() - started < 5


def test_who_has_the_lock_does_not_stand_back_for_those_who_wait_for_it() -> None:
    turns, lock = Turns(), threading.RLock()
    came = turns.arrive()
    with lock:
        turns.take()
        thread = threading.Thread(target=turns.arrive)
        thread.start()
        thread.join()
        again = turns.arrive()
        with lock:
            turns.take()
        turns.leave(again)
        assert (came, again) == (True, False)
        assert turns.arrive() is False  # still has it
    turns.leave(came)
    assert turns.arrive() is True


def test_who_closes_or_saves_a_memory_does_not_stand_back_within(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Memory(path, "hash:8", auto_consolidate=False)
    memory.add(["a boat", "a lake"], user="ana")
    engine, stood_back = memory._engine, []
    changing = engine.changing

    def beside_one_who_waits() -> Any:
        thread = threading.Thread(target=engine._turns.arrive)
        thread.start()
        thread.join()
        monkeypatch.setattr(Turns, "_stand_back", lambda turns, me: stood_back.append(me))
        return changing()

    monkeypatch.setattr(engine, "changing", beside_one_who_waits)
    memory.close()
    assert not stood_back
