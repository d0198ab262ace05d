"""What finds the uses that are newer than a snapshot, what the audit says of one user, the keys of a vault, what has
ended or expires in the cold tier, and what runs could undo of what was made of others or had ended, without a look at
all there are."""

from __future__ import annotations

from typing import Final

__all__ = ["MORE_LOOKUPS"]

# From schema version 9 to 10. Invariant: no use is written at an earlier time than one before it, nor at the same one
# in another transaction. Uses of older stores count as written when the last of them were.
MORE_LOOKUPS: Final = (
    "ALTER TABLE uses ADD COLUMN written INTEGER NOT NULL DEFAULT 0",
    "UPDATE uses SET written = coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'uses_written'), 0)",
    "CREATE INDEX uses_by_written ON uses(written)",
    "CREATE INDEX audit_by_user ON audit(user) WHERE user IS NOT NULL",
    "CREATE INDEX secrets_by_key ON secrets(user_pk, key_id)",
    "CREATE INDEX cold_ended ON cold(user_pk) WHERE instr(record, '\"ended\"')",
    "CREATE INDEX cold_expiring ON cold(user_pk) WHERE instr(record, '\"expires_at\"')",
    "CREATE INDEX run_changes_sourced ON run_changes(user_pk) WHERE instr(before, '\"sources\"')",
    "CREATE INDEX run_changes_ended ON run_changes(user_pk) WHERE instr(before, '\"ended\"')",
)
