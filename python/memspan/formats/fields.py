"""Checks of single JSON values. Each takes the value and its place, and raises `FormatError` unless it is
accepted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, TypeVar

from memspan.base.half_emoji import without_half_emoji

from ..errors import TimeError
from ..limits import (
    MAX_GIVEN_METADATA_BYTES,
    MAX_JSON_DEPTH,
    MAX_NAME_BYTES,
    MAX_TAG_BYTES,
    MAX_TAGS,
    MAX_TEXT_BYTES,
)
from ..records import KINDS
from ..times import from_micros, other_unit, to_micros
from .place import Place
from .source import Item

__all__ = [
    "as_captions",
    "as_kind",
    "as_list",
    "as_metadata",
    "as_name",
    "as_object",
    "as_string",
    "as_tags",
    "as_text",
    "as_time",
    "each_object",
    "is_name",
    "optional",
    "required",
]

T = TypeVar("T")
Check = Callable[[Any, Place], T]


def required(values: Mapping[str, Any], key: str, place: Place, check: Check[T], accepted: str = "") -> T:
    """The checked member `key` of the object at `place`, which must have it; `accepted` tells what the object is, where
    a file of another data set may get so far."""
    if key not in values:
        raise place.missing(key, accepted)
    return check(values[key], place[key])


def optional(values: Mapping[str, Any], key: str, place: Place, check: Check[T]) -> T | None:
    """The checked member `key` of the object at `place`; `None` when it is missing or null."""
    value = values.get(key)
    return None if value is None else check(value, place[key])


def each_object(items: Iterable[Item]) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The objects among values that are objects or lists of objects."""
    for place, value in items:
        if isinstance(value, list):
            for position, element in enumerate(value):
                yield place[position], as_object(element, place[position])
        else:
            yield place, as_object(value, place)


def as_object(value: Any, place: Place) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise place.error(value, "an object")
    return value


def as_list(value: Any, place: Place) -> list[Any]:
    if not isinstance(value, list):
        raise place.error(value, "a list")
    return value


def as_string(value: Any, place: Place, limit: int = MAX_TEXT_BYTES) -> str:
    """A string that UTF-8 can hold (JSON can escape half of a surrogate pair) in at most `limit` bytes."""
    if not isinstance(value, str):
        raise place.error(value, "a string")
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError:
        raise place.error(value, "Unicode text without lone surrogates") from None
    if size > limit:
        raise place.error(f"a string of {size:,} bytes", f"at most {limit:,} bytes of UTF-8")
    return value


def as_text(value: Any, place: Place) -> str:
    """The text of a turn without the white space around it; may be empty. Half emoji become U+FFFD."""
    return as_string(without_half_emoji(value) if isinstance(value, str) else value, place).strip()


def as_name(value: Any, place: Place) -> str:
    """A user, id, session or speaker: not blank, at most 512 bytes. An integer counts as its digits."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63:
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise place.error(value, f"a string of 1-{MAX_NAME_BYTES} bytes that is not blank, or an integer")
    return as_string(value, place, MAX_NAME_BYTES)


def is_name(value: object) -> bool:
    """Whether a value can be a user as it is."""
    if not isinstance(value, str) or not value.strip():
        return False
    try:
        return len(value.encode("utf-8")) <= MAX_NAME_BYTES
    except UnicodeEncodeError:
        return False


def as_time(value: Any, place: Place) -> datetime:
    """ISO 8601 text (without an offset it is UTC) or integer microseconds since 1970.

    Files of other programs count seconds or milliseconds. Read as microseconds they are all of January to April 1970,
    where nobody would look for them: they are refused.
    """
    accepted = "ISO 8601 text or integer microseconds since 1970, in years 1-9999"
    try:
        micros = to_micros(value, str(place))
    except TimeError:
        raise place.error(value, accepted) from None
    if (unit := other_unit(value)) is not None:
        raise place.error(value, f"{accepted}; {unit}")
    return from_micros(micros)


def as_kind(value: Any, place: Place) -> str:
    if not isinstance(value, str) or value not in KINDS:
        raise place.error(value, "one of " + ", ".join(KINDS))
    return value


def as_tags(value: Any, place: Place) -> tuple[str, ...]:
    tags = as_list(value, place)
    if len(tags) > MAX_TAGS:
        raise place.error(value, f"at most {MAX_TAGS} tags")
    for position, tag in enumerate(tags):
        if not as_string(tag, place[position], MAX_TAG_BYTES).strip():
            raise place[position].error(tag, f"a tag of 1-{MAX_TAG_BYTES} bytes that is not blank")
    return tuple(tags)


def as_captions(value: Any, place: Place) -> tuple[str, ...]:
    """Image captions: one string or a list of them; blank ones are dropped."""
    if isinstance(value, str):
        captions = [as_text(value, place)]
    else:
        captions = [
            as_text(caption, place[position]) for position, caption in enumerate(as_list(value, place))
        ]
    return tuple(filter(None, captions))


def as_metadata(value: Any, place: Place) -> dict[str, Any]:
    """An object of JSON values; half emoji in it become U+FFFD."""
    metadata = as_object(value, place)
    if _deeper_than(metadata, MAX_JSON_DEPTH):
        raise place.error(metadata, f"metadata nested at most {MAX_JSON_DEPTH} deep")
    try:
        size = len(json.dumps(metadata, ensure_ascii=False).encode("utf-8"))
    except UnicodeEncodeError:
        metadata = _without_half_emoji(metadata)
        size = len(json.dumps(metadata, ensure_ascii=False).encode("utf-8"))
    if size > MAX_GIVEN_METADATA_BYTES:
        raise place.error(
            f"{size:,} bytes", f"metadata of at most {MAX_GIVEN_METADATA_BYTES:,} bytes as JSON"
        )
    return metadata


def _without_half_emoji(value: Any) -> Any:
    if isinstance(value, str):
        return without_half_emoji(value)
    if isinstance(value, dict):
        return {without_half_emoji(key): _without_half_emoji(item) for key, item in value.items()}
    return [_without_half_emoji(item) for item in value] if isinstance(value, list) else value


def _deeper_than(value: Any, limit: int) -> bool:
    level = [value]
    for _ in range(limit):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, (dict, list))
        ]
        if not level:
            return False
    return True
