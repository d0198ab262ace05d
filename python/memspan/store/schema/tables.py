"""The tables of a store and the steps from one schema version to the next."""

from __future__ import annotations

from typing import Final

from .changes import CHANGES
from .endings import ENDINGS
from .finding_actions import FINDING_ACTIONS
from .lifecycle import LIFECYCLE
from .lookups import LOOKUPS
from .more_lookups import MORE_LOOKUPS
from .normal_tags import NORMAL_TAGS
from .states import STATES_BY_USER
from .tokens import TOKEN_VECTORS

__all__ = ["APPLICATION_ID", "MIGRATIONS", "SCHEMA_VERSION"]

APPLICATION_ID: Final = 0x6D73706E
"""Marks a SQLite file as a memspan store ("mspn")."""

# Invariants that the rest of the package relies on:
# - The change counter grows by one in every transaction that changes records, relations or users, and leaps where the
#   file was put back to an older state (`store/sequence.py`); the rows written carry its value. It is the greater one
#   of meta.sequence and the sequence of the last record (by pk): a transaction that only writes records does not touch
#   meta.
# - Records lie in the order of their last change: a changed one is deleted and comes again with a pk above all
#   others, so pk and sequence never contradict, and "what changed since" is the end of the table.
# - users.pk is never used again (AUTOINCREMENT): a user that was forgotten and came back is a new row.
# - removals never holds text of the user: one row a user, one under the negative key for lost relations, and row 0 for
#   "some user vanished".
# - embedding is the last column, so that reading a text does not walk its overflow pages.
# - made_tags names tags that the record has; a record without a row has none of them.
# - staged rows count only while their sequence equals the record's: a record changed since needs a new one.
_V1: Final = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE users (
        pk INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        sequence INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE records (
        pk INTEGER PRIMARY KEY,
        user_pk INTEGER NOT NULL REFERENCES users(pk) ON DELETE CASCADE,
        id TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        kind TEXT NOT NULL,
        at INTEGER NOT NULL,
        until INTEGER,
        recorded_at INTEGER NOT NULL,
        session TEXT,
        speaker TEXT,
        importance REAL,
        provenance TEXT,
        fidelity REAL NOT NULL,
        tags TEXT NOT NULL,
        entities TEXT NOT NULL,
        sources TEXT NOT NULL,
        metadata TEXT NOT NULL,
        text TEXT NOT NULL,
        embedding BLOB NOT NULL,
        UNIQUE (user_pk, id)
    ) STRICT
    """,
    "CREATE INDEX records_by_sequence ON records(sequence)",
    """
    CREATE TABLE derivations (
        user_pk INTEGER NOT NULL REFERENCES users(pk) ON DELETE CASCADE,
        source TEXT NOT NULL,
        derived_pk INTEGER NOT NULL REFERENCES records(pk) ON DELETE CASCADE,
        PRIMARY KEY (user_pk, source, derived_pk)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX derivations_by_derived ON derivations(derived_pk)",
    """
    CREATE TABLE relations (
        user_pk INTEGER NOT NULL REFERENCES users(pk) ON DELETE CASCADE,
        parent TEXT NOT NULL,
        child TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        PRIMARY KEY (user_pk, parent, child)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE TABLE removals (user_pk INTEGER PRIMARY KEY, sequence INTEGER NOT NULL) STRICT",
    """
    CREATE TABLE staged (
        record_pk INTEGER PRIMARY KEY REFERENCES records(pk) ON DELETE CASCADE,
        sequence INTEGER NOT NULL,
        embedding BLOB NOT NULL
    ) STRICT
    """,
    "INSERT INTO meta VALUES ('sequence', 0)",
    "INSERT INTO meta VALUES ('store_id', lower(hex(randomblob(16))))",
)

# Records in the order of their changes instead of an index of them. Where that order is not the one of the keys, the
# keys are dealt out anew; negative ones on the way keep two rows from having the same.
_V2: Final = (
    "PRAGMA defer_foreign_keys = ON",
    """
    CREATE TABLE moved AS
    SELECT changed.pk AS old, placed.pk AS new
    FROM (SELECT pk, row_number() OVER (ORDER BY sequence, pk) AS place FROM records) AS changed
    JOIN (SELECT pk, row_number() OVER (ORDER BY pk) AS place FROM records) AS placed USING (place)
    WHERE changed.pk <> placed.pk
    """,
    "DROP INDEX records_by_sequence",
    "DELETE FROM staged WHERE record_pk IN (SELECT old FROM moved)",
    "UPDATE derivations SET derived_pk = -moved.new FROM moved WHERE derived_pk = moved.old",
    "UPDATE derivations SET derived_pk = -derived_pk WHERE derived_pk < 0",
    "UPDATE records SET pk = -moved.new FROM moved WHERE pk = moved.old",
    "UPDATE records SET pk = -pk WHERE pk < 0",
    "DROP TABLE moved",
)

# Which tags and relations `Memory.tag` made: they may be made anew, what a caller gave may not. A record that is
# written anew loses its row, and the writer says again which of its tags were made.
_V3: Final = (
    """
    CREATE TABLE made_tags (
        record_pk INTEGER PRIMARY KEY REFERENCES records(pk) ON DELETE CASCADE,
        tags TEXT NOT NULL
    ) STRICT
    """,
    "ALTER TABLE relations ADD COLUMN made INTEGER NOT NULL DEFAULT 0",
)

# Encode jobs, and what models cost. No change of these tables advances the change counter: the index holds none of it.
# - jobs.pk is never used again, and grows with time: jobs of one session run in its order.
# - owner and run: who works on a job, and which of its runs that is. A result is taken only from the
#   worker and run that the row names.
# - job_turns: positions from 0 are the job's own turns, negative ones those before them, which it only sees.
# - job_steps: results that a run may use again; gone when the job is done. An answer is JSON, or NULL when it was
#   too long. The row without a key has the last run that began, as its version.
# - job_made, job_tagged and job_relations: what came of a job, so that it can be taken back: records, made tags of its
#   turns, and relations. A relation that a caller gave has no row. Records are named by id: one that changes is
#   another row.
_V4: Final = (
    """
    CREATE TABLE jobs (
        pk INTEGER PRIMARY KEY AUTOINCREMENT,
        user_pk INTEGER NOT NULL REFERENCES users(pk) ON DELETE CASCADE,
        id TEXT NOT NULL UNIQUE,
        recipe TEXT NOT NULL,
        session TEXT,
        state TEXT NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'running', 'done', 'parked')),
        attempts INTEGER NOT NULL DEFAULT 0,
        due INTEGER NOT NULL DEFAULT 0,
        owner TEXT,
        run INTEGER NOT NULL DEFAULT 0,
        reason TEXT,
        created INTEGER NOT NULL,
        updated INTEGER NOT NULL
    ) STRICT
    """,
    "CREATE INDEX jobs_by_session ON jobs(user_pk, session, pk)",
    "CREATE INDEX jobs_open ON jobs(pk) WHERE state IN ('pending', 'running')",
    "CREATE INDEX jobs_open_by_session ON jobs(user_pk, session, pk) WHERE state IN ('pending', 'running')",
    """
    CREATE TABLE job_turns (
        job_pk INTEGER NOT NULL REFERENCES jobs(pk) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        user_pk INTEGER NOT NULL,
        record TEXT NOT NULL,
        PRIMARY KEY (job_pk, position)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX job_turns_by_record ON job_turns(user_pk, record)",
    """
    CREATE TABLE job_steps (
        job_pk INTEGER NOT NULL REFERENCES jobs(pk) ON DELETE CASCADE,
        key TEXT NOT NULL,
        value TEXT,
        model TEXT,
        prompt TEXT,
        version INTEGER,
        PRIMARY KEY (job_pk, key)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE job_log (
        pk INTEGER PRIMARY KEY,
        job_pk INTEGER NOT NULL REFERENCES jobs(pk) ON DELETE CASCADE,
        at INTEGER NOT NULL,
        run INTEGER NOT NULL,
        stage TEXT,
        event TEXT NOT NULL,
        details TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX job_log_by_job ON job_log(job_pk)",
    """
    CREATE TABLE job_made (
        user_pk INTEGER NOT NULL,
        record TEXT NOT NULL,
        job_pk INTEGER NOT NULL REFERENCES jobs(pk) ON DELETE CASCADE,
        PRIMARY KEY (user_pk, record)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX job_made_by_job ON job_made(job_pk)",
    """
    CREATE TABLE job_tagged (
        user_pk INTEGER NOT NULL,
        record TEXT NOT NULL,
        job_pk INTEGER NOT NULL REFERENCES jobs(pk) ON DELETE CASCADE,
        PRIMARY KEY (user_pk, record)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX job_tagged_by_job ON job_tagged(job_pk)",
    """
    CREATE TABLE job_relations (
        user_pk INTEGER NOT NULL,
        parent TEXT NOT NULL,
        child TEXT NOT NULL,
        job_pk INTEGER NOT NULL REFERENCES jobs(pk) ON DELETE CASCADE,
        PRIMARY KEY (user_pk, parent, child, job_pk),
        FOREIGN KEY (user_pk, parent, child) REFERENCES relations(user_pk, parent, child) ON DELETE CASCADE
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX job_relations_by_job ON job_relations(job_pk)",
    """
    CREATE TABLE workers (
        token TEXT PRIMARY KEY,
        host TEXT NOT NULL,
        process TEXT NOT NULL,
        expires INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE usage (
        user_pk INTEGER NOT NULL REFERENCES users(pk) ON DELETE CASCADE,
        recipe TEXT NOT NULL,
        stage TEXT NOT NULL,
        model TEXT NOT NULL,
        prompt_tokens INTEGER NOT NULL,
        completion_tokens INTEGER NOT NULL,
        cached_tokens INTEGER NOT NULL,
        calls INTEGER NOT NULL,
        uncounted INTEGER NOT NULL,
        reused INTEGER NOT NULL,
        seconds REAL NOT NULL,
        price REAL,
        PRIMARY KEY (user_pk, recipe, stage, model)
    ) STRICT, WITHOUT ROWID
    """,
)

MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    _V1, _V2, _V3, _V4, LIFECYCLE, TOKEN_VECTORS, STATES_BY_USER, LOOKUPS, CHANGES, MORE_LOOKUPS, FINDING_ACTIONS,
    NORMAL_TAGS, ENDINGS,
)  # fmt: skip
"""`MIGRATIONS[n]` leads from schema version n to n + 1. Released entries never change."""

SCHEMA_VERSION: Final = len(MIGRATIONS)
"""The version that this code reads and writes, kept in `PRAGMA user_version`."""
