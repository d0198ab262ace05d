"""Processing that ends because its memory does, or because nobody waits for it any more."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tiny_recipe import ScriptedModel, recipe_of

from memspan.errors import StoreError
from memspan.llm import Prompt
from memspan.memory import Memory
from memspan.remember.jobs import processing
from memspan.remember.jobs.resolving import Model

Open = Callable[..., Memory]


def job_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name == "memspan-jobs"}


def hanging(model: ScriptedModel) -> ScriptedModel:
    model.misbehave = lambda prompt: asyncio.sleep(3600)
    return model


async def until_asked(model: ScriptedModel) -> None:
    while not model.asked:
        await asyncio.sleep(0.01)


def test_whoever_waits_learns_that_the_memory_was_closed(open_memory: Open, model: ScriptedModel) -> None:
    memory = open_memory(llm=hanging(model))
    memory.add("a", user="ana")
    errors: list[BaseException] = []

    def process() -> None:
        try:
            memory.process()
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=process)
    thread.start()
    asyncio.run(until_asked(model))
    memory.close()
    thread.join()
    assert [(type(error), "the memory is closed" in str(error)) for error in errors] == [(StoreError, True)]


def test_a_task_that_waits_learns_it_as_well(open_memory: Open, model: ScriptedModel) -> None:
    memory = open_memory(llm=hanging(model))
    memory.add("a", user="ana")

    async def run() -> None:
        task = asyncio.create_task(memory.aprocess())
        await until_asked(model)
        await memory.aclose()
        with pytest.raises(StoreError, match="the memory is closed"):
            await task

    asyncio.run(run())
    with open_memory() as again:
        assert [job.state for job in again.jobs()] == ["pending"]


def test_nothing_begins_while_the_memory_closes(open_memory: Open) -> None:
    """The store is still open then, and so nothing else would refuse it."""
    before = job_threads()
    memory = open_memory()
    memory.process()
    memory._processing.close()
    with pytest.raises(StoreError, match="the memory is closed"):
        memory.process()
    with pytest.raises(StoreError, match="the memory is closed"):
        memory.start_processing()
    assert job_threads() == before


def test_a_memory_that_nobody_closed_leaves_no_threads(path: Path, model: ScriptedModel) -> None:
    before = job_threads()
    memory = Memory(path, "hash:32", llm=model, recipe=recipe_of())
    memory.add("a", user="ana")
    assert memory.process().done == 1
    (thread,) = job_threads() - before
    del memory
    gc.collect()
    thread.join(20)
    assert not thread.is_alive()


def test_a_memory_that_nobody_has_any_more_processes_nothing_in_the_background(
    path: Path, model: ScriptedModel
) -> None:
    before = job_threads()
    memory = Memory(path, "hash:32", llm=model, recipe=recipe_of(), process_in_background=True)
    memory.add("a", user="ana")
    memory.process()  # with what runs in the background
    (thread,) = job_threads() - before
    engine = weakref.ref(memory._engine)
    del memory
    gc.collect()
    thread.join(20)
    assert not thread.is_alive()
    until = time.monotonic() + 20
    while engine() is not None and time.monotonic() < until:
        time.sleep(0.01)  # threads that work for that one may end a little later
        gc.collect()
    assert engine() is None


def test_processing_that_was_cancelled_before_it_began_does_not_begin(
    open_memory: Open, model: ScriptedModel
) -> None:
    making, made = threading.Event(), threading.Event()

    def make() -> Any:
        making.set()
        made.wait(20)
        return hanging(model)

    memory = open_memory()
    memory._processing._model = Model(make, own=False)
    memory.add("a", user="ana")

    async def run() -> None:
        first = asyncio.create_task(memory.aprocess())
        while not making.is_set():
            await asyncio.sleep(0.01)
        second = asyncio.create_task(memory.aprocess())
        await asyncio.sleep(0.1)
        for task in (first, second):
            task.cancel()
        await asyncio.sleep(0.1)
        made.set()
        for task in (first, second):
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(run())
    time.sleep(0.2)  # for it to begin, if it did
    assert not model.asked
    assert [job.state for job in memory.jobs()] == ["pending"]


def test_a_client_that_cancels_itself_fails_its_job_alone(open_memory: Open, model: ScriptedModel) -> None:
    def cancel(prompt: Prompt) -> None:
        if prompt.user == "bad":
            raise asyncio.CancelledError

    model.misbehave = cancel
    memory = open_memory()
    memory.add("bad", user="ana")
    memory.add("good", user="ben")
    report = memory.process()
    assert (report.done, report.parked) == (1, 1)
    (job,) = memory.jobs(state="parked")
    assert "stage 'note' was cancelled from within" in str(job.reason)


def test_a_program_may_go_on_without_its_main_thread(path: Path) -> None:
    """Python's executors do not."""
    script = """
import asyncio, sys, threading, time
from memspan.memory import Memory
sys.path.insert(0, sys.argv[2])
from tiny_recipe import ScriptedModel, recipe_of

memory = Memory(sys.argv[1], "hash:32", llm=ScriptedModel(), recipe=recipe_of(), process_in_background=True)

def serve():
    threading.main_thread().join()
    memory.add("a", user="ana")
    deadline = time.monotonic() + 20
    while memory.jobs(state="done") == [] and time.monotonic() < deadline:
        time.sleep(0.01)
    memory.stop_processing()
    memory.add("b", user="ben")
    print([job.state for job in memory.jobs()], memory.process().done, len(asyncio.run(memory.alatest("ana"))))
    memory.close()

threading.Thread(target=serve).start()
"""
    support = str(Path(__file__).parents[2] / "support")
    command = [sys.executable, "-c", script, str(path), support]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("['done', 'pending'] 1 3\n", "")


def test_the_end_of_the_interpreter_gives_jobs_back(open_memory: Open, path: Path) -> None:
    """It waits for the threads of the background, which must not be in the middle of something when it ends."""
    script = """
import sys
from memspan.memory import Memory
sys.path.insert(0, sys.argv[2])
from tiny_recipe import ScriptedModel, recipe_of

model = ScriptedModel(seconds=3600)
memory = Memory(sys.argv[1], "hash:32", llm=model, recipe=recipe_of(), process_in_background=True)
memory.add("a", user="ana")
while not model.asked:
    pass
"""
    support = str(Path(__file__).parents[2] / "support")
    command = [sys.executable, "-c", script, str(path), support]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    memory = open_memory()
    assert [(job.state, job.attempts) for job in memory.jobs()] == [("pending", 0)]
    with memory._engine.store.reading() as reader:
        assert reader.jobs.workers() == []


def test_a_memory_whose_processing_cannot_begin_is_closed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_thread() -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(processing, "LoopThread", no_thread)
    before = open_files(path)
    with pytest.raises(RuntimeError) as failed:
        Memory(path, "hash:32", process_in_background=True)
    assert failed.value.__traceback__ is not None  # has the memory
    assert open_files(path) == before == 0


def open_files(path: Path) -> int:
    """How many files of a store this process has open."""
    count = 0
    for each in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            count += str(each.readlink()).startswith(str(path))
    return count
