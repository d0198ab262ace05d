"""Put what recipes made in order: the update in sleep, for users one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memspan.job_info import SleepReport
from memspan.lifecycle.direct_tools import DirectTools
from memspan.llm import LLM, Usage
from memspan.remember.engine import Engine
from memspan.times import from_micros, now_micros

from .threads import in_worker

if TYPE_CHECKING:
    from memspan.lifecycle.sleep import SleepUpdate, Slept

__all__ = ["sleep"]


async def sleep(
    engine: Engine, llm: LLM, update: SleepUpdate, recipe: str, users: Sequence[str]
) -> SleepReport:
    """Run the update for each user, with what is new since their last one, and count what it costs.

    Interrupted, the users before this one are done. When a call failed, the next sleep of that user goes as far back.
    """
    done: list[Slept] = []
    usage = Usage()
    for user in users:
        tools = DirectTools(llm, update.name)
        began = now_micros()
        since = await in_worker(_slept, engine, user)
        finished = False
        try:
            done.append(
                await update.run(
                    engine,
                    user,
                    tools,
                    model=llm.model,
                    since=None if since is None else from_micros(since),
                )
            )
            finished = not any(note["event"] == "no decision" for note in tools.notes)
        finally:
            usage += tools.usage
            spent = tools.usage if tools.usage != Usage() else None
            await in_worker(
                _note, engine, user, recipe, update.name, llm.model, spent, began if finished else None
            )
    return SleepReport(
        users=len(done),
        memories=sum(one.memories for one in done),
        queues=sum(one.queues for one in done),
        merged=sum(one.applied.merged for one in done),
        updated=sum(one.applied.updated for one in done),
        retired=sum(one.applied.retired for one in done),
        skipped=sum(one.applied.skipped for one in done),
        usage=usage,
    )


def _slept(engine: Engine, user: str) -> int | None:
    with engine.store.reading() as reader:
        return reader.jobs.slept(user)


def _note(
    engine: Engine,
    user: str,
    recipe: str,
    stage: str,
    model: str,
    usage: Usage | None,
    began: int | None,
) -> None:
    with engine.store.writing() as writer:
        if usage is not None:
            writer.jobs.add_usage(user, recipe, stage, model, usage)
        if began is not None:
            writer.jobs.set_slept(user, began)
