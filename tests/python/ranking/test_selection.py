"""What a plan makes of a ranking: scaled weights, and which of the scored records come back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import memspan
from memspan import errors
from memspan.ranking import FEATURES, Ranker, Selection, default_ranker
from memspan.ranking.groups import NEIGHBOURS, OF_NO_VIEW, OF_VIEW, scales_of
from memspan.ranking.planned import SPREAD, ranking_for, selection_for
from memspan.recall import Plan, ViewWeights


def test_every_feature_is_of_one_view_or_of_none() -> None:
    grouped = [name for names in OF_VIEW.values() for name in names] + list(OF_NO_VIEW)
    assert sorted(grouped) == sorted(FEATURES)
    assert set(NEIGHBOURS) < set(FEATURES)
    assert set(OF_VIEW) == {"semantic", "lexical", "symbolic"}


def test_what_is_learned_stays_as_it_is_by_default() -> None:
    assert scales_of() is None
    plan = Plan(question="boat")
    assert (plan.weights, plan.smoothing) == (ViewWeights(), 1.0)


@pytest.mark.parametrize("view", list(OF_VIEW))
def test_a_view_can_count_more_or_nothing(view: str) -> None:
    for scale in (0.0, 2.5):
        scales = scales_of(**{view: scale})  # type: ignore[arg-type]
        assert scales is not None
        expected = [scale if name in OF_VIEW[view] else 1.0 for name in FEATURES]
        np.testing.assert_array_equal(scales, np.array(expected, np.float32))


def test_neighbours_count_apart_from_their_view() -> None:
    scales = scales_of(lexical=3.0, neighbours=0.5)
    assert scales is not None
    of = dict(zip(FEATURES, scales.tolist(), strict=True))
    assert (of["bm25_z"], of["before_bm25"], of["before_cosine"], of["cosine"]) == (3.0, 1.5, 0.5, 1.0)


def scores(plan: Plan) -> dict[str, float]:
    index = memspan.Index(2)
    index.add(user="ana", id="words", at=0, text="a boat", embedding=[0, 1])
    index.add(user="ana", id="meaning", at=1, text="a ship", embedding=[1, 0])
    ranker = Ranker({"always": {"cosine": 1.0, "bm25_share": 1.0}, "when": {"cosine": 1.0}})
    hits = index.search(
        user="ana",
        text="boat",
        embedding=[1, 0],
        fusion="learned",
        ranking=ranking_for(plan, ranker, ("when",), 2),
    )
    return {hit.id: round(hit.score, 3) for hit in hits}


def test_a_view_without_weight_adds_nothing_and_still_finds() -> None:
    plan = Plan(question="boat")
    usual = scores(plan)
    assert usual["meaning"] == 2.0  # what a condition adds is scaled with the rest
    assert usual["words"] > 0.0
    assert scores(replace(plan, weights=ViewWeights(semantic=0.0))) == usual | {"meaning": 0.0}
    assert scores(replace(plan, weights=ViewWeights(lexical=0.0))) == usual | {"words": 0.0}
    assert scores(replace(plan, weights=ViewWeights(semantic=0.5))) == usual | {"meaning": 1.0}


@pytest.mark.parametrize(
    ("sessions", "planned", "k", "expected"),
    [(8, 30, 30, 8), (8, 30, 50, 8), (8, 30, 10, 3), (8, 30, 1, 1), (1, 10, 1000, 1), (1000, 1, 1, 1000)],
)
def test_fewer_hits_cover_fewer_sessions(sessions: int, planned: int, k: int, expected: int) -> None:
    assert selection_for(Plan(question="?", k=planned, sessions=sessions), k).sessions == expected


def test_a_plan_says_what_comes_back() -> None:
    plan = Plan(question="?", spread=True, distinct=False, diversity=2.0, sessions=3, k=6)
    assert selection_for(plan, 6) == Selection(sessions=3, diversity=2.0, spread=SPREAD)
    assert selection_for(Plan(question="?"), 10) == Selection(distinct=True)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("distinct", 1),
        ("sessions", 0),
        ("sessions", True),
        ("sessions", 10**9),
        ("diversity", -1),
        ("diversity", 1001),
        ("diversity", float("nan")),
        ("spread", "far"),
        ("spread", float("inf")),
    ],
)
def test_bad_fields_are_refused_by_name(field: str, value: Any) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=f"^{field}"):
        Selection(**{field: value})


def test_scales_beyond_what_the_core_takes_are_refused() -> None:
    huge = Ranker({"always": {"cosine": 1e4}, "when": {"cosine": 1e4}})
    plan = Plan(question="boat", weights=ViewWeights(semantic=100.0))
    index = memspan.Index(2)
    with pytest.raises(errors.InvalidArgumentError, match=r"ranking\[cosine\]"):
        index.search(user="ana", text="b", fusion="learned", ranking=ranking_for(plan, huge, ("when",), 1))


def test_the_best_come_without_a_selection() -> None:
    index = memspan.Index(2)
    for number in range(6):
        index.add(
            user="ana", id=f"m{number}", at=number, text="a boat", session=f"s{number // 3}", embedding=[1, 0]
        )

    def found(**wanted: Any) -> list[str]:
        ranking = default_ranker().ranking(selection=Selection(**wanted))
        query = {"user": "ana", "text": "boat", "embedding": [1, 0], "fusion": "learned", "k": 2}
        return list(index.search(**query, ranking=ranking).ids)

    usual = list(index.search(user="ana", text="boat", embedding=[1, 0], fusion="learned", k=2).ids)
    assert found() == usual
    assert len({int(id_[1]) // 3 for id_ in found(sessions=2)}) == 2
    assert len(found(distinct=True)) == 2  # all say the same: they come back
