"""What takes long to load is loaded once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from memspan.embed.loaded_once import LoadedOnce


def test_threads_that_ask_together_get_what_one_of_them_loaded() -> None:
    kept: LoadedOnce[str, object] = LoadedOnce()
    together = threading.Barrier(8)
    loads: list[str] = []

    def load(key: str) -> object:
        loads.append(key)
        return object()

    def ask(number: int) -> object:
        together.wait()
        return kept.get("ab"[number % 2], load)

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(ask, range(8)))
    assert sorted(loads) == ["a", "b"]
    assert len(set(map(id, found))) == 2
    assert found[0] is found[2] is not found[1]


def test_what_failed_is_loaded_again() -> None:
    kept: LoadedOnce[None, int] = LoadedOnce()

    def fail(key: None) -> int:
        raise OSError("not now")

    with pytest.raises(OSError, match="not now"):
        kept.get(None, fail)
    assert kept.get(None, lambda key: 7) == 7
    assert kept.get(None, fail) == 7
