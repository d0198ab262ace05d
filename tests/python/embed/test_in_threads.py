from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from memspan.base.cores import available_cores
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

    (one, here), (other, there) = at_once(partial(call, 1), partial(call, 2))
    assert (one, other) == (1, 2)
    assert here == threading.current_thread().name
    assert there.startswith("memspan-helper") == (available_cores() > 1)


def test_with_one_core_one_is_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memspan.embed.in_threads.available_cores", lambda: 1)
    name = threading.current_thread().name
    assert at_once(*[lambda: threading.current_thread().name] * 2) == (name, name)


def test_the_other_thread_is_kept_and_a_child_of_a_fork_has_its_own() -> None:
    def other() -> int | None:
        return threading.current_thread().native_id

    idents = {at_once(lambda: None, other)[1] for _ in range(20)}
    assert len(idents) <= available_cores()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = at_once(lambda: 0, other)[1] in idents
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_more_than_there_are_cores_all_get_through() -> None:
    def work(number: int) -> tuple[int, int]:
        return at_once(lambda: number, partial(int.__add__, number, 1))

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(work, range(200))) == [(number, number + 1) for number in range(200)]


def test_it_works_while_the_interpreter_ends() -> None:
    code = (
        "import atexit, threading\n"
        "from memspan.embed.in_threads import at_once, run_each\n"
        "atexit.register(lambda: run_each(print, 'ab', 2, 'test'))\n"
        "atexit.register(lambda: print(at_once(lambda: 1, lambda: 2)))\n"
        "print(at_once(lambda: 3, lambda: 4))\n"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert said.stdout.split("\n") == ["(3, 4)", "(1, 2)", "a", "b", ""]
    assert not said.stderr


def test_the_first_error_of_two_is_raised_when_both_have_ended() -> None:
    ended = threading.Event()

    def fail(what: str) -> None:
        if what == "other":
            ended.set()
        raise ValueError(what)

    with pytest.raises(ValueError, match="one"):
        at_once(partial(fail, "one"), partial(fail, "other"))
    assert ended.is_set()
    with pytest.raises(ValueError, match="other"):
        at_once(lambda: 1, partial(fail, "other"))
