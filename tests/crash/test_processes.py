"""Several processes on one path lose nothing and see each other."""

from __future__ import annotations

import multiprocessing
from pathlib import Path

from crash_writers import answer_pings, write_some

from memspan.memory import Memory


def test_processes_that_write_at_once_lose_nothing(path: Path) -> None:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["memspan.memory"])
    children, pipes = [], []
    for name in ("one", "two", "three"):
        here, there = context.Pipe()
        children.append(context.Process(target=write_some, args=(path, name, 40, there)))
        children[-1].start()
        pipes.append(here)
    for pipe in pipes:
        assert pipe.recv() == "ready"
    for pipe in pipes:
        pipe.send("go")
    for child, pipe in zip(children, pipes, strict=True):
        assert pipe.recv() == "done"
        child.join()
        assert child.exitcode == 0
    with Memory(path, "hash:16") as memory:
        found = {recall.id for recall in memory.latest(user="ana", k=1000)}
        assert found == {f"{name}-{i}" for name in ("one", "two", "three") for i in range(40)}
        assert memory.verify() == []


def test_each_sees_the_commits_of_the_other_on_its_next_call(path: Path) -> None:
    context = multiprocessing.get_context("forkserver")
    here, there = context.Pipe()
    child = context.Process(target=answer_pings, args=(path, there))
    child.start()
    assert here.recv() == "ready"
    with Memory(path, "hash:16") as memory:
        for number in range(30):
            memory.add([{"id": f"ping-{number}", "text": f"ping {number}"}], user="ana")
            here.send(number)
            assert here.recv() is True, number
            found = {recall.id for recall in memory.search("pong", user="ana", views=["lexical"], k=1000)}
            assert f"pong-{number}" in found
            if number % 5 == 4:
                assert memory.get(user="ana", id=f"ping-{number - 1}") is None
                assert f"ping-{number - 1}" not in {recall.id for recall in memory.latest(user="ana", k=1000)}
        here.send(None)
        child.join()
        assert child.exitcode == 0
        assert memory.verify() == []
