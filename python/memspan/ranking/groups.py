"""Which view each feature of the learned ranking comes from, and which of them look at neighbours."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from .ranker import FEATURES

__all__ = ["NEIGHBOURS", "OF_NO_VIEW", "OF_VIEW", "scales_of"]

OF_VIEW: Final[dict[str, tuple[str, ...]]] = {
    "semantic": (
        "cosine",
        "cosine_z",
        "cosine_rank",
        "cosine_top",
        "before_cosine",
        "after_cosine",
        "near_cosine",
        "with_before",
        "with_after",
        "session_cosine",
        "session_cosines",
    ),
    "lexical": (
        "bm25_z",
        "bm25_share",
        "coverage",
        "bm25_rank",
        "bm25_top",
        "before_bm25",
        "after_bm25",
        "near_bm25",
        "session_bm25",
        "session_bm25s",
        "session_coverage",
    ),
    "symbolic": ("tagged",),
}

OF_NO_VIEW: Final = (
    "named",
    "other_named",
    "from_user",
    "asks",
    "has_question",
    "after_question",
    "length",
    "short_text",
    "hinted",
)

NEIGHBOURS: Final = (
    "before_cosine",
    "after_cosine",
    "before_bm25",
    "after_bm25",
    "near_cosine",
    "near_bm25",
    "with_before",
    "with_after",
)


def scales_of(
    *, semantic: float = 1.0, lexical: float = 1.0, symbolic: float = 1.0, neighbours: float = 1.0
) -> NDArray[np.float32] | None:
    """What each feature's weight is multiplied by, in the order of `FEATURES`; `None`: nothing changes."""
    wanted = {"semantic": semantic, "lexical": lexical, "symbolic": symbolic}
    if neighbours == 1.0 and all(scale == 1.0 for scale in wanted.values()):
        return None
    scales = np.ones(len(FEATURES), np.float32)
    for view, scale in wanted.items():
        scales[[FEATURES.index(name) for name in OF_VIEW[view]]] *= scale
    scales[[FEATURES.index(name) for name in NEIGHBOURS]] *= neighbours
    return scales
