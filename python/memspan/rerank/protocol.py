"""What every reranker offers, and the check of what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import is_masked
from memspan.errors import RerankerError

__all__ = ["Reranker", "checked_scores"]


@runtime_checkable
class Reranker(Protocol):
    """Tells how well passages answer a question, looking at both at once. May be called from several threads."""

    @property
    def name(self) -> str:
        """The model's name, the same on every machine and never holding a secret."""

    def score(self, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
        """Score passages.

        Returns:
            Array of shape `(len(passages),)`, float32, finite: the log odds that the passage answers the question,
            or anything else that grows with them and differs by about as much.

        Raises:
            RerankerError: the model failed.
        """


def checked_scores(reranker: Reranker, question: str, passages: Sequence[str]) -> NDArray[np.float32]:
    """The scores of passages, checked.

    Raises:
        RerankerError: the reranker raised an exception, or answered something else than one finite number a passage.
    """
    try:
        answer: Any = reranker.score(question, passages)
    except RerankerError:
        raise
    except Exception as error:
        raise RerankerError(f"reranker {reranker.name!r} failed ({type(error).__name__}: {error})") from error
    if is_masked(answer):
        raise RerankerError(f"reranker {reranker.name!r}: returned masked values, which are none")
    try:
        with np.errstate(over="ignore"):
            scores = np.asarray(answer, dtype=np.float32)
    except Exception as error:  # such as that of a tensor that must not become an array
        raise RerankerError(
            f"reranker {reranker.name!r}: returned something that is not an array of numbers ({error})"
        ) from error
    if scores.shape != (len(passages),):
        raise RerankerError(
            f"reranker {reranker.name!r}: returned shape {scores.shape} for {len(passages)} passages; "
            f"expected ({len(passages)},)"
        )
    if not np.isfinite(scores).all():
        place = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise RerankerError(
            f"reranker {reranker.name!r}: returned {scores[place]} for passage {place} of {len(passages)}"
        )
    return scores
