"""A reply with very many statements: how much of it is taken, and what is told of the rest."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from conversations import turns, work
from scripted_llm import Asked
from tools import MemoryTools, run_stages

from memspan.encode.buffer import Buffer
from memspan.encode.complete import Complete
from memspan.encode.extract import Extract
from memspan.encode.stage import Stage
from memspan.encode.verify import Verify
from memspan.limits import MAX_REPLY_FACTS, MAX_STATEMENT_CHARS

MANY = [{"content": f"Ana owns bee {number}.", "turns": [1]} for number in range(10_000)]
LEFT_OUT = {
    "event": "dropped",
    "reason": "more than are taken from one reply",
    "taken": MAX_REPLY_FACTS,
    "left_out": len(MANY) - MAX_REPLY_FACTS,
}


def rule(asked: Asked) -> Any:
    if asked.task == "summarise":
        return {"segments": [{"segment": 1, "topic": "bees", "entries": MANY}]}
    return {"statements": MANY}


@pytest.mark.parametrize("stage", [Extract(), Complete(), Buffer()], ids=lambda stage: stage.name)
def test_very_many_statements_are_not_all_taken(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    tools = MemoryTools(dict.fromkeys(("extract", "complete", "summarise"), rule))

    done = asyncio.run(run_stages([stage], work(turns("I keep bees.")), tools))

    assert [one.text for one in done.statements] == [one["content"] for one in MANY[:MAX_REPLY_FACTS]]
    assert tools.notes[:1] == [LEFT_OUT]
    assert f"{stage.name}: a model's reply holds 9000 items more than the 1000 that are taken" in caplog.text


def test_so_a_job_asks_no_more_than_these_are_worth() -> None:
    def none(asked: Asked) -> Any:
        return {"questions": [], "answers": []}

    tools = MemoryTools({"extract": rule, "question": none, "evidence": none})

    asyncio.run(run_stages([Extract(), Verify()], work(turns("I keep bees.")), tools))

    assert len(tools.asked) == 1 + 2 * MAX_REPLY_FACTS


def test_as_many_as_are_taken_are_all_taken() -> None:
    tools = MemoryTools({"extract": lambda asked: {"statements": MANY[:MAX_REPLY_FACTS]}})

    done = asyncio.run(run_stages([Extract()], work(turns("I keep bees.")), tools))

    assert len(done.statements) == MAX_REPLY_FACTS
    assert tools.notes == []


LONG = "Ana owns bees " + "and bees " * MAX_STATEMENT_CHARS
DROPPED = {
    "event": "dropped",
    "reason": "longer than the 8000 characters of a statement",
    "statement": LONG[:200],
    "chars": len(LONG.strip()),
}


@pytest.mark.parametrize("stage", [Extract(), Complete(), Buffer()], ids=lambda stage: stage.name)
def test_a_statement_without_an_end_is_dropped(stage: Stage) -> None:
    fits = "b" * MAX_STATEMENT_CHARS
    statements = [{"content": text, "turns": [1]} for text in (LONG, fits)]

    def some(asked: Asked) -> Any:
        if asked.task == "summarise":
            return {"segments": [{"segment": 1, "topic": "bees", "entries": statements}]}
        return {"statements": statements}

    tools = MemoryTools(dict.fromkeys(("extract", "complete", "summarise"), some))

    done = asyncio.run(run_stages([stage], work(turns("I keep bees.")), tools))

    assert [one.text for one in done.statements] == [fits]
    assert tools.noted("dropped") == [DROPPED]


def test_a_correction_without_an_end_leaves_the_statement_unverified() -> None:
    tools = MemoryTools(
        {
            "extract": lambda asked: {"statements": [{"content": "Ana owns bees.", "turns": [1]}]},
            "question": lambda asked: {"questions": [{"n": 1, "question": "What does Ana own?"}]},
            "evidence": lambda asked: {
                "answers": [{"n": 1, "found": True, "statement": LONG, "turns": [1], "reason": "said"}]
            },
        }
    )

    done = asyncio.run(run_stages([Extract(), Verify()], work(turns("I keep bees.")), tools))

    assert [(one.text, one.metadata.get("verified")) for one in done.statements] == [
        ("Ana owns bees.", False)
    ]
    assert tools.notes == [DROPPED]
