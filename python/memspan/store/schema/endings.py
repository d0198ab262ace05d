"""What finds the records that say that others ended them, parked jobs, and what was evicted of a kind, without a look
at all there are."""

from __future__ import annotations

from typing import Final

from memspan.store.sqlite.json_texts import each_text

__all__ = ["COLD_KIND", "ENDINGS"]

COLD_KIND: Final = (
    "CASE WHEN json_valid(record) THEN coalesce(json_extract(record, '$.kind'), 'episodic') END"
)
"""The kind of what lies in the cold tier. Searches have to say it like that for their index."""


def _named_in(table: str, column: str, holder: str, path: str) -> str:
    document = f"t.{column}"
    valid = f"CASE WHEN json_valid({document}) THEN {document} END"
    return (
        f"INSERT OR IGNORE INTO endings SELECT t.user_pk, {each_text(document)}, t.{holder} "  # noqa: S608
        f"FROM {table} t, json_each({valid}, '{path}') j WHERE instr({document}, '\"ended\"') AND j.type = 'text'"
    )


# From schema version 12 to 13. Invariant: where `metadata.ended.by` of a record names another one, in the table of
# records, in the cold tier or in what runs could undo, endings has a row for both ids. It may have more: what a record
# said before. Forgetting either erases the row.
ENDINGS: Final = (
    """
    CREATE TABLE endings (
        user_pk INTEGER NOT NULL REFERENCES users(pk) ON DELETE CASCADE,
        name TEXT NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (user_pk, name, record)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX endings_by_record ON endings(user_pk, record)",
    _named_in("records", "metadata", "id", "$.ended.by"),
    _named_in("cold", "record", "id", "$.metadata.ended.by"),
    _named_in("run_changes", "before", "record", "$.metadata.ended.by"),
    "CREATE INDEX jobs_parked ON jobs(user_pk) WHERE state = 'parked'",
    f"CREATE INDEX cold_by_kind ON cold(user_pk, reason, {COLD_KIND}, sequence)",
)
