"""What finds the few relations and removals that are new to a handle, without a look at all there are."""

from __future__ import annotations

from typing import Final

__all__ = ["CHANGES"]

# From schema version 8 to 9.
CHANGES: Final = (
    "CREATE INDEX relations_by_sequence ON relations(sequence)",
    "CREATE INDEX removals_by_sequence ON removals(sequence)",
)
