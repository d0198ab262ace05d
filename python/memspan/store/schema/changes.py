"""What finds the few relations and removals that are new to a handle, and what of one user has ended or expired,
without a look at all there are."""

from __future__ import annotations

from typing import Final

__all__ = ["CHANGES"]

# From schema version 8 to 9.
CHANGES: Final = (
    "CREATE INDEX relations_by_sequence ON relations(sequence)",
    "CREATE INDEX removals_by_sequence ON removals(sequence)",
    "CREATE INDEX records_ended ON records(user_pk) WHERE instr(metadata, '\"ended\"')",
    "CREATE INDEX record_states_retired ON record_states(user_pk) WHERE retired_at IS NOT NULL",
    "CREATE INDEX record_states_by_user_end ON record_states(user_pk, expires_at) WHERE expires_at IS NOT NULL",
)
