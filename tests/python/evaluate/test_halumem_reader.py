"""HaluMem with a reader and a judge: answers in three kinds, and what was remembered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from llm_faults import status
from scripted_llm import ScriptedLLM

from memspan.encode.buffer import Buffer
from memspan.errors import FormatError
from memspan.evaluate import evaluate
from memspan.evaluate.reading.asking import Reading
from memspan.evaluate.reading.memories import session_tasks
from memspan.evaluate.reading.report import AnswerReport
from memspan.formats import Turn
from memspan.formats.questions.memory_points import MemoryPoint, read_memory_points
from memspan.llm import OpenAIModel
from memspan.recipes import Recipe
from memspan.records import Record
from memspan.times import from_micros

Labelled = Any
KEEPS = Recipe(name="keeps", summary="every turn is a memory", write=(Buffer(),))


@pytest.fixture
def model(server: ScriptedLLM) -> Iterator[OpenAIModel]:
    with OpenAIModel("reader", base_url=server.url, retries=0) as opened:
        yield opened


def _session(day: int, text: str, points: list[dict[str, Any]], questions: list[Any]) -> dict[str, Any]:
    turn = {"role": "user", "content": text, "timestamp": f"Sep {day:02d}, 2025, 09:05:32"}
    return {"dialogue": [turn], "memory_points": points, "questions": questions}


@pytest.fixture
def path(labelled: Labelled) -> Path:
    def change(users: Any) -> None:
        move = "Greta moved to the harbour street in Lund."
        point = {"memory_content": move, "importance": 0.5, "memory_source": "secondary"}
        trap = {"memory_content": "Greta owns a boat", "importance": 1.0, "memory_source": "interference"}
        missed = {"memory_content": "Greta likes tea", "importance": 1.0, "memory_source": "system"}
        asked = [
            {
                "question": "Where did Greta move?",
                "question_type": "Basic Fact Recall",
                "answer": "harbour street",
                "evidence": [{"memory_content": move}],
            },
            {
                "question": "Where does Greta keep her boat?",
                "question_type": "Memory Boundary",
                "answer": "not enough",
                "evidence": [],
            },
        ]
        users[0]["sessions"] = [
            _session(4, move, [point, trap], asked),
            _session(6, "My cat is called Minka and sleeps all day.", [missed], []),
        ]

    found: Path = labelled("halumem", change)
    return found


def read(path: Path, stores: Path, reading: Reading, **more: Any) -> AnswerReport:
    found = evaluate(
        "halumem", path, embedder="hash:64", store_dir=stores, ks=(5,), reading=reading, **more
    ).reading
    assert found is not None
    return found


def test_points_are_read(path: Path) -> None:
    (sessions,) = read_memory_points(path).values()
    assert [len(points) for points in sessions.values()] == [2, 1]
    first, trap = sessions["session_1"]
    assert (first.importance, first.interference) == (0.5, False)
    assert (trap.importance, trap.interference) == (1.0, True)


def test_points_without_importance_and_broken_ones(labelled: Labelled) -> None:
    def change(users: Any) -> None:
        users[0]["sessions"][0]["memory_points"][0]["importance"] = "much"

    (point, *_) = next(iter(read_memory_points(labelled("halumem", change)).values()))["session_1"]
    assert point.importance == 1.0
    broken = labelled("halumem", lambda users: users[0]["sessions"][0]["memory_points"][0].clear())
    with pytest.raises(FormatError, match="memory_content"):
        read_memory_points(broken)


def test_answers_and_memories_are_judged(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    reading = Reading(llm=model, judge=model)
    report = read(path, stores, reading, recipe=KEEPS, llm=model)
    assert report.manner == "halumem"
    right, boundary = report.answers
    assert (right.outcome, right.correct) == ("correct", True)
    assert boundary.outcome in ("correct", "hallucination")
    shares, integrity, accuracy = report.shares(), report.integrity(), report.accuracy()
    assert shares is not None
    assert (shares.answers, shares.judged) == (2, 2)
    assert integrity is not None
    assert (integrity.recall, integrity.points, integrity.judged) == (1 / 2, 3, 3)
    assert integrity.weighted_recall == pytest.approx(0.5 / 1.5)
    assert integrity.interference_refused == 1
    assert accuracy is not None
    assert (accuracy.memories, accuracy.judged, accuracy.accuracy) == (2, 2, 0)  # "user said" was not said
    assert accuracy.expected_accuracy == 0
    document = report.to_dict()["halumem"]
    assert document["integrity"]["points"] == 3
    assert document["judge_usage"]["calls"] == 5
    asked = len(server.asked)
    again = read(path, stores, reading, recipe=KEEPS, llm=model)
    assert len(server.asked) == asked
    assert (again.integrity(), again.accuracy(), again.shares()) == (integrity, accuracy, shares)


def test_verdicts_that_are_missing_are_counted_and_asked_again(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    reading = Reading(llm=model, judge=model)
    server.schedule = lambda asked, number: status(500) if asked.task.startswith("halumem") else None
    report = read(path, stores, reading, recipe=KEEPS, llm=model)
    integrity, accuracy = report.integrity(), report.accuracy()
    assert integrity is not None
    assert accuracy is not None
    assert (integrity.recall, integrity.judged, accuracy.accuracy, accuracy.judged) == (0, 0, 0, 0)
    server.schedule = lambda asked, number: None
    whole = read(path, stores, reading, recipe=KEEPS, llm=model).integrity()
    assert whole is not None
    assert whole.judged == 3


def test_memories_are_judged_only_where_there_are_some(
    path: Path, stores: Path, server: ScriptedLLM, model: OpenAIModel
) -> None:
    assert read(path, stores, Reading(llm=model, judge=model)).integrity() is None  # turns as they are
    without = Reading(llm=model, judge=model, memories=False)
    assert read(path, stores, without, recipe=KEEPS, llm=model).integrity() is None
    assert read(path, stores, Reading(llm=model), recipe=KEEPS, llm=model).shares() is None


def test_memories_belong_to_the_session_of_their_first_source() -> None:
    turns = {
        f"{session}:{number}": Turn(
            user="u", id=f"{session}:{number}", text="t", session=session, speaker="user", position=""
        )
        for session in ("session_1", "session_2")
        for number in (0, 1)
    }

    def record(text: str, sources: tuple[str, ...], **metadata: Any) -> Record:
        return Record(id=text, user="u", text=text, at=from_micros(0), sources=sources, metadata=metadata)

    point = MemoryPoint(text="p", importance=1, interference=False)
    sessions = session_tasks(
        turns,
        {"session_1": (point,)},
        [
            record("first", ("session_1:1", "session_2:0")),
            record("second", ("session_2:0",)),
            record("slept", ("session_2:0",), stage="sleep"),
            record("unknown", ("elsewhere",)),
        ],
    )
    assert [(each.name, each.memories, each.points) for each in sessions] == [
        ("session_1", ("first",), (point,)),
        ("session_2", ("second",), ()),
    ]
    assert sessions[0].dialogue == ("user: t", "user: t")
