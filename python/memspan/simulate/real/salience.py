"""How important a turn seems when it comes, without a model and without looking ahead."""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan import _core

__all__ = ["ASSISTANT", "estimated_importance"]

ASSISTANT: Final = "assistant"
"""The speaker of replies that a machine made."""
_REPLY: Final = 0.5
"""What a reply counts beside what people say themselves."""


def estimated_importance(
    texts: Sequence[str], speakers: Sequence[str | None] | None = None
) -> NDArray[np.float64]:
    """omega of each turn, 0-1: its rank among its speaker's turns so far by how much it says; half for an assistant's.

    How much it says is the sum of the self-information of its distinct stems, by how many turns had them until then. A
    greeting comes near 0, a turn full of rare words near 1. Ranks are by speaker: some talk at length, and an assistant
    always does. O(n log n) for turns of bounded length, but for moves in a sorted list.
    """
    held: Counter[str] = Counter()
    so_far: defaultdict[str | None, list[float]] = defaultdict(list)
    found = np.zeros(len(texts))
    who = [None] * len(texts) if speakers is None else speakers
    for position, (text, speaker) in enumerate(zip(texts, who, strict=True)):
        stems = set(_core.analyze(text, "english"))
        bits = sum(math.log2((position + 1.5) / (held[stem] + 0.5)) for stem in stems)
        own = so_far[speaker]
        rank = (bisect_left(own, bits) + 0.5) / (len(own) + 1)
        found[position] = rank * (_REPLY if speaker == ASSISTANT else 1.0)
        insort(own, bits)
        held.update(stems)
    return found
