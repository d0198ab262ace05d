"""Which of the scored records come back, from the definition: each is compared with all chosen, in float64."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from oracle_learned import words
from oracle_views import Rec, recency, unit

from memspan.ranking import Selection

SAME_COSINE = 0.9999
REACH_IN_TIME = 0.1


@dataclass
class Selected:
    ids: list[str] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    left_out: set[str] = field(default_factory=set)
    """Repetitions that a better record stood in front of and that did not come."""
    undecidable: bool = False
    """Some choice was between scores too close for float32, or some cosine too close to .9999."""


class SelectionOracle:
    def __init__(self, records: Sequence[Rec], scores: Mapping[str, float]) -> None:
        self.pool = {rec.id: rec for rec in records if rec.id in scores}
        self.scores = scores
        newest = sorted(self.pool, key=lambda id_: recency(self.pool[id_]), reverse=True)
        self.places = {id_: place for place, id_ in enumerate(newest)}

    def select(self, wanted: Selection, k: int) -> Selected:
        result = Selected()
        count = min(k, len(self.pool))
        sessions = {rec.session for rec in self.pool.values()}
        to_cover = min(wanted.sessions, len(sessions), count) if wanted.sessions > 1 else 0
        left = set(self.pool)
        repeats: dict[str, float] = {}
        chosen: dict[str, float] = {}
        while len(chosen) < count and left:
            values = {id_: self._value(id_, chosen, wanted) for id_ in left}
            covered = {self.pool[id_].session for id_ in chosen}
            allowed = left
            missing = to_cover - len(covered)
            if missing > 0 and missing >= count - len(chosen):
                allowed = {id_ for id_ in left if self.pool[id_].session not in covered}
                if not allowed:
                    to_cover = 0
                    continue
            order = sorted(allowed, key=lambda id_: (values[id_], recency(self.pool[id_])), reverse=True)
            penalised = wanted.diversity > 0 or wanted.spread > 0
            if penalised and len(order) > 1 and abs(values[order[0]] - values[order[1]]) < 1e-4:
                result.undecidable = True
            best = order[0]
            left.remove(best)
            if wanted.distinct and any(self._repeats(best, other, result) for other in chosen):
                repeats[best] = values[best]
            else:
                chosen[best] = values[best]
        back = sorted(repeats, key=lambda id_: (repeats[id_], recency(self.pool[id_])), reverse=True)
        chosen |= {id_: repeats[id_] for id_ in back[: count - len(chosen)]}
        result.left_out = set(repeats) - set(chosen)
        result.ids = sorted(chosen, key=lambda id_: (chosen[id_], recency(self.pool[id_])), reverse=True)
        result.scores = [chosen[id_] for id_ in result.ids]
        return result

    def _value(self, id_: str, chosen: Mapping[str, float], wanted: Selection) -> float:
        alike = max((wanted.diversity * self._cosine(id_, other) for other in chosen), default=0.0)
        reach = max(1.0, REACH_IN_TIME * len(self.pool))
        apart = [abs(self.places[id_] - self.places[other]) for other in chosen]
        beside = max((wanted.spread * (1 - steps / reach) for steps in apart), default=0.0)
        return self.scores[id_] - max(0.0, alike) - max(0.0, beside)

    def _cosine(self, one: str, other: str) -> float:
        first, second = self.pool[one].embedding, self.pool[other].embedding
        if first is None or second is None:
            return 0.0
        return sum(x * y for x, y in zip(unit(first), unit(second), strict=True))

    def _repeats(self, one: str, other: str, result: Selected) -> bool:
        first, second = self.pool[one], self.pool[other]
        if first.speaker != second.speaker or len(words(first.text)) != len(words(second.text)):
            return False
        cosine = self._cosine(one, other)
        result.undecidable |= abs(cosine - SAME_COSINE) < 1e-6
        return cosine >= SAME_COSINE
