"""Turn what callers hand to `Memory.add` into checked records."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from memspan import _core
from memspan.actions import (
    chat_message,
    dumped,
    dumped_message,
    holds_media,
    holds_thoughts,
    is_note,
    is_thought,
    read_tool_use,
)
from memspan.errors import TimeError, invalid
from memspan.records import Record
from memspan.remember.compose import captions_of
from memspan.times import MAX_MICROS, MIN_MICROS, Micros, TimeLike, from_micros, to_likely_micros

from .checking import checked_record, require_room_for_changes
from .draft import Draft
from .fields import checked_metadata, checked_names, checked_text, optional_name
from .identifiers import new_id, next_moments
from .tags import checked_tags

__all__ = ["Message", "Messages", "Session", "to_drafts"]

Message: TypeAlias = str | Mapping[str, Any]
"""A text, or a mapping with `text` or `content` and, optionally, `speaker` (or `name` or `role`), `id`, `at`,
`until`, `recorded_at`, `expires_at`, `session`, `kind`, `tags`, `entities`, `images` (captions),
`importance`, `provenance`, `fidelity`, `sources` and `metadata`. Tool calls and their results, as OpenAI and
Anthropic write them, become turns, too: see `memspan.actions`. What a model thought is left out, and so are pictures
without a word or caption, and items of the Responses interface that only serve it, such as lists of tools."""

Session: TypeAlias = Sequence[Message] | Mapping[str, Any]
"""A list of messages, or a mapping with `messages` and, optionally, `session` (its id), `at`, `tags` and
`metadata`.
"""

Messages: TypeAlias = Message | Sequence[Message] | Sequence[Session] | Mapping[str, Any]
"""Whatever `Memory.add` takes: one message, a list of messages, one session, or a list of sessions."""

_SECOND: Final = 1_000_000
_SESSION_KEYS: Final = ("messages", "session", "at", "tags", "metadata")
_RECORD_KEYS: Final = (
    "id", "at", "until", "recorded_at", "session", "kind", "entities", "importance", "provenance", "fidelity",
    "sources", "expires_at",
)  # fmt: skip
_TEXT_KEYS: Final = ("text", "content")
_SPEAKER_KEYS: Final = ("speaker", "name", "role")
_OTHER_KEYS: Final = ("tags", "metadata", "images")
_TOOL_KEYS: Final = ("function_call", "is_error", "tool_call_id", "tool_calls")
# Fields of messages and items, as packages and servers write them, that hold nothing to remember: what a
# model thought, and notes of the interface.
_IGNORED_KEYS: Final = (
    "annotations", "async", "async_", "audio", "caller", "created_by", "namespace", "phase",
    "provider_specific_fields", "reasoning", "reasoning_content", "reasoning_details", "refusal",
)  # fmt: skip
_MESSAGE_KEYS: Final = frozenset(
    (*_RECORD_KEYS, *_TEXT_KEYS, *_SPEAKER_KEYS, *_OTHER_KEYS, *_TOOL_KEYS, *_IGNORED_KEYS)
)
_PART_KEYS: Final = ("content", "function", "custom")
_DEPTH: Final = 8
_ROLES: Final = frozenset(("ai", "assistant", "developer", "human", "system", "tool", "user"))
_ACCEPTED: Final = "a text, a message (mapping), a list of messages, or a list of sessions"


@dataclass(frozen=True, slots=True)
class _Defaults:
    """What holds for every message of a call or session that does not say otherwise."""

    user: str
    start: Micros | None
    session: str | None
    kind: str
    tags: tuple[str, ...]
    metadata: dict[str, Any]


def to_drafts(
    messages: Messages,
    *,
    user: str,
    at: TimeLike | None,
    session: str | None,
    metadata: Mapping[str, Any] | None,
    tags: Sequence[str],
    kind: str,
) -> list[Draft]:
    """Normalise the input of `Memory.add`; see there for the meaning of the arguments. O(size of the input).

    A message that only calls tools has these calls for its text. One that has neither text nor a call that can be read,
    or is a result without text, or only tells what a model thought, or only shows pictures without captions, is
    left out.

    Raises:
        InvalidArgumentError: names the message by its position and the field.
        TimeError: so for a time, also one that would follow from those of other messages.
    """
    defaults = _Defaults(
        user=user,
        start=None if at is None else to_likely_micros(at, "at"),
        session=optional_name(session, "session"),
        kind=kind,
        tags=checked_tags(tags, "tags"),
        metadata=checked_metadata(metadata if metadata is not None else {}, "metadata"),
    )
    drafts: list[Draft] = []
    for argument, entries, own in _sessions(messages, defaults):
        drafts.extend(_session_drafts(argument, entries, own))
    _refuse_duplicates(drafts)
    return drafts


def _sessions(messages: Any, defaults: _Defaults) -> Iterator[tuple[str, Sequence[Any], _Defaults]]:
    """Each session's place in the input, its messages and its defaults; plain messages are one session."""
    if isinstance(messages, str) or (isinstance(messages, Mapping) and "messages" not in messages):
        yield "messages", [messages], defaults
    elif isinstance(messages, Mapping):
        yield _session("messages", messages, defaults)
    elif isinstance(messages, Sequence) and not isinstance(messages, (bytes, bytearray)):
        _refuse_pair(messages, "messages")
        nested = [
            (isinstance(entry, Mapping) and "messages" in entry)
            or (isinstance(entry, Sequence) and not isinstance(entry, (str, bytes, bytearray)))
            for entry in messages
        ]
        if any(nested):
            if not all(nested):
                position = nested.index(False)
                raise invalid(
                    f"messages[{position}]", messages[position], "a session, as in the rest of the list"
                )
            for position, entry in enumerate(messages):
                yield _session(f"messages[{position}]", entry, defaults)
        else:
            yield "messages", messages, defaults
    else:
        raise invalid("messages", messages, _ACCEPTED + dumped_message(messages, _MESSAGE_KEYS.issuperset))


def _session(argument: str, entry: Any, defaults: _Defaults) -> tuple[str, Sequence[Any], _Defaults]:
    if not isinstance(entry, Mapping):
        _refuse_pair(entry, argument)
        return argument, entry, replace(defaults, session=defaults.session or _first_id(entry) or new_id())
    for key in entry:
        if key not in _SESSION_KEYS:
            raise invalid(f"{argument}[{key!r}]", entry[key], f"a session has {', '.join(_SESSION_KEYS)}")
    entries = entry["messages"]
    if not isinstance(entries, Sequence) or isinstance(entries, (str, bytes, bytearray)):
        raise invalid(f"{argument}['messages']", entries, "a list of messages")
    name = optional_name(entry.get("session"), f"{argument}['session']")
    at = entry.get("at")
    own = replace(
        defaults,
        session=name or defaults.session or _first_id(entries) or new_id(),
        start=defaults.start if at is None else to_likely_micros(at, f"{argument}['at']"),
        tags=checked_tags((*defaults.tags, *_listed(entry, "tags", argument)), f"{argument}['tags']"),
        metadata={
            **defaults.metadata,
            **checked_metadata(entry.get("metadata") or {}, f"{argument}['metadata']"),
        },
    )
    return f"{argument}['messages']", entries, own


def _refuse_pair(entry: Sequence[Any], argument: str) -> None:
    """Refuse a role and a text, as some packages write a message: they would be a session of two texts."""
    if (
        len(entry) == 2
        and all(isinstance(part, str) for part in entry)
        and entry[0].strip().lower() in _ROLES
    ):
        accepted = 'a message with a role as a mapping: {"role": ..., "content": ...}'
        raise invalid(argument, entry, accepted)


def _first_id(entries: Sequence[Any]) -> str | None:
    """The id of the first message: names a session without a name the same way when it is added again."""
    first = entries[0] if entries else None
    return first.get("id") if isinstance(first, Mapping) else None


def _session_drafts(argument: str, entries: Sequence[Any], defaults: _Defaults) -> Iterator[Draft]:
    single = len(entries) == 1 and isinstance(entries[0], str)
    places = [argument if single else f"{argument}[{position}]" for position in range(len(entries))]
    messages = [{"text": entry} if isinstance(entry, str) else entry for entry in entries]
    for place, message in zip(places, messages, strict=True):
        if not isinstance(message, Mapping):
            raise invalid(
                place,
                message,
                "a text or a mapping with `text` or `content`"
                + dumped_message(message, _MESSAGE_KEYS.issuperset),
            )
    moments = _moments(messages, places, defaults.start)
    dated = moments is not None
    first = 0 if dated or not entries else next_moments(len(entries))
    for position, (place, message) in enumerate(zip(places, messages, strict=True)):
        at = first + position if moments is None else moments[position]
        draft = _to_draft(message, place, defaults, at, dated)
        if draft is not None:
            yield draft


def _moments(
    messages: Sequence[Mapping[str, Any]], places: list[str], start: Micros | None
) -> list[Micros] | None:
    """When each message was said: a message without a time follows the one before by a second, or by less where the
    next that has one is nearer, and those before the first that has one precede it by seconds. `None` when nothing
    tells a time: it is now then.

    Raises:
        TimeError: a time cannot be read, or what follows from the others lies outside the years 1-9999.
    """
    given = [
        None if message.get("at") is None else to_likely_micros(message["at"], f"{place}['at']")
        for message, place in zip(messages, places, strict=True)
    ]
    if start is None:
        first = next((position for position, at in enumerate(given) if at is not None), None)
        if first is None:
            return None
        start = given[first] - first * _SECOND  # type: ignore[operator]
    moments: list[Micros] = []
    following, step = start, _step(given, 0, start)
    for position, (at, place) in enumerate(zip(given, places, strict=True)):
        moment = following if at is None else at
        if at is not None:
            step = _step(given, position, at)
        if not MIN_MICROS <= moment <= MAX_MICROS:
            accepted = "a time of its own: counted in seconds from the messages beside it, it leaves the years 1-9999"
            raise invalid(f"{place}['at']", None, accepted, TimeError)
        moments.append(moment)
        following = moment + step
    return moments


def _step(given: Sequence[Micros | None], position: int, at: Micros) -> Micros:
    """How far the messages without a time behind a position are apart: what was said after them is not before them."""
    for later in range(position + 1, len(given)):
        following = given[later]
        if following is not None:
            return min(_SECOND, (following - at) // (later - position)) if following >= at else _SECOND
    return _SECOND


def _to_draft(
    message: Mapping[str, Any], place: str, defaults: _Defaults, at: Micros, dated: bool
) -> Draft | None:
    if is_note(message):
        return None
    message = chat_message(message)
    for key in message:
        if key not in _MESSAGE_KEYS:
            accepted = ", ".join(sorted(_MESSAGE_KEYS.difference(_IGNORED_KEYS)))
            raise invalid(f"{place}[{key!r}]", message[key], f"a message has {accepted}")
    for key in ("content", "tool_calls", "function_call"):
        _refuse_objects(message.get(key), f"{place}[{key!r}]")
    used = read_tool_use(message)
    said = _text_of(message, place)
    text = used.around(said)
    captions = [checked_text(caption, f"{place}['images']") for caption in _listed(message, "images", place)]
    captions += [
        caption for caption in _captions_in(message.get("content"), place) if caption not in captions
    ]
    says_nothing = not text.strip() and not captions
    if says_nothing and (used or any(message.get(key) for key in _TOOL_KEYS) or holds_thoughts(message)):
        return None
    metadata = {
        **defaults.metadata,
        **checked_metadata(message.get("metadata") or {}, f"{place}['metadata']"),
    }
    if says_nothing and holds_media(message) and not captions_of(metadata):
        return None
    if captions:
        metadata["images"] = _all_captions(captions, metadata, place)
    if used:
        metadata.update(used.metadata)
    given = {key: value for key, value in message.items() if key in _RECORD_KEYS and value is not None}
    named = "id" in given
    given = {"session": defaults.session, "kind": defaults.kind, **given, "at": from_micros(at)}
    if not named:
        given["id"] = new_id()
    speaker = next((message[key] for key in _SPEAKER_KEYS if message.get(key)), None)
    if speaker is message.get("role"):
        speaker = used.speaker(speaker, said)
    own_tags = (*defaults.tags, *_listed(message, "tags", place))
    record = Record(user=defaults.user, text=text, speaker=speaker, tags=own_tags, metadata=metadata, **given)
    checked = _core.normal_record(record, Record, 0) or checked_record(record, place)
    require_room_for_changes(checked, place)
    return Draft(checked, dated, named)


def _refuse_objects(value: object, place: str, depth: int = 0) -> None:
    """Refuse what is no value of JSON, such as the blocks and calls of a model's package as they came: nothing of them
    would be read, and what they say would be lost without a word."""
    if isinstance(value, list):
        for position, part in enumerate(value if depth < _DEPTH else ()):
            _refuse_objects(part, f"{place}[{position}]", depth + 1)
    elif isinstance(value, Mapping):
        for key in _PART_KEYS if depth < _DEPTH else ():
            _refuse_objects(value.get(key), f"{place}[{key!r}]", depth + 1)
    elif value is not None and not isinstance(value, (str, int, float)):
        raise invalid(place, value, "what JSON has: text, mappings and lists" + dumped(value))


def _all_captions(captions: list[str], metadata: Mapping[str, Any], place: str) -> list[str]:
    """The captions of a message, and those that its metadata, or that of the session or call, have under the name."""
    others = captions_of(metadata)
    if not others and metadata.get("images") not in (None, []):
        accepted = "no captions where the metadata has something else under 'images'"
        raise invalid(f"{place}['images']", captions, accepted)
    return captions + [caption for caption in others if caption not in captions]


def _captions_in(content: object, place: str) -> Iterator[str]:
    """Those that stand with pictures among content parts."""
    for part in content if isinstance(content, list) else ():
        for holder in (part, part.get("image_url")) if isinstance(part, Mapping) else ():
            caption = holder.get("caption") if isinstance(holder, Mapping) else None
            if isinstance(caption, str) and caption.strip():
                yield checked_text(caption, f"{place}['content']")


def _text_of(message: Mapping[str, Any], place: str) -> str:
    """`text` or `content`; of a list of content parts, the texts."""
    keys = [key for key in _TEXT_KEYS if message.get(key) is not None]
    if len(keys) > 1:
        raise invalid(place, dict(message), "either `text` or `content`")
    if not keys:
        return ""
    value = message[keys[0]]
    if isinstance(value, list):
        said = (part for part in value if not is_thought(part))
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in said]
        value = "\n".join(part for part in parts if isinstance(part, str))
    return checked_text(value, f"{place}[{keys[0]!r}]")


def _listed(message: Mapping[str, Any], key: str, place: str) -> tuple[str, ...]:
    value = message.get(key)
    if value is None:
        return ()
    if key == "images" and isinstance(value, str):
        return (value,)
    if not isinstance(value, Sequence) or isinstance(value, (str, bytes)):
        raise invalid(f"{place}[{key!r}]", value, "a list of texts")
    return checked_names(value, f"{place}[{key!r}]") if key == "tags" else tuple(value)


def _refuse_duplicates(drafts: list[Draft]) -> None:
    seen: dict[str, int] = {}
    for position, draft in enumerate(drafts):
        first = seen.setdefault(draft.record.id, position)
        if first != position:
            raise invalid("messages", f"id {draft.record.id!r} twice", "ids that differ within one call")
