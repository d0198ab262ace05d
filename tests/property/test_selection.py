"""Which of the scored records come back, against a plain oracle: repetitions, sessions, likeness and time."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from oracle_learned import DAY
from oracle_selection import SelectionOracle
from oracle_views import Rec, recency
from strategies import START, query_vectors, vectors
from test_learned import native_index, weight_rows

from memspan.query import Query
from memspan.ranking import FEATURES, Ranker, Selection

TEXTS = ("a boat", "Boat a?", "a red boat", "red boat", "boat boat a", "")


@st.composite
def corpora(draw: Any) -> list[Rec]:
    """Few texts, vectors and sessions, so that much is said twice."""
    rows = draw(st.lists(vectors, min_size=1, max_size=4))
    turned = [tuple(x + 0.01 * y for x, y in zip(rows[0], row, strict=True)) for row in rows]
    return [
        Rec(
            id=f"m{number}",
            at=START + draw(st.integers(0, 12)) * DAY,
            text=draw(st.sampled_from(TEXTS)),
            embedding=draw(st.sampled_from((None, *rows, *turned))),
            session=draw(st.sampled_from((None, "s1", "s2", "s3", "s4"))),
            speaker=draw(st.sampled_from(("Ana", "Ana", "Bo", None))),
        )
        for number in range(draw(st.integers(1, 24)))
    ]


amounts = st.one_of(
    st.just(0.0), st.just(0.0), st.floats(0.0, 3.0, width=32), st.sampled_from((1e-30, 1000.0))
)
selections = st.builds(
    Selection, distinct=st.booleans(), sessions=st.integers(1, 7), diversity=amounts, spread=amounts
)


@settings(PROFILE, max_examples=150)
@given(corpus=corpora(), vector=query_vectors, weights=weight_rows, wanted=selections, k=st.integers(1, 26))
def test_selection(corpus: list[Rec], vector: Any, weights: Any, wanted: Selection, k: int) -> None:
    index = native_index(corpus)
    ranker = Ranker({"always": dict(zip(FEATURES, map(float, weights), strict=True))})
    query = {
        "user": "ana",
        "text": "red boat",
        "embedding": np.array(vector, np.float32),
        "fusion": "learned",
        "depth": 50,
    }
    ids, _ = index.features(Query(**query, ranking=ranker.ranking()))
    plain = index.search(**query, ranking=ranker.ranking(), k=50)
    scores = {hit.id: hit.score for hit in plain if hit.id in set(ids)}
    expected = SelectionOracle(corpus, scores).select(wanted, k)

    hits = index.search(**query, ranking=ranker.ranking(selection=wanted), k=k, explain=True)
    assert len(hits) == min(k, len(corpus))
    found = [hit for hit in hits if hit.id in scores]
    assert hits.ids[: len(found)] == [hit.id for hit in found]
    assert len(found) == min(k, len(scores))
    newness = {rec.id: recency(rec) for rec in corpus}
    order = [(hit.score, newness[hit.id]) for hit in found]
    assert order == sorted(order, reverse=True)
    rank_of = {id_: place + 1 for place, id_ in enumerate(id_ for id_ in plain.ids if id_ in scores)}
    for hit in found:
        told = (hit.explanation or {}).get("selection")
        assert (told is None) == (wanted == Selection())
        if told is not None:
            assert told["rank"] == rank_of[hit.id]
            left = scores[hit.id] - told["alike"] - told["beside"]
            assert abs(left - hit.score) <= 1e-4 * max(1.0, abs(left))
    if expected.undecidable:
        return
    assert [hit.id for hit in found] == expected.ids
    np.testing.assert_allclose([hit.score for hit in found], expected.scores, rtol=1e-3, atol=2e-3)
    assert hits.explanation is not None
    assert {id_ for id_, _ in hits.explanation["repeats"]} == expected.left_out
