"""Items of OpenAI's Responses interface, as its package hands them out."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from openai.types.responses.response_input_item import ResponseInputItem
from openai.types.responses.response_output_item import ResponseOutputItem

from memspan.actions import Action, Outcome, chat_message, is_note, read_tool_use
from memspan.formats.clock import Clock
from memspan.formats.message import read_message
from memspan.formats.place import Place
from memspan.recall.chat_history import checked_history
from memspan.remember.input.messages import to_drafts

SEARCH = {"type": "search", "query": "ferries", "queries": None, "sources": None}
SHOWN = {"type": "computer_screenshot", "file_id": None, "image_url": "data:image/png;base64,aaaa"}
LOGS = [{"type": "logs", "logs": "5050"}, {"type": "image", "url": "https://a.example/b.png"}]
FOUND = [
    {"file_id": "f1", "filename": "a.md", "text": "The ferry is late.", "score": 0.5, "attributes": None}
]
RAN = [{"stdout": "a.txt\n", "stderr": "", "outcome": {"type": "exit", "exit_code": 0}, "created_by": None}]
LATE = [{"stdout": "", "stderr": "killed", "outcome": {"type": "timeout"}}]
PATCH = {"type": "delete_file", "path": "a.txt"}


def action(
    name: str, arguments: dict[str, str], values: dict[str, Any], success: bool | None = True
) -> Action:
    return Action(action=name, arguments=arguments, values=values, call="c1", success=success)


@pytest.mark.parametrize(
    ("item", "text", "expected"),
    [
        (
            {"type": "web_search_call", "action": SEARCH},
            'web_search(type="search", query="ferries")',
            action(
                "web_search", {"type": "text", "query": "text"}, {"type": "search", "query": "ferries"}
            ),
        ),
        (
            {"type": "file_search_call", "queries": ["ferry"], "results": FOUND},
            'file_search(queries=["ferry"])\nThe ferry is late.',
            action("file_search", {"queries": "list"}, {}),
        ),
        (
            {"type": "code_interpreter_call", "code": "sum(range(101))", "outputs": LOGS, "container_id": "x"},
            'code_interpreter(code="sum(range(101))")\n5050',
            action("code_interpreter", {"code": "text"}, {"code": "sum(range(101))"}),
        ),
        (
            {"type": "mcp_call", "name": "book", "arguments": '{"n": 2}', "output": "Booked.", "error": None},
            "book(n=2)\nBooked.",
            action("book", {"n": "number"}, {"n": 2}),
        ),
        (
            {"type": "mcp_call", "name": "book", "arguments": "{}", "error": {"code": 5, "message": "full"}},
            'book()\n{"code": 5, "message": "full"}',
            action("book", {}, {}, success=False),
        ),
        (
            {"type": "image_generation_call", "result": "aGVsbG8=", "revised_prompt": "A boat."},
            'image_generation(revised_prompt="A boat.")',
            action("image_generation", {"revised_prompt": "text"}, {"revised_prompt": "A boat."}),
        ),
        (
            {"type": "apply_patch_call", "call_id": "c1", "operation": PATCH, "status": "in_progress"},
            'apply_patch(type="delete_file", path="a.txt")',
            action("apply_patch", {"type": "text", "path": "text"}, dict(PATCH), success=None),
        ),
    ],
)  # fmt: skip
def test_a_call_of_a_hosted_tool_tells_what_came_of_it(
    item: dict[str, Any], text: str, expected: Action
) -> None:
    used = read_tool_use(chat_message({"id": "c1", "status": "completed", **item}))

    assert (used.calls, used.actions, used.outcomes) == (text, (expected,), ())


@pytest.mark.parametrize(
    ("item", "text", "success"),
    [
        ({"type": "shell_call_output", "output": RAN}, "a.txt", True),
        ({"type": "shell_call_output", "output": LATE}, "killed", False),
        ({"type": "local_shell_call_output", "output": '{"output": "a.txt"}'}, '{"output": "a.txt"}', True),
        ({"type": "apply_patch_call_output", "status": "failed", "output": "no such file"}, "no such file", False),
        ({"type": "program_output", "result": "5050", "status": "completed"}, "5050", True),
        ({"type": "computer_call_output", "output": SHOWN}, "", True),
    ],
)  # fmt: skip
def test_an_output_says_whether_it_worked(item: dict[str, Any], text: str, success: bool) -> None:
    key = "id" if item["type"] == "local_shell_call_output" else "call_id"
    message = chat_message({key: "c1", **item})

    assert message["content"].strip() == text
    assert read_tool_use(message).outcomes == (Outcome(success=success, call="c1"),)


def every_kind() -> list[Any]:
    kinds = {
        get_args(model.model_fields["type"].annotation)[0]: model
        for union in (ResponseInputItem, ResponseOutputItem)
        for model in get_args(get_args(union)[0])
    }
    return [pytest.param(model, id=str(kind)) for kind, model in kinds.items() if kind in HOSTED_OR_NOTE]


HOSTED_OR_NOTE = frozenset(
    {
        "additional_tools", "apply_patch_call", "apply_patch_call_output", "code_interpreter_call", "compaction",
        "computer_call", "computer_call_output", "configuration_update", "file_search_call", "function_call",
        "function_call_output", "image_generation_call", "item_reference", "local_shell_call",
        "local_shell_call_output", "mcp_approval_request", "mcp_approval_response", "mcp_call", "mcp_list_tools",
        "program", "program_output", "reasoning", "shell_call", "shell_call_output", "tool_search_call",
        "tool_search_output", "web_search_call",
    }
)  # fmt: skip


@pytest.mark.parametrize("model", every_kind())
def test_every_item_of_the_package_is_taken_wherever_messages_are(model: Any) -> None:
    kind = model.model_fields["type"].annotation.__args__[0]
    item = dict.fromkeys(model.model_fields) | {"type": kind, "id": "i1"}
    filled = {"name": "f", "arguments": "{}", "action": {"type": "x"}, "output": "Done.", "queries": ["q"]}
    filled |= {"code": "1", "result": "1"}
    item |= {name: value for name, value in filled.items() if name in item}

    drafts = to_drafts([item], user="ana", at=None, session=None, metadata=None, tags=(), kind="episodic")
    turn = read_message(item, Place("a.json"), user="ana", session=None, clock=Clock())

    assert len(checked_history([item, "Hello."])) <= 2
    assert [draft.record.text for draft in drafts] == ([turn.text] if turn else [])
    assert bool(drafts) != is_note(item)
