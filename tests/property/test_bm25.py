"""BM25 with real text: the analyser's own tokens, counted and scored by the oracle, for both analysers."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from oracle import Oracle
from oracle_views import Rec
from ranking import assert_same_ranking

import memspan
from memspan import _core

PIECES = """
    running runs Ran the and camping campsite's Zürich zurich naïve gpt-4.1-mini ana@example.org 東京タワー
    東京 🎉 2023 3.14 don't isn’t U.S. well-being ß STRASSE Ελλάδα привет 👩‍👩‍👧 C++ #tag _under_score_
    https://a.org/b?c=d
"""
texts = st.lists(st.sampled_from(PIECES.split()), max_size=8).map(" ".join)


@pytest.mark.parametrize("analyzer", ["english", "simple"])
@settings(PROFILE, max_examples=150)
@given(
    corpus=st.lists(texts, min_size=1, max_size=8),
    query=texts,
    k1=st.sampled_from((0.0, 1.2, 2.0)),
    b=st.sampled_from((0.0, 0.75, 1.0)),
)
def test_bm25_of_the_analyzers_tokens(
    analyzer: str, corpus: list[str], query: str, k1: float, b: float
) -> None:
    index = memspan.Index(4, analyzer=analyzer, k1=k1, b=b)
    oracle = Oracle(partial(_core.analyze, analyzer=analyzer), k1, b)
    for number, text in enumerate(corpus):
        index.add(user="ana", id=f"m{number}", at=number, text=text)
        oracle.add("ana", Rec(id=f"m{number}", at=number, text=text))
    hits = index.search(user="ana", text=query, views=["lexical"])
    assert_same_ranking(hits, oracle.search(user="ana", text=query, views=["lexical"]), 10)


def test_statistics_forget_what_was_removed() -> None:
    """After upserts and removals the scores are those of an index that never held the old texts."""
    used, fresh = memspan.Index(4), memspan.Index(4)
    for turn in range(5):
        for number in range(30):
            used.add(
                user="ana", id=f"m{number}", at=number, text=f"old words of turn {turn} about rivers " * turn
            )
    used.remove(user="ana", ids=[f"m{number}" for number in range(20, 30)])
    for number in range(20):
        text = f"kite number {number} over the river" + " again" * (number % 4)
        used.add(user="ana", id=f"m{number}", at=number, text=text)
        fresh.add(user="ana", id=f"m{number}", at=number, text=text)
    found, expected = (index.search(user="ana", text="kites again", k=50) for index in (used, fresh))
    assert found.ids == expected.ids
    assert found.scores.tobytes() == expected.scores.tobytes()
    assert len(used.search(user="ana", text="turn", k=50)) == 0


def test_vault_counts_in_the_statistics_but_is_not_returned() -> None:
    index = memspan.Index(4, analyzer="simple")
    index.add(user="ana", id="open", at=0, text="kite lamp")
    alone = index.search(user="ana", text="kite")[0].views["lexical"][1]
    index.add(user="ana", id="hidden", at=1, text="kite", kind="vault")
    hits = index.search(user="ana", text="kite")
    assert hits.ids == ["open"]
    assert hits[0].views["lexical"][1] != alone
    assert index.search(user="ana", text="kite", kinds=["vault"]).ids == ["hidden"]
