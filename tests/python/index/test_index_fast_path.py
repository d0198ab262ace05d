"""Calls that are answered natively and calls that take the way through Python give the same answers and errors."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from typing import Any

import bad_values as bad
import numpy as np
import pytest
from index_helpers import DIM, observe, small_index, vector
from slow_path import SlowQuery, answer, outcome, slow_add, slow_latest, slow_search, wrapped
from test_index_bad_input import ADD, LATEST, SEARCH

import memspan

INDEX = small_index()

COMMON: dict[str, list[Any]] = {
    "text": [None, "", "camping", "Zürich 🎉", "x" * 5000],
    "embedding": [None, vector(1), vector(1, 2).astype(np.float64), np.ones((3, DIM), np.float32)[1]],
    "tags": [(), [], ["camping"], ("Lake", "work"), ["outdoors", "é"]],
    "between": [None, (None, None), (0, 10**16), [0, None], [(1, 2), (None, 5)], [[0, 10**16]]],
    "kinds": [None, ["vault"], ("semantic", "episodic")],
    "require_tags": [(), ["camping"], ("camping", "lake")],
    "where": [None, {}, {"price": 10}, {"$and": [{"price": {"$gte": 1.5}}, {"place": "lake"}]}],
    "exclude": [(), ["camp"], ("camp", "nothing")],
    "as_of": [None, "2023-05-08T14:00:00Z", datetime(2023, 6, 1), 1_683_554_400_000_000],
    "valid_at": [None, "2023-06-01", datetime(2024, 1, 1, tzinfo=timezone.utc)],
    "k": [1, 2, 10_000],
    "views": [None, ("symbolic",), ["lexical", "semantic"], ["semantic"]],
    "fusion": ["rrf", "union", "weighted"],
    "weights": [None, {"lexical": 2}],
    "depth": [None, 1, 100_000],
    "route": [0, 1, 1000],
    "tag_depth": [0, 1, 100],
    "neighbors": [0, 1, 100],
    "exact": [False, True],
    "recall": [0.995, 1.0, 0.001],
    "explain": [False, True],
    "track": [False, True],
}
BETWEEN_WITH_TIMES = ("2023-05-08", datetime(2023, 5, 9, tzinfo=timezone.utc))


class Text(str):
    __slots__ = ()


class Number(int):
    __slots__ = ()


class Texts(list[str]):
    __slots__ = ()


class Vector(np.ndarray[Any, Any]):
    pass


class Moment(datetime):
    pass


SUBCLASSES: list[tuple[str, Any]] = [
    ("text", Text("camping")),
    ("tags", Texts(["camping"])),
    ("tags", [Text("camping")]),
    ("tags", {"camping"}),
    ("kinds", [Text("vault")]),
    ("fusion", Text("union")),
    ("k", Number(1)),
    ("k", np.int64(1)),
    ("exact", np.True_),
    ("recall", np.float64(0.9)),
    ("recall", 1),
    ("embedding", vector(1).view(Vector)),
    ("embedding", vector(1).astype(">f4")),
    ("embedding", vector(1).astype(np.float16)),
    ("embedding", np.ones(2 * DIM, np.float32)[::2]),
    ("embedding", [1, 0, 0, 0]),
    ("between", BETWEEN_WITH_TIMES),
    ("between", Texts(["2023-05-08", "2023-05-09"])),
    ("between", (Moment(2023, 5, 8), datetime(2023, 5, 9, tzinfo=timezone(timedelta(hours=1))))),
    ("where", {Text("price"): Number(10)}),
]


def both(**arguments: Any) -> Iterator[Any]:
    yield outcome(lambda: INDEX.search(**arguments))
    yield outcome(lambda: slow_search(INDEX, **arguments))
    yield outcome(lambda: INDEX.search_many([memspan.Query(**arguments)])[0])


def assert_all_same(**arguments: Any) -> Any:
    fast, slow, many = both(**arguments)
    assert fast == slow == many
    return fast


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        pytest.param(name, value, id=f"{name}-{bad.label(value)}")
        for table in (COMMON, SEARCH)
        for name, values in table.items()
        for value in values
    ],
)
def test_one_argument(argument: str, value: Any) -> None:
    assert_all_same(**{"user": "ana", argument: value})
    assert_all_same(**{"user": "ana", "text": "camping", "embedding": vector(1), argument: value})


@pytest.mark.parametrize(("argument", "value"), SUBCLASSES, ids=bad.label)
def test_values_of_subclasses(argument: str, value: Any) -> None:
    found = assert_all_same(**{"user": "ana", "embedding": vector(1), argument: value})
    assert found[0], "an answer, not an error"


def test_figures_of_the_semantic_view() -> None:
    explanation = INDEX.search(user="ana", embedding=vector(1), explain=True).explanation
    assert explanation is not None
    for name in ("rows_read", "short_rows_read", "blocks", "blocks_probed", "rescored"):
        assert isinstance(explanation[name], int)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        pytest.param(name, value, id=f"{name}-{bad.label(value)}")
        for table in (LATEST, {name: COMMON[name] for name in ("between", "kinds", "k")})
        for name, values in table.items()
        for value in values
    ],
)
def test_latest(argument: str, value: Any) -> None:
    fast = outcome(lambda: INDEX.latest(**{"user": "ana", argument: value}))
    assert fast == outcome(lambda: slow_latest(INDEX, **{"user": "ana", argument: value}))
    assert fast == outcome(lambda: wrapped(memspan.Index.latest)(INDEX, **{"user": "ana", argument: value}))


RECORDS: dict[str, list[Any]] = {
    "user": ["ana", "Zoë", Text("ana")],
    "id": ["camp", "new", "🎉", Text("new")],
    "at": [0, -5, "2023-05-08T13:56:00Z", "20230508", datetime(2023, 5, 8), Moment(2023, 5, 8), np.int64(7)],
    "text": ["", "A new lake", "Ein neuer See für Zoë"],
    "embedding": [None, vector(1), [1, 2, 3, 4], vector(1).astype(np.float64)],
    "tags": [(), ["camping", "New Tag"], ("lake",), {"work"}],
    "kind": ["episodic", "vault", Text("semantic")],
    "until": [None, "2024-01-01", datetime(2024, 1, 1)],
    "recorded_at": [None, 0, "2023-06-01", datetime(2023, 6, 1, tzinfo=timezone.utc)],
    "session": [None, "", "s1"],
    "speaker": [None, "", "Ana"],
    "metadata": [None, {}, {"place": "lake", "price": 10, "nested": {"a": [1, 2.5, None, True]}}],
    "importance": [None, 0.0, 0.25, 1.0, 0, 1, np.float64(0.5), -0.0],
    "pinned": [False, True, np.True_],
    "retired_at": [None, "2999-01-01", datetime(2999, 6, 1, tzinfo=timezone.utc)],
    "expires_at": [None, "2999-01-01", datetime(2999, 6, 1, tzinfo=timezone.utc)],
}


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        pytest.param(name, value, id=f"{name}-{bad.label(value)}")
        for table in (RECORDS, ADD)
        for name, values in table.items()
        for value in values
    ],
)
def test_add(argument: str, value: Any) -> None:
    record = {"user": "ana", "id": "camp", "at": 5, "recorded_at": 6, "text": "a lake", argument: value}
    fast, slow = small_index(), small_index()
    assert outcome(lambda: fast.add(**record)) == outcome(lambda: slow_add(slow, **record))
    assert observe(fast) == observe(slow)
    for query in ({"where": {"price": {"$gte": 10}}}, {"as_of": "2023-06-01"}, {"valid_at": "2023-06-01"}):
        assert answer(fast.search(user="ana", **query)) == answer(slow.search(user="ana", **query))


def test_add_records_the_present() -> None:
    before = datetime.now(timezone.utc)
    index = memspan.Index(DIM)
    index.add(user="ana", id="m", at=0)
    assert index.search(user="ana", as_of=before).ids == []
    assert index.search(user="ana", as_of=datetime.now(timezone.utc)).ids == ["m"]


@pytest.mark.parametrize(
    ("argument", "value"),
    [(name, value) for name, values in COMMON.items() for value in values],
    ids=bad.label,
)
def test_nothing_of_a_call_stays_for_the_next(argument: str, value: Any) -> None:
    plain: dict[str, Any] = {"user": "ana", "text": "we ana", "embedding": vector(1)}
    expected = answer(slow_search(INDEX, **plain))
    latest = answer(slow_latest(INDEX, user="ana"))
    outcome(lambda: INDEX.search(**plain | {argument: value}))
    assert answer(INDEX.search(**plain)) == expected
    outcome(lambda: INDEX.search(**plain | {argument: value}))
    assert answer(INDEX.latest(user="ana")) == latest
    outcome(lambda: INDEX.search(**plain | {argument: value, "explain": 5}))
    assert answer(INDEX.search(**plain)) == expected


def test_nothing_of_a_large_call_stays() -> None:
    names = [f"m{number}" for number in range(10_000)]
    assert INDEX.search(user="ana", text="lake " * 100_000, exclude=names).ids == ["camp"]
    assert INDEX.search(user="ana", text="lake").ids == ["camp"]


def test_nothing_of_a_record_stays_for_the_next() -> None:
    index = memspan.Index(DIM)
    index.add(
        user="ana", id="a", at=0, text="kite", embedding=vector(1), tags=["t"], kind="vault", until=5,
        session="s", speaker="Ana", metadata={"n": 1},
        importance=0.5, pinned=True, retired_at="2999-01-01", expires_at="2999-01-01",
    )  # fmt: skip
    index.add(user="ana", id="b", at=1)
    assert index.search(user="ana").ids == ["b"]
    assert index.search(user="ana", valid_at=100).ids == ["b"]
    for nothing in ({"text": "kite"}, {"where": {"n": 1}}, {"require_tags": ["t"]}, {"kinds": ["vault"]}):
        assert "b" not in index.search(user="ana", **nothing).ids
    assert index.stats(user="ana")["embeddings"] == 1
    stats = index.stats(user="ana")
    assert (stats["pinned"], stats["retired"], stats["expiring"], stats["sessions"]) == (1, 1, 1, 1)
    index.remove(user="ana", ids=["a"])
    assert index.stats(user="ana")["sessions"] == 0


def test_a_query_keeps_what_it_was_made_of() -> None:
    embedding, names = vector(1), ["camping"]
    query = memspan.Query(user="ana", embedding=embedding, require_tags=names)
    embedding[:] = vector(0, 1)
    names.clear()
    memspan.Query(user="ben", text="another")
    assert INDEX.search_many([query])[0].ids == ["camp", "tent"]
    assert type(query._native) is type(SlowQuery(user="ana")._native)
