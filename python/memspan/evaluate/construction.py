"""Making memories of conversations by a recipe, before they are asked about: what it took, as the papers report it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

from memspan.llm import LLM, Usage
from memspan.llm.prompts import prompt_names, template
from memspan.memory import Memory
from memspan.recipes import Recipe

if TYPE_CHECKING:
    from memspan.lifecycle.sleep.update import SleepUpdate

__all__ = ["COSTS", "Construction", "Making", "StageCost", "construct", "construction_of", "summed", "timed"]

COSTS: Final = (
    "summary_in_k", "summary_out_k", "update_in_k", "update_out_k", "total_k", "calls", "seconds",
)  # fmt: skip
"""The columns of LightMem's table 2, by the names that `Construction.cost` and the papers' figures share."""
_READING: Final = ("answer", "judge", "halumem", "plan", "read")
"""Beginnings of the names of prompts that make no memories."""
_ASKING: Final = ("answer", "plan")
_UPDATE: Final = ("update", "sleep")
"""What LightMem's tables call update; all other stages are its summary."""


@dataclass(frozen=True, kw_only=True)
class Making:
    """A recipe and the model that it asks."""

    recipe: Recipe
    llm: LLM | None
    consolidate: bool = True
    """Let the recipe's update in sleep run over what was made, where it has one."""

    @property
    def sleep(self) -> SleepUpdate | None:
        """What is done to the memories after they were made."""
        return self.recipe.sleep if self.consolidate else None

    @cached_property
    def identity(self) -> list[Any]:
        """All that the records depend on besides the turns: the stages with their parameters, the update in sleep, the
        model's name, and the versions of the prompts that make memories."""
        prompts = {name: template(name).version for name in prompt_names() if not name.startswith(_READING)}
        model = None if self.llm is None else self.llm.model
        sleep = [] if self.sleep is None else [repr(self.sleep)]
        return [self.recipe.name, repr(self.recipe.write), self.recipe.history, model, prompts, *sleep]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCost:
    """What one stage cost, over all conversations that were asked about."""

    stage: str
    model: str
    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class Construction:
    """What making the memories of one file, or of all, took; over all runs that it took."""

    users: int
    """Conversations."""
    seconds: float
    """On the clock, embedding included; of all runs, also interrupted ones."""
    jobs: int
    parked: int
    """Jobs that were given up: their memories are missing. The next evaluation tries them again."""
    waiting: int
    """Jobs that are neither done nor given up."""
    undecided: int = 0
    """Memories that the update in sleep got no decision for; the next evaluation asks again."""
    records: int
    """Made records."""
    stages: tuple[StageCost, ...]

    @property
    def complete(self) -> bool:
        """Whether all memories were made."""
        return not self.parked and not self.waiting and not self.undecided

    def usage(self, *, update: bool | None = None) -> Usage:
        """The sum; with `update` of the stages that change records (true) or make them (false)."""
        chosen = (each for each in self.stages if update is None or (each.stage in _UPDATE) == update)
        return sum((each.usage for each in chosen), Usage())

    def cost(self) -> dict[str, float]:
        """Tokens in thousands, calls and seconds a conversation, as LightMem's tables 2 and 3 have them: `update` is
        what changes memories that are there, in sleep, `summary` all other stages."""
        summary, update = self.usage(update=False), self.usage(update=True)
        tokens = (
            summary.prompt_tokens,
            summary.completion_tokens,
            update.prompt_tokens,
            update.completion_tokens,
        )
        thousands = [count / self.users / 1000 for count in tokens]
        return {
            **dict(zip(COSTS, thousands, strict=False)),
            "total_k": sum(thousands),
            "calls": (summary.calls + update.calls) / self.users,
            "seconds": self.seconds / self.users,
        }

    def to_dict(self) -> dict[str, Any]:
        """As JSON values."""
        return {**asdict(self), "complete": self.complete, "a_conversation": self.cost()}


def construct(memory: Memory, users: Sequence[str], making: Making, advance: Callable[[int], object]) -> int:
    """Process what the users' turns wait for, then let the recipe put the memories in order, if it does; jobs that were
    given up are tried again. Interrupted, the next call goes on. Returns how many memories sleep left undecided.

    The layout of the index is left alone: see `stores.opened_store`.

    Raises:
        JobError, MissingExtraError: the recipe needs a model, or something else that is not here.
    """
    undecided = 0
    for user in users:
        memory.retry(user=user)
        if any(job.state != "done" for job in memory.jobs(user=user)):
            with timed(memory, [user]):
                memory.process(user=user)
        if making.sleep is not None and making.llm is not None:
            undecided += _put_in_order(memory, user, making.sleep)
        advance(1)
    return undecided


def _put_in_order(memory: Memory, user: str, update: SleepUpdate) -> int:
    """The update in sleep, without the layout; what it took counts if there was anything to decide."""
    from memspan.lifecycle.sleep.running import sleep

    start = perf_counter()
    report = memory._processing.ask(
        lambda llm: sleep(memory._engine, llm, user, update, recipe=memory._processing.recipe.name)
    )
    if report.queues:
        _add_seconds(memory, [user], perf_counter() - start)
    return report.undecided


def construction_of(memory: Memory, users: Sequence[str], turns: int, undecided: int = 0) -> Construction:
    """What a store says of its making, and of what it costs; `turns` is how many turns the users have."""
    jobs = [job for user in users for job in memory.jobs(user=user)]
    costs: dict[tuple[str, str], Usage] = {}
    for user in users:
        for entry in memory.usage(user=user, by=("stage", "model")):
            if entry.stage not in _ASKING:
                key = (entry.stage or "", entry.model or "")
                costs[key] = costs.get(key, Usage()) + entry.usage
    return Construction(
        users=len(users),
        seconds=sum(_seconds(_clock(Path(memory._engine.store.path))).get(user, 0.0) for user in users),
        jobs=len(jobs),
        parked=sum(job.state == "parked" for job in jobs),
        waiting=sum(job.state in ("pending", "running") for job in jobs),
        records=sum(int(memory.stats(user)["records"]) for user in users) - turns,
        undecided=undecided,
        stages=tuple(StageCost(stage=key[0], model=key[1], usage=usage) for key, usage in costs.items()),
    )


def summed(each: Iterable[Construction]) -> Construction | None:
    """Over several files; `None` without any."""
    found = list(each)
    if not found:
        return None
    costs: dict[tuple[str, str], Usage] = {}
    for cost in (cost for one in found for cost in one.stages):
        key = (cost.stage, cost.model)
        costs[key] = costs.get(key, Usage()) + cost.usage
    return Construction(
        users=sum(one.users for one in found),
        seconds=sum(one.seconds for one in found),
        jobs=sum(one.jobs for one in found),
        parked=sum(one.parked for one in found),
        waiting=sum(one.waiting for one in found),
        records=sum(one.records for one in found),
        undecided=sum(one.undecided for one in found),
        stages=tuple(StageCost(stage=key[0], model=key[1], usage=usage) for key, usage in costs.items()),
    )


@contextmanager
def timed(memory: Memory, users: Sequence[str]) -> Iterator[None]:
    """Add the time of the block to what making these users' memories took, in a file beside the store; also when it
    is interrupted. A block for several users counts in equal parts."""
    start = perf_counter()
    try:
        yield
    finally:
        _add_seconds(memory, users, perf_counter() - start)


def _add_seconds(memory: Memory, users: Sequence[str], seconds: float) -> None:
    path = _clock(Path(memory._engine.store.path))
    known = _seconds(path)
    share = seconds / len(users)
    path.write_text(json.dumps({**known, **{user: known.get(user, 0.0) + share for user in users}}))


def _clock(store: Path) -> Path:
    return store.with_suffix(".seconds.json")


def _seconds(path: Path) -> dict[str, float]:
    try:
        found: dict[str, float] = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return found
