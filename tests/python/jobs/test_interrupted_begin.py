"""Interrupts that come while something begins to run on the loop of a memory, or ends there."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from tiny_recipe import ScriptedModel
from waiting import wait_for

from memspan.memory import Memory
from memspan.remember.jobs.loop import LoopThread

Open = Callable[..., Memory]


@pytest.fixture
def interrupted_start(monkeypatch: pytest.MonkeyPatch) -> Callable[[Memory], None]:
    """Let an interrupt come right after the next thing was put on the loop of a memory."""

    def arm(memory: Memory) -> None:
        memory.process()
        thread = memory._processing._thread
        assert thread is not None
        loop = thread._loop
        put = loop.call_soon_threadsafe

        def interrupt(*arguments: Any) -> None:
            monkeypatch.undo()
            put(*arguments)
            raise KeyboardInterrupt

        monkeypatch.setattr(loop, "call_soon_threadsafe", interrupt)

    return arm


def test_what_was_interrupted_while_it_began_in_the_background_can_be_ended(
    open_memory: Open, interrupted_start: Callable[[Memory], None]
) -> None:
    memory = open_memory()
    interrupted_start(memory)
    with pytest.raises(KeyboardInterrupt):
        memory.start_processing()
    memory.start_processing()
    memory.add("a", user="ana")
    wait_for(lambda: {job.state for job in memory.jobs()} == {"done"})
    memory.stop_processing()
    with memory._engine.store.reading() as reader:
        assert reader.jobs.workers() == []


def test_an_interrupt_at_the_beginning_ends_the_processing(
    open_memory: Open, model: ScriptedModel, interrupted_start: Callable[[Memory], None]
) -> None:
    model.seconds = 0.2
    memory = open_memory()
    interrupted_start(memory)
    memory.add("a", user="ana")
    with pytest.raises(KeyboardInterrupt):
        memory.process()
    with memory._engine.store.reading() as reader:
        assert reader.jobs.workers() == []
    assert memory.process().done == 1


def test_what_ends_already_when_the_thread_does_ends_properly() -> None:
    """As after a second interrupt, which does not wait for what the first one cancelled."""
    said: list[str] = []

    async def run() -> None:
        said.append("began")
        try:
            await asyncio.sleep(3600)
        finally:
            said.append("leaving")
            await asyncio.sleep(0.1)
            said.append("left")

    thread = LoopThread()
    call = thread.call(run())
    call.begin()
    wait_for(lambda: said == ["began"])
    call.cancel()
    wait_for(lambda: "leaving" in said)
    thread.close()
    assert said == ["began", "leaving", "left"]
