"""Tool calls and results, in the shapes that interfaces give them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis_profile import PROFILE

from memspan.actions import Action, Outcome, actions_in, chat_message, outcomes_in, read_tool_use
from memspan.actions.shape import call_text, shape_of, values_of
from memspan.actions.success import succeeded

ARGUMENTS = {"city": "Oslo", "days": 3, "when": "2024-05-01", "api_key": "sk-1", "filter": {"cheap": True}}
SHAPE = {"city": "text", "days": "number", "when": "date", "api_key": "text", "filter.cheap": "flag"}
VALUES = {"city": "Oslo", "days": 3, "when": "2024-05-01", "filter.cheap": True}
TEXT = 'find(city="Oslo", days=3, when="2024-05-01", api_key="***", filter={"cheap": true})'


def openai(arguments: Any) -> dict[str, Any]:
    call = {"id": "c1", "type": "function", "function": {"name": "find", "arguments": arguments}}
    return {"role": "assistant", "content": "Let me see.", "tool_calls": [call]}


ANTHROPIC = {
    "role": "assistant",
    "content": [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "c1", "name": "find", "input": ARGUMENTS},
    ],
}
RESPONSES = {"type": "function_call", "call_id": "c1", "name": "find", "arguments": json.dumps(ARGUMENTS)}


@pytest.mark.parametrize(
    "message", [openai(json.dumps(ARGUMENTS)), openai(ARGUMENTS), ANTHROPIC, RESPONSES, {
        "role": "assistant", "tool_calls": [{"id": "c1", "name": "find", "args": ARGUMENTS}],
    }],
)  # fmt: skip
def test_a_call_in_every_shape(message: dict[str, Any]) -> None:
    used = read_tool_use(chat_message(message))

    assert used.actions == (Action(action="find", arguments=SHAPE, values=VALUES, call="c1"),)
    assert used.calls == TEXT
    assert not used.outcomes
    assert actions_in(used.metadata) == used.actions


def test_the_older_form_of_a_call_has_no_id() -> None:
    used = read_tool_use({"role": "assistant", "function_call": {"name": "find", "arguments": "{}"}})

    assert used.actions == (Action(action="find"),)
    assert used.calls == "find()"


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        ({"role": "tool", "tool_call_id": "c1", "content": "4 hits"}, Outcome(success=True, call="c1")),
        (
            {"role": "tool", "tool_call_id": "c1", "content": "all is well", "is_error": True},
            Outcome(success=False, call="c1"),
        ),
        (
            {"role": "function", "name": "find", "content": '{"error": "gone"}'},
            Outcome(success=False, action="find"),
        ),
        (
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "4 hits"}]},
            Outcome(success=True, call="c1"),
        ),
        (
            {
                "role": "user",
                "content": [
                    {
                        "type": "tool_result",
                        "tool_use_id": "c1",
                        "is_error": True,
                        "content": [{"type": "text", "text": "no"}],
                    }
                ],
            },
            Outcome(success=False, call="c1"),
        ),
        (
            {"type": "function_call_output", "call_id": "c1", "output": "Error: gone"},
            Outcome(success=False, call="c1"),
        ),
    ],
)
def test_a_result_in_every_shape(message: dict[str, Any], outcome: Outcome) -> None:
    used = read_tool_use(chat_message(message))

    assert used.outcomes == (outcome,)
    assert not used.actions
    assert outcomes_in(used.metadata) == used.outcomes


def test_results_come_before_what_is_said_and_calls_after_it() -> None:
    result = {"type": "tool_result", "tool_use_id": "c1", "content": "4 hits"}
    call = {"type": "tool_use", "id": "c2", "name": "book", "input": {"n": 1}}

    used = read_tool_use({"role": "user", "content": [result, {"type": "text", "text": "Go on."}, call]})

    assert used.around("Go on.") == "4 hits\nGo on.\nbook(n=1)"
    assert used.speaker("user", "Go on.") == "user"


def test_a_message_of_results_alone_is_the_tools_own() -> None:
    used = read_tool_use({"role": "user", "content": [{"type": "tool_result", "content": "4 hits"}]})

    assert used.speaker("user", "") == "tool"
    assert used.speaker("assistant", "") == "assistant"


@pytest.mark.parametrize(
    ("text", "flag", "worked"),
    [
        ("", None, True),
        ("42", None, True),
        ("Error: not found", None, False),
        ("error reading file", None, False),
        ("ValueError: no", None, False),
        ("requests.exceptions.Timeout", None, True),
        ("Traceback (most recent call last):", None, False),
        ("Failed to connect", None, False),
        ("errors = 0", None, True),
        ("Erroneous claims are rare", None, True),
        ("No errors", None, True),
        ("Error: not found", False, True),
        ("fine", True, False),
        ('{"error": null, "rows": []}', None, True),
        ('{"error": "x"}', None, False),
        ('{"ok": false}', None, False),
        ('{"success": true}', None, True),
        ('{"exit_code": 1}', None, False),
        ('{"exit_code": 0}', None, True),
        ('{"status": "error"}', None, False),
        ('{"status": "failed_before", "x": 1}', None, True),
        ('{"status": 404}', None, False),
        ('{"status_code": 200}', None, True),
        ('{"isError": true}', None, False),
        ('{"type": "web_search_tool_result_error", "error_code": "unavailable"}', None, False),
        ('{"type": "web_search_result"}', None, True),
        ('{"exit_code": "1"}', None, False),
        ('{"exit_code": "0", "status": "200"}', None, True),
        ('{"success": "false"}', None, False),
        ('{"isError": "True"}', None, False),
        ('{"status": "404"}', None, False),
        ('{"status": "12345678901234567890"}', None, True),
        ("Exit code 1\nls: no such file", None, False),
        ("exit code: 0", None, True),
        ("fatal: not a git repository", None, False),
        ("Failed: 0, passed: 12", None, True),
        ("Failed: 3, passed: 9", None, False),
        ('{"half": ', None, True),
        ("[1, 2]", None, True),
    ],
)
def test_what_counts_as_success(text: str, flag: bool | None, worked: bool) -> None:
    assert succeeded(text, flag) is worked


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"role": "assistant", "tool_calls": "x"},
        {"role": "assistant", "tool_calls": [None, 3, {"id": "c"}, {"function": 3}, {"function": {"name": " "}}]},
        {"role": "assistant", "content": [None, "x", {"type": 3}, {"type": "tool_use"}]},
        {"role": "assistant", "function_call": "x"},
        {"role": "assistant", "content": "just words"},
    ],
)  # fmt: skip
def test_what_is_in_no_shape_is_passed_over(message: dict[str, Any]) -> None:
    assert not read_tool_use(message)


def test_secrets_are_kept_nowhere() -> None:
    arguments = {
        "userPassword": "hunter2", "auth": {"access_token": "hunter2", "user": "ana"}, "API-Key": "hunter2",
        "list": [{"secret": "hunter2"}], "next_page_token": "p2", "passwordless": True,
    }  # fmt: skip

    text, values = call_text("log_in", arguments), values_of(arguments)

    assert "hunter2" not in text
    assert "hunter2" not in str(values)
    assert values == {"auth.user": "ana", "next_page_token": "p2", "passwordless": True}
    assert set(shape_of(arguments)) == {
        "userPassword", "auth.access_token", "auth.user", "API-Key", "list", "next_page_token", "passwordless",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({"name": "DB_PASSWORD", "value": "hunter2"}, '(name="DB_PASSWORD", value="***")'),
        ({"env": [{"key": "API_KEY", "value": "hunter2"}]}, '(env=[{"key": "API_KEY", "value": "***"}])'),
        ({"to": {"headerName": "Cookie", "headerValue": "hunter2"}},
         '(to={"headerName": "Cookie", "headerValue": "***"})'),
        ({"secretName": "db", "value": "hunter2"}, '(secretName="***", value="***")'),
        ({"headers": [["X-Api-Key", "hunter2"], ["Accept", "*/*"]]},
         '(headers=[["X-Api-Key", "***"], ["Accept", "*/*"]])'),
        ({"args": ["-h", "db", "--password", "hunter2", "--token"]},
         '(args=["-h", "db", "--password", "***", "--token"])'),
        ({"body": '[{"name": "api_key", "value": "hunter2"}]'},
         r'(body="[{\"name\": \"api_key\", \"value\": \"***\"}]")'),
        ([{"name": "api_key", "value": "hunter2"}], '([{"name": "api_key", "value": "***"}])'),
        ({"selector": "#password", "text": "hunter2"}, '(selector="#password", text="***")'),
        ({"element": "Password input", "ref": "e1", "text": "hunter2"},
         '(element="Password input", ref="e1", text="***")'),
        ({"do": [{"type": "password", "value": "hunter2"}]}, '(do=[{"type": "password", "value": "***"}])'),
        ({"pairs": {"name": "api_token", "value": ["hunter2"]}}, '(pairs={"name": "api_token", "value": "***"})'),
    ],
)  # fmt: skip
def test_secrets_that_another_field_names(arguments: Any, shown: str) -> None:
    assert call_text("", arguments) == shown
    assert "hunter2" not in str(values_of(arguments))
    assert shape_of(arguments) or isinstance(arguments, list)
    assert "hunter2" not in read_tool_use(openai(json.dumps(arguments))).calls


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "Password policy", "value": "twelve letters"},
        {"selector": "#search", "text": "password reset"},
        {"element": "Password input", "ref": "e1", "submit": True},
        {"type": "token_type", "value": "bearer of news"},
        {"id": "secret-santa", "text": "Ana draws Bo"},
        {"name": "password_rules", "content": "twelve letters"},
        {"name": "require_password", "value": True},
        {"name": "max_tokens", "value": 5},
        {"columns": ["password", "email"]},
        {"args": ["--token", "--verbose"]},
        {"args": ["--password-file", "a.txt"][1:]},
        {"value": "x", "name": None},
    ],
)
def test_fields_and_lists_that_name_no_secret(arguments: dict[str, Any]) -> None:
    assert "***" not in call_text("", arguments)


def test_secrets_in_arguments_that_are_broken_json() -> None:
    used = read_tool_use(openai('{"city": "Oslo", "password": "hunter2", "tokens": ["hunter2'))

    assert used.calls == r'find("{\"city\": \"Oslo\", \"password\": \"***\", \"tokens\": ***")'
    assert "hunter2" not in str(used.metadata)


def test_values_that_hold_a_secret_are_left_out() -> None:
    arguments = {"url": "https://ana:hunter2@host/a?api_key=hunter2&q=1", "command": "ls -l", "max_tokens": 5}

    assert values_of(arguments) == {"command": "ls -l", "max_tokens": 5}
    assert call_text("get", arguments) == (
        'get(url="https://***@host/a?api_key=***&q=1", command="ls -l", max_tokens=5)'
    )


def test_long_values_are_cut_in_the_text_and_left_out_of_the_values() -> None:
    arguments = {"path": "a.txt", "content": "x" * 10_000}

    text = call_text("write", arguments)

    assert len(text) < 4_200
    assert "(10,002 characters)" in text
    assert values_of(arguments) == {"path": "a.txt"}
    assert shape_of(arguments) == {"path": "text", "content": "text"}


def test_arguments_that_are_no_object_or_have_no_end() -> None:
    endless: dict[str, Any] = {}
    endless["self"] = endless

    assert call_text("run", "ls -l") == 'run("ls -l")'
    assert call_text("run", endless) == "run(…)"
    assert shape_of("ls") == {}
    assert shape_of({"n": None, "empty": {}, "l": [1]}) == {"n": "null", "empty": "object", "l": "list"}
    assert values_of({"nan": float("nan"), "big": 1 << 70, "f": 0.5}) == {"f": 0.5}
    assert len(shape_of({str(i): i for i in range(100)})) == 32


def test_half_emoji_are_replaced() -> None:
    used = read_tool_use(openai({"a": "\ud83d", "\ud83d": 1}) | {"content": None})

    used.around("").encode()
    json.dumps(used.metadata, ensure_ascii=False).encode()


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)
_KEYS = st.sampled_from(
    ["role", "content", "tool_calls", "function_call", "tool_call_id", "type", "name", "arguments", "is_error"]
)  # fmt: skip
_NAMED = st.fixed_dictionaries(
    {}, optional={"id": _JSON, "type": st.sampled_from(["tool_use", "tool_result", "text"]), "name": st.text(),
                  "input": _JSON, "function": _JSON, "content": _JSON, "tool_use_id": _JSON, "text": _JSON},
)  # fmt: skip


@PROFILE
@given(st.dictionaries(_KEYS, _JSON | st.lists(_NAMED, max_size=3) | st.sampled_from(["tool", "user"])))
def test_reading_never_raises_and_comes_back_from_metadata(message: dict[str, Any]) -> None:
    used = read_tool_use(chat_message(message))

    used.around("text").encode()
    metadata = json.loads(json.dumps(used.metadata, allow_nan=False))
    assert len(actions_in(metadata)) == len(used.actions)
    assert outcomes_in(metadata) == used.outcomes


@PROFILE
@given(_JSON)
def test_any_metadata_can_be_read(value: Any) -> None:
    for metadata in ({"actions": value, "outcomes": value}, {"actions": [value], "outcomes": [value]}):
        actions_in(metadata)
        outcomes_in(metadata)


def test_actions_written_by_hand() -> None:
    metadata = {
        "actions": [{"action": " deploy ", "success": True, "values": {"to": "eu", "x": []}}, {"n": 1}, "x"]
    }

    assert actions_in(metadata) == (Action(action="deploy", success=True, values={"to": "eu"}),)
