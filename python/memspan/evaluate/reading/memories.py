"""Judge what a recipe remembered of HaluMem's sessions: memory integrity and memory accuracy (ProMem, section 4.1)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from memspan.formats import Turn
from memspan.formats.questions import LabelledFile
from memspan.formats.questions.memory_points import MemoryPoint, read_memory_points
from memspan.llm import LLM, Usage
from memspan.llm.background import run_in_background
from memspan.memory import Memory
from memspan.record_order import record_order
from memspan.records import Record

from .halumem import Extracted, Point
from .halumem_judge import judge_coverage, judge_support
from .kept import Kept
from .kept_model import KeptModel
from .tolerance import Tolerance

__all__ = ["JudgedMemories", "judge_memories", "session_tasks"]

_SLEEP = "sleep"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedMemories:
    """Verdicts over all sessions of the conversations that were asked about."""

    points: tuple[Point, ...]
    """Of the labels; every one, also those that replace an earlier one."""
    memories: tuple[Extracted, ...]
    """That were made."""
    usage: Usage

    def __add__(self, other: JudgedMemories) -> JudgedMemories:
        return JudgedMemories(
            points=self.points + other.points,
            memories=self.memories + other.memories,
            usage=self.usage + other.usage,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session with what was made of it and what should have been."""

    name: str
    dialogue: tuple[str, ...]
    points: tuple[MemoryPoint, ...]
    memories: tuple[str, ...]


def session_tasks(
    turns: Mapping[str, Turn], points: Mapping[str, Sequence[MemoryPoint]], records: Iterable[Record]
) -> list[Session]:
    """The sessions of a conversation, in order. A memory belongs to the session of its first source; what sleep made of
    memories was not extracted and is left out, and what sleep ended was."""
    extracted: dict[str, list[str]] = {}
    for record in records:
        first = turns.get(record.sources[0]) if record.sources else None
        if first is not None and first.session and record.metadata.get("stage") != _SLEEP:
            extracted.setdefault(first.session, []).append(record.text)
    said: dict[str, list[str]] = {name: [] for name in points}
    for turn in turns.values():
        said.setdefault(turn.session or "", []).append(_line(turn))
    return [
        Session(
            name=name,
            dialogue=tuple(lines),
            points=tuple(points.get(name, ())),
            memories=tuple(extracted.get(name, ())),
        )
        for name, lines in said.items()
    ]


def judge_memories(
    memory: Memory,
    file: LabelledFile,
    users: Sequence[str],
    judge: LLM,
    *,
    address: str,
    at_once: int,
    store: Path,
    track: Callable[[int], AbstractContextManager[Callable[[int], object]]],
) -> JudgedMemories:
    """Ask the judge about every point and every memory of these users, several at once: one call each. Verdicts are
    kept beside `store`; one that fails is none (`score` is `None`), and is asked for again by the next call.

    Raises:
        FormatError: the file's points cannot be read.
    """
    points = read_memory_points(file.path)
    sessions = [
        session
        for user in users
        for session in session_tasks(file.turns[user], points.get(user, {}), _records(memory, user))
    ]
    work = _Work(KeptModel(judge, address, Kept(store.with_suffix(".memories.jsonl")), "memories"), at_once)
    with track(sum(len(session.points) + len(session.memories) for session in sessions)) as advance:
        return run_in_background(work.run(sessions, advance))


def _records(memory: Memory, user: str) -> list[Record]:
    with memory._engine.store.reading() as reader:
        found = [record for batch in reader.scan(user, 512) for record in batch if record.sources]
    return sorted(
        found, key=lambda record: record_order(record.at, record.id)
    )  # the same prompts in every run


def _line(turn: Turn) -> str:
    at = "" if turn.at is None else f"[{turn.at.isoformat(sep=' ', timespec='seconds')}] "
    return f"{at}{turn.speaker or ''}: {turn.text}"


class _Work:
    def __init__(self, model: KeptModel, at_once: int) -> None:
        self._model = model
        self._tolerance = Tolerance()
        self._gate = asyncio.Semaphore(at_once)

    async def run(self, sessions: Sequence[Session], advance: Callable[[int], object]) -> JudgedMemories:
        async def gated(work: Awaitable[object]) -> object:
            async with self._gate:
                value, _ = await self._tolerance.wait_for(work)
                advance(1)
                return value

        points = [(session, point) for session in sessions for point in session.points]
        made = [(session, text) for session in sessions for text in session.memories]
        tasks = [
            asyncio.ensure_future(gated(judge_coverage(self._model, point.text, session.memories)))
            for session, point in points
        ]
        tasks += [
            asyncio.ensure_future(gated(judge_support(self._model, text, session.dialogue, _wanted(session))))
            for session, text in made
        ]
        try:
            found = await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
        scores, verdicts = found[: len(points)], found[len(points) :]
        return JudgedMemories(
            points=tuple(
                Point(
                    score=score if isinstance(score, int) else None,
                    importance=point.importance,
                    interference=point.interference,
                )
                for (_, point), score in zip(points, scores, strict=True)
            ),
            memories=tuple(
                one if isinstance(one, Extracted) else Extracted(score=None, expected=False)
                for one in verdicts
            ),
            usage=self._model.spent,
        )


def _wanted(session: Session) -> list[str]:
    return [point.text for point in session.points if not point.interference]
