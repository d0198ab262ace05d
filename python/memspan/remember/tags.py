"""The normal form of tags."""

from __future__ import annotations

from typing import Any

from memspan._core import normalize_tag
from memspan.errors import invalid
from memspan.limits import MAX_TAG_BYTES, MAX_TAGS

from .fields import checked_name, checked_names

__all__ = ["checked_tag", "checked_tags"]


def checked_tag(value: Any, argument: str = "tag") -> str:
    """A tag in the core's normal form: lower case, underscores for spaces.

    Raises:
        InvalidArgumentError: not text, or nothing or more than 128 bytes are left of it.
    """
    name = checked_name(value, argument)
    tag = normalize_tag(name)
    if not tag or len(tag.encode()) > MAX_TAG_BYTES:
        raise invalid(argument, value, f"text of 1 to {MAX_TAG_BYTES} bytes in UTF-8, after normalisation")
    return tag


def checked_tags(values: Any, argument: str = "tags") -> tuple[str, ...]:
    """At most 64 tags in normal form, without repetitions."""
    names = checked_names(values, argument, most=MAX_TAGS)
    return tuple(dict.fromkeys(checked_tag(name, f"{argument}[{i}]") for i, name in enumerate(names)))
