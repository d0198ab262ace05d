"""Check the single fields of a record against what the core and the store accept."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any, Final

from memspan.arguments import as_number, is_listing
from memspan.base.half_emoji import without_half_emoji
from memspan.errors import InvalidArgumentError, invalid
from memspan.limits import MAX_GIVEN_METADATA_BYTES, MAX_JSON_DEPTH, MAX_NAME_BYTES, MAX_TEXT_BYTES
from memspan.records import KINDS

__all__ = [
    "checked_fraction",
    "checked_kind",
    "checked_metadata",
    "checked_name",
    "checked_names",
    "checked_text",
    "optional_name",
]

MAX_NAMES: Final = 1024


def checked_name(value: Any, argument: str, limit: int = MAX_NAME_BYTES) -> str:
    """An identifier: user, id, session, speaker. Any text without surrogates, 1 to `limit` bytes of UTF-8."""
    accepted = f"text of 1 to {limit} bytes in UTF-8"
    if not isinstance(value, str) or not value:
        raise invalid(argument, value, accepted)
    try:
        size = len(value.encode())
    except UnicodeEncodeError:
        raise invalid(argument, value, accepted + ", without lone surrogates") from None
    if size > limit:
        raise invalid(argument, value, f"{accepted}; this has {size}")
    return value


def optional_name(value: Any, argument: str, limit: int = MAX_NAME_BYTES) -> str | None:
    """As `checked_name`; `None` and empty text both mean that there is none."""
    if value is None or (isinstance(value, str) and not value):
        return None
    return checked_name(value, argument, limit)


def checked_names(
    values: Any, argument: str, *, most: int = MAX_NAMES, limit: int = MAX_NAME_BYTES
) -> tuple[str, ...]:
    """A list of identifiers; repetitions are dropped."""
    if isinstance(values, tuple) and not values:
        return ()
    if not is_listing(values):
        raise invalid(argument, values, "a list of texts")
    names = [checked_name(value, f"{argument}[{position}]", limit) for position, value in enumerate(values)]
    unique = tuple(dict.fromkeys(names))
    if len(unique) > most:
        raise invalid(argument, f"{len(unique)} items", f"at most {most}")
    return unique


def checked_text(value: Any, argument: str) -> str:
    """A text of at most 4 MiB; half emoji (lone surrogates), which broken exports contain, become U+FFFD."""
    if not isinstance(value, str):
        raise invalid(argument, value, "a str")
    text = without_half_emoji(value)
    size = len(text) if text.isascii() else len(text.encode())
    if size > MAX_TEXT_BYTES:
        raise invalid(argument, value, f"text of at most {MAX_TEXT_BYTES} bytes in UTF-8; this has {size}")
    return text


def checked_kind(value: Any, argument: str) -> str:
    """One of `memspan.records.KINDS`."""
    if not isinstance(value, str) or value not in KINDS:
        raise invalid(argument, value, f"one of {', '.join(KINDS)}")
    return value


def checked_fraction(value: Any, argument: str, *, above_zero: bool = False) -> float:
    """A number from 0 (with `above_zero`: more than 0) to 1."""
    accepted = "a number above 0, up to 1" if above_zero else "a number from 0 to 1"
    try:
        number = as_number(value, argument, 0, 1)
    except InvalidArgumentError:
        raise invalid(argument, value, accepted) from None
    if above_zero and number == 0:
        raise invalid(argument, value, accepted)
    return number


def checked_metadata(value: Any, argument: str, limit: int = MAX_GIVEN_METADATA_BYTES) -> dict[str, Any]:
    """A JSON object as Python values: a copy, with lists for tuples, that later changes of the caller's do
    not reach, of at most `limit` bytes.
    """
    if type(value) is dict and not value:
        return {}
    accepted = "a mapping of text to JSON values (text, finite numbers, booleans, None, lists, mappings)"
    if not isinstance(value, Mapping):
        raise invalid(argument, value, accepted)
    copied: dict[str, Any] = _copied(value, argument, accepted, MAX_JSON_DEPTH)
    size = len(json.dumps(copied, ensure_ascii=False, separators=(",", ":")).encode())
    if size > limit:
        raise invalid(argument, f"{size} bytes", f"at most {limit} bytes as JSON")
    return copied


def _copied(value: Any, argument: str, accepted: str, depth: int) -> Any:
    if depth == 0:
        raise invalid(argument, value, f"{accepted}, nested at most {MAX_JSON_DEPTH} deep")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return checked_text(value, argument)
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return int(value)
    if isinstance(value, float) and math.isfinite(value):
        return float(value)
    if isinstance(value, Mapping):
        copied = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise invalid(argument, key, "keys that are text")
            copied[checked_text(key, argument)] = _copied(item, f"{argument}[{key!r}]", accepted, depth - 1)
        return copied
    if isinstance(value, Sequence) and not isinstance(value, (bytes, bytearray)):
        return [_copied(item, f"{argument}[{i}]", accepted, depth - 1) for i, item in enumerate(value)]
    raise invalid(argument, value, accepted)
