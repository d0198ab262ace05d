"""Models that fail and processes that are killed at any moment: no turn is lost, no derived record is doubled, and no
job is stuck."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import pytest
from children import wait_until_ready
from job_workers import open_memory, work_until_killed
from llm_faults import FAULTS, Fault, slow, status
from scripted_llm import Asked, ScriptedLLM
from tiny_recipe import ScriptedModel, note_fact, sum_fact

from memspan.memory import Memory


class Told:
    """What the children of one schedule said."""

    def __init__(self) -> None:
        self.added: set[str] = set()
        self.forgotten: set[str] = set()
        self.perhaps: set[str] = set()
        """Ids whose change was begun and not acknowledged."""
        self.answered: Counter[str] = Counter()

    def read(self, lines: list[bytes]) -> None:
        pending: tuple[str, Any] | None = None
        for line in lines:
            word, value = json.loads(line)
            if word == "answered":
                self.answered[value] += 1
            elif word in ("add", "forget"):
                pending = word, value
            elif word == "done" and pending is not None:
                kind, value = pending
                if kind == "add":
                    self.added.update(value)
                else:
                    self.forgotten.add(value)
                pending = None
        if pending is not None:
            self.perhaps.update(pending[1] if pending[0] == "add" else [pending[1]])


RULES = {
    "note": lambda asked: {"facts": [note_fact(asked.user)]},
    "sum": lambda asked: {"facts": [sum_fact(asked.user)]},
}
NOTICED = [
    *(fault for name, fault in FAULTS.items() if name not in ("injected", "empty lists")),
    slow(0.02),
    slow(0.4),  # longer than the clients wait
]
"""What a client notices, or what is the right reply all the same. The others change what is right to store; what
becomes of them is tested where the stages are."""


@contextmanager
def misbehaving_server(seed: int, told: Told) -> Iterator[ScriptedLLM]:
    """Every way to fail, over HTTP, and now and then an outage in which nothing else happens."""
    chance = random.Random(seed)
    rate = chance.choice([0.0, 0.3, 0.6])
    down = 0

    def misbehave(asked: Asked, number: int) -> Fault | None:
        nonlocal down
        down = down - 1 if down else chance.choice([0, 20]) * (chance.random() < rate / 40)
        if down:
            return status(503)
        return chance.choice(NOTICED) if chance.random() < rate else None

    with ScriptedLLM(RULES) as server:
        server.schedule = misbehave
        yield server
    assert not server.troubles, server.troubles
    told.answered.update(
        each.asked.user for each in server.exchanges if each.asked.task == "note" and each.fault is None
    )


def _child(path: Path, descriptor: Any, name: str, seed: int, forgets: bool, url: str | None) -> None:
    work_until_killed(path, descriptor.detach(), name, seed, forgets, url)


def run_and_kill(
    path: Path,
    names: list[str],
    seed: int,
    forgets: bool,
    delay: float,
    told: Told,
    server: ScriptedLLM | None,
) -> None:
    """Let children work side by side, and kill them one after the other."""
    url = server.url if server else None
    asked = len(server.asked) if server else 0
    context = multiprocessing.get_context("forkserver")
    children, pipes = [], []
    for place, name in enumerate(names):
        reading, writing = os.pipe()
        child = context.Process(
            target=_child, args=(path, context.reducer.DupFd(writing), name, seed + place, forgets, url)
        )
        child.start()
        os.close(writing)
        pipes.append(os.fdopen(reading, "rb"))
        children.append(child)
    try:
        for child, pipe in zip(children, pipes, strict=True):
            wait_until_ready(child, pipe)
        late = time.monotonic() + 2
        while server is not None and len(server.asked) == asked and time.monotonic() < late:
            time.sleep(0.001)  # A client takes its time to begin with.
        for child in children:
            time.sleep(delay)
            child.kill()
        for pipe in pipes:
            told.read(pipe.read().splitlines())
    finally:
        for child, pipe in zip(children, pipes, strict=True):
            child.kill()
            child.join()
            pipe.close()


def check_schedule(path: Path, seed: int) -> None:
    """Every other schedule asks a server over HTTP, the others a model in their process."""
    chance = random.Random(seed)
    told, forgets = Told(), chance.random() < 0.3
    kills = 0
    with misbehaving_server(seed, told) if seed % 2 else nullcontext() as server:
        for round_ in range(chance.choice([1, 2, 3])):
            names = [f"r{round_}{letter}" for letter in "ab"[: chance.choice([1, 1, 2])]]
            delay = chance.random() * 0.15
            run_and_kill(path, names, seed * 100 + round_ * 10, forgets, delay, told, server)
            kills += len(names)
    with open_memory(path, ScriptedModel()) as memory:
        memory.process()
        for job in memory.jobs():
            assert job.state in ("done", "parked"), job
            assert (job.state == "parked") == (job.reason is not None), job
        memory.retry()
        report = memory.process()
        # One whose worker died with a reply that was cut off fails once more before it is asked for less.
        assert (report.waiting, report.parked) == (0, 0)
        check_end(memory, told)
    if not forgets:
        # Only an answer that was under way when its process died is asked for again.
        assert max(told.answered.values(), default=0) <= 1 + kills


def check_end(memory: Memory, told: Told) -> None:
    """The store against what the children were told."""
    with memory._engine.store.reading() as reader:
        records = [record for page in reader.scan(None, 500) for record in page]
        jobs = reader.jobs.jobs()
        turns_of = [
            tuple(reader.jobs.turns(pk)[0]) for (pk,) in reader._all("SELECT pk FROM jobs ORDER BY pk")
        ]
        left = {table: reader._one(f"SELECT count(*) FROM {table}") for table in ("job_steps", "workers")}
    turns = {record.id: record for record in records if not record.sources}
    derived = [record for record in records if record.sources]
    assert told.added - told.forgotten - told.perhaps <= set(turns), "a turn was lost"
    assert set(turns) <= (told.added | told.perhaps) - (told.forgotten - told.perhaps)
    assert {job.state for job in jobs} <= {"done"}
    assert sorted(id_ for ids in turns_of for id_ in ids) == sorted(turns), "each turn is in one job"
    notes = Counter((record.text, record.sources) for record in derived if record.metadata["stage"] == "note")
    assert notes == Counter((note_fact(turn.text), (turn.id,)) for turn in turns.values())
    sums = Counter(record.sources for record in derived if record.metadata["stage"] == "sum")
    assert Counter(tuple(sorted(ids)) for ids in sums.elements()) == Counter(
        tuple(sorted(ids)) for ids in turns_of
    )
    assert (
        len(derived) == len(turns) + len(jobs) == len(turns) + sum(job.records for job in jobs) - len(turns)
    )
    assert left == {"job_steps": 0, "workers": 0}
    # A process that is killed between a new cache file and the commit that names it leaves one that nobody believes.
    assert [problem for problem in memory.verify() if not problem.startswith("snapshot ")] == []


def check_schedules(tmp_path: Path, seeds: range) -> None:
    multiprocessing.get_context("forkserver").set_forkserver_preload(
        ["memspan.llm.client", "memspan.memory", "tiny_recipe"]
    )
    for seed in seeds:
        folder = tmp_path / str(seed)
        folder.mkdir()
        try:
            check_schedule(folder / "agent.memspan", seed)
        except AssertionError as error:
            raise AssertionError(f"schedule {seed}: {error}") from error


def test_failure_schedules(tmp_path: Path) -> None:
    check_schedules(tmp_path, range(4))


@pytest.mark.slow
def test_200_failure_schedules(tmp_path: Path) -> None:
    check_schedules(tmp_path, range(1000, 1200))
