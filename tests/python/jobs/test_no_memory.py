"""Processing where memory is used up, or nothing can be written: it ends, and goes on when that is over."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tiny_recipe import ScriptedModel
from waiting import wait_for

from memspan.base import worker_threads
from memspan.base.worker_threads import in_worker
from memspan.errors import StoreError
from memspan.memory import Memory
from memspan.remember.jobs.committer import Committer, in_store
from memspan.remember.jobs.pace import Pace
from memspan.store import SqliteStore

Open = Callable[..., Memory]
LONG = Pace(lease=3600.0)


def outcome_of(call: Callable[[], object]) -> object:
    """What it returns or raises; it must come to an end."""
    outcomes: list[object] = []

    def run() -> None:
        try:
            outcomes.append(call())
        except BaseException as error:
            outcomes.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(60)
    (outcome,) = outcomes or ["nothing came"]
    return outcome


@pytest.mark.parametrize("failures", [1, 3, 50])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
def test_a_loop_without_memory_ends_what_runs_on_it(
    open_memory: Open, model: ScriptedModel, failures: int
) -> None:
    left = failures

    def break_the_loop(prompt: object) -> None:
        loop: Any = asyncio.get_running_loop()
        once = loop._run_once

        def fail() -> None:
            nonlocal left
            left -= 1
            if left >= 0:
                raise MemoryError
            once()

        if left > 0:
            loop._run_once = fail

    model.misbehave = break_the_loop
    memory = open_memory(LONG)
    memory.add("a", user="ana")
    assert isinstance(outcome_of(memory.process), MemoryError)
    left = 0
    assert memory.process().done == 1
    memory.add("b", user="ana")
    assert asyncio.run(memory.aprocess()).done == 1
    memory.close()
    wait_for(lambda: not [each for each in threading.enumerate() if each.name.startswith("memspan-jobs")])


def test_a_lost_callback_ends_the_processing(open_memory: Open, model: ScriptedModel) -> None:
    def lose_the_answer(prompt: object) -> Any:
        def fail() -> None:
            raise MemoryError

        loop = asyncio.get_running_loop()
        loop.call_soon(fail)
        return loop.create_future()

    model.misbehave = lose_the_answer
    memory = open_memory(LONG)
    memory.add("a", user="ana")
    assert isinstance(outcome_of(memory.process), MemoryError)
    model.misbehave = None
    assert memory.process().done == 1


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_committer_whose_thread_died_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(path)

    async def run() -> None:
        committer = Committer(in_store(store))
        assert await committer.commit(lambda writer: 1) == 1
        monkeypatch.setattr(Committer, "_together", lambda *_: 1 / 0)
        await committer.commit(lambda writer: 2)

    assert isinstance(outcome_of(lambda: asyncio.run(run())), MemoryError)
    store.close()


def test_a_committer_that_cannot_tell_is_asked(path: Path) -> None:
    store = SqliteStore(path)

    async def run() -> int:
        committer = Committer(in_store(store))
        loop: Any = asyncio.get_running_loop()
        loop.call_soon_threadsafe = lambda *_: None
        result = await committer.commit(lambda writer: 7)
        del loop.call_soon_threadsafe
        committer.close()
        return result

    assert outcome_of(lambda: asyncio.run(run())) == 7
    store.close()


class Forgetful(ThreadPoolExecutor):
    """Loses the first work that it gets, as a thread does that dies with it, or does not say that it is done."""

    def __init__(self, does: bool) -> None:
        super().__init__(1)
        self.does = does
        self.lost = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        if self.lost:
            return super().submit(fn, *args, **kwargs)
        self.lost += 1
        if self.does:
            super().submit(fn, *args, **kwargs)
        return Future()


@pytest.mark.parametrize("does", [False, True])
def test_work_that_a_thread_lost_is_done_once(does: bool) -> None:
    calls: list[int] = []

    async def run() -> None:
        with Forgetful(does) as executor:
            await in_worker(calls.append, 1, executor=executor)

    assert outcome_of(lambda: asyncio.run(run())) is None
    assert calls == [1]


def test_work_may_end_at_the_moment_of_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the thread says then comes second, and asyncio complained of it."""
    monkeypatch.setattr(worker_threads, "_LOOK", 0.01)
    said: Future[Any] = Future()

    class Late(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            fn(*args, **kwargs)
            return said

    async def run() -> int:
        complaints: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: complaints.append(context))
        assert await in_worker(len, "abc", executor=Late(1)) == 3
        said.set_result(None)
        await asyncio.sleep(0.01)
        return len(complaints)

    assert asyncio.run(run()) == 0


def test_jobs_come_back_at_once_when_the_database_can_be_written_again(
    open_memory: Open, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else they wait until the lease of the worker has ended, which could not say that it leaves."""
    memory = open_memory(LONG)
    memory.add("a", user="ana")

    def fail(store: object) -> Any:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        model.misbehave = lambda prompt: patch.setattr(SqliteStore, "writing", fail)
        assert isinstance(outcome_of(memory.process), StoreError)
    model.misbehave = None
    assert memory.process().done == 1
