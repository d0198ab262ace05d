"""`CrossEntropy`: pieces by how little a language model expects them (LightMem 3.1)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from memspan.arguments import as_integer
from memspan.encode.stage import Tools, Watching
from memspan.encode.together import all_or_none
from memspan.llm.logprobs import LogProbs

from .pieces import Piece
from .scorers import share_out

__all__ = ["CrossEntropy"]


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossEntropy:
    """-log P(x_i | x), the cross-entropy of the model's prediction and the true token, summed over a piece's tokens.

    What a model expects anyway says little. One request for each text.
    """

    model: LogProbs
    concurrency: int = 8
    """Requests at once."""

    def __post_init__(self) -> None:
        as_integer(self.concurrency, "concurrency", 1, 1024)

    @property
    def name(self) -> str:
        return "cross-entropy"

    async def score(
        self, texts: Sequence[str], pieces: Sequence[Sequence[Piece]], tools: Tools
    ) -> list[NDArray[np.float64]]:
        """See `Scorer.score`."""
        free = asyncio.Semaphore(self.concurrency)

        async def one(text: str, of_text: Sequence[Piece]) -> NDArray[np.float64]:
            if not of_text:
                return np.empty(0)
            async with free:
                if isinstance(tools, Watching):
                    await tools.require_wanted()
                tokens = await self.model.alogprobs(text)
            # The first token has no probability: no value, so that its piece counts as unseen unless it has more.
            known = [token for token in tokens if token.logprob is not None]
            spans = [(token.start, token.end) for token in known]
            return share_out(of_text, spans, [-(token.logprob or 0.0) for token in known], mean=False)

        return await all_or_none(one(*pair) for pair in zip(texts, pieces, strict=True))
