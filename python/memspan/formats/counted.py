"""Ids of chat messages outside conversations that only count the messages of their file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Final

from .exported import is_exported
from .place import Place

__all__ = ["with_own_ids"]

_FIRST: Final = (0, 1)
_NOT_SAID: Final = frozenset(("id", "tags", "metadata", "kind"))


def with_own_ids(
    messages: Iterable[tuple[Place, Mapping[str, Any]]],
) -> Iterator[tuple[Place, Mapping[str, Any]]]:
    """The messages; numbers as ids, where a user's begin with 0 or 1, with what is said behind them ("2-5f0c..."): the
    next file counts from there, too, and its messages are others. Read again, or in a longer file, a message has the
    same id. Conversations, messages of a named session and other ids stay as they are."""
    counts: dict[Hashable, bool] = {}
    for place, fields in messages:
        number = None if "messages" in fields or is_exported(fields) else _number(fields)
        user = fields.get("user")
        if number is None or not isinstance(user, (str, type(None))):
            yield place, fields
        elif counts.setdefault(user, int(number) in _FIRST):
            yield place, {**fields, "id": f"{number}-{_digest(fields)}"}
        else:
            yield place, fields


def _number(fields: Mapping[str, Any]) -> str | None:
    given = fields.get("id")
    if fields.get("session") or isinstance(given, bool) or not isinstance(given, (int, str)):
        return None
    text = str(given)[:20]
    return text if text.isdecimal() and text.isascii() and len(text) < 20 else None


def _digest(fields: Mapping[str, Any]) -> str:
    said = {key: value for key, value in fields.items() if key not in _NOT_SAID}
    try:
        text = json.dumps(said, sort_keys=True)
    except (RecursionError, TypeError, ValueError):  # refused when it is read
        text = repr(sorted(said))
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=6).hexdigest()
