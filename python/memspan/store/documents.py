"""Records as JSON documents, for tables that keep a whole record in one value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any, Final

from memspan.records import Record

from .sqlite.malformed import reads

__all__ = ["dump_record", "load_made_tags", "load_record"]

_MADE: Final = "made_tags"
_LEFT_OUT: Final = ("user", "embedding")
_FIELDS: Final = tuple(field for field in fields(Record) if field.name not in _LEFT_OUT)
_NAMES: Final = tuple(field.name for field in _FIELDS)
_TIMES: Final = frozenset(field.name for field in _FIELDS if "datetime" in str(field.type))
_TUPLES: Final = frozenset(field.name for field in _FIELDS if str(field.type).startswith("tuple"))


_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def dump_record(record: Record, made_tags: Sequence[str] = ()) -> str:
    """Every field that holds something, as exports have it, but the user and the embedding. Times are ISO 8601 in UTC,
    so that they sort as text.

    Args:
        made_tags: tags that the record had besides its own, because they were made for it.
    """
    document: dict[str, Any] = {}
    for name in _NAMES:
        value = getattr(record, name)
        if value is None or value is False or value == ():
            continue
        if name in _TIMES:
            value = value.isoformat()
        elif name == "metadata":
            if not value:
                continue
            value = dict(value)
        document[name] = value
    if made_tags:
        document[_MADE] = list(made_tags)
    return _encode(document)


@reads("record")
def load_record(user: str, text: str) -> Record:
    """The record that `dump_record` wrote, without its embedding.

    Raises:
        Malformed: it wrote something else.
    """
    document: dict[str, Any] = json.loads(text)
    document.pop(_MADE, None)
    for name, value in document.items():
        if name in _TIMES:
            document[name] = datetime.fromisoformat(value)
        elif name in _TUPLES:
            document[name] = tuple(value)
    return Record(user=user, **document)


@reads("record")
def load_made_tags(text: str) -> tuple[str, ...]:
    """The made tags that `dump_record` wrote."""
    return tuple(json.loads(text).get(_MADE, ())) if f'"{_MADE}"' in text else ()
