"""Filters over metadata as it read at another time.

What has ended since has a note of the library's under `ended` (see `endings`), and a version under `version_of` the id
of its record. What a caller had there lies within the note, and there a filter of the caller's has to look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from .endings import ENDED, OWN
from .version_ids import VERSION_OF

__all__ = ["where_then"]

_Filter: TypeAlias = "Mapping[str, Any]"

_OWN: Final = f"{ENDED}.{OWN}"
_MOVED: Final[Mapping[str, _Filter]] = {
    # `$gte ""` holds for text alone. A caller's value seldom has both.
    ENDED: {"$and": [{f"{ENDED}.action": {"$gte": ""}}, {f"{ENDED}.by": {"$exists": True}}]},
    VERSION_OF: {f"{_OWN}.{VERSION_OF}": {"$exists": True}},
}
"""Keys of the library's, and what holds for records where a caller's value of it would lie within the note."""


def where_then(where: Any) -> Any:
    """A filter that finds by what callers had under the keys of the library's, too, where records have ended.

    What is no filter comes back as it is, and so does one that names none of these keys. O(size of the filter).
    """
    if not isinstance(where, Mapping) or not _mentions(where):
        return where
    return {"$and": [_then(key, condition) for key, condition in where.items()]}


def _mentions(where: _Filter) -> bool:
    return any(
        _key_of(key) is not None or any(map(_mentions, _parts(key, value))) for key, value in where.items()
    )


def _then(key: str, condition: Any) -> _Filter:
    own = _key_of(key)
    if own is not None:
        moved = _MOVED[own]
        return {
            "$or": [
                {"$and": [{"$not": moved}, {key: condition}]},
                {"$and": [moved, {f"{_OWN}.{key}": condition}]},
            ]
        }
    if key == "$not":
        return {key: where_then(condition)}
    if _parts(key, condition):
        return {key: [where_then(part) for part in condition]}
    return {key: condition}


def _key_of(key: Any) -> str | None:
    """The key of the library's that a path begins with."""
    name = key.split(".", 1)[0] if isinstance(key, str) else ""
    return name if name in _MOVED else None


def _parts(key: Any, condition: Any) -> list[_Filter]:
    """The filters that a combination combines."""
    if key == "$not":
        condition = [condition]
    elif key not in ("$and", "$or") or not isinstance(condition, Sequence):
        return []
    return [part for part in condition if isinstance(part, Mapping)]
