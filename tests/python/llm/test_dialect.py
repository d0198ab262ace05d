"""What a server refuses, and what is asked instead from then on."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from llm_faults import Fault
from pydantic import BaseModel
from scripted_llm import Asked, ScriptedLLM

from memspan.errors import LLMError, TruncatedReplyError
from memspan.llm import OpenAIModel, Prompt
from memspan.llm.dialect import Dialect, Refusal


class Items(BaseModel):
    items: list[str]


class Others(BaseModel):
    items: list[str]


def modes(server: ScriptedLLM) -> list[str]:
    return [asked.mode for asked in server.asked]


def test_asks_by_schema_when_the_server_can(model: OpenAIModel, server: ScriptedLLM, prompt: Prompt) -> None:
    model.complete(prompt, Items, stage="test")

    asked = server.asked[0]
    assert asked.mode == "json_schema"
    assert asked.schema == {
        "type": "object",
        "properties": {"items": {"type": "array", "items": {"type": "string"}}},
        "required": ["items"],
        "additionalProperties": False,
    }
    assert asked.body["response_format"]["json_schema"]["strict"] is True
    assert asked.system == prompt.system


def test_descends_and_remembers_for_every_schema(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    server.refused = {"json_schema"}
    assert model.complete(prompt, Items, stage="test").value.items == ["A", "B"]
    assert model.complete(prompt, Others, stage="test").value.items == ["A", "B"]
    assert modes(server) == ["json_schema", "json_object", "json_object"]
    assert '"required": ["items"]' in server.asked[1].system
    assert server.asked[1].system.startswith(prompt.system)

    server.refused = {"json_object"}
    assert model.complete(prompt, Items, stage="test").value.items == ["A", "B"]
    assert model.complete(prompt, Others, stage="test").value.items == ["A", "B"]
    assert modes(server)[3:] == ["json_object", "text", "text"]
    assert "response_format" not in server.asked[-1].body
    assert model.complete(prompt, Items, stage="test").usage.calls == 1


def refuse_schema(words: str, name: str | None = None) -> Callable[[Asked, int], Fault | None]:
    def schedule(asked: Asked, number: int) -> Fault | None:
        wanted = asked.body.get("response_format", {}).get("json_schema", {}).get("name")
        if asked.mode == "json_schema" and name in (None, wanted):
            return Fault(name="refused", status=400, message=words)
        return None

    return schedule


def test_a_refused_schema_is_remembered_for_itself(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    server.schedule = refuse_schema("Invalid schema for response_format 'Items': no", "Items")

    for schema in (Items, Items, Others):
        assert model.complete(prompt, schema, stage="test").value.items == ["A", "B"]

    assert modes(server) == ["json_schema", "json_object", "json_object", "json_schema"]


def test_an_unclear_refusal_counts_once_something_lower_was_answered(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    server.schedule = refuse_schema("bad request")

    for schema in (Items, Items, Others):
        assert model.complete(prompt, schema, stage="test").value.items == ["A", "B"]

    assert modes(server) == ["json_schema", "json_object", "json_object", "json_schema", "json_object"]


def test_a_request_that_is_bad_anyway_is_not_blamed_on_the_format(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    server.misbehave(*[Fault(name="bad", status=400, message=f"bad request {number}") for number in range(3)])

    with pytest.raises(LLMError, match="HTTP 400: 'bad request 0'"):
        model.complete(prompt, Items, stage="test")
    assert model.complete(prompt, Items, stage="test").value.items == ["A", "B"]

    assert modes(server) == ["json_schema", "json_object", "text", "json_schema"]


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        (
            "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            {"max_tokens": 99, "temperature": 0.0},
            {"max_completion_tokens": 99, "temperature": 0.0},
        ),
        (
            "Unsupported value: 'temperature' does not support 0 with this model.",
            {"max_tokens": 99, "temperature": 0.0},
            {"max_tokens": 99},
        ),
    ],
)
def test_refused_parameters_are_given_up_and_remembered(
    model_of: Callable[..., OpenAIModel],
    server: ScriptedLLM,
    prompt: Prompt,
    words: str,
    before: dict[str, Any],
    after: dict[str, Any],
) -> None:
    model = model_of(server, max_tokens=99)
    server.misbehave(Fault(name="refused", status=400, message=words))

    for _ in range(2):
        model.complete(prompt, Items, stage="test")

    rest = [
        {
            key: value
            for key, value in asked.body.items()
            if key not in ("model", "messages", "response_format")
        }
        for asked in server.asked
    ]
    assert rest == [before, after, after]
    assert modes(server) == ["json_schema"] * 3


@pytest.mark.parametrize(
    "words",
    [
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
        "the request exceeds the available context size, try increasing it",
        "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
        "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
        "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
        "Input is too long for requested model.",
        "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length",
        "Invalid request: Your request exceeded model token limit: 262144 (requested: 269030)",
        "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
        "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000",
    ],
)
def test_a_prompt_that_does_not_fit_asks_for_less(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, words: str
) -> None:
    server.misbehave(Fault(name="long", status=400, message=words))

    with pytest.raises(TruncatedReplyError, match="the prompt does not fit") as refused:
        model.complete(prompt, Items, stage="test")

    assert refused.value.too_long
    assert len(server.asked) == 1


LIMIT = {"max_tokens": 9000}


@pytest.mark.parametrize(
    ("words", "remembered"),
    [
        ("max_tokens is too large: 9000. This model supports at most 4096 completion tokens.", True),
        ("max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for small", True),
        ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", True),
        (
            "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the "
            "`context_window` for this model",
            True,
        ),
        ("max_tokens (9000) exceeds model's maximum output tokens (8192) for model small", True),
        ("`max_completion_tokens` must be at most 8192, its maximum value for the `context_window`", False),
        (
            "Unable to submit request because it has a maxOutputTokens value of 9000 but the supported range is from 1 "
            "(inclusive) to 8193 (exclusive). Update the value and try again.",
            True,
        ),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 9100 tokens "
            "(100 in the messages, 9000 in the completion).",
            False,
        ),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 9000. This model's maximum context length is "
            "8192 tokens and your request has 100 input tokens (9000 > 8192 - 100).",
            False,
        ),
        ("`inputs` tokens + `max_new_tokens` must be <= 8192. Given: 100 `inputs` tokens and 9000", False),
    ],
)
def test_a_limit_beyond_the_models_own_is_left_out(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt, words: str, remembered: bool
) -> None:
    """The prompt is not too long, and to shorten it would not help."""
    model = model_of(server, max_tokens=9000)
    server.misbehave(Fault(name="limit", status=400, message=words))
    for _ in range(2):
        assert model.complete(prompt, Items, stage="test").value.items == ["A", "B"]
    limits = [{key: asked.body[key] for key in asked.body if "max" in key} for asked in server.asked]
    assert limits == [LIMIT, {}, {} if remembered else LIMIT]
    if not remembered:
        server.misbehave(Fault(name="limit", status=400, message=words))
        assert "".join(model.astream(prompt, stage="test"))
        assert ["max_tokens" in asked.body for asked in server.asked[3:]] == [True, False]


def test_a_prompt_that_does_not_fit_without_a_limit_either_asks_for_less(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, prompt: Prompt
) -> None:
    words = "This model's maximum context length is 4096 tokens. However, you requested {} tokens"
    server.misbehave(
        Fault(
            name="long",
            status=400,
            message=words.format("14000 (5000 in the messages, 9000 in the completion)"),
        ),
        Fault(name="long", status=400, message=words.format(5000)),
    )
    with pytest.raises(TruncatedReplyError, match="the prompt does not fit"):
        model_of(server, max_tokens=9000).complete(prompt, Items, stage="test")
    assert len(server.asked) == 2


@pytest.mark.parametrize("status", [401, 403])
def test_other_refusals_are_errors_at_once(
    model: OpenAIModel, server: ScriptedLLM, prompt: Prompt, status: int
) -> None:
    server.misbehave(Fault(name="refused", status=status))

    with pytest.raises(LLMError, match=f"small.*{server.url}: HTTP {status}: 'scripted trouble'"):
        model.complete(prompt, Items, stage="test")

    assert len(server.asked) == 1


def test_modes_never_climb_again() -> None:
    dialect = Dialect(temperature=0.0, max_tokens=None)
    dialect.settle("text", "A")
    dialect.settle("json_object", "A")
    assert (dialect.mode("A"), dialect.mode("B")) == ("text", "json_schema")
    dialect.settle("json_object", None)
    assert (dialect.mode("A"), dialect.mode("B")) == ("text", "json_object")
    assert dialect.lower(Refusal(400, "response_format"), "text", "A") is None
    assert dialect.lower(Refusal(401, "response_format"), "json_schema", "C") is None
    assert dialect.mode("C") == "json_object"


@pytest.mark.parametrize(
    "written",
    [json.dumps, str, partial(json.dumps, indent=1), lambda body: json.dumps(json.dumps(body))],
    ids=["JSON", "Python", "lines", "quoted"],
)
def test_a_request_that_is_repeated_blames_none_of_its_parameters(
    model_of: Callable[..., OpenAIModel],
    server: ScriptedLLM,
    prompt: Prompt,
    written: Callable[[dict[str, Any]], str],
) -> None:
    """As gateways do that log what they could not pass on."""

    def refuse(asked: Asked, number: int) -> Fault | None:
        body = {key: value for key, value in asked.body.items() if key not in ("model", "messages")}
        return Fault(name="echo", status=400, message=f"cannot read {written(body)}") if number < 3 else None

    model = model_of(server, max_tokens=99)
    server.schedule = refuse
    with pytest.raises(LLMError, match="HTTP 400"):
        model.complete(prompt, Items, stage="test")
    model.complete(prompt, Items, stage="test")

    assert modes(server) == ["json_schema", "json_object", "text", "json_schema"]
    assert all(asked.body["max_tokens"] == 99 and "temperature" in asked.body for asked in server.asked)
