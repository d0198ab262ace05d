"""Filters over metadata as it read at another time.

What has ended since has a note of the library's under `ended` (see `endings`), and a version under `version_of` the id
of its record. What a caller had there lies within the note, and there a filter of the caller's has to look.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

from memspan.limits import MAX_JSON_DEPTH
from memspan.remember.endings.endings import ENDED, OWN
from memspan.remember.endings.version_ids import VERSION_OF

__all__ = ["where_then"]

_Filter: TypeAlias = Mapping[str, Any]

_OWN: Final = f"{ENDED}.{OWN}"
_MOVED: Final[Mapping[str, _Filter]] = {
    # `$gte ""` holds for text alone. A caller's value seldom has both.
    ENDED: {f"{ENDED}.action": {"$gte": ""}, f"{ENDED}.by": {"$exists": True, "$not": {"$gte": ""}}},
    VERSION_OF: {f"{_OWN}.{VERSION_OF}": {"$exists": True}},
}
"""Keys of the library's, and what holds for records where a caller's value of it would lie within the note."""


def where_then(where: Any) -> Any:
    """A filter that finds by what callers had under the keys of the library's, too, where records have ended.

    What is no filter comes back as it is, as does one that names none of these keys or is nested deeper than the core
    takes. O(size of the filter).
    """
    if not isinstance(where, Mapping) or not _mentions(where, MAX_JSON_DEPTH):
        return where
    own = [key for key in where if _key_of(key) is not None]
    found = [_then(key, where[key]) for key in own]
    rest = {key: _combined(key, condition) for key, condition in where.items() if key not in own}
    if rest:
        found.append(rest)
    return found[0] if len(found) == 1 else {"$and": found}


def _mentions(where: _Filter, levels: int) -> bool:
    return levels > 0 and any(
        _key_of(key) is not None or any(_mentions(part, levels - 1) for part in _parts(key, value))
        for key, value in where.items()
    )


def _then(key: str, condition: Any) -> _Filter:
    moved = _MOVED[_key_of(key) or key]
    return {"$or": [{"$not": moved, key: condition}, {**moved, f"{_OWN}.{key}": condition}]}


def _combined(key: str, condition: Any) -> Any:
    """The condition of another key: filters within are rewritten, too."""
    if key == "$not":
        return where_then(condition)
    return [where_then(part) for part in condition] if _parts(key, condition) else condition


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
