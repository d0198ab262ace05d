"""What the learned ranking sees in a record, from the definitions: float64, all records, no pruning, no sample."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import oracle_views as views_of
from oracle import VIEW_TOLERANCE, admits
from oracle_views import Rec, Scored, Vector, ranked, unit

K1, B = 1.2, 0.75
DAY = 24 * 3_600_000_000
REACH = 2
PROMISING = 64
LONG = 40

Hints = Sequence[tuple[int | None, int | None]]


def words(text: str) -> list[str]:
    """Tokens of lower-case ASCII words with question marks and quotes around them."""
    return text.lower().replace("?", " ").replace('"', " ").split()


@dataclass
class Learned:
    """The records that a learned ranking scores, and their features by name."""

    rows: dict[str, dict[str, float]] = field(default_factory=dict)
    undecidable: bool = False
    """Some view holds scores too close for float32 to order: who is in the pool is then open."""


class Spread:
    def __init__(self, mean: float = 0.0, deviation: float = 1.0) -> None:
        self.mean, self.deviation = mean, deviation

    def z(self, score: float) -> float:
        return (score - self.mean) / self.deviation


class LearnedOracle:
    """One user's records, and what a learned search of them looks at."""

    def __init__(self, records: Sequence[Rec]) -> None:
        self.records = records
        self.tokens = {rec.id: Counter(words(rec.text)) for rec in records}
        self.documents = sum(1 for tokens in self.tokens.values() if tokens)

    def features(
        self,
        *,
        text: str | None,
        embedding: Vector | None,
        tags: Sequence[str] = (),
        hints: Hints = (),
        depth: int,
        k: int,
        **filters: Any,
    ) -> Learned:
        admissible = [rec for rec in self.records if admits(rec, **filters)]
        found: dict[str, list[Scored]] = {}
        if embedding is not None:
            found["semantic"] = views_of.semantic(admissible, embedding)
        if text is not None:
            found["lexical"] = views_of.lexical(admissible, self.records, text, words, K1, B)
        if tags:
            found["symbolic"] = views_of.symbolic(admissible, dict.fromkeys(tags, 1.0))
        result = Learned()
        result.undecidable = any(
            views_of.undecidable(ranked(view), VIEW_TOLERANCE) for view in found.values()
        )
        lists = {name: _ranks_of(name, ranked(view)[: max(depth, k)]) for name, view in found.items()}
        near = self._near(list(lists.values()), admissible, _at_times(hints, admissible))
        evidence = self._evidence(near, admissible, text, embedding)
        tag_score = {item.rec.id: item.score for item in found.get("symbolic", [])}
        for rec in near.pool.values():
            row = self._own(rec, near, hints)
            if embedding is not None:
                row |= _ranks("cosine", rec.id, lists["semantic"]) | self._cosines(rec, near, evidence)
            if text is not None:
                row |= _ranks("bm25", rec.id, lists["lexical"]) | self._words(rec, near, evidence)
            row |= self._session(rec, near, evidence)
            row["tagged"] = tag_score[rec.id] if rec.id in lists.get("symbolic", {}) else 0.0
            result.rows[rec.id] = row
        return result

    def _near(
        self, lists: Sequence[Mapping[str, int]], admissible: Sequence[Rec], hinted: Sequence[Rec]
    ) -> Near:
        promising = {id_ for found in lists for id_, rank in found.items() if rank <= PROMISING}
        sessions: dict[str, list[str]] = {}
        for rec in sorted(self.records, key=views_of.recency):
            if rec.session is not None:
                sessions.setdefault(rec.session, []).append(rec.id)
        admitted = {rec.id: rec for rec in admissible}
        pool = {id_: admitted[id_] for found in lists for id_ in found} | {rec.id: rec for rec in hinted}
        for turns in sessions.values():
            for place, id_ in enumerate(turns):
                beside = turns[max(0, place - REACH) : place + REACH + 1]
                if id_ in admitted and promising.intersection(beside):
                    pool[id_] = admitted[id_]
        return Near(pool, sessions)

    def _weight(self, word: str) -> float:
        with_word = sum(word in tokens for tokens in self.tokens.values())
        return math.log(1 + (self.documents - with_word + 0.5) / (with_word + 0.5)) * (K1 + 1)

    def _evidence(
        self, near: Near, admissible: Sequence[Rec], text: str | None, embedding: Vector | None
    ) -> Evidence:
        evidence = Evidence()
        if embedding is not None:
            evidence.target = unit(embedding)
            cosines = {item.rec.id: item.score for item in views_of.semantic(admissible, embedding)}
            spread = Spread()
            if cosines:
                mean = math.fsum(cosines.values()) / len(cosines)
                variance = math.fsum((each - mean) ** 2 for each in cosines.values()) / len(cosines)
                spread = Spread(mean, max(0.02, math.sqrt(variance)))
            evidence.cosines, evidence.cosine_spread = cosines, spread
        if text is not None and self.documents:
            asked = words(text)
            known = {word for word in asked if any(word in tokens for tokens in self.tokens.values())}
            evidence.weights = {word: self._weight(word) for word in known}
            unknown = (len(asked) - len(known)) * 0.5 * math.log(1 + (self.documents + 0.5) / 0.5) * (K1 + 1)
            evidence.all_words = math.fsum(evidence.weights.values()) + unknown
            mean = variance = 0.0
            for word, weight in evidence.weights.items():
                share = sum(word in tokens for tokens in self.tokens.values()) / self.documents
                usual = weight / (K1 + 1)
                mean += share * usual
                variance += share * (1 - share) * usual**2
            evidence.bm25_spread = Spread(mean, max(0.05, math.sqrt(variance)))
            evidence.bm25 = {
                item.rec.id: item.score
                for item in views_of.lexical(near.pool.values(), self.records, text, words, K1, B)
            }
            evidence.named = {
                rec.id
                for rec in near.pool.values()
                if any(len(word) >= 3 and word in asked for word in words(rec.speaker or ""))
            }
        return evidence

    def _own(self, rec: Rec, near: Near, hints: Hints) -> dict[str, float]:
        before = near.beside(rec, -1)
        tokens = self.tokens[rec.id].total()
        return {
            "from_user": {"user": 1.0, "assistant": -1.0}.get(rec.speaker or "", 0.0),
            "asks": float(asks(rec.text)),
            "has_question": float("?" in rec.text),
            "after_question": float(before is not None and asks(before.text)),
            "length": math.log1p(min(tokens, LONG)),
            "short_text": float(tokens < 12),
            "hinted": max((hinted(rec.at, start, end) for start, end in hints), default=0.0),
        }

    def _cosines(self, rec: Rec, near: Near, evidence: Evidence) -> dict[str, float]:
        def z(distance: int) -> float:
            other = near.beside(rec, distance)
            return 0.0 if other is None else evidence.cosine_z(other)

        def together(first: Rec | None, second: Rec | None) -> float:
            if first is None or second is None:
                return evidence.cosine_z(rec)
            if first.embedding is None or second.embedding is None:
                return 0.0
            pair = zip(unit(first.embedding), unit(second.embedding), strict=True)
            both = unit([x + y for x, y in pair])
            return evidence.cosine_spread.z(sum(x * y for x, y in zip(both, evidence.target, strict=True)))

        return {
            "cosine": evidence.cosines.get(rec.id, 0.0),
            "cosine_z": evidence.cosine_z(rec),
            "before_cosine": z(-1),
            "after_cosine": z(1),
            "near_cosine": (z(-2) + z(2)) / 2,
            "with_before": together(near.beside(rec, -1), rec),
            "with_after": together(rec, near.beside(rec, 1)),
        }

    def _words(self, rec: Rec, near: Near, evidence: Evidence) -> dict[str, float]:
        def z(distance: int) -> float:
            other = near.beside(rec, distance)
            return 0.0 if other is None else evidence.bm25_z(other)

        score = (evidence.bm25 or {}).get(rec.id, 0.0)
        return {
            "bm25_z": evidence.bm25_z(rec),
            "bm25_share": score / evidence.all_words if evidence.all_words else 0.0,
            "coverage": evidence.share(set(self.tokens[rec.id])),
            "before_bm25": z(-1),
            "after_bm25": z(1),
            "near_bm25": (z(-2) + z(2)) / 2,
            "named": float(rec.id in evidence.named),
            "other_named": float(bool(evidence.named) and rec.id not in evidence.named),
        }

    def _session(self, rec: Rec, near: Near, evidence: Evidence) -> dict[str, float]:
        turns = near.in_session(rec)
        cosines = sorted((evidence.cosine_z(turn) for turn in turns), reverse=True)[:3]
        bm25s = sorted((evidence.bm25_z(turn) for turn in turns), reverse=True)[:3]
        held = {word for turn in turns for word in self.tokens[turn.id]}
        return {
            "session_cosine": cosines[0],
            "session_cosines": math.fsum(cosines) / len(cosines),
            "session_bm25": bm25s[0],
            "session_bm25s": math.fsum(bm25s) / len(bm25s),
            "session_coverage": evidence.share(held),
        }


@dataclass
class Near:
    """What the views found and what stands beside it, with the turns of every session in order."""

    pool: dict[str, Rec]
    sessions: Mapping[str, list[str]]

    def beside(self, rec: Rec, distance: int) -> Rec | None:
        if rec.session is None:
            return None
        turns = self.sessions[rec.session]
        place = turns.index(rec.id) + distance
        return self.pool.get(turns[place]) if 0 <= place < len(turns) else None

    def in_session(self, rec: Rec) -> list[Rec]:
        if rec.session is None:
            return [rec]
        return [self.pool[id_] for id_ in self.sessions[rec.session] if id_ in self.pool]


@dataclass
class Evidence:
    target: Vector = ()
    cosines: Mapping[str, float] = field(default_factory=dict)
    cosine_spread: Spread = field(default_factory=Spread)
    bm25: Mapping[str, float] | None = None
    """By id, of records with a word of the question; `None`: there are no words to look for."""
    bm25_spread: Spread = field(default_factory=Spread)
    weights: Mapping[str, float] = field(default_factory=dict)
    all_words: float = 0.0
    named: set[str] = field(default_factory=set)

    def cosine_z(self, rec: Rec) -> float:
        return self.cosine_spread.z(self.cosines[rec.id]) if rec.id in self.cosines else 0.0

    def bm25_z(self, rec: Rec) -> float:
        return 0.0 if self.bm25 is None else self.bm25_spread.z(self.bm25.get(rec.id, 0.0))

    def share(self, held: set[str]) -> float:
        if not self.all_words:
            return 0.0
        return math.fsum(weight for word, weight in self.weights.items() if word in held) / self.all_words


def asks(text: str) -> bool:
    return text.rstrip(" \t\r\n\"')").endswith("?")


def _at_times(hints: Hints, admissible: Sequence[Rec]) -> list[Rec]:
    """What lies at these times, if not everything does: of fewer than 32 all."""
    there = [rec for rec in admissible if any(hinted(rec.at, start, end) == 1.0 for start, end in hints)]
    return [] if len(there) == len(admissible) else there


def hinted(at: int, start: int | None, end: int | None) -> float:
    if (start is None or start <= at) and (end is None or at < end):
        return 1.0
    soon = start is not None and at < start and start - at <= 3 * DAY
    late = end is not None and at >= end and at - end < 3 * DAY
    return 0.5 if soon or late else 0.0


def _ranks_of(view: str, found: Sequence[Scored]) -> dict[str, int]:
    """By id, from 1, best first. Equal records share a rank, but for those that only time puts in order."""
    ranks: dict[str, int] = {}
    rank = 0
    for place, item in enumerate(found):
        if place == 0 or view == "symbolic" or item.signature != found[place - 1].signature:
            rank = place + 1
        ranks[item.rec.id] = rank
    return ranks


def _ranks(name: str, id_: str, found: Mapping[str, int]) -> dict[str, float]:
    rank = found.get(id_, 1 + len(found) + len(found) // 2)
    return {f"{name}_rank": -math.log(rank), f"{name}_top": 4 / (rank + 3)}
