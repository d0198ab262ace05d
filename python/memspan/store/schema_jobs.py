"""What finds the open jobs of one user among those of all."""

from __future__ import annotations

from typing import Final

__all__ = ["OPEN_JOBS_BY_USER"]

# From schema version 7 to 8. Within a user the index has jobs in the order of their keys, as claims want them.
OPEN_JOBS_BY_USER: Final = (
    "CREATE INDEX jobs_open_by_user ON jobs(user_pk) WHERE state IN ('pending', 'running')",
)
