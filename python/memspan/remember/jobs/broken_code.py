"""Tell an error of programming, which another attempt would only meet again, from what a server sent or did."""

from __future__ import annotations

from typing import Final

from memspan.errors import EmbedderError
from memspan.llm.when_ready import NoReplyError

__all__ = ["is_broken_code"]

_BROKEN: Final = (
    AttributeError,
    ImportError,
    NameError,
    NoReplyError,
    NotImplementedError,
    SyntaxError,
    TypeError,
)
_PASSING: Final = ("NoneType", "indices must be", "partially initialized", "shutting down")
"""What errors say when a reply lacks something, or is another one than was reckoned with, and when a module is not
there yet, or not any more: the next attempt may fare better."""
_DATA: Final = (bool, bytes, dict, float, int, list, str, tuple)


def is_broken_code(error: Exception) -> bool:
    """Whether a job failed for what its model's client, its embedder or a stage is written like."""
    if isinstance(error, EmbedderError) and isinstance(error.__cause__, Exception):
        error = error.__cause__  # of a function of the caller's
    if not isinstance(error, _BROKEN) or any(text in str(error) for text in _PASSING):
        return False
    return not (isinstance(error, AttributeError) and isinstance(error.obj, _DATA))
