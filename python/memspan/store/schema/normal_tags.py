"""Tags in the normal form that composes letters and their marks and drops what nobody sees."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any, Final

from memspan._core import normalize_tag
from memspan.limits import MAX_TAG_BYTES

__all__ = ["NORMAL_TAGS", "add_functions"]

# From schema version 11 to 12. What GLOB finds is not ASCII: all other tags are what they were. What two tags carried
# belongs to the one that they became; a tag or relation that a caller gave stays given. What would hang a tag below
# itself goes, as `relate` would have refused it.
NORMAL_TAGS: Final = (
    "PRAGMA defer_foreign_keys = ON",
    """
    UPDATE made_tags SET tags = normal_made_tags(given.tags, made_tags.tags)
    FROM records AS given WHERE given.pk = record_pk AND given.tags GLOB '*[^ -~]*'
    """,
    "DELETE FROM made_tags WHERE tags = '[]'",
    "UPDATE records SET tags = normal_tags(tags) WHERE tags GLOB '*[^ -~]*' AND tags <> normal_tags(tags)",
    """
    UPDATE cold SET record = with_normal_tags(record)
    WHERE record GLOB '*[^ -~]*' AND record <> with_normal_tags(record)
    """,
    """
    UPDATE run_changes SET before = with_normal_tags(before)
    WHERE before GLOB '*[^ -~]*' AND before <> with_normal_tags(before)
    """,
    """
    CREATE TABLE renamed AS
    SELECT *, normal_tag(parent) AS new_parent, normal_tag(child) AS new_child FROM relations
    WHERE parent || child GLOB '*[^ -~]*' AND (parent, child) <> (normal_tag(parent), normal_tag(child))
    """,
    """
    INSERT INTO relations (user_pk, parent, child, sequence, made)
    SELECT user_pk, new_parent, new_child, sequence, made FROM renamed
    WHERE new_parent <> '' AND new_child <> '' AND new_parent <> new_child
    ON CONFLICT (user_pk, parent, child) DO UPDATE SET made = min(made, excluded.made)
    """,
    """
    INSERT OR IGNORE INTO job_relations (user_pk, parent, child, job_pk)
    SELECT user_pk, r.parent, r.child, job_pk
    FROM job_relations JOIN renamed USING (user_pk, parent, child)
    JOIN relations r USING (user_pk) WHERE (r.parent, r.child, r.made) = (new_parent, new_child, 1)
    """,
    "DELETE FROM relations WHERE (user_pk, parent, child) IN (SELECT user_pk, parent, child FROM renamed)",
    """
    DELETE FROM job_relations WHERE (user_pk, parent, child) IN (
        SELECT r.user_pk, r.parent, r.child FROM relations r JOIN renamed n
        ON (r.user_pk, r.parent, r.child, r.made) = (n.user_pk, n.new_parent, n.new_child, 0)
    )
    """,
    """
    DELETE FROM relations WHERE (user_pk, parent, child) IN (SELECT user_pk, new_parent, new_child FROM renamed)
    AND parent IN (
        WITH RECURSIVE below (tag) AS (
            VALUES (relations.child)
            UNION SELECT r.child FROM below JOIN relations r ON (r.user_pk, r.parent) = (relations.user_pk, tag)
        )
        SELECT tag FROM below
    )
    """,
    "DROP TABLE renamed",
)


def add_functions(connection: sqlite3.Connection) -> None:
    """Make the statements of this module work on a connection."""
    connection.create_function("normal_tag", 1, _normal, deterministic=True)
    for name, count, function in (
        ("normal_tags", 1, _normal_tags),
        ("normal_made_tags", 2, _normal_made_tags),
        ("with_normal_tags", 1, _with_normal_tags),
    ):
        connection.create_function(name, count, _unless_damaged(function), deterministic=True)


def _unless_damaged(function: Callable[..., str]) -> Callable[..., Any]:
    """What is no JSON of ours stays as it is: who reads it tells of it."""

    def call(*values: Any) -> Any:
        try:
            return function(*values)
        except (ValueError, TypeError, AttributeError):
            return values[-1]

    return call


def _normal(tag: str) -> str:
    """Never longer than a tag may be: a few letters compose to more bytes than they had. Empty for what nobody sees."""
    normal = normalize_tag(tag)
    while len(normal.encode()) > MAX_TAG_BYTES:
        normal = normalize_tag(normal[:-1])
    return normal


def _each_once(tags: Iterable[str]) -> list[str]:
    return [tag for tag in dict.fromkeys(map(_normal, tags)) if tag]


def _normal_tags(tags: str) -> str:
    return _dump(_each_once(json.loads(tags)))


def _normal_made_tags(tags: str, made: str) -> str:
    """Those of the made tags that are not also among the given ones."""
    own: list[str] = json.loads(made)
    given = set(_each_once(tag for tag in json.loads(tags) if tag not in own))
    return _dump([tag for tag in _each_once(own) if tag not in given])


def _with_normal_tags(record: str) -> str:
    """A record as a JSON document; as it was where nothing changes."""
    document: dict[str, Any] = json.loads(record)
    given = _each_once(document.get("tags", ()))
    made = [tag for tag in _each_once(document.get("made_tags", ())) if tag not in given]
    normal = {name: tags for name, tags in (("tags", given), ("made_tags", made)) if tags}
    if normal == {name: document[name] for name in ("tags", "made_tags") if name in document}:
        return record
    for name in ("tags", "made_tags"):
        document.pop(name, None)
    return _dump(document | normal)


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
