"""Workers: in the background, side by side, and gone."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tiny_recipe import NoteTurns, ScriptedModel, recipe_of
from waiting import wait_for

from memspan import errors
from memspan.base.worker_threads import InterpreterEndsError, in_worker
from memspan.llm import Prompt
from memspan.memory import Memory
from memspan.remember.jobs.loop import LoopThread
from memspan.remember.jobs.pace import Pace
from memspan.store.jobs import Worker
from memspan.store.sqlite.job_writer import SqliteJobWriter
from memspan.times import now_micros

Open = Callable[..., Memory]


def all_done(memory: Memory) -> bool:
    return {job.state for job in memory.jobs()} == {"done"}


def test_in_the_background(open_memory: Open) -> None:
    memory = open_memory()
    memory.add("before", user="ana")
    memory.start_processing()
    memory.start_processing()
    wait_for(lambda: all_done(memory))
    for i in range(3):
        memory.add(f"text {i}", user="ana", session=f"s{i}")
        wait_for(lambda: all_done(memory))
    memory.stop_processing()
    memory.stop_processing()
    memory.add("after", user="ana")
    time.sleep(0.1)
    assert len(memory.jobs(state="pending")) == 1
    with memory._engine.store.reading() as reader:
        assert reader.jobs.workers() == []
    memory.start_processing()
    wait_for(lambda: all_done(memory))


def test_from_the_start_until_the_end(path: Path, model: ScriptedModel) -> None:
    with Memory(path, "hash:32", llm=model, recipe=recipe_of(), process_in_background=True) as memory:
        memory.add("a", user="ana")
        wait_for(lambda: all_done(memory))
    # Those that commit are not waited for.
    wait_for(lambda: not [each for each in threading.enumerate() if each.name.startswith("memspan-jobs")])


def test_news_are_noticed_at_once(path: Path, model: ScriptedModel) -> None:
    with Memory(path, "hash:32", llm=model, recipe=recipe_of(), process_in_background=True) as memory:
        memory.add("a", user="ana")
        wait_for(lambda: all_done(memory))
        memory._processing.pace = memory._processing.pace.__class__(poll=3600)
        memory.stop_processing()
        memory.start_processing()
        time.sleep(0.1)
        memory.add("b", user="ana")
        wait_for(lambda: all_done(memory), 10)


def test_why_the_background_ended_is_logged(open_memory: Open, caplog: pytest.LogCaptureFixture) -> None:
    memory = open_memory(llm=None)
    memory.add("a", user="ana")
    with caplog.at_level(logging.ERROR, "memspan"):
        memory.start_processing()
        wait_for(lambda: caplog.records)
    assert "processing in the background ended" in caplog.text


def test_the_background_outlives_a_store_that_fails_for_a_while(
    open_memory: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory(Pace(lease=0.2, poll=0.01))
    claim = SqliteJobWriter.claim
    failures = iter([errors.StoreError("locked"), errors.StoreError("locked")])

    def fail_twice(self: SqliteJobWriter, *arguments: Any, **more: Any) -> Any:
        if (error := next(failures, None)) is not None:
            raise error
        return claim(self, *arguments, **more)

    monkeypatch.setattr(SqliteJobWriter, "claim", fail_twice)
    memory.add("a", user="ana")
    memory.start_processing()
    wait_for(lambda: all_done(memory))


def test_process_waits_for_the_background(open_memory: Open, model: ScriptedModel) -> None:
    model.seconds = 0.2
    memory = open_memory()
    memory.start_processing()
    memory.add("a", user="ana")
    wait_for(lambda: memory.jobs(state="running"))
    report = memory.process()
    assert (report.done, report.waiting) == (0, 0)
    assert all_done(memory)


def test_stopping_gives_jobs_back(open_memory: Open, model: ScriptedModel) -> None:
    started = threading.Event()

    def hang(prompt: Prompt) -> object:
        started.set()
        return asyncio.sleep(3600)

    model.misbehave = hang
    memory = open_memory()
    memory.add("a", user="ana")
    memory.start_processing()
    assert started.wait(20)
    memory.stop_processing()
    (job,) = memory.jobs()
    assert (job.state, job.attempts) == ("pending", 0)
    model.misbehave = None
    assert memory.process().done == 1


def test_an_interrupt_gives_jobs_back(open_memory: Open, model: ScriptedModel) -> None:
    memory = open_memory()

    def interrupt(prompt: Prompt) -> object:
        threading.Timer(0.05, lambda: os.kill(os.getpid(), 2)).start()
        return asyncio.sleep(3600)

    model.misbehave = interrupt
    memory.add("a", user="ana")
    with pytest.raises(KeyboardInterrupt):
        memory.process()
    assert [(job.state, job.attempts) for job in memory.jobs()] == [("pending", 0)]


def test_cancelling_a_task_gives_jobs_back(open_memory: Open, model: ScriptedModel) -> None:
    memory = open_memory()
    model.misbehave = lambda prompt: asyncio.sleep(3600)
    memory.add("a", user="ana")

    async def run() -> None:
        task = asyncio.create_task(memory.aprocess())
        while not model.asked:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert [(job.state, job.attempts) for job in memory.jobs()] == [("pending", 0)]
    model.misbehave = None
    assert asyncio.run(memory.aprocess(progress=True)).done == 1
    assert asyncio.run(memory.user("ana").aprocess()).done == 0


def test_processing_inside_a_running_loop(memory: Memory) -> None:
    async def run() -> int:
        return memory.process().done

    memory.add("a", user="ana")
    assert asyncio.run(run()) == 1


def test_two_handles_share_the_work(open_memory: Open, model: ScriptedModel) -> None:
    one, two = open_memory(), open_memory()
    for i in range(30):
        one.add(f"text {i}", user="ana", session=f"s{i}")
    model.seconds = 0.005
    reports = []
    threads = [
        threading.Thread(target=lambda memory=memory: reports.append(memory.process(jobs_in_flight=4)))  # type: ignore[misc]
        for memory in (one, two)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(report.done for report in reports) == 30
    assert set(model.answered.values()) == {1}
    assert one.stats("ana")["records"] == 90
    assert one.verify() == two.verify() == []


DIES = """
import asyncio, os, sys
from memspan.memory import Memory
sys.path.insert(0, sys.argv[2])
from tiny_recipe import ScriptedModel, recipe_of

def die(prompt):
    if prompt.name == "sum":
        os._exit(9)

memory = Memory(sys.argv[1], "hash:32", llm=ScriptedModel(die), recipe=recipe_of())
memory.process()
"""


def test_a_dead_process_is_not_waited_for(open_memory: Open, model: ScriptedModel, path: Path) -> None:
    memory = open_memory()
    memory.add(["one", "two"], user="ana")
    support = str(Path(__file__).parents[2] / "support")
    done = subprocess.run([sys.executable, "-c", DIES, str(path), support], timeout=60, check=False)
    assert done.returncode == 9
    (job,) = memory.jobs()
    assert job.state == "running"
    start = time.monotonic()
    assert memory.process().done == 1
    assert time.monotonic() - start < 4, "the lease is five seconds"
    assert set(model.answered) == {("sum", "It was said: one & It was said: two")}, "the answers were kept"
    assert [event.event for event in memory.job_log(job.id)] == ["interrupted", "summed up"]
    with memory._engine.store.reading() as reader:
        assert reader.jobs.workers() == []


def test_a_job_that_always_kills_its_process_is_parked(open_memory: Open, path: Path) -> None:
    memory = open_memory()
    memory.add("one", user="ana")
    with memory._engine.store.writing() as writer:
        for run in range(5):
            dead = Worker(f"dead{run}", "elsewhere", "1", 0)
            writer.jobs.register(dead)
            (claimed,) = writer.jobs.claim(dead.token, None, 9, now_micros(), lambda name: 0)
            assert claimed.run == run + 1
            writer.jobs.bury([dead.token], 5, now_micros())
    (job,) = memory.jobs()
    assert (job.state, job.attempts, job.reason) == ("parked", 5, "the process that worked on it ended")
    assert memory.retry() == 1
    assert memory.process().done == 1


def test_jobs_that_waited_for_the_model_beside_one_that_kills_are_not_blamed(
    open_memory: Open, path: Path
) -> None:
    script = """
import asyncio, os, sys
from memspan.memory import Memory
sys.path.insert(0, sys.argv[2])
from tiny_recipe import ScriptedModel, recipe_of

class Narrow(ScriptedModel):
    async def acomplete(self, prompt, schema, *, stage, ready=None):
        if prompt.user != "kills":
            await asyncio.sleep(3600)
        await ready()
        os._exit(9)

Memory(sys.argv[1], "hash:32", llm=Narrow(), recipe=recipe_of()).process()
"""
    memory = open_memory(Pace(attempts=1))
    for user, text in (("ana", "waits"), ("ben", "kills"), ("cleo", "waits")):
        memory.add(text, user=user)
    support = str(Path(__file__).parents[2] / "support")
    done = subprocess.run([sys.executable, "-c", script, str(path), support], timeout=60, check=False)
    assert done.returncode == 9
    report = memory.process()
    assert (report.done, report.parked, report.waiting) == (2, 1, 0)
    assert [(job.user, job.state) for job in memory.jobs() if job.state != "done"] == [("ben", "parked")]


def test_jobs_that_the_model_had_beside_one_that_kills_are_not_parked_with_it(
    open_memory: Open, path: Path
) -> None:
    script = """
import asyncio, os, sys
from memspan.memory import Memory
sys.path.insert(0, sys.argv[2])
from tiny_recipe import ScriptedModel, recipe_of

class Deadly(ScriptedModel):
    begun = 0
    async def acomplete(self, prompt, schema, *, stage, ready=None):
        await ready()
        self.begun += 1
        if prompt.user == "kills":
            for _ in range(100):
                if self.begun == 3:
                    break
                await asyncio.sleep(0.01)
            os._exit(9)
        while self.begun > 1:
            await asyncio.sleep(3600)
        self.begun = 0
        return await super().acomplete(prompt, schema, stage=stage)

Memory(sys.argv[1], "hash:32", llm=Deadly(), recipe=recipe_of()).process()
"""
    memory = open_memory(Pace(attempts=3))
    for user, text in (("ana", "lives"), ("ben", "kills"), ("cleo", "lives")):
        memory.add(text, user=user)
    memory.close()
    support = str(Path(__file__).parents[2] / "support")
    for _ in range(3):
        done = subprocess.run([sys.executable, "-c", script, str(path), support], timeout=60, check=False)
        assert done.returncode == 9
    memory = open_memory(Pace(attempts=3))
    report = memory.process()
    # How many of the two that live were done before a death is up to the machine's pace.
    assert (report.parked, report.waiting) == (1, 0)
    assert {job.user: job.state for job in memory.jobs()} == {"ana": "done", "ben": "parked", "cleo": "done"}


def test_suspects_run_alone_and_then_the_others(open_memory: Open, model: ScriptedModel) -> None:
    memory = open_memory(recipe=recipe_of(NoteTurns()))
    for number in range(4):
        memory.add(f"suspect {number}", user="ana", session=f"s{number}")
    with memory._engine.store.writing() as writer:
        for number in range(2):
            dead = Worker(f"dead{number}", "elsewhere", "1", 0)
            writer.jobs.register(dead)
            for job in writer.jobs.claim(dead.token, None, 9, now_micros(), lambda name: 0):
                if not job.suspect:
                    writer.jobs.begin(job)
            writer.jobs.bury([dead.token], 5, now_micros())
    for number in range(4):
        memory.add(f"other {number}", user="ben", session=f"s{number}")
    at_once: list[int] = []

    async def count(prompt: Prompt) -> None:
        await asyncio.sleep(0.01)
        if prompt.user.startswith("suspect"):
            at_once.append(model.at_once)

    model.misbehave = count
    report = memory.process()
    assert (report.done, report.failed, report.waiting) == (8, 0, 0)
    assert at_once == [1, 1, 1, 1]
    assert model.most_at_once > 1, "the others ran beside each other"


def test_a_suspect_waits_until_the_others_are_done(open_memory: Open, model: ScriptedModel) -> None:
    """It became one while its worker was taken for dead, and that worker has others in hand."""
    memory = open_memory(recipe=recipe_of(NoteTurns()))

    async def bury(prompt: Prompt) -> None:
        if prompt.user == "first":
            memory.add("suspect", user="ana", session="s1")
            with memory._engine.store.writing() as writer:
                for number in range(2):
                    dead = Worker(f"dead{number}", "elsewhere", "1", 0)
                    writer.jobs.register(dead)
                    writer.jobs.claim(dead.token, "ana", 9, now_micros(), lambda name: 0)
                    writer.jobs.bury([dead.token], 5, now_micros())
            await asyncio.sleep(0.2)
        else:
            at_once.append(model.at_once)

    at_once: list[int] = []
    model.misbehave = bury
    memory.add("first", user="ben")
    assert memory.process().done == 2
    assert at_once == [1]


def test_a_worker_that_was_taken_for_dead_does_no_harm(open_memory: Open, model: ScriptedModel) -> None:
    """It was suspended, and another one took its job meanwhile."""
    memory = open_memory()

    def suspend(prompt: Prompt) -> None:
        if prompt.name == "sum" and model.asked[prompt.name, prompt.user] == 1:
            with memory._engine.store.writing() as writer:
                tokens = [each.token for each in writer.jobs.workers()]
                writer.jobs.bury(tokens, 5, now_micros())

    model.misbehave = suspend
    memory.add("one", user="ana")
    report = memory.process()
    assert (report.done, report.failed) == (1, 0)
    assert memory.stats("ana")["records"] == 3


def test_a_fork_has_its_own_processing(open_memory: Open, model: ScriptedModel, path: Path) -> None:
    if not hasattr(os, "fork"):
        pytest.skip("this platform has no fork")
    script = """
import os, sys, time
from memspan.memory import Memory
sys.path.insert(0, sys.argv[2])
from tiny_recipe import ScriptedModel, recipe_of

memory = Memory(sys.argv[1], "hash:32", llm=ScriptedModel(), recipe=recipe_of(), process_in_background=True)
memory.add("one", user="ana", session="a")
while {job.state for job in memory.jobs()} != {"done"}:
    time.sleep(0.01)
pid = os.fork()
name = "parent" if pid else "child"
memory.add(name, user="ana", session=name)
assert memory.process().parked == 0
if not pid:
    memory.close()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
assert memory.process().waiting == 0
assert {job.state for job in memory.jobs()} == {"done"}
assert len(memory.jobs()) == 3 and memory.stats("ana")["records"] == 9
memory.close()
print("fine")
"""
    support = str(Path(__file__).parents[2] / "support")
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script, str(path), support]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("fine\n", "")


@pytest.mark.parametrize("seconds", [0, 5])
def test_an_interpreter_may_end_while_it_works(path: Path, seconds: float) -> None:
    script = """
import sys
from memspan.memory import Memory
sys.path.insert(0, sys.argv[2])
from tiny_recipe import ScriptedModel, recipe_of

model = ScriptedModel(seconds=float(sys.argv[3]))
memory = Memory(sys.argv[1], "hash:32", llm=model, recipe=recipe_of(), process_in_background=True)
for i in range(50):
    memory.add(f"text {i}", user="ana", session=f"s{i}")
while not model.asked:
    pass
"""
    support = str(Path(__file__).parents[2] / "support")
    command = [sys.executable, "-c", script, str(path), support, str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_end_of_the_interpreter_is_no_fault_of_a_job() -> None:
    async def run() -> None:
        executor = ThreadPoolExecutor(1)
        assert await in_worker(len, "abc", executor=executor) == 3
        executor.shutdown()
        with pytest.raises(InterpreterEndsError):
            await in_worker(len, "abc", executor=executor)

        class Broken(ThreadPoolExecutor):
            def submit(self, *arguments: Any, **options: Any) -> Any:
                raise RuntimeError("out of luck")

        with pytest.raises(RuntimeError, match="luck"):
            await in_worker(len, "abc", executor=Broken(1))

    asyncio.run(run())


def test_a_loop_thread_ends_with_what_runs_on_it() -> None:
    thread = LoopThread()
    ended = threading.Event()

    async def wait() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.set()

    call = thread.call(wait())
    call.begin()
    other = thread.call(asyncio.sleep(0, "value"))
    other.begin()
    assert other.result() == "value"
    thread.close()
    thread.close()
    assert ended.is_set()
    with pytest.raises(BaseException):  # noqa: B017, PT011
        call.future.result(10)
