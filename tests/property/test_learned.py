"""The learned ranking against a plain oracle: who is ranked, every feature, and the order that weights make."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from native import fields
from numpy.typing import NDArray
from oracle_learned import DAY, LearnedOracle
from oracle_views import Rec, recency
from strategies import DIM, FIRST, LAST, START, TAGS, WORDS, query_vectors, vectors

import memspan
from memspan.query import Query
from memspan.ranking import FEATURES, Ranker

SPEAKERS = ("user", "assistant", "Ana", "ana maria", "Bo", None)
# Days apart, at once, and a microsecond on either side of what a hint reaches.
TIMES = (*(START + day * DAY for day in range(6)), START + 3 * DAY - 1, START - 3 * DAY - 1, FIRST, 0, LAST)

weight_rows = st.integers(0, 1 << 30).map(
    lambda seed: np.random.default_rng(seed).normal(size=len(FEATURES)).astype(np.float32).round(3)
)


@st.composite
def texts(draw: Any) -> str:
    text = " ".join(draw(st.lists(st.sampled_from((*WORDS, WORDS[0] + "?")), max_size=14)))
    return text + draw(st.sampled_from(("", "", "?", '?"', "? ")))


@st.composite
def corpora(draw: Any) -> list[Rec]:
    count = draw(st.integers(1, 24))
    sessions = st.sampled_from((None, "s1", "s1", "s1", "s2"))
    return [
        Rec(
            id=f"m{number}",
            at=draw(st.sampled_from(TIMES)),
            text=draw(texts()),
            embedding=draw(st.one_of(st.none(), vectors, vectors)),
            tags=tuple(draw(st.lists(st.sampled_from(TAGS[:3]), max_size=2, unique=True))),
            kind=draw(st.sampled_from(("episodic", "episodic", "episodic", "semantic", "vault"))),
            session=draw(sessions),
            speaker=draw(st.sampled_from(SPEAKERS)),
        )
        for number in range(count)
    ]


@st.composite
def questions(draw: Any) -> dict[str, Any]:
    views = draw(st.sampled_from(("both", "both", "both", "semantic", "lexical")))
    asked = st.lists(st.sampled_from((*WORDS, "ana", "bo", "unknown", "user")), max_size=5).map(" ".join)
    ends = st.sampled_from((None, *TIMES))
    hints = [
        (start, end)
        for start, end in draw(st.lists(st.tuples(ends, ends), max_size=2))
        if start is None or end is None or start <= end
    ]
    query: dict[str, Any] = {
        "text": None if views == "semantic" else draw(asked),
        "embedding": None if views == "lexical" else draw(query_vectors),
        "tags": draw(st.lists(st.sampled_from(TAGS[:3]), max_size=2, unique=True)),
        "hints": hints,
        "depth": draw(st.integers(1, 6)),
        "k": draw(st.integers(1, 8)),
    }
    filters: dict[str, Any] = draw(
        st.sampled_from(
            (
                {},
                {},
                {"between": [(START, START + 3 * DAY)]},
                {"kinds": ["semantic", "vault"]},
                {"require_tags": [TAGS[0]]},
                {"exclude": ["m0", "m3"]},
            )
        )
    )
    return query | filters


def native_index(corpus: list[Rec]) -> memspan.Index:
    index = memspan.Index(DIM, analyzer="simple")
    for rec in corpus:
        index.add(user="ana", **fields(rec))
    return index


def native_arguments(question: dict[str, Any], weights: NDArray[np.float32]) -> dict[str, Any]:
    query = dict(question)
    hints = query.pop("hints")
    ranker = Ranker({"always": dict(zip(FEATURES, map(float, weights), strict=True))})
    if query["embedding"] is not None:
        query["embedding"] = np.array(query["embedding"], np.float32)
    return query | {"user": "ana", "fusion": "learned", "ranking": ranker.ranking((), hints or None)}


@settings(PROFILE, max_examples=150)
@given(corpus=corpora(), question=questions(), weights=weight_rows)
def test_features_and_order(
    corpus: list[Rec], question: dict[str, Any], weights: NDArray[np.float32]
) -> None:
    index = native_index(corpus)
    arguments = native_arguments(question, weights)
    ids, rows = index.features(Query(**arguments))
    assert rows.shape == (len(ids), len(FEATURES))
    assert np.isfinite(rows).all()
    assert len(set(ids)) == len(ids)

    expected = LearnedOracle(corpus).features(**question)
    if not expected.undecidable:
        assert sorted(ids) == sorted(expected.rows)
        for id_, row in zip(ids, rows, strict=True):
            wanted = [expected.rows[id_].get(name, 0.0) for name in FEATURES]
            wrong = {
                name: (float(value), want)
                for name, value, want in zip(FEATURES, row, wanted, strict=True)
                if abs(value - want) > 2e-4 * max(1.0, abs(want))
            }
            assert not wrong, (id_, wrong)

    hits = index.search(**arguments)
    assert_order(hits, corpus, dict(zip(ids, rows @ weights, strict=True)), question)


def assert_order(hits: Any, corpus: list[Rec], scores: dict[str, float], question: dict[str, Any]) -> None:
    """Best first, equals newer first; then, for a question with an embedding, the newest of the rest."""
    newness = {rec.id: recency(rec) for rec in corpus}
    ranked = [id_ for id_ in hits.ids if id_ in scores]
    assert hits.ids[: len(ranked)] == ranked
    assert len(ranked) == min(question["k"], len(scores))
    found = dict(zip(hits.ids, hits.scores, strict=True))
    for id_ in ranked:
        assert abs(found[id_] - scores[id_]) < 1e-3
    order = [(found[id_], newness[id_]) for id_ in ranked]
    assert order == sorted(order, reverse=True)
    if ranked:
        for id_ in scores.keys() - set(ranked):
            assert scores[id_] <= found[ranked[-1]] + 1e-3
    rest = hits.ids[len(ranked) :]
    assert rest == sorted(rest, key=newness.__getitem__, reverse=True)
    assert not rest or question["embedding"] is not None


@pytest.mark.parametrize("seed", range(6))
def test_large_sessions(seed: int) -> None:
    """Sessions too long to be walked through, whose finds stand far apart."""
    rng = np.random.default_rng(seed)
    corpus = [
        Rec(
            id=f"m{number}",
            at=START + int(rng.integers(200)) * 1_000_000,
            text=" ".join(rng.choice((*WORDS, "ana?"), size=rng.integers(6))),
            session=f"s{rng.integers(1 + seed)}",
            speaker="Ana" if rng.integers(2) else "Bo",
        )
        for number in range(600)
    ]
    index = native_index(corpus)
    oracle = LearnedOracle(corpus)
    for _ in range(10):
        question = {"text": " ".join(rng.choice((*WORDS, "ana"), size=3)), "embedding": None, "tags": []}
        question |= {"hints": [], "depth": int(rng.integers(1, 8)), "k": 1}
        ids, rows = index.features(Query(**native_arguments(question, np.zeros(len(FEATURES), np.float32))))
        expected = oracle.features(**question)
        if expected.undecidable:
            continue
        assert sorted(ids) == sorted(expected.rows)
        wanted = [[expected.rows[id_].get(name, 0.0) for name in FEATURES] for id_ in ids]
        np.testing.assert_allclose(rows, wanted, atol=2e-4, rtol=2e-4)
