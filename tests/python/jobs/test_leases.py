"""Who is at work, and until when, whatever the clock does."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_recipe import ScriptedModel
from waiting import wait_for

from memspan import errors
from memspan.llm import Prompt
from memspan.memory import Memory
from memspan.remember.jobs import processor, worker
from memspan.remember.jobs.pace import Pace
from memspan.remember.jobs.worker import gone, new_worker
from memspan.times import now_micros

Open = Callable[..., Memory]


def test_jobs_do_not_wait_for_a_clock_that_was_set_back(
    open_memory: Open, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(prompt: Prompt) -> None:
        raise errors.LLMError("the server hung up")

    memory = open_memory(Pace(first_pause=60.0, poll=0.01))
    memory.add("a", user="ana")
    model.misbehave = fail
    memory.start_processing()
    wait_for(lambda: memory.jobs()[0].attempts == 1)
    memory.stop_processing()
    model.misbehave = None
    monkeypatch.setattr(processor, "now_micros", lambda: now_micros() - 86_400_000_000)
    memory.start_processing()
    wait_for(lambda: memory.jobs()[0].state == "done")


def test_signs_of_life() -> None:
    now = now_micros()
    own = new_worker(now, 10)
    assert not gone(own, now, 10)
    assert gone(own, now + 11_000_000, 10)
    assert new_worker(now, 10).token != own.token
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    theirs = own._replace(process=worker._process(child.pid))
    assert not gone(theirs, now, 10)
    assert gone(theirs._replace(process=f"{child.pid}:1"), now, 10) == Path("/proc/self/stat").exists()
    assert not gone(theirs._replace(process=f"{child.pid}:1", host="elsewhere"), now, 10)
    child.kill()
    wait_for(lambda: gone(theirs, now, 10))  # a zombie has ended
    child.communicate()
    assert gone(theirs, now, 10)
    assert not gone(own._replace(process="unreadable"), now, 10)


def test_leases_of_a_clock_that_was_set_back() -> None:
    now = now_micros()
    own = new_worker(now, 10)
    elsewhere = own._replace(host="elsewhere")
    assert not gone(elsewhere, now, 10)
    assert gone(elsewhere, now - 86_400_000_000, 10), "nobody who works now has a lease that ends then"
    assert not gone(own, now - 86_400_000_000, 10), "the process is seen to be alive"


def test_whoever_missed_signs_of_life_with_all_others_takes_nothing_from_them(
    open_memory: Open, model: ScriptedModel
) -> None:
    """The machine slept, or the store was locked for longer than a lease: the others are at work again, too."""
    memory = open_memory()
    memory.add("theirs", user="ana", session="one")
    other = new_worker(now_micros(), 60)
    with memory._engine.store.writing() as writer:
        writer.jobs.register(other)
        assert len(writer.jobs.claim(other.token, None, 9, now_micros(), lambda name: 0)) == 1
    memory.add("ours", user="ana", session="two")

    def sleeps(prompt: Prompt) -> None:
        with memory._engine.store.writing() as writer:
            for each in writer.jobs.workers():
                writer.jobs.register(each._replace(expires=now_micros() - 1))

    model.misbehave = sleeps
    report = memory.process()
    assert (report.done, report.waiting) == (1, 1)
    (job,) = memory.jobs(state="running")
    assert job.attempts == 0
    # Whoever has given signs of life all the time, or just came, does not wait for one that gives none.
    model.misbehave = None
    assert memory.process().done == 1
