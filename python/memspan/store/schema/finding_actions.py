"""What finds turns with actions without a look at all that a user has."""

from __future__ import annotations

from typing import Final

__all__ = ["FINDING_ACTIONS"]

# From schema version 10 to 11.
FINDING_ACTIONS: Final = (
    "CREATE INDEX records_acting ON records(user_pk, session) WHERE instr(metadata, '\"actions\":') > 0",
)
