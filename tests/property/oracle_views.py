"""What each view thinks of the admissible records: float64, no pruning, every record looked at.

A scored record carries a `signature`. Two records with equal signatures have equal scores *by construction*
(same embedding, same term statistics): any implementation must tie them. Scores that merely come close may
differ in the last bits.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Vector = tuple[float, ...]
Tokeniser = Callable[[str], list[str]]


@dataclass(frozen=True)
class Rec:
    """One record as the oracle keeps it; times are integer microseconds."""

    id: str
    at: int
    text: str = ""
    embedding: Vector | None = None
    tags: tuple[str, ...] = ()
    kind: str = "episodic"
    until: int | None = None
    recorded_at: int | None = None
    session: str | None = None
    speaker: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    retired_at: int | None = None
    expires_at: int | None = None


@dataclass(frozen=True)
class Scored:
    rec: Rec
    score: float
    signature: object


def words(text: str) -> list[str]:
    """Tokens of plain ASCII words, on which every analyser that does not stem must agree."""
    return text.lower().split()


def unit(vector: Sequence[float]) -> Vector:
    length = math.sqrt(math.fsum(x * x for x in vector))
    return tuple(x / length for x in vector)


def semantic(records: Iterable[Rec], query: Sequence[float]) -> list[Scored]:
    target = unit(query)
    scored = []
    for rec in records:
        if rec.embedding is not None:
            direction = unit(rec.embedding)
            cosine = math.fsum(x * y for x, y in zip(direction, target, strict=True))
            scored.append(Scored(rec, cosine, tuple(round(x, 9) for x in direction)))
    return scored


def lexical(
    records: Iterable[Rec], corpus: Iterable[Rec], query: str, tokenise: Tokeniser, k1: float, b: float
) -> list[Scored]:
    """BM25 of `records`, with the statistics of a `corpus` of the user's."""
    counted = {rec.id: Counter(tokenise(rec.text)) for rec in corpus}
    counted = {key: terms for key, terms in counted.items() if terms}
    total = len(counted)
    if not total:
        return []
    average = sum(terms.total() for terms in counted.values()) / total
    asked = sorted(set(tokenise(query)))
    frequency = {term: sum(term in terms for terms in counted.values()) for term in asked}
    scored = []
    for rec in records:
        terms = counted.get(rec.id, Counter())
        length = terms.total()
        score, parts = 0.0, []
        for term in asked:
            tf, df = terms[term], frequency[term]
            if tf:
                idf = math.log(1 + (total - df + 0.5) / (df + 0.5))
                score += idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average))
                parts.append((df, tf))
        if parts:
            # Adding two numbers commutes exactly; three or more may round differently in another order.
            shape = tuple(sorted(parts)) if len(parts) <= 2 else (tuple(parts), rec.text)
            scored.append(Scored(rec, score, (length, shape)))
    return scored


def symbolic(records: Iterable[Rec], weights: Mapping[str, float]) -> list[Scored]:
    """The sum of the weights of the tags that a record carries; records that carry none are left out."""
    scored = []
    for rec in records:
        score = sum(weights.get(tag, 0.0) for tag in rec.tags)
        if score > 0:
            scored.append(Scored(rec, score, score))
    return scored


def recency(rec: Rec) -> tuple[int, int, str]:
    """Greater is newer; of one time the longer id, of equal length the greater."""
    return rec.at, len(rec.id.encode()), rec.id


def ranked(scored: Iterable[Scored]) -> list[Scored]:
    """Best first; ties by recency."""
    return sorted(scored, key=lambda item: (item.score, recency(item.rec)), reverse=True)


def undecidable(scored: Sequence[Scored], tolerance: float) -> bool:
    """Whether float32 arithmetic could put two of these in either order."""
    for left, right in itertools.pairwise(scored):
        close = abs(left.score - right.score) <= tolerance * max(1.0, abs(left.score))
        if close and left.signature != right.signature:
            return True
    return False
