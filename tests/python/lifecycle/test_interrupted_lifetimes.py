"""A time to live that is set in slices, and comes to its end whatever happens between them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memspan import Memory
from memspan.errors import StoreError
from memspan.remember.endings import lifetime_turns
from memspan.remember.endings import lifetimes as module

HOUR = 3600.0

_KILLED = """
import os, sys
from memspan import Memory
from memspan.remember.endings import lifetimes as module

module._SLICE = 4
restate, slices = module._restate, []

def dies(*arguments):
    if slices:
        os._exit(7)
    slices.append(restate(*arguments))
    return slices[-1]

module._restate = dies
Memory(sys.argv[1], "hash:16").set_lifetime("episodic", 3600)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "m"


@pytest.fixture
def open_memory(path: Path) -> Iterator[Callable[[], Memory]]:
    opened: list[Memory] = []

    def open_one() -> Memory:
        opened.append(Memory(path, "hash:16"))
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


def lives(memory: Memory, user: str = "ana") -> list[float | None]:
    """Seconds that the turns live, each length once."""
    found = set()
    for number in range(10):
        record = memory.get(user=user, id=f"m{number}")
        assert record is not None
        assert record.recorded_at is not None
        end = record.expires_at
        found.add(None if end is None else (end - record.recorded_at).total_seconds())
    return sorted(found, key=str)


def fill(memory: Memory) -> None:
    turns = [{"id": f"m{number}", "text": f"cup {number}"} for number in range(10)]
    for user in ("ana", "ben"):
        memory.add(turns, user=user)


def interrupt(monkeypatch: pytest.MonkeyPatch, call: Callable[[], Any]) -> None:
    """Stop a call after its first slice."""
    restate = module._restate
    slices: list[int] = []

    def stops(*arguments: Any) -> int:
        if slices:
            raise KeyboardInterrupt
        slices.append(restate(*arguments))
        return slices[-1]

    with monkeypatch.context() as patch:
        patch.setattr(module, "_SLICE", 4)
        patch.setattr(module, "_restate", stops)
        with pytest.raises(KeyboardInterrupt):
            call()


def unsettled(memory: Memory) -> list[Any]:
    with memory._engine.store.reading() as reader:
        return reader.lifetimes.unsettled()


@pytest.mark.parametrize("user", [None, "ana"])
def test_an_opening_goes_on(
    open_memory: Callable[[], Memory], monkeypatch: pytest.MonkeyPatch, user: str | None
) -> None:
    memory = open_memory()
    fill(memory)
    interrupt(monkeypatch, lambda: memory.set_lifetime("episodic", HOUR, user=user))
    assert lives(memory) == [HOUR, None]
    memory.close()
    memory = open_memory()
    assert lives(memory) == [HOUR]
    assert lives(memory, "ben") == ([HOUR] if user is None else [None])
    assert memory.lifetimes(user) == {"episodic": HOUR}
    assert unsettled(memory) == []
    # No end was taken for one that a record was given itself.
    memory.set_lifetime("episodic", None, user=user)
    assert lives(memory) == lives(memory, "ben") == [None]


def test_an_opening_goes_on_after_a_kill(path: Path, open_memory: Callable[[], Memory]) -> None:
    memory = open_memory()
    fill(memory)
    memory.close()
    child = [sys.executable, "-c", _KILLED, os.fspath(path)]
    assert subprocess.run(child, check=False, timeout=120).returncode == 7
    memory = open_memory()
    assert lives(memory) == lives(memory, "ben") == [HOUR]
    assert unsettled(memory) == []


@pytest.mark.parametrize("user", [None, "ana"])
def test_another_one_instead_holds_for_all(
    open_memory: Callable[[], Memory], monkeypatch: pytest.MonkeyPatch, user: str | None
) -> None:
    """What the first one reached would live for its hour only, as if it had been given that itself."""
    memory = open_memory()
    fill(memory)
    interrupt(monkeypatch, lambda: memory.set_lifetime("episodic", HOUR))
    assert memory.set_lifetime("episodic", 24 * HOUR, user=user) == (20 if user is None else 10)
    assert lives(memory) == [24 * HOUR]
    assert lives(memory, "ben") == [24 * HOUR if user is None else HOUR]
    assert unsettled(memory) == []


def test_calling_it_again_goes_on(open_memory: Callable[[], Memory], monkeypatch: pytest.MonkeyPatch) -> None:
    memory = open_memory()
    fill(memory)
    interrupt(monkeypatch, lambda: memory.set_lifetime("episodic", HOUR))
    assert memory.set_lifetime("episodic", HOUR) == 16
    assert lives(memory) == lives(memory, "ben") == [HOUR]
    assert memory.set_lifetime("episodic", HOUR) == 0


def test_an_opening_leaves_alone_who_is_at_it(
    open_memory: Callable[[], Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    fill(memory)
    monkeypatch.setattr(module, "_SLICE", 4)
    restate = module._restate
    seen = []

    def opened_beside(*arguments: Any) -> int:
        seen.append(lives(open_memory()))
        return restate(*arguments)

    monkeypatch.setattr(module, "_restate", opened_beside)
    assert memory.set_lifetime("episodic", HOUR, user="ana") == 10
    assert seen == [[None], [HOUR, None], [HOUR, None]]
    assert unsettled(memory) == []


def test_nothing_of_it_is_left_of_a_user_who_is_forgotten(
    open_memory: Callable[[], Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    fill(memory)
    interrupt(monkeypatch, lambda: memory.set_lifetime("episodic", HOUR, user="ana"))
    memory.forget(user="ana")
    with memory._engine.store.reading() as reader:
        assert reader._all("SELECT * FROM meta WHERE key LIKE 'lifetimes%'") == []


@pytest.mark.parametrize("second", [None, "ana"])
@pytest.mark.parametrize("apart", [False, True])
def test_two_at_once_are_set_one_after_the_other(
    open_memory: Callable[[], Memory], monkeypatch: pytest.MonkeyPatch, apart: bool, second: str | None
) -> None:
    """Also by two handles; ends that the other one gave would stay for ever, as if records had been given them."""
    memory = open_memory()
    fill(memory)
    other = open_memory() if apart else memory
    monkeypatch.setattr(module, "_SLICE", 4)
    restate, waiting = module._restate, threading.Event()
    begun: list[threading.Thread] = []

    def beside() -> None:
        waiting.set()
        other.set_lifetime("episodic", 24 * HOUR, user=second)

    def begins_another(*arguments: Any) -> int:
        changed = restate(*arguments)
        if not begun:
            begun.append(threading.Thread(target=beside))
            begun[0].start()
            assert waiting.wait(60)
            begun[0].join(0.2)
        return changed

    monkeypatch.setattr(module, "_restate", begins_another)
    assert memory.set_lifetime("episodic", HOUR) == 20
    begun[0].join()
    assert lives(memory) == [24 * HOUR]
    assert lives(memory, "ben") == [24 * HOUR if second is None else HOUR]
    assert unsettled(memory) == []


def test_who_is_held_up_in_it_is_named(
    open_memory: Callable[[], Memory], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    fill(memory)
    restate = module._restate

    def begins_another(*arguments: Any) -> int:
        with pytest.raises(StoreError, match=r"is setting a time to live of kind 'episodic'.*try again"):
            memory.set_lifetime("episodic", None, user="ana")
        assert memory.set_lifetime("semantic", HOUR, user="ana") == 0
        return restate(*arguments)

    monkeypatch.setattr(lifetime_turns, "_SECONDS", 0.1)
    monkeypatch.setattr(module, "_restate", begins_another)
    assert memory.set_lifetime("episodic", HOUR) == 20
