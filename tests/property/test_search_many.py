"""`search_many` is `search`, many times: same answers in the same order, whatever the number of threads."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from native import arguments, fields
from oracle_views import Rec
from ranking import assert_same_bits
from strategies import DIM, queries, records, users

import memspan


@settings(PROFILE, max_examples=60)
@given(
    contents=st.lists(st.tuples(users, records()), max_size=20),
    asked=st.lists(st.tuples(users, queries()), max_size=8),
    threads=st.integers(0, 4),
)
def test_search_many_is_search(
    contents: list[tuple[str, Rec]], asked: list[tuple[str, dict[str, Any]]], threads: int
) -> None:
    index = memspan.Index(DIM, analyzer="simple")
    for user, rec in contents:
        index.add(user=user, **fields(rec))
    calls = [{"user": user, **arguments(query)} for user, query in asked]
    answers = index.search_many([memspan.Query(**call) for call in calls], threads=threads)
    assert len(answers) == len(calls)
    for call, answer in zip(calls, answers, strict=True):
        assert_same_bits(answer, index.search(**call))


def test_one_bad_query_fails_the_call() -> None:
    index = memspan.Index(DIM)
    index.add(user="ana", id="m1", at=0, text="kite")
    with pytest.raises(memspan.InvalidArgumentError):
        index.search_many(
            [memspan.Query(user="ana", text="kite"), memspan.Query(user="ana", text="kite", k=0)]
        )
