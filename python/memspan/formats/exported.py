"""Conversations as ChatGPT and Claude export them (`conversations.json`), as messages that `read_message` takes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from ..limits import MAX_TEXT_BYTES
from .cited import without_marks
from .fields import as_name, as_object, optional, required
from .place import Place
from .sessions import placed_objects

__all__ = ["branch", "exported_messages", "is_exported"]

_ROLES: Final = {"human": "user"}
_NOT_SAID: Final = ("model_editable_context", "reasoning_recap", "thoughts", "user_editable_context")
"""Types of content that hold what the model thought, and what it is told of its user in every conversation."""

Messages = list[tuple[Place, dict[str, Any]]]


def is_exported(fields: Mapping[str, Any]) -> bool:
    """Whether an object is a conversation of ChatGPT or of Claude."""
    return isinstance(fields.get("chat_messages"), list) or (
        isinstance(fields.get("mapping"), dict) and "current_node" in fields
    )


def exported_messages(fields: Mapping[str, Any], place: Place) -> Messages:
    """The messages of such a conversation in order, each with its place. Of ChatGPT's, whose questions may have been
    put again in other words, those of the branch that was open last. O(messages)."""
    if "chat_messages" in fields:
        messages = placed_objects(fields["chat_messages"], place["chat_messages"])
        return [(position, _of_claude(message, position)) for position, message in messages]
    branch = list(_branch(fields, place))
    return [(position, _of_chatgpt(message)) for position, message in reversed(branch) if _is_said(message)]


def _of_claude(message: Mapping[str, Any], place: Place) -> dict[str, Any]:
    sender = required(message, "sender", place, as_name)
    content = message.get("content") or message.get("text")
    pasted = list(_pasted(message.get("attachments")))
    if pasted and (content is None or isinstance(content, (str, list))):
        content = [*(content if isinstance(content, list) else [{"text": content or ""}]), *pasted]
    return {
        "id": message.get("uuid"),
        "role": _ROLES.get(sender, sender),
        "content": content,
        "created_at": message.get("created_at"),
    }


def _pasted(attachments: Any) -> Iterator[dict[str, Any]]:
    """The texts that Claude made attachments of, as it does of long ones that are pasted: parts of what was said, as
    far as there is room for them."""
    room = MAX_TEXT_BYTES // 2
    for each in attachments if isinstance(attachments, list) else ():
        text = each.get("extracted_content") if isinstance(each, dict) else None
        if isinstance(text, str) and text.strip():
            room -= len(text.encode("utf-8", "surrogatepass"))
            if room < 0:
                return
            yield {"type": "text", "text": text}


def branch(
    nodes: Mapping[str, Any], place: Place, name: Any, parent: str
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The nodes of a tree at `place` from the one of that name back to the first, each of which names the one before it
    in its field `parent`; from the last that is there, if none has the name."""
    left = dict(nodes)
    if not isinstance(name, str) or name not in left:
        name = next(reversed(left), None)
    while isinstance(name, str) and name in left:
        node = as_object(left.pop(name), place[name])  # once: a file may lead in circles
        yield place[name], node
        name = node.get(parent)


def _branch(fields: Mapping[str, Any], place: Place) -> Iterator[tuple[Place, dict[str, Any]]]:
    """From the last message to the first."""
    nodes = as_object(fields["mapping"], place["mapping"])
    for position, node in branch(nodes, place["mapping"], fields["current_node"], "parent"):
        message = optional(node, "message", position, as_object)
        if message is not None:
            yield position["message"], message


def _is_said(message: Mapping[str, Any]) -> bool:
    metadata, content = message.get("metadata"), message.get("content")
    hidden = isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation")
    return not hidden and not (isinstance(content, dict) and content.get("content_type") in _NOT_SAID)


def _of_chatgpt(message: Mapping[str, Any]) -> dict[str, Any]:
    author, content = message.get("author"), message.get("content")
    inner = content if isinstance(content, dict) else {}
    parts = inner.get("parts", inner.get("text"))
    texts = [
        part.get("text") if isinstance(part, dict) else part
        for part in (parts if isinstance(parts, list) else [parts])
    ]
    return {
        "id": message.get("id"),
        "role": author.get("role") if isinstance(author, dict) else None,
        "content": "\n".join(without_marks(text) for text in texts if isinstance(text, str)),
        "create_time": message.get("create_time"),
    }
