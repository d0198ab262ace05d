"""The tables of what becomes of records: states, quotas, the cold tier, uses, what was done and can be undone."""

from __future__ import annotations

from typing import Final

__all__ = ["LIFECYCLE"]

# From schema version 4 to 5. Invariants:
# - record_states has a row for a record that is retired, expires, is pinned or held. A record that is written anew
#   loses its row, and the writer writes it again.
# - cold: what was evicted, and the wording of what was compressed. `sequence` is that of the transaction: other
#   handles see what left the index. Sources lie apart, so that forgetting one finds what was derived from it.
# - uses do not advance the change counter; quotas do, as the index applies them. The row of quotas and of lifetimes for
#   everybody has user_pk 0. Quotas that were taken back are the JSON null.
# - audit names users and records by fingerprints only, so that it can outlive what was forgotten. It only grows; each
#   row holds the hash of the one before.
# - run_changes holds what records were before a run; `after` is the fingerprint of what the run made of them, by which
#   undoing sees that somebody changed them since. Forgetting a record erases its rows.
# - jobs.gathered: tokens of the turns that wait in a job which nobody has begun; its `due` is when they wait no longer.
# - secrets: what vault records say, encrypted with the caller's key; no key is stored.
LIFECYCLE: Final = (
    "ALTER TABLE jobs ADD COLUMN gathered INTEGER NOT NULL DEFAULT 0",
    """
    CREATE TABLE record_states (
        record_pk INTEGER PRIMARY KEY REFERENCES records(pk) ON DELETE CASCADE,
        retired_at INTEGER,
        expires_at INTEGER,
        pinned INTEGER NOT NULL DEFAULT 0,
        held INTEGER NOT NULL DEFAULT 0
    ) STRICT
    """,
    "CREATE INDEX record_states_by_end ON record_states(expires_at) WHERE expires_at IS NOT NULL",
    """
    CREATE TABLE cold (
        pk INTEGER PRIMARY KEY AUTOINCREMENT,
        user_pk INTEGER NOT NULL REFERENCES users(pk) ON DELETE CASCADE,
        id TEXT NOT NULL,
        sequence INTEGER NOT NULL,
        reason TEXT NOT NULL CHECK (reason IN ('evicted', 'original')),
        moved_at INTEGER NOT NULL,
        record TEXT NOT NULL,
        embedding BLOB,
        UNIQUE (user_pk, id, reason)
    ) STRICT
    """,
    "CREATE INDEX cold_by_sequence ON cold(sequence)",
    """
    CREATE TABLE cold_sources (
        user_pk INTEGER NOT NULL REFERENCES users(pk) ON DELETE CASCADE,
        source TEXT NOT NULL,
        cold_pk INTEGER NOT NULL REFERENCES cold(pk) ON DELETE CASCADE,
        PRIMARY KEY (user_pk, source, cold_pk)
    ) STRICT, WITHOUT ROWID
    """,
    "CREATE INDEX cold_sources_by_cold ON cold_sources(cold_pk)",
    """
    CREATE TABLE uses (
        user_pk INTEGER NOT NULL REFERENCES users(pk) ON DELETE CASCADE,
        record TEXT NOT NULL,
        count INTEGER NOT NULL,
        last INTEGER NOT NULL,
        PRIMARY KEY (user_pk, record)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE quotas (
        user_pk INTEGER PRIMARY KEY,
        sequence INTEGER NOT NULL,
        settings TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX quotas_by_sequence ON quotas(sequence)",
    """
    CREATE TABLE lifetimes (
        user_pk INTEGER NOT NULL,
        kind TEXT NOT NULL,
        seconds REAL NOT NULL,
        PRIMARY KEY (user_pk, kind)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE audit (
        pk INTEGER PRIMARY KEY AUTOINCREMENT,
        at INTEGER NOT NULL,
        actor TEXT NOT NULL,
        action TEXT NOT NULL,
        user TEXT,
        records TEXT NOT NULL,
        details TEXT NOT NULL,
        previous TEXT NOT NULL,
        hash TEXT NOT NULL
    ) STRICT
    """,
    """
    CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END
    """,
    """
    CREATE TRIGGER audit_is_never_shortened BEFORE DELETE ON audit
    BEGIN SELECT RAISE(ABORT, 'the audit only grows'); END
    """,
    """
    CREATE TABLE runs (
        pk INTEGER PRIMARY KEY AUTOINCREMENT,
        user_pk INTEGER NOT NULL REFERENCES users(pk) ON DELETE CASCADE,
        id TEXT NOT NULL UNIQUE,
        action TEXT NOT NULL,
        state TEXT NOT NULL CHECK (state IN ('running', 'done', 'undone')),
        began INTEGER NOT NULL,
        ended INTEGER,
        report TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX runs_by_user ON runs(user_pk)",
    """
    CREATE TABLE run_changes (
        run_pk INTEGER NOT NULL REFERENCES runs(pk) ON DELETE CASCADE,
        position INTEGER NOT NULL,
        user_pk INTEGER NOT NULL,
        record TEXT NOT NULL,
        before TEXT,
        embedding BLOB,
        after TEXT,
        PRIMARY KEY (run_pk, position)
    ) STRICT
    """,
    "CREATE INDEX run_changes_by_record ON run_changes(user_pk, record)",
    """
    CREATE TABLE secrets (
        user_pk INTEGER NOT NULL REFERENCES users(pk) ON DELETE CASCADE,
        record TEXT NOT NULL,
        key_id TEXT NOT NULL,
        nonce BLOB NOT NULL,
        ciphertext BLOB NOT NULL,
        PRIMARY KEY (user_pk, record)
    ) STRICT, WITHOUT ROWID
    """,
    """
    CREATE TABLE resources (
        user_pk INTEGER NOT NULL REFERENCES users(pk) ON DELETE CASCADE,
        record TEXT NOT NULL,
        uri TEXT NOT NULL,
        checksum TEXT,
        size INTEGER,
        seen_at INTEGER,
        state TEXT NOT NULL,
        PRIMARY KEY (user_pk, record)
    ) STRICT, WITHOUT ROWID
    """,
)
