"""How the oracle makes one ranking of several views, and lets hits lift their neighbours."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from oracle_views import Rec, Scored, recency

RRF_OFFSET = 60
VIEWS = ("semantic", "lexical", "symbolic")


@dataclass(frozen=True)
class Expected:
    """One row of the full expected ranking. `parts` are the views' contributions, in the order of `VIEWS`."""

    rec: Rec
    parts: tuple[float, ...] = (0.0, 0.0, 0.0)
    boost: float = 0.0
    boost_is_exact: bool = True
    filler: bool = False

    @property
    def score(self) -> float:
        return sum(self.parts) + self.boost


def unfused(lists: Mapping[str, list[Scored]]) -> list[Expected]:
    """One view alone is not fused: its own scores say more."""
    return [
        Expected(item.rec, tuple(item.score if view == name else 0.0 for name in VIEWS))
        for view, found in lists.items()
        for item in found
    ]


def fuse(lists: Mapping[str, list[Scored]], fusion: str, weights: Mapping[str, float]) -> list[Expected]:
    parts: dict[str, dict[str, float]] = {}
    ranks: dict[str, list[int]] = {}
    recs: dict[str, Rec] = {}
    for view, found in lists.items():
        values = [item.score for item in found]
        low, high = min(values, default=0.0), max(values, default=0.0)
        for rank, item in enumerate(found, 1):
            recs[item.rec.id] = item.rec
            ranks.setdefault(item.rec.id, []).append(rank)
            if fusion == "weighted":
                share = 1.0 if high == low else (item.score - low) / (high - low)
            else:
                share = 1.0 / (RRF_OFFSET + rank)
            parts.setdefault(item.rec.id, {})[view] = weights[view] * share
    if fusion == "union":
        return [Expected(rec, (1.0 / min(ranks[key]), 0.0, 0.0)) for key, rec in recs.items()]
    return [Expected(rec, tuple(parts[key].get(view, 0.0) for view in VIEWS)) for key, rec in recs.items()]


def score_error(found: list[Scored]) -> float:
    """How far float32 arithmetic may move the scores of a view."""
    return 4e-6 * max([1.0, *(abs(item.score) for item in found)])


def weighting_error(found: list[Scored]) -> float:
    """How far a float32 score may move once it is divided by the range of the scores."""
    values = [item.score for item in found] or [0.0]
    spread_of = max(values) - min(values)
    return 1e-6 + (score_error(found) / spread_of if spread_of else 0.0)


def spread(rows: list[Expected], admissible: list[Rec], records: list[Rec], reach: int) -> list[Expected]:
    """Boost each row's admissible neighbours in its session: half of its score, halved again with each step.

    The session's time order runs over all of its records that are believed, whether a filter admits them or not. Only
    the largest boost counts.
    """
    own = {row.rec.id: row for row in rows}
    gifts: dict[str, list[tuple[float, bool]]] = {}
    for row in rows:
        if row.rec.session is None or row.rec.retired_at is not None:
            continue
        order = sorted(
            (rec for rec in records if rec.session == row.rec.session and rec.retired_at is None),
            key=recency,
        )
        place = [rec.id for rec in order].index(row.rec.id)
        exact = sum(part != 0 for part in row.parts) <= 2
        for other, rec in enumerate(order):
            distance = abs(other - place)
            if 0 < distance <= reach and row.score > 0:
                gifts.setdefault(rec.id, []).append((0.5**distance * row.score, exact))
    result = []
    for rec in admissible:
        received = gifts.get(rec.id, [])
        if rec.id in own or received:
            base = own.get(rec.id, Expected(rec))
            boost = max((gift for gift, _ in received), default=0.0)
            result.append(Expected(rec, base.parts, boost, all(exact for _, exact in received)))
    return result
