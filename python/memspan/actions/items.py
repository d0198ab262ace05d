"""Items of OpenAI's Responses interface, which stand where messages do, as chat messages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["chat_message", "is_note"]

_CALLS: Final = ("function_call", "custom_tool_call")
_OUTPUTS: Final = ("function_call_output", "custom_tool_call_output")
_HOSTED: Final[Mapping[str, tuple[str, ...]]] = {
    "apply_patch_call": ("operation",),
    "code_interpreter_call": ("code",),
    "computer_call": ("action", "actions"),
    "file_search_call": ("queries",),
    "image_generation_call": ("revised_prompt",),
    "local_shell_call": ("action",),
    "mcp_call": ("arguments",),
    "program": ("code",),
    "shell_call": ("action",),
    "web_search_call": ("action",),
}
"""Calls of tools that the server itself, or the interface's own package, runs, with the fields of their arguments."""
_HOSTED_OUTPUTS: Final = (
    "apply_patch_call_output", "computer_call_output", "local_shell_call_output", "program_output", "shell_call_output",
)  # fmt: skip
_NOTES: Final = frozenset(
    {
        "additional_tools", "compaction", "compaction_trigger", "configuration_update", "item_reference",
        "mcp_approval_request", "mcp_approval_response", "mcp_list_tools", "reasoning", "tool_search_call",
        "tool_search_output",
    }
)  # fmt: skip
_KEYS: Final = ("type", "call_id", "arguments", "input", "output", "status")
_HOSTED_KEYS: Final = (
    *_KEYS, "acknowledged_safety_checks", "action", "actions", "approval_request_id", "background", "code",
    "container_id", "environment", "error", "fingerprint", "max_output_length", "name", "operation", "output_format",
    "outputs", "pending_safety_checks", "quality", "queries", "result", "results", "revised_prompt", "server_label",
    "size", "svg_usage",
)  # fmt: skip
_TEXTS: Final = ("text", "logs", "stdout", "stderr")
_FAILED: Final = ("failed", "incomplete")


def is_note(message: Mapping[str, Any]) -> bool:
    """Whether it is an item in which nothing is said or done: what a model thought, and notes of the interface."""
    kind = message.get("type")
    return isinstance(kind, str) and kind in _NOTES


def chat_message(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A call of a tool, or its output, as a chat message, with the call of a hosted tool what came of it; any other
    message as it is, with what was heard as its text. O(size of the message)."""
    kind = message.get("type")
    if kind in _CALLS:
        call = {"id": message.get("call_id"), "function": _only(message, ("name", "arguments", "input"))}
        return _calling(call, _without(message, (*_KEYS, "name")))
    if kind in _OUTPUTS:
        return _result(message, message.get("output"), None, _without(message, _KEYS))
    if kind == "message":
        return _heard(_without(message, ("type", "status")))
    if isinstance(kind, str) and kind in _HOSTED:
        return _hosted(message, kind)
    if kind in _HOSTED_OUTPUTS:
        output = message.get("result") if kind == "program_output" else message.get("output")
        failed = message.get("status") in _FAILED or _broke_off(output)
        return _result(message, _said(output), failed or None, _without(message, _HOSTED_KEYS))
    return _heard(message)


def _heard(message: Mapping[str, Any]) -> Mapping[str, Any]:
    """A message of which something was spoken, with the transcripts that stand beside the sound as texts."""
    content, spoken = message.get("content"), _transcript(message.get("audio"))
    if spoken and not content and not message.get("text"):
        return {**message, "content": spoken}
    if isinstance(content, list) and any(map(_transcript, content)):
        return {
            **message,
            "content": [{"text": _transcript(part)} if _transcript(part) else part for part in content],
        }
    return message


def _transcript(part: Any) -> str:
    spoken = part.get("transcript") if isinstance(part, Mapping) and not part.get("text") else None
    return spoken if isinstance(spoken, str) else ""


def _hosted(message: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """A call that holds its result, if any is told: a picture is none."""
    given = {key: message[key] for key in _HOSTED[kind] if message.get(key) is not None}
    inner = next(iter(given.values()), None)
    if isinstance(inner, Mapping):  # of one action, what it does not use is null
        inner = {key: value for key, value in inner.items() if value is not None}
    alone = len(given) == 1 and (isinstance(inner, Mapping) or kind == "mcp_call")
    name = message.get("name") if kind == "mcp_call" else kind.removesuffix("_call")
    error = message.get("error")
    failed = bool(error) or message.get("status") in _FAILED
    said = [_said(message.get(key)) for key in ("output", "outputs", "results", "error")]
    call = {
        "id": message.get("call_id") or message.get("id"),
        "function": {"name": name, "arguments": inner if alone else given},
        "success": False if failed else True if message.get("status") == "completed" else None,
        "said": "\n".join(filter(None, said)),
    }
    return _calling(call, _without(message, _HOSTED_KEYS))


def _calling(call: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [call], **own}


def _result(
    message: Mapping[str, Any], content: Any, failed: bool | None, own: Mapping[str, Any]
) -> dict[str, Any]:
    call = message.get("call_id") or (
        message.get("id") if "local_shell" in str(message.get("type")) else None
    )
    return {"role": "tool", "content": content, "tool_call_id": call, "is_error": failed, **own}


def _said(value: Any) -> str:
    """The texts in what a tool returned."""
    if isinstance(value, list):
        return "\n".join(filter(None, map(_said, value)))
    if isinstance(value, Mapping):
        texts = [value[key] for key in _TEXTS if isinstance(value.get(key), str) and value[key]]
        if texts or "image_url" in value or "url" in value:
            return "\n".join(texts)
        try:
            return json.dumps(value, ensure_ascii=False, default=str)
        except (ValueError, RecursionError):
            return ""
    return "" if value is None else str(value)


def _broke_off(output: Any) -> bool:
    """Whether a shell says that a command failed or took too long."""
    for part in output if isinstance(output, list) else ():
        outcome = part.get("outcome") if isinstance(part, Mapping) else None
        if isinstance(outcome, Mapping) and (
            outcome.get("type") == "timeout" or outcome.get("exit_code") not in (0, None)
        ):
            return True
    return False


def _only(message: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: message[key] for key in keys if key in message}


def _without(message: Mapping[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key not in keys}
