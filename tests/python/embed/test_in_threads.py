from __future__ import annotations

import threading
import time
from functools import partial

import pytest

from memspan.cores import available_cores
from memspan.embed.in_threads import at_once, run_each


@pytest.mark.parametrize("threads", [1, 2, 50])
@pytest.mark.parametrize("count", [0, 1, 20])
def test_every_item_is_run_once(threads: int, count: int) -> None:
    seen: list[int] = []
    run_each(seen.append, range(count), threads, "test")
    assert sorted(seen) == list(range(count))


def test_one_thread_is_the_calling_one_and_more_leave_none_behind() -> None:
    names: list[str] = []

    def note(_: int) -> None:
        names.append(threading.current_thread().name)
        time.sleep(0.001)

    run_each(note, range(3), 1, "test-pool")
    assert set(names) == {threading.current_thread().name}
    names.clear()
    run_each(note, range(30), 3, "test-pool")
    assert all(name.startswith("test-pool") for name in names)
    assert not any(thread.name.startswith("test-pool") for thread in threading.enumerate())


@pytest.mark.parametrize("threads", [1, 2])
def test_after_a_failure_little_is_begun(threads: int) -> None:
    begun: list[int] = []

    def fail(item: int) -> None:
        begun.append(item)
        if item == 3:
            raise ValueError("item 3")
        time.sleep(0.002)

    with pytest.raises(ValueError, match="item 3"):
        run_each(fail, range(500), threads, "test")
    assert len(begun) < 250


def test_two_at_once() -> None:
    met = threading.Barrier(2, timeout=10)

    def call(value: int) -> tuple[int, str]:
        if available_cores() > 1:
            met.wait()
        return value, threading.current_thread().name

    (one, here), (other, there) = at_once(partial(call, 1), partial(call, 2), "memspan-test")
    assert (one, other) == (1, 2)
    assert here == threading.current_thread().name
    assert there.startswith("memspan-test") == (available_cores() > 1)


def test_with_one_core_one_is_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memspan.embed.in_threads.available_cores", lambda: 1)
    name = threading.current_thread().name
    assert at_once(
        lambda: threading.current_thread().name, lambda: threading.current_thread().name, "other"
    ) == (
        name,
        name,
    )


def test_the_first_error_of_two_is_raised_when_both_have_ended() -> None:
    ended = threading.Event()

    def fail(what: str) -> None:
        if what == "other":
            ended.set()
        raise ValueError(what)

    with pytest.raises(ValueError, match="one"):
        at_once(partial(fail, "one"), partial(fail, "other"), "memspan-test")
    assert ended.is_set()
    with pytest.raises(ValueError, match="other"):
        at_once(lambda: 1, partial(fail, "other"), "memspan-test")
