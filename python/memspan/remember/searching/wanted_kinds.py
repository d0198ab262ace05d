"""Records of the kinds that a question asks for, among the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median
from typing import Final

from .recall import Recall, Recalls

__all__ = ["lift_wanted", "places_for"]

_SHARE: Final = 4
_BETWEEN: Final = 2


def places_for(k: int) -> int:
    """How many of `k` places are for wanted kinds: a quarter, one at least."""
    return max(1, k // _SHARE)


def lift_wanted(recalls: Recalls, wanted: Sequence[Recall], k: int) -> Recalls:
    """The recalls with those of the wanted kinds at the first place and after every two others.

    Only what answers the question is lifted: it shares a word with it that counts, or is as near to it as most of the
    recalls. Others move down, and at most a quarter of them out; what was among the recalls is never lost by being
    wanted. Scores never rise along the list: a lifted one has the score of its place. O(k).

    Args:
        wanted: of the kinds that are asked for, best first, found by a search for nothing else.
        k: the length of the list.
    """
    usual = [recall.views["semantic"][1] for recall in recalls if "semantic" in recall.views]
    near = median(usual) if usual else 0.0
    chosen = [
        recall
        for recall in wanted[: places_for(k)]
        if "lexical" in recall.views or ("semantic" in recall.views and recall.views["semantic"][1] >= near)
    ]
    ids = {recall.id for recall in chosen}
    if not ids:
        return recalls
    others = [recall for recall in recalls if recall.id not in ids]
    mixed: list[Recall] = []
    while chosen or others:
        if chosen:
            mixed.append(chosen.pop(0))
            following, others = others[:_BETWEEN], others[_BETWEEN:]
        else:
            following, others = others, []
        mixed += following
    lifted = Recalls(_settled(mixed[:k], ids), recalls.explanation)
    lifted.timings = recalls.timings
    lifted.lifted = tuple(recall.id for recall in lifted if recall.id in ids)
    return lifted


def _settled(mixed: Sequence[Recall], lifted: set[str]) -> list[Recall]:
    """With scores of lifted ones between those of their neighbours."""
    found: list[Recall] = []
    for place, recall in enumerate(mixed):
        if recall.id in lifted:
            below = next((one.score for one in mixed[place + 1 :] if one.id not in lifted), recall.score)
            score = max(recall.score, below)
            above = found[-1].score if found else score
            recall = replace(recall, score=min(score, above))
        found.append(recall)
    return found
