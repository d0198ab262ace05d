"""Whether it is the model's server that jobs fail at."""

from __future__ import annotations

from typing import Final

from memspan.errors import LLMError

__all__ = ["Outage"]

_JOBS: Final = 6


class Outage:
    """Tells a server that is gone from a job that it fails at: where six jobs one after the other had no answer in any
    attempt, and no job had one meanwhile, none of them is to blame from the sixth on, until an answer comes.

    Shared by the workers of a memory, in their event loop.
    """

    def __init__(self) -> None:
        self._failed: set[int] = set()

    def answered(self) -> None:
        """The model answered a job."""
        self._failed.clear()

    def explains(self, job: int, error: Exception) -> bool:
        """Whether a job failed for that.

        Args:
            job: its key.
        """
        if not isinstance(error, LLMError) or not error.unanswered:
            return False
        if len(self._failed) < _JOBS:
            self._failed.add(job)
        return len(self._failed) == _JOBS
