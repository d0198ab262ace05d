"""Sessions of an agent that calls tools, as messages."""

from __future__ import annotations

import json
from typing import Any

__all__ = ["Step", "call", "cancel_order", "result", "said", "session"]

Step = "str | tuple[str, dict[str, Any]] | tuple[str, dict[str, Any], str]"
"""A tool's name, with arguments, with what it answers; `!name` fails."""


def said(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def call(id_: str, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {
        "id": f"{id_}-call",
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": id_, "function": function}],
    }


def result(id_: str, text: str) -> dict[str, Any]:
    return {"id": f"{id_}-result", "role": "tool", "tool_call_id": id_, "content": text}


def session(name: str, *steps: Any, asked: str | None = None, day: int = 1) -> dict[str, Any]:
    """A session of that name with a call and a result for each step."""
    messages = [] if asked is None else [{**said(asked), "id": f"{name}-asked"}]
    for number, step in enumerate(steps):
        action, *given = (step,) if isinstance(step, str) else step
        arguments, answer = (*given, *({}, "done")[len(given) :])
        fails = action.startswith("!")
        id_ = f"{name}-{number}"
        messages.append(call(id_, action.removeprefix("!"), arguments))
        messages.append(result(id_, "Error: it did not work" if fails else answer))
    return {"session": name, "at": f"2024-05-{day:02d}T10:00:00Z", "messages": messages}


def cancel_order(number: int, *more: Any, fails: bool = False) -> dict[str, Any]:
    """One run of a procedure of three steps, in a session of its own."""
    order = 1000 + number
    return session(
        f"s{number}",
        *more,
        ("find_order", {"order": order, "region": "eu"}, f"found, payment p-{order}"),
        ("check_refund", {"payment": f"p-{order}", "order": order}),
        (
            "!cancel_order" if fails else "cancel_order",
            {"order": order, "reason": "customer", "api_key": "sk-1"},
        ),
        asked=f"Please cancel order {order}",
        day=number % 28 + 1,
    )
