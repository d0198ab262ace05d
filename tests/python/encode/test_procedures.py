"""Procedures: what a model makes of the calls of a session, and what of it is believed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agent_sessions import cancel_order, session
from rules_procedures import RULES
from scripted_llm import read_data
from tools import MemoryTools, run_stages

from memspan.encode.load import Load
from memspan.encode.procedures import Procedures, procedures_prompt
from memspan.encode.values import Statement, Turn, Work
from memspan.errors import InvalidArgumentError, LLMError, TruncatedReplyError
from memspan.recipes.calls import expected_calls
from memspan.remember.input.messages import to_drafts
from memspan.remember.jobs.turns import turn_of


def turns_of(*sessions: dict[str, Any]) -> tuple[Turn, ...]:
    drafts = to_drafts(
        list(sessions), user="ana", at=None, session=None, metadata=None, tags=(), kind="episodic"
    )
    return tuple(turn_of(draft.record) for draft in drafts)


def run(
    turns: tuple[Turn, ...], *replies: Any, rules: Any = None, **parameters: Any
) -> tuple[tuple[Statement, ...], MemoryTools]:
    tools = MemoryTools(rules or {"procedures": list(replies)})
    work = Work(user="ana", turns=turns)
    return asyncio.run(run_stages([Procedures(**parameters)], work, tools)).statements, tools


def told(name: str, *steps: int, when: str = "", worked: bool = True, does: str = "do it") -> dict[str, Any]:
    lines = [{"n": n, "does": does} for n in steps]
    return {"procedures": [{"name": name, "when": when, "steps": lines, "worked": worked}]}


ORDER = turns_of(cancel_order(1))


def test_a_task_becomes_a_procedure_with_its_steps_and_sources() -> None:
    (one,), tools = run(ORDER, told("cancel an order.", 1, 2, 3, when="A customer changed their mind."))

    assert (one.kind, one.stage, one.at) == ("procedural", "procedures", ORDER[5].at)
    assert one.text == (
        "How to cancel an order\n"
        "When: A customer changed their mind.\n"
        "1. find_order(order: number, region: text): do it\n"
        "2. check_refund(payment: text, order: number): do it\n"
        "3. cancel_order(order: number, reason: text, api_key: text): do it"
    )
    assert one.sources == tuple(turn.id for turn in ORDER)
    procedure = one.metadata["procedure"]
    assert [step["action"] for step in procedure["steps"]] == ["find_order", "check_refund", "cancel_order"]
    assert procedure["success"] is True
    assert procedure["wording"]["prompt"] == "procedures@1"
    assert tools.notes == []


def test_calls_are_numbered_and_long_texts_cut() -> None:
    long = session("s", ("read", {}, "x" * 5000), "write", asked="Copy it")

    (prompt,) = [procedures_prompt(turns_of(long))]

    lines = read_data(prompt.user)["turns"]
    assert [line.get("n") for line in lines] == [None, 1, None, 2, None]
    assert len(lines[2]["text"]) == 801
    assert "sk-1" not in procedures_prompt(ORDER).user


def test_steps_are_in_the_order_in_which_they_were_made_and_retries_are_one() -> None:
    turns = turns_of(session("s", "open", "!send", "send", "close"))

    (one,), _ = run(turns, told("send it", 4, 3, 2, 1))

    assert [step["action"] for step in one.metadata["procedure"]["steps"]] == ["open", "send", "close"]
    assert len(one.metadata["procedure"]["wording"]["does"]) == 3


def test_the_results_say_whether_it_worked() -> None:
    turns = turns_of(cancel_order(1, fails=True))
    (failed,), _ = run(turns, told("cancel an order", 1, 2, 3, worked=True))
    silent = tuple(turn for turn in ORDER if turn.outcomes == ())
    (said,), _ = run(silent, told("cancel an order", 1, 2, 3, worked=False))

    assert failed.metadata["procedure"]["success"] is False
    assert said.metadata["procedure"]["success"] is False


@pytest.mark.parametrize(
    ("reply", "event"),
    [
        (told("", 1, 2), "dropped"),
        (told("cancel it", 1), "dropped"),
        (told("cancel it", 1, 9), "unknown steps"),
        (told("cancel it", 0, 1, 1), "dropped"),
        (told("cancel order 77777", 1, 2), "dropped"),
        (told("cancel it", 1, 2, does="pay 12 euros 99"), "dropped"),
    ],
)
def test_what_makes_no_sense_is_dropped_and_noted(reply: dict[str, Any], event: str) -> None:
    statements, tools = run(ORDER, reply)

    assert statements == ()
    assert tools.noted(event)


def test_no_task_is_a_good_answer() -> None:
    statements, tools = run(ORDER, {"procedures": []})

    assert statements == ()
    assert tools.notes == []


def test_without_calls_nothing_is_asked() -> None:
    talk = turns_of({"messages": ["Hi", "Hello"]})
    statements, tools = run((*talk, *ORDER[:2]))

    assert statements == ()
    assert tools.asked == []


def test_long_jobs_are_read_in_pieces_and_truncated_replies_in_halves() -> None:
    turns = turns_of(*(cancel_order(number) for number in range(4)))

    statements, tools = run(turns, rules=RULES, most=14)
    assert len(statements) == 4
    assert tools.keys() == ["procedures/0", "procedures/1"]

    halved, tools = run(turns[:14], TruncatedReplyError("cut"), told("a b", 1, 2, 3), told("c d", 1, 2))
    assert [one.metadata["procedure"]["name"] for one in halved] == ["a b", "c d"]
    assert tools.noted("split")


def test_a_failing_model_fails_the_stage() -> None:
    with pytest.raises(LLMError):
        run(ORDER, LLMError("down"))


def test_calls_and_parameters() -> None:
    assert Procedures().calls(Load(turns=250, actions=2)) == 3
    assert Procedures().calls(Load(turns=250, actions=1)) == 0
    assert expected_calls([Procedures()], 250, actions=9) == {"procedures": 3}
    for wrong in ({"fewest": 1}, {"most": 1}, {"chars": 3}):
        with pytest.raises(InvalidArgumentError):
            Procedures(**wrong)
