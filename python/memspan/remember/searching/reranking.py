"""The second look of a search: what the reranker reads, and the answer in its new order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import perf_counter
from typing import Final

import numpy as np
from numpy.typing import NDArray

from memspan.records import Record
from memspan.remember.compose import reranked_text
from memspan.remember.damage import survives_damage
from memspan.remember.endings.endings import as_believed, was_believed, was_known, was_valid
from memspan.remember.endings.life import is_expired
from memspan.remember.engine import Engine
from memspan.rerank.pace import Pace
from memspan.rerank.protocol import Reranker, checked_scores
from memspan.rerank.reordering import (
    BEHIND_LEARNED,
    BEHIND_RANKS,
    Reordered,
    as_log_odds,
    from_sessions,
    reorder,
)
from memspan.rerank.resolve import resolve_reranker

from .recall import Recall, Recalls

__all__ = ["CANDIDATES", "MAX_RERANK_MS", "Readable", "SecondLook"]

CANDIDATES: Final = 30
"""How many are looked at again, if the budget allows. Of a learned ranking the first 6 give all that recall@1 gains,
and 12 most of what recall@5 does; from 16 on half a point of recall@10 comes to it on LoCoMo. 40 give no more."""

MAX_RERANK_MS: Final = 600_000

_WARM_QUESTION: Final = "When did they go to the lake?"
_WARM_PASSAGE: Final = (
    "[8 May 2023] Ana: How was your weekend? Ben: We went camping by the lake, the kids loved it!"
)


@dataclass(frozen=True, slots=True)
class Readable:
    """Which records a reranker may read beside the hits themselves: what the caller's search may not return, such as
    the vault, is not sent to it either.
    """

    vault: bool
    as_of: datetime | None
    exclude: Collection[str]
    valid_at: datetime | None = None

    def admits(self, record: Record) -> bool:
        """Whether the record may be read as the context of a hit."""
        if record.kind == "vault" and not self.vault:
            return False
        if record.id in self.exclude or is_expired(record):
            return False
        if self.as_of is None and self.valid_at is None:
            return record.retired_at is None
        if self.valid_at is None:
            return self.as_of is None or was_believed(record, self.as_of)
        if self.as_of is None:
            return was_valid(record, self.valid_at)
        return was_known(record, self.as_of) and was_valid(as_believed(record, self.as_of), self.valid_at)


class SecondLook:
    """The reranker of a memory, made when it is first needed, and its pace. Thread-safe.

    Args:
        spec: a reranker, the name of a known one, or `None` for the default.
    """

    def __init__(self, spec: Reranker | str | None) -> None:
        self._reranker = None if spec is None else resolve_reranker(spec)
        self._pace = Pace()
        self._warm = False

    def __call__(
        self,
        engine: Engine,
        question: str,
        user: str,
        recalls: Recalls,
        *,
        k: int,
        seconds: float,
        readable: Readable,
        log_odds: bool,
        sessions: int,
        explain: bool,
    ) -> Recalls:
        """The best `k` of `recalls` after a second look, from `sessions` sessions if they hold so many; `log_odds`:
        their scores are such.

        Loading the model, once, is not part of the budget.

        Raises:
            RerankerError: the reranker failed.
            ModelNotFoundError, MissingExtraError: it is not to be had here.
        """
        if len(recalls) < 2:
            return recalls
        start = perf_counter()
        reranker = self._ready()
        asked = perf_counter()
        first = recalls[:CANDIDATES]
        before = _turns_before(engine, user, [recall.record for recall in first], readable)
        passages = [
            reranked_text(recall.record, previous) for recall, previous in zip(first, before, strict=True)
        ]
        left = seconds - (perf_counter() - asked)
        base = _base(recalls, log_odds)
        trust = BEHIND_LEARNED if log_odds else BEHIND_RANKS
        result = reorder(reranker, self._pace, question, passages, base, left, trust=trust)
        order = from_sessions(result.order, [recall.record.session for recall in recalls], sessions, k)
        explanation = recalls.explanation
        if explain:
            # A budget that is too small for one of them changes nothing, and must not look like agreement.
            counts = {"candidates": len(passages), "scored": len(result.scores)}
            explanation = {**(explanation or {}), "reranker": counts}
        again = Recalls((_seen_again(recalls, place, result, explain) for place in order), explanation)
        looked = recalls.timings.reranking + perf_counter() - start
        again.timings = replace(recalls.timings, reranking=looked)
        return again

    def _ready(self) -> Reranker:
        """The reranker, with its model loaded and its pace known; two threads may both see to that."""
        if self._reranker is None:
            self._reranker = resolve_reranker(None)
        if not self._warm:
            checked_scores(self._reranker, _WARM_QUESTION, [_WARM_PASSAGE])
            start = perf_counter()
            checked_scores(self._reranker, _WARM_QUESTION, [_WARM_PASSAGE] * 4)
            self._pace.learn(_WARM_QUESTION, [_WARM_PASSAGE] * 4, perf_counter() - start)
            self._warm = True
        return self._reranker


@survives_damage
def _turns_before(
    engine: Engine, user: str, records: Sequence[Record], readable: Readable
) -> list[Record | None]:
    """The record before each in its session, as far as it may be read. One query for those that are not there yet."""
    beside = engine.current().beside(user=user, ids=[record.id for record in records])
    ids = [before for before, _ in beside]
    known = {record.id: record for record in records}
    missing = list(dict.fromkeys(id_ for id_ in ids if id_ is not None and id_ not in known))
    if missing:
        with engine.store.reading() as reader:
            known |= reader.fetch(user, missing)
    found = [None if id_ is None else known.get(id_) for id_ in ids]
    return [record if record is not None and readable.admits(record) else None for record in found]


def _base(recalls: Recalls, log_odds: bool) -> NDArray[np.float64]:
    if log_odds:
        return np.array([recall.score for recall in recalls], dtype=np.float64)
    return as_log_odds(len(recalls))


def _seen_again(recalls: Recalls, place: int, result: Reordered, explain: bool) -> Recall:
    recall, score = recalls[place], float(result.log_odds[place])
    if not explain:
        return replace(recall, score=score)
    said = result.scores[place] if place < len(result.scores) else None
    seen = {"rank_before": place + 1, "score_before": recall.score, "said": said}
    return replace(recall, score=score, explanation={**(recall.explanation or {}), "reranker": seen})
