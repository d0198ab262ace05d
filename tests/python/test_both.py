"""Two pieces of work at once."""

from __future__ import annotations

import _thread
import threading
from pathlib import Path

import pytest

from memspan.base.both import both
from memspan.memory import Memory


def test_they_run_at_once() -> None:
    met = threading.Barrier(2)
    both(lambda: met.wait(60), lambda: met.wait(60))


def test_what_either_raises_is_raised_when_both_have_ended() -> None:
    met = threading.Barrier(2)
    done = []

    def fails() -> None:
        met.wait(60)
        raise KeyError

    def ends() -> None:
        met.wait(60)
        done.append(1)

    for pair in ((fails, ends), (ends, fails)):
        with pytest.raises(KeyError):
            both(*pair)
    assert done == [1, 1]


@pytest.mark.parametrize("failure", [None, RuntimeError("can't start new thread"), MemoryError()])
def test_many_records_are_added_although_no_thread_comes_to_life(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception | None
) -> None:
    """Also one that was started: it may die before its first line for want of memory, and nobody is told."""

    def start(*work: object, **more: object) -> int:
        if failure is not None:
            raise failure
        return 0

    with Memory(tmp_path / "m", "hash:16") as memory:
        with monkeypatch.context() as patch:
            patch.setattr(_thread, "start_new_thread", start)
            for name in ("_start_new_thread", "_start_joinable_thread"):  # the latter from Python 3.13 on
                patch.setattr(threading, name, start, raising=False)
            memory.add([{"id": f"m{i}", "text": f"text {i}"} for i in range(300)], user="ana")
        assert len(memory.latest("ana", k=1000)) == 300
        assert memory.verify() == []
