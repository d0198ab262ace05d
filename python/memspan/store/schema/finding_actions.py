"""What finds turns with actions, and what the audit says of an action or of a time, without a look at all there are."""

from __future__ import annotations

from typing import Final

__all__ = ["FINDING_ACTIONS"]

# From schema version 10 to 11.
FINDING_ACTIONS: Final = (
    "CREATE INDEX records_acting ON records(user_pk, session) WHERE instr(metadata, '\"actions\":') > 0",
    "CREATE INDEX audit_by_action ON audit(action)",
    "CREATE INDEX audit_by_time ON audit(at)",
)
