"""Stages small enough to know what has to come of them, and a model in the process that answers by rule and fails on
demand."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pydantic import BaseModel

from memspan.encode.stage import Tools
from memspan.encode.values import Statement, Turn, Work
from memspan.llm import Prompt, Reply, Usage
from memspan.memory import Memory
from memspan.recipes import Recipe
from memspan.reports.job_info import Job

COST = Usage(prompt_tokens=100, completion_tokens=10, cached_tokens=40, calls=1, seconds=0.5)
"""Of every answer of the scripted model."""


class Facts(BaseModel):
    facts: list[str]


def prompt_for(turn: Turn, version: int = 1) -> Prompt:
    return Prompt(name="note", version=version, system="Task: note", user=turn.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteTurns:
    """Asks for each turn, side by side, and makes a statement of each fact."""

    version: int = 1
    """Of the prompt."""
    name: str = "note"

    async def run(self, work: Work, tools: Tools) -> Work:
        async def facts(turn: Turn) -> list[str]:
            return (await tools.ask(turn.id, prompt_for(turn, self.version), Facts)).facts

        answers = await asyncio.gather(*(facts(turn) for turn in work.turns))
        statements = [
            Statement(text=fact, at=turn.at, sources=(turn.id,), tags=("fact",), stage=self.name)
            for turn, found in zip(work.turns, answers, strict=True)
            for fact in found
        ]
        return replace(work, statements=(*work.statements, *statements))


@dataclass(frozen=True, slots=True, kw_only=True)
class SumUp:
    """Asks once about all statements; its answer depends on those of the stage before."""

    name: str = "sum"

    async def run(self, work: Work, tools: Tools) -> Work:
        if not work.statements:
            tools.note("nothing to sum up")
            return work
        text = " & ".join(statement.text for statement in work.statements)
        prompt = Prompt(name="sum", version=1, system="Task: sum", user=text)
        answer = await tools.ask("all", prompt, Facts)
        sources = tuple(dict.fromkeys(id_ for each in work.statements for id_ in each.sources))
        last = work.statements[-1]
        summed = [
            Statement(text=fact, at=last.at, sources=sources, tags=("sum",), stage=self.name)
            for fact in answer.facts
        ]
        tools.note("summed up", statements=len(work.statements))
        return replace(
            work, statements=(*work.statements, *summed), relations=(*work.relations, ("sum", "fact"))
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Custom:
    """Whatever a test wants."""

    do: Callable[[Work, Tools], Any]
    name: str = "custom"

    async def run(self, work: Work, tools: Tools) -> Work:
        done: Work = await self.do(work, tools)
        return done


async def repeat_all(work: Work, tools: Any) -> Work:
    """What a `Custom` stage may do: it says of the last turn what all of them said."""
    told = " ".join(turn.text for turn in (*work.history, *work.turns))
    last = work.turns[-1]
    fact = Statement(text=f"heard {told}", at=last.at, sources=(last.id,), stage="custom")
    return replace(work, statements=(*work.statements, fact))


def recipe_of(*stages: Any, name: str = "tiny", history: int = 0) -> Recipe:
    return Recipe(name=name, summary="for tests", write=stages or (NoteTurns(), SumUp()), history=history)


def note_fact(text: str) -> str:
    """What the scripted model says about a turn."""
    return f"It was said: {text}"


def sum_fact(text: str) -> str:
    """What the scripted model says about statements."""
    return f"In short: {text}"


class ScriptedModel:
    """An `LLM` that answers by rule. `misbehave` may raise or wait before it does."""

    model = "scripted"

    def __init__(self, misbehave: Callable[[Prompt], Any] | None = None, seconds: float = 0.0) -> None:
        self.asked: Counter[tuple[str, str]] = Counter()
        """How often, by the prompt's name and data."""
        self.answered: Counter[tuple[str, str]] = Counter()
        self.at_once = self.most_at_once = 0
        self.misbehave = misbehave
        self.seconds = seconds

    async def acomplete(self, prompt: Prompt, schema: type[Any], *, stage: str) -> Reply[Any]:
        self.asked[prompt.name, prompt.user] += 1
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await asyncio.sleep(self.seconds)
            if self.misbehave is not None:
                waiting = self.misbehave(prompt)
                if waiting is not None:
                    await waiting
        finally:
            self.at_once -= 1
        self.answered[prompt.name, prompt.user] += 1
        say = {"note": note_fact, "sum": sum_fact}[prompt.name]
        return Reply(value=schema(facts=[say(prompt.user)]), model="scripted-1", usage=COST)


def derived(memory: Memory, user: str = "ana") -> list[Any]:
    """The records that jobs made, by their texts."""
    return sorted(
        (found.record for found in memory.latest(user=user, k=1000) if found.record.sources),
        key=lambda record: record.text,
    )


def one_job(memory: Memory) -> Job:
    """The memory's only job."""
    (job,) = memory.jobs()
    return job
