"""What encode jobs cost outside the model, and how busy they keep its server.

python benches/processing.py

Jobs of 20 turns ask four times one after the other, every five turns once, and make a record of every turn; vectors
cost nothing. First the model answers at once: what is left is the price of committing every answer, of the records and
of the end of each job, a turn. Then a server with so many slots takes a fixed time an answer: its slots' busy share,
from the first request until the last 64 jobs are left.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
import numpy as np
from pydantic import BaseModel

from machine import describe_machine
from memspan import Memory, Recipe, Usage
from memspan.encode.stage import Tools
from memspan.encode.values import Statement, Work
from memspan.llm import Prompt, Reply

DIM = 384
TURNS = 20
STRIDE = 5
IN_FLIGHT = 64


class Facts(BaseModel):
    """What the model says."""

    facts: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Extract:
    """Asks about every few turns, one request after the other."""

    name: str = "extract"

    async def run(self, work: Work, tools: Tools) -> Work:
        statements = []
        for start in range(0, len(work.turns), STRIDE):
            turns = work.turns[start : start + STRIDE]
            user = "\n".join(turn.text for turn in turns)
            prompt = Prompt(name="extract", version=1, system="Task: extract", user=user)
            answer = await tools.ask(str(start), prompt, Facts)
            statements += [
                Statement(text=fact, at=turn.at, sources=(turn.id,), tags=("bench", fact.split()[1]))
                for turn, fact in zip(turns, answer.facts, strict=True)
            ]
        return replace(work, statements=tuple(statements))


class Server:
    """A model with so many slots that takes a fixed time for an answer; says how much of its slots' time was used."""

    model = "fixed"

    def __init__(self, seconds: float, slots: int) -> None:
        self._seconds = seconds
        self._slots = slots
        self._free = asyncio.Semaphore(slots)
        self._serving = 0
        self._last: float | None = None
        self._used = self._passed = 0.0
        self.counting = True

    async def acomplete(self, prompt: Prompt, schema: Any, *, stage: str) -> Reply[Any]:
        if self._seconds:
            async with self._free:
                self._count(1)
                await asyncio.sleep(self._seconds)
                self._count(-1)
        facts = [f"about {line}" for line in prompt.user.split("\n")]
        usage = Usage(prompt_tokens=200, completion_tokens=50, calls=1, seconds=self._seconds)
        return Reply(value=schema(facts=facts), model=self.model, usage=usage)

    def _count(self, change: int) -> None:
        now = time.perf_counter()
        if self._last is not None and self.counting:
            self._used += self._serving * (now - self._last)
            self._passed += now - self._last
        self._last = now
        self._serving += change

    @property
    def busy(self) -> float:
        """Share of the slots' time that was used."""
        return self._used / (self._slots * self._passed)


def free_vectors(texts: list[str]) -> np.ndarray[Any, Any]:
    """Vectors that cost nothing, so that only the rest is measured."""
    return np.ones((len(texts), DIM), np.float32)


def filled(folder: str, server: Server, jobs: int) -> Memory:
    """A memory with so many jobs of as many sessions."""
    memory = Memory(
        Path(folder) / "bench.memspan",
        free_vectors,
        llm=server,
        recipe=Recipe(name="bench", summary="for this measurement", write=(Extract(),)),
    )
    for session in range(jobs):
        turns = [f"turn {i} of session {session} says this and that" for i in range(TURNS)]
        memory.add(turns, user=f"user{session % 8}", session=f"s{session}")
    return memory


def overhead(jobs: int, in_flight: int) -> dict[str, float]:
    """Milliseconds a turn, waiting for the disk included, and of processor time."""
    with tempfile.TemporaryDirectory() as folder, filled(folder, Server(0, 1), jobs) as memory:
        own = time.process_time()
        report = memory.process(jobs_in_flight=in_flight)
        own = time.process_time() - own
    assert report.done == jobs
    turns = jobs * TURNS
    return {
        "jobs_in_flight": in_flight,
        "ms": report.seconds / turns * 1e3,
        "processor_ms": own / turns * 1e3,
    }


def busy(jobs: int, seconds: float, slots: int) -> dict[str, float]:
    """The busy share of the server's slots while there are jobs enough."""
    server = Server(seconds, slots)

    with tempfile.TemporaryDirectory() as folder, filled(folder, server, jobs) as memory:
        done = 0

        def ended(count: int) -> None:
            nonlocal done
            done += count
            server.counting = done < jobs - IN_FLIGHT

        from memspan.remember.jobs.processor import Scope

        memory._processing.run(Scope(in_flight=IN_FLIGHT), ended)
    return {"seconds": seconds, "slots": slots, "busy": server.busy}


@click.command()
@click.option("--jobs", default=512, show_default=True, help="Jobs of 20 turns.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the figures here as JSON.")
@click.option("--page", type=click.Path(path_type=Path), help="Write a page about them here.")
def main(jobs: int, save: Path | None, page: Path | None) -> None:
    """Print both tables."""
    report: dict[str, Any] = {"machine": describe_machine(), "turns_a_job": TURNS, "overhead": [], "busy": []}
    for in_flight in (1, IN_FLIGHT):
        row = overhead(jobs if in_flight > 1 else jobs // 4, in_flight)
        report["overhead"].append(row)
        click.echo(
            f"{in_flight:3} jobs in flight: {row['ms']:.2f} ms a turn, {row['processor_ms']:.2f} ms of them at work"
        )
    for seconds in (0.1, 0.3, 1.0):
        for slots in (16, IN_FLIGHT):
            row = busy(jobs if seconds < 1 else jobs // 2, seconds, slots)
            report["busy"].append(row)
            click.echo(f"{seconds:.1f} s an answer, {slots} slots: {row['busy']:.1%} busy")
    if save is not None:
        save.write_text(json.dumps(report, indent=1) + "\n")
    if page is not None:
        page.write_text(page_of(report))


def page_of(report: dict[str, Any]) -> str:
    """The figures, with what they say."""
    machine = report["machine"]
    load = machine["load_average"][0]
    lines = [
        "# What processing costs outside the model",
        "",
        "    python benches/processing.py --save processing.json --page processing.md",
        "",
        f"{machine['cpu']}, {machine['cores']} cores, memspan {machine['memspan']}; one process. The machine's "
        f"load was {load:.1f} when it began: other work counts in every figure but processor time.",
        "",
        f"Jobs of {TURNS} turns ask four times one after the other and make a record of every turn; vectors cost "
        "nothing. A model that answers at once leaves the price of committing every answer, of the records, and of "
        "the end of each job:",
        "",
        "| jobs in flight | ms a turn | processor ms a turn |",
        "|---|---|---|",
        *(
            f"| {row['jobs_in_flight']} | {row['ms']:.2f} | {row['processor_ms']:.2f} |"
            for row in report["overhead"]
        ),
        "",
        f"A server with so many slots takes a fixed time an answer; {IN_FLIGHT} questions in flight. How much of its "
        f"slots' time is used, from the first request until the last {IN_FLIGHT} jobs are left:",
        "",
        "| seconds an answer | slots | most answers a second | busy |",
        "|---|---|---|---|",
        *(
            f"| {row['seconds']:g} | {row['slots']} | {row['slots'] / row['seconds']:.0f} | {row['busy']:.1%} |"
            for row in report["busy"]
        ),
        "",
        "Where there are as many slots as questions none waits in line: a slot is idle from the end of an answer until "
        "another job's question comes. Jobs beyond those that may ask, answers that share commits, and jobs that end "
        "in one transaction keep that short.",
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
