"""The look at tokens: the best of a learned ranking move by what their token vectors say of the question."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from memspan.index import Hits
from memspan.ranking.late import LOOKED_AT, added_by_rank, max_similarities
from memspan.ranking.late_ranker import LateWeights
from memspan.remember.engine import Engine
from memspan.remember.tokens.store_tokens import StoreTokens
from memspan.rerank.reordering import from_sessions

__all__ = ["LateLook", "Looked"]


@dataclass(frozen=True, slots=True)
class Looked:
    """Hits in their new order."""

    order: list[int]
    """Positions among the hits, best first."""
    scores: NDArray[np.float64]
    """By position among the hits."""
    said: NDArray[np.float32]
    """MaxSim of the first hits, by position; NaN for records without token vectors."""
    seconds: float

    def explained(self, position: int, score: float, explanation: Any) -> Any:
        """What `explain=True` says of a hit besides: where it was, and what moved it."""
        similarity = float(self.said[position]) if position < len(self.said) else float("nan")
        looked = {
            "rank_before": position + 1,
            "score_before": score,
            "added": float(self.scores[position]) - score,
            "similarity": None if np.isnan(similarity) else similarity,
        }
        return {**(explanation or {}), "tokens": looked}


@dataclass(frozen=True, slots=True)
class LateLook:
    """How to look again at what a search finds.

    Args:
        tokens: the store's.
        question: its token vectors, shape (tokens, dim).
        user: whose records.
        places: how many come back.
        sessions: from how many sessions, if there are so many.
        weights: how what they say counts beside what the ranking saw in the hits, which is then with them; `None`: by
            its rank alone.
    """

    tokens: StoreTokens
    question: NDArray[np.float32]
    user: str
    places: int
    sessions: int
    weights: LateWeights | None = None

    def __call__(self, engine: Engine, hits: Hits) -> Looked:
        """Look at the first 64 hits. O(their tokens x those of the question)."""
        start = perf_counter()
        first = hits.ids[:LOOKED_AT]
        with engine.store.reading() as reader:
            vectors = self.tokens.of(reader, self.user, first)
        said = max_similarities(self.question, vectors)
        scores = hits.scores.astype(np.float64)
        scores[: len(first)] += self._added(hits, scores[: len(first)], said)
        order = np.argsort(-scores, kind="stable").tolist()
        if self.sessions > 1:
            # One more query, for listings only: a hit does not tell its session.
            with engine.store.reading() as reader:
                records = reader.fetch(self.user, hits.ids)
            session_of = [None if id_ not in records else records[id_].session for id_ in hits.ids]
            order = from_sessions(order, session_of, self.sessions, self.places)
        return Looked(order[: self.places], scores, said, perf_counter() - start)

    def _added(
        self, hits: Hits, scores: NDArray[np.float64], said: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        features = hits.features
        if self.weights is None or features is None:
            return added_by_rank(said)
        return self.weights.added(scores, features[: len(said)], said)
