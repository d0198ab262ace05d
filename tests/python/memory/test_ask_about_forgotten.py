"""What is forgotten while a question is under way is sent to no model afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from llm_faults import FAULTS, Fault, status
from pydantic import BaseModel
from scripted_llm import Asked, ScriptedLLM, no_pause

from memspan import Quotas
from memspan.errors import ForgottenError
from memspan.llm import OpenAIModel, Prompt, Reply
from memspan.memory import Memory
from memspan.recall.answer import NOT_ENOUGH

SECRET = "Wolfsbane"
TURNS = [{"id": "t1", "text": f"Ana likes {SECRET}."}, {"id": "t2", "text": "Ana likes cake."}]


@pytest.fixture
def memory(open_memory: Callable[..., Memory], server: ScriptedLLM) -> Iterator[Memory]:
    with OpenAIModel("scripted", base_url=server.url, sleep=no_pause, retries=2) as model:
        opened = open_memory(llm=model)
        opened.add(TURNS, user="ana", at="2023-05-08")
        yield opened


def told(server: ScriptedLLM) -> list[bool]:
    """For each request, whether the secret was in it."""
    return [SECRET in asked.user for asked in server.asked]


def forget_with(memory: Memory, server: ScriptedLLM, fault: Fault, **what: Any) -> None:
    """Forget when the server has the first request, which fails."""

    def schedule(asked: Asked, number: int) -> Fault | None:
        if SECRET not in asked.user:
            return None
        memory.forget(user="ana", **what)
        return fault

    server.schedule = schedule


@pytest.mark.parametrize("fault", [status(503), FAULTS["prose"]], ids=["retry", "correction"])
def test_before_it_is_asked_again(memory: Memory, server: ScriptedLLM, fault: Fault) -> None:
    forget_with(memory, server, fault, id="t1")
    answer = memory.ask("What does Ana like?", user="ana")
    assert told(server) == [True, False]
    assert answer.sources == ("t2",)
    assert [source.id for source in answer.context.sources] == ["t2"]
    (entry,) = memory.usage(user="ana", by=("stage",))
    assert entry.usage.calls == answer.usage.calls == 1 + (fault is FAULTS["prose"])


def test_before_a_stream_begins(memory: Memory, server: ScriptedLLM) -> None:
    forget_with(memory, server, status(503), id="t1")
    stream = memory.stream_answer("What does Ana like?", user="ana")
    assert "".join(stream) == "Ana likes cake." == stream.answer.text
    assert told(server) == [True, False]
    assert SECRET not in stream.context.text
    assert stream.context is stream.answer.context


def test_between_the_search_and_the_reading_of_the_stream(memory: Memory, server: ScriptedLLM) -> None:
    stream = memory.stream_answer("What does Ana like?", user="ana")
    memory.forget(user="ana", id="t1")
    assert "".join(stream) == "Ana likes cake."
    assert told(server) == [False]


def test_when_all_is_forgotten_no_model_is_asked(memory: Memory, server: ScriptedLLM) -> None:
    stream = memory.stream_answer("What does Ana like?", user="ana")
    memory.forget(user="ana")
    assert list(stream) == [NOT_ENOUGH]
    assert server.asked == []


def test_what_was_written_anew_is_read_again(memory: Memory, server: ScriptedLLM) -> None:
    stream = memory.stream_answer("What does Ana like?", user="ana")
    memory.forget(user="ana", id="t1")
    memory.add([{"id": "t1", "text": "Ana likes trains."}], user="ana", at="2023-05-09")
    list(stream)
    assert [told(server), "Ana likes trains." in server.asked[0].user] == [[False], True]


def test_what_only_moved_or_ended_is_sent(memory: Memory, server: ScriptedLLM) -> None:
    stream = memory.stream_answer("What does Ana like?", user="ana")
    memory.retire(user="ana", ids=["t1"])
    memory.set_quotas(Quotas(capacity=3), user="ana")
    list(stream)
    assert told(server) == [True]


def test_a_name_that_is_forgotten_is_in_no_request_for_a_plan(memory: Memory, server: ScriptedLLM) -> None:
    memory.add([{"id": "t3", "text": "Hi!", "speaker": SECRET}], user="ana", at="2023-05-08")

    def schedule(asked: Asked, number: int) -> Fault | None:
        if asked.task != "plan":
            return None
        memory.forget(user="ana", id="t3")
        return status(503)

    memory.forget(user="ana", id="t1")
    server.schedule = schedule
    answer = memory.ask("What does Ana like?", user="ana", plan="model")
    assert [(asked.task, SECRET in asked.user) for asked in server.asked] == [
        ("plan", True),
        ("answer", False),
    ]
    assert "ForgottenError" in " ".join(answer.plan.reasons)


class Plain:
    """A client that takes no `ready`; forgets before it is asked, for so many times."""

    model = "plain"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def acomplete(self, prompt: Prompt, schema: type[BaseModel], *, stage: str) -> Reply[Any]:
        self.asked.append(prompt.user)
        raise AssertionError("nothing is left to be asked about")


def test_a_client_that_looks_at_nothing_is_asked_after_one_look(open_memory: Callable[..., Memory]) -> None:
    model = Plain()
    memory = open_memory(llm=model)
    memory.add(TURNS[:1], user="ana")
    stream = memory.stream_answer("What does Ana like?", user="ana")
    memory.forget(user="ana", id="t1")
    assert list(stream) == [NOT_ENOUGH]
    assert model.asked == []


def test_a_question_whose_memories_always_go_ends(memory: Memory, server: ScriptedLLM) -> None:
    number = 0

    def schedule(asked: Asked, _: int) -> Fault:
        nonlocal number
        number += 1
        memory.forget(user="ana", id="t1")
        memory.add([{**TURNS[0], "text": f"Ana likes {SECRET}, {number}."}], user="ana", at="2023-05-08")
        return status(503)

    server.schedule = schedule
    with pytest.raises(ForgottenError):
        memory.ask("What does Ana like?", user="ana")
    assert len(server.asked) == 8
