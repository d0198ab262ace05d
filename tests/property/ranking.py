"""Comparing a native answer with the oracle's: as strict as float32 allows, and no stricter."""

from __future__ import annotations

from typing import Any

from oracle import Answer
from oracle_fusion import Expected
from oracle_views import recency

VIEW_SCORE_TOLERANCE = 1e-4


def tied_by_construction(left: Expected, right: Expected) -> bool:
    """Whether every correct implementation computes the very same score for both."""
    if left.boost != right.boost or not (left.boost_is_exact and right.boost_is_exact):
        return False
    if left.parts == right.parts:
        return True
    used = sorted(part for part in left.parts if part), sorted(part for part in right.parts if part)
    return used[0] == used[1] and len(used[0]) <= 2


def may_precede(left: Expected, right: Expected, tolerance: float) -> bool:
    if left.filler != right.filler:
        return right.filler
    if tied_by_construction(left, right):
        return recency(left.rec) > recency(right.rec)
    return left.score >= right.score - tolerance


def assert_same_ranking(hits: Any, answer: Answer, k: int) -> None:
    """Require that `hits` is the top `k` of the oracle's ranking.

    Clearly different scores must come in their order, and equal ones newer first, then by id; only scores
    that float32 cannot tell apart may swap. Where a view itself was undecidable, the ranks after it are too,
    and only the filters are checked.
    """
    known = {row.rec.id: row for row in answer.ranking}
    ids = list(hits.ids)
    assert len(set(ids)) == len(ids), f"returned twice: {ids}"
    assert set(ids) <= answer.admissible, f"not admissible: {set(ids) - answer.admissible}"
    assert [hit.id for hit in hits] == ids
    if answer.undecidable:
        return
    assert set(ids) <= set(known), f"found by no view: {set(ids) - set(known)}"
    assert len(ids) == min(k, len(known)), f"{len(ids)} of {min(k, len(known))} records came back: {ids}"
    assert [int(at) for at in hits.ats] == [known[key].rec.at for key in ids]
    tolerance = answer.tolerance
    for key, score in zip(ids, hits.scores, strict=True):
        assert abs(float(score) - known[key].score) <= max(tolerance, 1e-6), (key, float(score), known[key])
    for place, key in enumerate(ids):
        for later in ids[place + 1 :]:
            assert may_precede(known[key], known[later], tolerance), wrong_order(key, later, ids, answer)
        for absent in known.keys() - set(ids):
            assert may_precede(known[key], known[absent], tolerance), wrong_order(key, absent, ids, answer)
    assert_same_views(hits, answer)


def assert_same_views(hits: Any, answer: Answer) -> None:
    """Require the rank and the score that each hit reports per view."""
    if any(item.signature is None for found in answer.views.values() for item in found):
        return  # a plain listing: nothing was scored
    for hit in hits:
        expected = {
            view: (rank, item.score)
            for view, found in answer.views.items()
            for rank, item in enumerate(found, 1)
            if item.rec.id == hit.id
        }
        assert set(hit.views) == set(expected), (hit.id, hit.views, expected)
        for view, (rank, score) in expected.items():
            got_rank, got_score = hit.views[view]
            assert got_rank == rank, (hit.id, view, hit.views, expected)
            allowed = VIEW_SCORE_TOLERANCE * max(1.0, abs(score))
            assert abs(got_score - score) <= allowed, (hit.id, view, got_score, score)


def assert_same_bits(left: Any, right: Any) -> None:
    """Require two answers to be the same in every bit."""
    assert left.ids == right.ids
    assert left.scores.tobytes() == right.scores.tobytes()
    assert left.ats.tobytes() == right.ats.tobytes()
    assert [dict(hit.views) for hit in left] == [dict(hit.views) for hit in right]


def wrong_order(first: str, second: str, ids: list[str], answer: Answer) -> str:
    lines = [f"  {row.rec.id} at={row.rec.at} score={row.score:.9f} {row}" for row in answer.ranking]
    return f"{first} came before {second} in {ids}; expected:\n" + "\n".join(lines)
