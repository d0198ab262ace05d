"""What finds the few records with a state, and the few procedures, without a look at all that a user has."""

from __future__ import annotations

from typing import Final

__all__ = ["STATES_BY_USER"]

# From schema version 6 to 7. Invariant: record_states.user_pk is that of the record.
STATES_BY_USER: Final = (
    "ALTER TABLE record_states ADD COLUMN user_pk INTEGER NOT NULL DEFAULT 0",
    "UPDATE record_states SET user_pk = (SELECT user_pk FROM records WHERE pk = record_pk)",
    "CREATE INDEX record_states_by_user ON record_states(user_pk)",
    "CREATE INDEX records_procedural ON records(user_pk, id) WHERE kind = 'procedural'",
)
