from __future__ import annotations

import threading
import time

import pytest

from memspan.embed.in_threads import run_each


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
