"""Where no thread can be had: because there are too many, or because it dies for want of memory before its first line,
of which nobody is told."""

from __future__ import annotations

import _thread
import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tiny_recipe import ScriptedModel, recipe_of
from waiting import wait_for

from memspan import Memory
from memspan.base import sure_start
from memspan.base.sure_pool import SurePool
from memspan.base.worker_threads import in_worker
from memspan.embed.in_threads import run_each
from memspan.llm import background
from memspan.remember import use_counts

STARTERS = "_start_new_thread", "_start_joinable_thread"  # the latter from Python 3.13 on


@contextmanager
def still_born(patches: pytest.MonkeyPatch) -> Iterator[None]:
    """Threads are started and never run, but for those that look after others' start. In the end they are listed no
    more: other tests look for those that are left."""
    starting: dict[threading.Thread, threading.Thread] = vars(threading)["_limbo"]
    before = set(starting)
    with patches.context() as patch:
        patch.setattr(sure_start, "_SECONDS", 0.1)
        for name in STARTERS:
            patch.setattr(threading, name, lambda *_, **__: 0, raising=False)
        try:
            yield
        finally:
            for each in set(starting) - before:
                del starting[each]


@contextmanager
def refused(patches: pytest.MonkeyPatch) -> Iterator[None]:
    def refuse(*_: Any, **__: Any) -> Any:
        raise RuntimeError("can't start new thread")

    with patches.context() as patch:
        patch.setattr(_thread, "start_new_thread", refuse)
        for name in STARTERS:
            patch.setattr(threading, name, refuse, raising=False)
        yield


def both(test: Any) -> Any:
    return pytest.mark.parametrize("without_threads", [still_born, refused])(test)


def test_a_pool_does_not_wait_for_a_thread_that_never_lives() -> None:
    """In a process of its own: where it waits, no executor has threads any more."""
    program = (
        "import threading\n"
        "from memspan.base import sure_start\n"
        "from memspan.base.sure_pool import SurePool\n"
        "from memspan.base.worker_threads import WorkerThreads\n"
        "sure_start._SECONDS = 0.1\n"
        "kept = {name: getattr(threading, name, None) for name in ('_start_new_thread', '_start_joinable_thread')}\n"
        "for name in kept: setattr(threading, name, lambda *_, **__: 0)\n"
        "pool = WorkerThreads()\n"
        "try: pool.submit(int)\n"
        "except MemoryError: print('refused')\n"
        "for name, starter in kept.items(): setattr(threading, name, starter)\n"
        "print(pool.submit(int).result(60))\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert run.stdout.split() == ["refused", "0"], run.stderr


@pytest.fixture
def pool() -> Iterator[SurePool]:
    with SurePool(4) as pool:
        yield pool


@both
def test_a_pool_goes_on_with_the_threads_that_it_has(
    pool: SurePool, monkeypatch: pytest.MonkeyPatch, without_threads: Any
) -> None:
    go_on = threading.Event()
    first = pool.submit(go_on.wait, 60)
    with without_threads(monkeypatch):
        others = [pool.submit(int) for _ in range(3)]
    assert not any(each.done() for each in others)
    go_on.set()
    assert first.result(60)
    assert [each.result(60) for each in others] == [0, 0, 0]


def test_a_full_pool_starts_no_threads(pool: SurePool, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()
    first = [pool.submit(go_on.wait, 60) for _ in range(4)]
    with monkeypatch.context() as patch:
        patch.setattr(sure_start, "call", lambda starting: pytest.fail("another one"))
        later = pool.submit(int)
    go_on.set()
    assert all(each.result(60) for each in first)
    assert later.result(60) == 0


def test_a_pool_whose_threads_died_gets_others() -> None:
    with SurePool(1) as pool:
        pool.submit(int).result(60)
        pool._idle_semaphore.acquire()
        (thread,) = pool._threads
        pool._work_queue.put(object())  # type: ignore[arg-type]  # dies of it
        thread.join(60)
        assert pool.submit(int).result(60) == 0


@both
def test_work_without_a_thread_is_not_done_later(
    pool: SurePool, monkeypatch: pytest.MonkeyPatch, without_threads: Any
) -> None:
    """Whoever ordered it was told that it failed."""
    calls: list[int] = []

    async def run() -> None:
        with without_threads(monkeypatch), pytest.raises((RuntimeError, MemoryError)):
            await in_worker(calls.append, 1, executor=pool)
        await in_worker(calls.append, 2, executor=pool)

    asyncio.run(run())
    assert calls == [2]


@both
def test_each_is_run_without_threads(monkeypatch: pytest.MonkeyPatch, without_threads: Any) -> None:
    seen: list[int] = []
    with without_threads(monkeypatch):
        run_each(seen.append, range(5), 3, "test")
    assert sorted(set(seen)) == [0, 1, 2, 3, 4]


@both
def test_a_model_without_a_thread_says_so_and_is_asked_later(
    monkeypatch: pytest.MonkeyPatch, without_threads: Any
) -> None:
    async def answer() -> int:
        return 7

    monkeypatch.setattr(background, "_THREAD", background._Thread())
    with without_threads(monkeypatch), pytest.raises((RuntimeError, MemoryError)):
        background.run_in_background(answer())
    assert background.run_in_background(answer()) == 7
    loop = background.background_loop()
    loop.call_soon_threadsafe(loop.stop)
    wait_for(lambda: not loop.is_running())
    loop.close()


@both
def test_searches_go_on_where_uses_cannot_be_written_now(
    monkeypatch: pytest.MonkeyPatch, without_threads: Any, tmp_path: Path
) -> None:
    monkeypatch.setattr(use_counts, "_MANY", 1)
    monkeypatch.setattr(use_counts, "_LONG", -1.0)
    with Memory(tmp_path / "agent.memspan", "hash:32") as memory:
        memory.add("rain", user="ana")
        with without_threads(monkeypatch):
            assert memory.search("rain", user="ana")
        memory._engine.write_uses()
        with memory._engine.store.reading() as reader:
            assert [use.searches for use in reader.uses.written_after(-1, 10).__next__()["ana"]] == [1]


@both
def test_jobs_without_a_thread_are_processed_later(
    monkeypatch: pytest.MonkeyPatch, without_threads: Any, tmp_path: Path
) -> None:
    path = tmp_path / "agent.memspan"
    with Memory(path, "hash:32", llm=ScriptedModel(), recipe=recipe_of()) as memory:
        memory.add("a", user="ana")
        with without_threads(monkeypatch), pytest.raises((RuntimeError, MemoryError)):
            memory.process()
        assert memory.process().done == 1


class Scorer:
    async def score(self, texts: Any, pieces: Any, tools: Any) -> Any:
        raise AssertionError


@both
def test_compression_without_a_thread_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, without_threads: Any, tmp_path: Path
) -> None:
    with Memory(tmp_path / "agent.memspan", "hash:32") as memory:
        memory.add("the rain in Spain stays mainly in the plain", user="ana")
        with without_threads(monkeypatch), pytest.raises((RuntimeError, MemoryError)):
            memory.compress("ana", "uniform", 0.4, scorer=Scorer())
        assert [hit.record.text for hit in memory.latest(user="ana", k=9)] == [
            "the rain in Spain stays mainly in the plain"
        ]


def test_threads_of_a_pool_are_as_those_of_others() -> None:
    before = threading.enumerate()
    with SurePool(2, "sure") as pool:
        met = threading.Barrier(2, timeout=60)
        for each in [pool.submit(met.wait) for _ in range(2)]:
            each.result()
        new = [thread for thread in threading.enumerate() if thread not in before]
        assert {thread.name for thread in new} == {"sure_0", "sure_1"}
        assert not any(thread.daemon for thread in new)
    assert threading.enumerate() == before
