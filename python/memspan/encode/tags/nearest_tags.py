"""Existing tags for texts, by embedding: what is left when the model does not answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from memspan.encode.stage import Tools

__all__ = ["nearest_tags"]

_LEAST: Final = 0.25
"""Cosine below which a tag has nothing to do with a text for any embedder; for many, unrelated texts are above it."""
_MOST_TAGS: Final = 1000


async def nearest_tags(
    texts: Sequence[str], tags: Sequence[str], count: int, tools: Tools
) -> list[tuple[str, ...]]:
    """For each text its nearest tags, at most `count`, the nearest first; none where all are far (SwiftMem 3.2.1).

    The first 1,000 tags are looked at. O(texts x tags x dim).
    """
    looked = list(tags[:_MOST_TAGS])
    if not looked or not texts or not count:
        return [()] * len(texts)
    vectors = await tools.embed([*texts, *(tag.replace("_", " ") for tag in looked)])
    scores = vectors[: len(texts)] @ vectors[len(texts) :].T
    chosen = []
    for row in scores:
        order = np.argsort(-row, kind="stable")[:count]
        chosen.append(tuple(looked[place] for place in order.tolist() if row[place] >= _LEAST))
    return chosen
