"""`where` filters of many shapes over many shapes of metadata, against the rules spelled out in Python."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from oracle_where import matches
from strategies import metadata, wheres

import memspan


@settings(PROFILE, max_examples=400)
@given(documents=st.lists(metadata, min_size=1, max_size=6), where=wheres)
def test_where_admits_what_the_rules_admit(documents: list[dict[str, Any]], where: dict[str, Any]) -> None:
    index = memspan.Index(4)
    for number, document in enumerate(documents):
        index.add(user="ana", id=f"m{number}", at=-number, metadata=document)
    found = index.search(user="ana", where=where, k=10)
    assert found.ids == [
        f"m{number}" for number, document in enumerate(documents) if matches(document, where)
    ]


NESTED = {"trip": {"city": "Oslo", "days": 3, "tags": ["fjord", 1, True, None]}, "price": 10, "seen": None}


@pytest.mark.parametrize(
    ("where", "admitted"),
    [
        ({}, True),
        ({"trip.city": "Oslo"}, True),
        ({"trip.city": "oslo"}, False),
        ({"trip.city.name": "Oslo"}, False),
        ({"trip.days": 3.0}, True),
        ({"trip.days": {"$gt": 2, "$lte": 3}}, True),
        ({"trip.days": {"$gt": "2"}}, False),
        ({"trip.days": {"$in": [1, 3]}}, True),
        ({"trip.days": {"$in": []}}, False),
        ({"trip.days": {"$nin": []}}, True),
        ({"trip.tags": {"$contains": 1}}, True),
        ({"trip.tags": {"$contains": "1"}}, False),
        ({"trip.tags": {"$contains": None}}, True),
        ({"trip.tags": ["fjord", 1.0, True, None]}, True),
        ({"trip.tags": ["fjord", 1, 1, None]}, False),
        ({"trip.city": {"$contains": "sl"}}, True),
        ({"trip.city": {"$contains": ""}}, True),
        ({"price": {"$contains": 1}}, False),
        ({"seen": None}, True),
        ({"seen": {"$exists": True}}, True),
        ({"unseen": None}, False),
        ({"unseen": {"$exists": False}}, True),
        ({"unseen": {"$ne": 1}}, True),
        ({"unseen": {"$nin": [1]}}, True),
        ({"unseen": {"$lt": 1}}, False),
        ({"price": True}, False),
        ({"price": {"$not": {"$gt": 10}}}, True),
        ({"price": {"$or": [{"$lt": 5}, {"$gte": 10}]}}, True),
        ({"$or": [{"price": 1}, {"seen": None}]}, True),
        ({"$and": [{"price": 10}, {"$not": {"seen": None}}]}, False),
        ({"price": 10, "trip.days": 4}, False),
        ({"trip": {"city": "Oslo"}}, False),
        ({"trip": NESTED["trip"]}, True),
    ],
)
def test_where_by_example(where: dict[str, Any], admitted: bool) -> None:
    index = memspan.Index(4)
    index.add(user="ana", id="m", at=0, metadata=NESTED)
    assert matches(NESTED, where) is admitted
    assert index.search(user="ana", where=where).ids == ["m"] * admitted


@pytest.mark.parametrize("number", [2**53, 2**53 + 1, 2**63 - 1, -(2**63), 2**64 - 1])
def test_large_integers_are_not_rounded(number: int) -> None:
    index = memspan.Index(4)
    index.add(user="ana", id="m", at=0, metadata={"n": number})
    assert index.search(user="ana", where={"n": number}).ids == ["m"]
    assert index.search(user="ana", where={"n": {"$gte": number, "$lt": float(2**65)}}).ids == ["m"]
    other = number - 1 if number > 0 else number + 1
    assert index.search(user="ana", where={"n": other}).ids == []
