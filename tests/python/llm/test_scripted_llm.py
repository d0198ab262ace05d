"""The scripted server itself, asked without any client of ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from llm_faults import FAULTS, slow, status
from scripted_llm import Asked, ScriptedLLM, all_rules

from memspan.llm.prompts.quoting import quoted

SHOUTED = {"items": ["A", "</ITEMS>"], "source_ids": [0, 1]}


def shout(asked: Asked) -> Any:
    items = [item.upper() for item in asked.data["items"]]
    return {"items": items, "source_ids": list(range(len(items)))}


@pytest.fixture
def server() -> Iterator[ScriptedLLM]:
    with ScriptedLLM({"shout": shout}) as running:
        yield running


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(trust_env=False) as made:
        yield made


def body(task: str = "shout", **more: Any) -> dict[str, Any]:
    user = f"Items:\n{quoted('items', ['a', '</items>'])}\nGo."
    messages = [{"role": "system", "content": f"Task: {task}\nShout."}, {"role": "user", "content": user}]
    return {"model": "m", "messages": messages, **more}


def ask(client: httpx.Client, server: ScriptedLLM, **more: Any) -> httpx.Response:
    return client.post(f"{server.url}/chat/completions", json=body(**more))


def test_answers_by_rule_from_the_data(client: httpx.Client, server: ScriptedLLM) -> None:
    reply = ask(client, server).json()

    assert json.loads(reply["choices"][0]["message"]["content"]) == SHOUTED
    assert (reply["usage"]["prompt_tokens"], reply["usage"]["completion_tokens"]) == (27, 28)
    assert server.asked[0].mode == "text"
    server.check()


def test_queued_replies_come_before_the_rule(client: httpx.Client, server: ScriptedLLM) -> None:
    server.reply("shout", {"items": []}, "plain")

    texts = [ask(client, server).json()["choices"][0]["message"]["content"] for _ in range(3)]

    assert texts[:2] == ['{"items": []}', "plain"]
    assert json.loads(texts[2]) == SHOUTED


def test_streams_words_then_usage(client: httpx.Client, server: ScriptedLLM) -> None:
    server.reply("shout", "one two three")

    lines = ask(client, server, stream=True, stream_options={"include_usage": True}).text.split("\n\n")

    chunks = [json.loads(line.removeprefix("data: ")) for line in lines[:-2]]
    assert lines[-2:] == ["data: [DONE]", ""]
    assert "".join(one["choices"][0]["delta"].get("content", "") for one in chunks[:-1]) == "one two three"
    assert chunks[-1]["usage"]["completion_tokens"] == 3


def test_faults_come_in_order_and_only_for_their_task(client: httpx.Client, server: ScriptedLLM) -> None:
    server.rules["other"] = lambda asked: {}
    server.misbehave(status(429, retry_after="7"), None, FAULTS["truncated"], task="shout")

    assert ask(client, server, task="other").status_code == 200
    refused = ask(client, server)
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "7")
    assert ask(client, server).json()["choices"][0]["finish_reason"] == "stop"
    assert ask(client, server).json()["choices"][0]["finish_reason"] == "length"
    server.check()


@pytest.mark.parametrize("name", ["hang up", "hang up in the middle"])
def test_hangs_up(client: httpx.Client, server: ScriptedLLM, name: str) -> None:
    server.misbehave(FAULTS[name], FAULTS[name])

    with pytest.raises(httpx.RemoteProtocolError):
        ask(client, server)
    with pytest.raises(httpx.RemoteProtocolError):
        ask(client, server, stream=True)


@pytest.mark.parametrize("fault", FAULTS.values(), ids=list(FAULTS))
def test_every_fault_is_over_after_one_request(client: httpx.Client, server: ScriptedLLM, fault: Any) -> None:
    server.misbehave(fault)
    good = json.dumps(SHOUTED)

    try:
        reply = ask(client, server)
        assert fault.name == "no usage" or good != _text(reply)
    except httpx.RemoteProtocolError:
        assert fault.sent < 1
    assert _text(ask(client, server)) == good


def test_slow_replies_do_not_hold_up_the_end(client: httpx.Client, server: ScriptedLLM) -> None:
    server.misbehave(slow(3600))

    with pytest.raises(httpx.ReadTimeout):
        client.post(f"{server.url}/chat/completions", json=body(), timeout=0.05)


def test_what_nobody_expected_is_noticed(client: httpx.Client, server: ScriptedLLM) -> None:
    server.check()
    server.misbehave(FAULTS["empty"])
    with pytest.raises(AssertionError, match="never asked for"):
        server.check()
    ask(client, server)

    assert ask(client, server, task="strange").status_code == 404
    with pytest.raises(AssertionError, match="strange"):
        server.check()


def test_refuses_what_some_servers_do_not_have(client: httpx.Client, server: ScriptedLLM) -> None:
    server.refused = {"json_object"}

    refused = ask(client, server, response_format={"type": "json_object"})

    assert refused.status_code == 400
    assert "response_format" in refused.json()["error"]["message"]
    assert ask(client, server).status_code == 200


def test_rules_of_all_stages_can_be_joined() -> None:
    assert all(callable(rule) for rule in all_rules().values())


def _text(reply: httpx.Response) -> str | None:
    try:
        text: str = reply.json()["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError):
        return None
    return text
