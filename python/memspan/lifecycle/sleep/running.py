"""The update in sleep of a store's users, as `Memory.consolidate` runs it: what it costs is counted, and how far it got
is kept."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from dataclasses import asdict
from time import perf_counter
from typing import Any, Final, NamedTuple

from memspan.base.worker_threads import in_worker
from memspan.encode.together import together
from memspan.errors import JobError, invalid
from memspan.lifecycle.direct_tools import DirectTools
from memspan.lifecycle.undo.journal import Journal
from memspan.llm import LLM, Usage
from memspan.llm.patience import Patience
from memspan.llm.prompts import template
from memspan.records import Record
from memspan.remember.engine import Engine
from memspan.reports.consolidation import SleepReport

from .log import log_of
from .queues import UpdateQueue
from .seen import dump_seen, load_seen, seen_mark
from .update import SleepUpdate, Slept

__all__ = ["chosen_update", "queues_to_ask", "sleep"]

_logger = logging.getLogger("memspan")
_USERS: Final = 8
"""Users at once. Each has the embeddings of its memories in hand; the calls of the model are its client's affair."""
_OPEN: Final = ("no decision", "overtaken")
"""Notes about memories whose queues have to be looked at again without news."""
_REASON_CHARS: Final = 1000


def chosen_update(
    update: bool | SleepUpdate | None, own: SleepUpdate | None, has_model: bool
) -> SleepUpdate | None:
    """What a caller and the recipe want; `None` for no update.

    Args:
        update: of `Memory.consolidate`.
        own: the recipe's.

    Raises:
        InvalidArgumentError: `update` is something else.
        JobError: the caller wants an update, and there is no model.
    """
    if update is None:
        return own if has_model else None
    if update is False:
        return None
    if update is not True and not isinstance(update, SleepUpdate):
        raise invalid("update", update, "True, False, a memspan.lifecycle.sleep.update.SleepUpdate, or None")
    if not has_model:
        raise JobError("an update in sleep asks a language model: open the memory with Memory(path, llm=...)")
    return update if isinstance(update, SleepUpdate) else own or SleepUpdate()


async def sleep(
    engine: Engine,
    llm: LLM | None,
    user: str | None,
    update: SleepUpdate,
    *,
    recipe: str,
    advance: Callable[[int], object] = lambda count: None,
    journal: Callable[[str], Journal | None] = lambda user: None,
) -> SleepReport:
    """Update the memories of a user, or of all, and say what became of them.

    Each user is all or nothing. Where it ended is written after the changes: a crash in between only means that the
    same queues are looked at again.

    Args:
        recipe: that usage is counted for.
        advance: is told every queue that the model was asked about.
        journal: gives the run of a user, so that the changes can be undone.

    Raises:
        EmbedderError, StoreError: nothing was changed for at least one user; the others are done.
    """
    assert llm is not None
    start = perf_counter()
    users = [user] if user is not None else await in_worker(_users, engine)
    places, patience = asyncio.Semaphore(_USERS), Patience()

    async def one(name: str) -> _Done:
        async with places:
            return await _sleep_of(engine, llm, name, update, recipe, advance, journal(name), patience)

    done = await together(one(name) for name in users)
    undecided = sum(each.undecided for each in done)
    queues = sum(each.slept.queues for each in done)
    if undecided:
        # Not the reasons: they may hold what somebody said.
        _logger.warning(
            "%d of %d queues were not decided in sleep; the next update asks again", undecided, queues
        )
    applied = [each.slept.applied for each in done]
    return SleepReport(
        users=len(done),
        memories=sum(each.slept.memories for each in done),
        queues=queues,
        merged=sum(each.merged for each in applied),
        updated=sum(each.updated for each in applied),
        retired=sum(each.retired for each in applied),
        skipped=sum(each.skipped for each in applied),
        undecided=undecided,
        reason=next((each.reason for each in done if each.reason is not None), None),
        usage=sum((each.usage for each in done), Usage()),
        seconds=perf_counter() - start,
    )


def queues_to_ask(
    engine: Engine, user: str, update: SleepUpdate, gone: Container[str] = ()
) -> list[UpdateQueue]:
    """The queues of a user that the next update would ask the model about. Nothing is asked, nothing changes.

    Args:
        gone: ids of memories that will have gone, or ended, by then.
    """
    engine.require_open()
    with engine.store.reading() as reader:
        state = _loaded(reader.slept(user), update)
    index, records, turns = update.records(engine, user)
    records = [record for record in records if record.id not in gone]
    return update.queues(index, records, turns, state.is_new, state.is_open)


class _Done(NamedTuple):
    """What became of one user."""

    slept: Slept
    undecided: int
    reason: str | None
    usage: Usage


class _State(NamedTuple):
    """Where the last update of a user ended. What is kept here must say nothing about a memory that is forgotten."""

    seen: frozenset[bytes] = frozenset()
    """Marks of the memories that updates with these settings looked at. Not the time of the last one: clocks are set
    back, and imported memories say when they were learnt elsewhere."""
    again: frozenset[str] = frozenset()
    """Fingerprints of memories that it left open."""

    def is_new(self, record: Record) -> bool:
        """Whether no update has seen what a memory says."""
        return seen_mark(record) not in self.seen

    def is_open(self, record: Record) -> bool:
        """Whether the last update did not decide about a memory."""
        return _fingerprint(record.id) in self.again


def _users(engine: Engine) -> list[str]:
    with engine.store.reading() as reader:
        return reader.users()


async def _sleep_of(
    engine: Engine,
    llm: LLM,
    user: str,
    update: SleepUpdate,
    recipe: str,
    advance: Callable[[int], object],
    journal: Journal | None,
    patience: Patience,
) -> _Done:
    state = _loaded(await in_worker(_kept, engine, user), update)
    tools = DirectTools(llm, update.name, advance, patience)
    try:
        slept = await update.run(
            engine,
            user,
            tools,
            model=llm.model,
            is_new=state.is_new,
            again=state.is_open,
            journal=journal,
        )
    except BaseException:
        # What was spent counts, also when it was interrupted.
        with suppress(Exception):
            await in_worker(_end, engine, user, recipe, tools, None)
        raise
    if journal is not None and slept.queues:
        journal.decisions = log_of(tools.notes)
    failed = [note for note in tools.notes if note["event"] == "no decision"]
    # When nothing was decided, as far as it got is where it was.
    further = not failed or len(failed) < slept.queues
    seen = state.seen | slept.seen
    await in_worker(
        _end, engine, user, recipe, tools, _dumped(seen, update, tools.notes) if further else None
    )
    _logger.debug("sleep: %s", _counts(tools.notes))
    reason = str(failed[0]["reason"])[:_REASON_CHARS] if failed else None
    return _Done(slept, len(failed), reason, tools.usage)


def _kept(engine: Engine, user: str) -> str | None:
    with engine.store.reading() as reader:
        return reader.slept(user)


def _end(engine: Engine, user: str, recipe: str, tools: DirectTools, state: str | None) -> None:
    if state is None and not tools.spent:
        return
    with engine.store.writing() as writer:
        for model, usage in tools.spent.items():
            writer.jobs.add_usage(user, recipe, "sleep", model, usage)
        if state is not None:
            writer.set_slept(user, state)


def _dumped(seen: frozenset[bytes], update: SleepUpdate, notes: Sequence[dict[str, Any]]) -> str:
    again = sorted({_fingerprint(note["memory"]) for note in notes if note["event"] in _OPEN})
    return json.dumps({"seen": dump_seen(seen), "again": again, "asked": _asked(update)})


def _loaded(kept: str | None, update: SleepUpdate) -> _State:
    """All is news to an update with other settings."""
    if kept is None:
        return _State()
    found = json.loads(kept)
    if found["asked"] != _asked(update) or "seen" not in found:
        return _State()
    return _State(load_seen(found["seen"]), frozenset(found["again"]))


def _asked(update: SleepUpdate) -> dict[str, Any]:
    """What decides which queues there are, and how the model is asked about them, as JSON gives it back."""
    settings: dict[str, Any] = json.loads(json.dumps(asdict(update)))
    return {**settings, "prompt": template("update").version}


def _fingerprint(id_: str) -> str:
    return hashlib.sha256(id_.encode()).hexdigest()[:16]


def _counts(notes: Sequence[dict[str, Any]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for note in notes:
        counts[note["event"]] = counts.get(note["event"], 0) + 1
    return counts
