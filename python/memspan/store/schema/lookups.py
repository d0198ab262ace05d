"""What finds a user's open jobs among those of all, a user's last runs of one action, and what was evicted last."""

from __future__ import annotations

from typing import Final

__all__ = ["LOOKUPS"]

# From schema version 7 to 8. All indexes end in the key, so that they have rows in the order of time.
LOOKUPS: Final = (
    "CREATE INDEX jobs_open_by_user ON jobs(user_pk) WHERE state IN ('pending', 'running')",
    "CREATE INDEX runs_by_action ON runs(user_pk, action)",
    "CREATE INDEX cold_by_order ON cold(user_pk, reason, sequence)",
)
