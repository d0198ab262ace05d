"""Plain records of our own: one JSON object a line (or a list of them), of which only `text` is required.

Unknown fields are refused, so that a misspelt one is not lost; what has no field of its own goes into
`metadata`. Times are kept as they are. A file may repeat an id: the later record replaces the earlier one
when they are stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from .fields import (
    as_captions,
    as_kind,
    as_metadata,
    as_name,
    as_tags,
    as_text,
    as_time,
    each_object,
    optional,
    required,
)
from .format import Format, Request, first_object
from .place import Place
from .select import Conversation, read_selected
from .source import Item
from .turns import Turn

__all__ = ["JSONL"]

_FIELDS = (
    "text",
    "id",
    "user",
    "at",
    "until",
    "session",
    "speaker",
    "role",
    "kind",
    "tags",
    "images",
    "metadata",
)


def _matches(value: Any) -> bool:
    return "text" in first_object(value)


def _read(items: Iterable[Item], request: Request) -> Iterator[Turn]:
    return read_selected(map(_conversation, each_object(items)), request.file, request.user)


def _conversation(item: tuple[Place, dict[str, Any]]) -> Conversation:
    place, fields = item
    user = optional(fields, "user", place, as_name)
    return Conversation(place, user, partial(_turns, fields, place), whole=False)


def _turns(fields: Mapping[str, Any], place: Place, user: str) -> Iterator[Turn]:
    for key in fields:
        if key not in _FIELDS:
            raise place.error(key, f"the fields {', '.join(_FIELDS)} (others belong into metadata)")
    text = required(fields, "text", place, as_text)
    images = optional(fields, "images", place, as_captions) or ()
    if not text and not images:
        raise place["text"].error(fields["text"], "text that is not blank, unless there are images")
    at = optional(fields, "at", place, as_time)
    until = optional(fields, "until", place, as_time)
    if at is not None and until is not None and until <= at:
        raise place["until"].error(fields["until"], "a time after `at`")
    yield Turn(
        user=user,
        id=optional(fields, "id", place, as_name),
        text=text,
        speaker=optional(fields, "speaker", place, as_name) or optional(fields, "role", place, as_name),
        at=at,
        until=until,
        session=optional(fields, "session", place, as_name),
        images=images,
        kind=optional(fields, "kind", place, as_kind) or "episodic",
        tags=optional(fields, "tags", place, as_tags) or (),
        metadata=optional(fields, "metadata", place, as_metadata) or {},
        position=str(place),
    )


JSONL = Format("jsonl", "plain records (JSON Lines with text, at, speaker, ...)", _matches, _read)
