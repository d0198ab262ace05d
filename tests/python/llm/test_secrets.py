"""The key is sent to the server, and is nowhere else; texts of memories are in no error at length."""

from __future__ import annotations

import copy
import gc
import logging
import pickle
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from llm_faults import FAULTS, Fault, status
from pydantic import BaseModel
from scripted_llm import ScriptedLLM

from memspan.errors import InvalidArgumentError, LLMError
from memspan.llm import OpenAIModel, Prompt

KEY = "sk-test-2b7e151628aed2a6"
MEMORY = "the code of the vault is 7261 and nobody may ever know it " * 40


class Items(BaseModel):
    items: list[str]


class Numbers(BaseModel):
    items: list[int]


@pytest.fixture
def keyed(
    model_of: Callable[..., OpenAIModel], server: ScriptedLLM, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> OpenAIModel:
    monkeypatch.setenv("MY_KEY", f" {KEY}\n")
    return model_of(server, api_key_variable="MY_KEY", retries=1, cache=tmp_path / "replies")


def test_the_key_is_sent_as_a_bearer_token(keyed: OpenAIModel, server: ScriptedLLM, prompt: Prompt) -> None:
    keyed.complete(prompt, Items, stage="test")
    assert "".join(keyed.astream(prompt, stage="test"))

    assert [asked.headers["authorization"] for asked in server.asked] == [f"Bearer {KEY}"] * 2


def test_without_a_variable_no_key_is_sent(
    model_of: Callable[..., OpenAIModel],
    server: ScriptedLLM,
    prompt: Prompt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    model_of(server, api_key_variable=None).complete(prompt, Items, stage="test")
    model_of(server).complete(prompt, Items, stage="test")

    assert [KEY in asked.headers["authorization"] for asked in server.asked] == [False, True]


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """What OpenAI's client would send to whatever server it is given."""
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Gateway-Secret: s3cret\nAuthorization: Bearer other")


@pytest.mark.usefixtures("environment")
def test_what_the_environment_has_for_another_server_is_not_sent(
    keyed: OpenAIModel, server: ScriptedLLM, prompt: Prompt
) -> None:
    keyed.complete(prompt, Items, stage="test")
    assert "".join(keyed.astream(prompt, stage="test"))

    for asked in server.asked:
        sent = str(asked.headers)
        assert not any(secret in sent for secret in ("org-1", "project-1", "s3cret", "other"))
        assert asked.headers["authorization"] == f"Bearer {KEY}"


@pytest.mark.usefixtures("environment")
def test_what_the_environment_has_is_sent_to_the_server_that_it_names(
    model_of: Callable[..., OpenAIModel],
    server: ScriptedLLM,
    prompt: Prompt,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/")

    model_of(server).complete(prompt, Items, stage="test")

    assert server.asked[0].headers["openai-organization"] == "org-1"


def test_the_key_is_in_no_repr_log_error_or_file(
    keyed: OpenAIModel,
    server: ScriptedLLM,
    prompt_of: Callable[[list[str]], Prompt],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    echo = f"Incorrect API key provided: {KEY}"
    seen = [repr(keyed), repr(vars(keyed)), str(keyed)]
    keyed.complete(prompt_of(["old"]), Items, stage="test")
    for fault in (
        Fault(name="echo", status=401, message=echo),
        *[Fault(name="echo", status=500, message=echo)] * 2,
        Fault(name="echo", body=f'{{"error": {{"code": 402, "message": "{echo}"}}}}'.encode()),
        *[FAULTS["hang up"]] * 2,
        *[status(400)] * 3,
    ):
        server.misbehave(fault)
    for _ in range(5):
        with pytest.raises(LLMError) as raised:
            keyed.complete(prompt_of(["new"]), Items, stage="test")
        seen += traceback.format_exception(raised.value)
        chain: BaseException | None = raised.value
        while chain is not None:
            seen += [repr(chain), repr(vars(chain)), str(pickle.dumps(vars(chain)))]
            chain = chain.__cause__ or chain.__context__
    seen += [record.getMessage() + str(record.args) for record in caplog.records]
    files = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()]

    assert "Incorrect API key provided: ***" in "".join(seen)
    assert KEY not in "".join(seen)
    assert files
    assert not any(KEY.encode() in content for content in files)


def test_errors_quote_little_of_what_was_said(keyed: OpenAIModel, server: ScriptedLLM) -> None:
    prompt = Prompt(name="shout", version=1, system="Task: shout", user="Say it.")
    said = f'{{"items": ["{MEMORY}"]}}'
    server.reply("shout", said, said)
    server.misbehave(None, None, Fault(name="echo", status=401, message=MEMORY))

    for schema in (Numbers, Items):
        with pytest.raises(LLMError) as raised:
            keyed.complete(prompt, schema, stage="test")
        text = "".join(traceback.format_exception(raised.value))
        assert MEMORY[:250] not in text
        assert len(str(raised.value)) < 500
        assert schema is Items or "7261" not in text


def test_a_key_that_no_header_can_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", f"{KEY}\nx-other: 1")

    with pytest.raises(InvalidArgumentError, match="MY_KEY") as raised:
        OpenAIModel("m", base_url="http://127.0.0.1:1", api_key_variable="MY_KEY")

    assert KEY not in str(raised.value)


def test_a_model_is_neither_pickled_nor_copied(keyed: OpenAIModel) -> None:
    with pytest.raises(TypeError):
        pickle.dumps(keyed)
    with pytest.raises(TypeError):
        copy.deepcopy(keyed)
    gc.collect()
