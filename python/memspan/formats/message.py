"""One chat message in the style of the OpenAI and Anthropic interfaces, with the optional fields that `Memory.add` also
takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from ..actions import chat_message, is_note, is_thought, read_tool_use
from ..errors import FormatError
from .clock import Clock, seconds_before
from .fields import as_captions, as_kind, as_metadata, as_name, as_tags, as_text, as_time, optional
from .place import Place
from .sessions import placed_objects
from .turns import Turn

__all__ = ["read_message", "start_of", "stated_time"]

_INSTRUCTIONS = ("system", "developer")
_TEXTS = ("content", "text", "parts")
"""Where the text stands, in the first that has some: Vercel's AI SDK and Google write `parts`."""
_TIMES = ("timestamp", "created_at", "createdAt", "create_time")
_MESSAGE = "a message with a role (or speaker) and content (or text)"
_END = 253_402_300_800
"""Seconds from 1970 to the year 10000: what is beyond counts in smaller units."""
_UNITS = (1, 10**3, 10**6, 10**9)


def read_message(
    fields: Mapping[str, Any], place: Place, *, user: str, session: str | None, clock: Clock
) -> Turn | None:
    """The turn of one message, or `None` when there is nothing in it to remember.

    That is so for system and developer messages, which instruct the model and are nothing that was said, and
    for messages without text, captions and a tool call that can be read, or that only tell what a model thought.
    Unknown fields are ignored.
    """
    if is_note(fields):
        return None
    fields = chat_message(fields)
    speaker = optional(fields, "speaker", place, as_name)
    role = optional(fields, "role", place, as_name)
    name = optional(fields, "name", place, as_name)
    if speaker is None and role is None:
        raise place.missing("role", _MESSAGE)
    key = next((each for each in _TEXTS if fields.get(each)), "content")
    if not any(each in fields for each in (*_TEXTS, "tool_calls", "function_call")):
        raise place.missing("content", _MESSAGE)
    at = stated_time(fields, place)
    session = optional(fields, "session", place, as_name) or session
    used = read_tool_use(fields)
    said, images = _content(fields.get(key), place[key])
    turn = Turn(
        user=user,
        id=_id(fields, place, session),
        text=as_text(used.around(said), place),
        speaker=speaker or name or used.speaker(role, said),
        at=clock.next() if at is None else clock.stamp(at),
        until=optional(fields, "until", place, as_time),
        session=session,
        images=images + (optional(fields, "images", place, as_captions) or ()),
        kind=optional(fields, "kind", place, as_kind) or "episodic",
        tags=optional(fields, "tags", place, as_tags) or (),
        metadata={**(optional(fields, "metadata", place, as_metadata) or {}), **used.metadata},
        position=str(place),
    )
    return turn if role not in _INSTRUCTIONS and (turn.text or turn.images) else None


def _id(fields: Mapping[str, Any], place: Place, session: str | None) -> str | None:
    """A number is unique in its conversation only: it stands behind that one's name, where it has one."""
    given = optional(fields, "id", place, as_name)
    if given is None or session is None or not given.isdecimal():
        return given
    return as_name(f"{session}:{given}", place["id"])


def stated_time(fields: Mapping[str, Any], place: Place) -> datetime | None:
    """The time in `at`, or in one of the fields in which other programs write it, the first that is there."""
    at = optional(fields, "at", place, as_time)
    for key in _TIMES:
        at = at or optional(fields, key, place, _as_unix_time)
    return at


def start_of(
    fields: Mapping[str, Any], place: Place, messages: Sequence[tuple[Place, Mapping[str, Any]]]
) -> datetime | None:
    """When a conversation began: as it says, or a second for each message before the first that has a time, where it
    does not say or those messages would come to stand behind it."""
    stated = stated_time(fields, place)
    for count, (position, message) in enumerate(messages):
        if (at := stated_time(message, position)) is not None:
            beginning = seconds_before(at, count)
            return beginning if stated is None else min(stated, beginning)
    return stated


def _as_unix_time(value: Any, place: Place) -> datetime:
    """ISO 8601 text, or a number since 1970: seconds as OpenAI-style interfaces count, else milliseconds as JavaScript
    does, or what is finer; those before 1978 pass for seconds."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        for unit in _UNITS:
            if abs(value) < _END * unit:
                try:
                    return datetime.fromtimestamp(value / unit, timezone.utc)
                except (OverflowError, ValueError, OSError):
                    break
        raise place.error(value, "seconds since 1970, in years 1-9999")
    try:
        if isinstance(value, str):
            return as_time(value, place)
    except FormatError:
        pass  # It speaks of microseconds, as `at` counts.
    raise place.error(value, "ISO 8601 text in years 1-9999, or a number of seconds since 1970")


def _content(content: Any, place: Place) -> tuple[str, tuple[str, ...]]:
    """Text and captions of a content: null, a string, or a list of parts, of which other than text has only
    captions.
    """
    if content is None:
        return "", ()
    if isinstance(content, str):
        return as_text(content, place), ()
    if not isinstance(content, list):
        raise place.error(content, "a string, a list of content parts, or null")
    texts: list[str] = []
    captions: tuple[str, ...] = ()
    for position, part in placed_objects(content, place):
        if "text" in part and not is_thought(part):
            texts.append(optional(part, "text", position, as_text) or "")
        for holder, where in ((part, position), (part.get("image_url"), position["image_url"])):
            if isinstance(holder, dict):
                captions += optional(holder, "caption", where, as_captions) or ()
    return "\n".join(filter(None, texts)), captions
