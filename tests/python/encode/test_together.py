"""Calls side by side, and in halves."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from pydantic import BaseModel
from scripted_llm import Asked
from tools import MemoryTools

from memspan.encode.together import ask_in_parts, in_batches, split_list, together
from memspan.errors import BadReplyError, LLMError, TruncatedReplyError
from memspan.llm import Prompt


class Count(BaseModel):
    count: int


def ask(tools: MemoryTools, items: tuple[int, ...]) -> list[tuple[tuple[int, ...], Count]]:
    def prompt(part: tuple[int, ...]) -> Prompt:
        lines = "\n".join(map(str, part))
        return Prompt(name="count", version=1, system="Task: count", user=f"<items>\n{lines}\n</items>")

    return asyncio.run(
        ask_in_parts(tools, "k", items, Count, prompt, split_list, lambda part: map(str, part))
    )


@PROFILE
@given(st.integers(1, 20), st.integers(1, 5))
def test_what_does_not_fit_is_asked_in_halves_and_nothing_is_left_out(count: int, fits: int) -> None:
    def rule(asked: Asked) -> dict[str, int]:
        if len(asked.data["items"]) > fits:
            raise TruncatedReplyError("too long")
        return {"count": len(asked.data["items"])}

    items = tuple(range(count))

    replies = ask(MemoryTools({"count": rule}), items)

    assert tuple(item for part, _ in replies for item in part) == items
    assert all(len(part) == reply.count <= fits for part, reply in replies)


def test_keys_of_halves_are_their_own_and_splits_are_noted() -> None:
    tools = MemoryTools(
        {
            "count": [
                TruncatedReplyError("long"),
                {"count": 2},
                TruncatedReplyError("long"),
                {"count": 1},
                {"count": 1},
            ]
        }
    )

    ask(tools, (1, 2, 3, 4))

    assert tools.keys() == ["/k", "/k.1", "/k.2", "/k.2.1", "/k.2.2"]
    assert [note["key"] for note in tools.noted("split")] == ["k", "k.2"]


def test_a_kept_reply_is_not_read_with_other_numbers() -> None:
    tools = MemoryTools({"count": lambda asked: {"count": sum(asked.data["items"])}})

    assert [ask(tools, items)[0][1].count for items in ((1, 2), (1, 3), (1, 2))] == [3, 4, 3]
    assert tools.keys() == ["/k", "/k"]
    assert len({key for key, _ in tools.asked}) == 2


def test_one_item_that_does_not_fit_stops_the_job() -> None:
    with pytest.raises(TruncatedReplyError):
        ask(MemoryTools({"count": [TruncatedReplyError("long")]}), (1,))


@pytest.mark.parametrize("error", [BadReplyError("no JSON"), LLMError("server is gone")])
def test_other_errors_pass(error: LLMError) -> None:
    with pytest.raises(type(error)):
        ask(MemoryTools({"count": [error]}), (1, 2))


def test_the_others_are_finished_when_one_fails() -> None:
    finished = []

    async def one(number: int) -> int:
        await asyncio.sleep(0.001 * number)
        if number in (1, 2):
            raise LLMError(f"number {number}")
        finished.append(number)
        return number

    with pytest.raises(LLMError, match="number 1"):
        asyncio.run(together(one(number) for number in range(4)))
    assert finished == [0, 3]


def test_batches_are_consecutive() -> None:
    assert in_batches([1, 2, 3, 4, 5], 2) == [(1, 2), (3, 4), (5,)]
    assert in_batches([], 2) == []
