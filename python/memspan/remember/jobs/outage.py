"""Whether it is a server that jobs fail at: the model's, or the embedder's."""

from __future__ import annotations

from typing import Final

from memspan.errors import EmbedderError, LLMError

__all__ = ["Outage"]

_JOBS: Final = 6


class Outage:
    """Tells a server that is gone from a job that it fails at: where six jobs one after the other had no answer in any
    attempt, and no job had one meanwhile, none of them is to blame from the sixth on, until an answer comes.

    Shared by the workers of a memory, in their event loop.
    """

    def __init__(self) -> None:
        self._failed: dict[type[Exception], set[int]] = {LLMError: set(), EmbedderError: set()}

    def answered(self, server: type[LLMError | EmbedderError]) -> None:
        """A server answered a job.

        Args:
            server: which, by the errors of those who ask it.
        """
        self._failed[server].clear()

    def explains(self, job: int, error: Exception) -> bool:
        """Whether a job failed for that.

        Args:
            job: its key.
        """
        if not isinstance(error, (LLMError, EmbedderError)) or not error.unanswered:
            return False
        failed = self._failed[LLMError if isinstance(error, LLMError) else EmbedderError]
        if len(failed) < _JOBS:
            failed.add(job)
        return len(failed) == _JOBS
