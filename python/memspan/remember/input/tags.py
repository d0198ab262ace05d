"""The normal form of tags."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from memspan._core import normalize_tag
from memspan.errors import invalid
from memspan.limits import MAX_TAG_BYTES, MAX_TAGS
from memspan.records import Record
from memspan.store import StoreReader

from .fields import checked_name, checked_names

__all__ = ["checked_tag", "checked_tags", "given_records", "tagged", "without_made", "without_made_of"]


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
    if not names:
        return ()
    return tuple(dict.fromkeys(checked_tag(name, f"{argument}[{i}]") for i, name in enumerate(names)))


def given_records(
    reader: StoreReader, user: str, ids: Sequence[str], *, embeddings: bool = False
) -> dict[str, Record]:
    """Those of the records that exist, by id, with the tags that a caller gave: without those that were made."""
    found = reader.fetch(user, ids, embeddings=embeddings)
    if not any(record.tags for record in found.values()):
        return found
    made = reader.made_tags(user, list(found))
    return {id_: without_made(record, made) for id_, record in found.items()}


def without_made_of(reader: StoreReader, records: Iterable[Record]) -> list[Record]:
    """Records of any users with the tags that a caller gave, in their order."""
    ids: dict[str, list[str]] = {}
    every = list(records)
    for record in every:
        if record.tags:
            ids.setdefault(record.user, []).append(record.id)
    made = {user: reader.made_tags(user, own) for user, own in ids.items()}
    return [without_made(record, made[record.user]) if record.tags else record for record in every]


def tagged(record: Record, made: Sequence[str]) -> Record:
    """A record without made tags, with these: those that a caller gave come first."""
    if not made:
        return record
    return replace(record, tags=(*record.tags, *(tag for tag in made if tag not in record.tags))[:MAX_TAGS])


def without_made(record: Record, made: Mapping[str, Sequence[str]]) -> Record:
    """The record with the tags that a caller gave; `made` are the others of a user's records, by id."""
    if record.id not in made:
        return record
    others = set(made[record.id])
    return replace(record, tags=tuple(tag for tag in record.tags if tag not in others))
