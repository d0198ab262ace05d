"""Bad values for every argument: a clear error, and nothing has changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import bad_values as bad
import numpy as np
import pytest
from index_helpers import DIM, observe, small_index, vector

import memspan

Table = dict[str, list[Any]]

ADD: Table = {
    "user": bad.NAMES,
    "id": bad.NAMES,
    "at": [None, *bad.TIMES],
    "text": bad.TEXTS,
    "embedding": bad.VECTORS,
    "tags": [*bad.TAG_LISTS, bad.TOO_MANY_TAGS],
    "kind": bad.KINDS,
    "until": bad.TIMES,
    "recorded_at": bad.TIMES,
    "session": bad.OPTIONAL_NAMES,
    "speaker": bad.OPTIONAL_NAMES,
    "metadata": bad.METADATA,
    "importance": bad.IMPORTANCES,
    "pinned": bad.FLAGS,
    "retired_at": bad.TIMES,
    "expires_at": bad.TIMES,
}
KIND_LISTS = ["episodic", 5, [], ["dream"], [None], [b"vault"], [["vault"]], np.array("episodic")]
BAD_WEIGHTS = [-1, bad.NAN, bad.INF, 1e300, "1", None, -(10**400)]
SEARCH: Table = {
    "user": bad.NAMES,
    "text": bad.TEXTS,
    "embedding": bad.VECTORS,
    "tags": bad.TAG_LISTS,
    "between": bad.INTERVALS,
    "kinds": KIND_LISTS,
    "require_tags": bad.TAG_LISTS,
    "where": bad.WHERES,
    "exclude": bad.ID_LISTS,
    "as_of": bad.TIMES,
    "valid_at": bad.TIMES,
    "k": [0, 10_001, *bad.COUNTS],
    "views": ["semantic", 5, [], ["dream"], [None], ["semantic"], np.array("semantic")],
    "fusion": [None, "", "max", "RRF", 5, ["rrf"]],
    "weights": [
        5,
        "semantic",
        [1, 1, 1],
        {"dream": 1},
        {1: 1},
        *({"lexical": weight} for weight in BAD_WEIGHTS),
    ],
    "depth": [0, 100_001, *(count for count in bad.COUNTS if count is not None)],
    "route": bad.COUNTS,
    "tag_depth": bad.COUNTS,
    "neighbors": bad.COUNTS,
    "exact": bad.FLAGS,
    "recall": [0, 0.0, -0.1, 1.0001, 1e-60, bad.NAN, bad.INF, "1", None, True, [1], np.array(1.0), 10**400],
    "explain": bad.FLAGS,
    "track": bad.FLAGS,
}
USER: Table = {"user": bad.NAMES}
ROUTE: Table = {"embedding": [None, *bad.VECTORS], "k": [0, *bad.COUNTS], "method": [None, "", "fast", 5]}
LATEST: Table = {"k": [0, 10_001, *bad.COUNTS], "between": bad.INTERVALS, "kinds": KIND_LISTS}
EDGE: Table = {"parent": bad.TAG_NAMES, "child": bad.TAG_NAMES}

# For every other method: arguments that are fine, and what each of them may not be.
OTHERS: dict[str, tuple[dict[str, Any], Table]] = {
    "remove": ({"ids": ["camp"]}, USER | {"ids": [None, *bad.ID_LISTS]}),
    "forget": ({}, USER),
    "locate": ({"id": "camp"}, USER | {"id": bad.NO_TEXTS}),
    "contains": ({"id": "camp"}, USER | {"id": bad.NO_TEXTS}),
    "ids": ({}, USER),
    "tags": ({}, USER),
    "stats": ({}, {"user": [name for name in bad.NAMES if name is not None]}),
    "latest": ({}, USER | LATEST),
    "relate": ({"parent": "a", "child": "b"}, USER | EDGE),
    "unrelate": ({"parent": "outdoors", "child": "camping"}, USER | EDGE),
    "expand": ({"tags": ["camping"]}, USER | {"tags": bad.TAG_LISTS, "depth": bad.COUNTS}),
    "route": ({"embedding": vector(1)}, USER | ROUTE),
    "set_tag_embedding": (
        {"tag": "camping", "embedding": vector(1)},
        USER | {"tag": bad.TAG_NAMES, "embedding": [None, *bad.VECTORS]},
    ),
    "rename_tag": ({"old": "camping", "new": "camps"}, USER | {"old": bad.TAG_NAMES, "new": bad.TAG_NAMES}),
    "merge_tags": (
        {"tags": ["camping"], "into": "lake"},
        USER | {"tags": bad.TAG_LISTS, "into": bad.TAG_NAMES},
    ),
    "drop_tags": ({"tags": ["camping"]}, USER | {"tags": bad.TAG_LISTS}),
}

ERRORS: dict[str, type[Exception]] = {
    "at": memspan.TimeError,
    "until": memspan.TimeError,
    "recorded_at": memspan.TimeError,
    "retired_at": memspan.TimeError,
    "expires_at": memspan.TimeError,
    "as_of": memspan.TimeError,
    "valid_at": memspan.TimeError,
    "between": memspan.TimeError,
    "embedding": memspan.EmbeddingError,
    "where": memspan.WhereError,
}
UNCHANGED = small_index()
BEFORE = observe(UNCHANGED)


def assert_refused(call: Callable[[], Any], argument: str) -> None:
    """Require the error that belongs to the argument, in the house form, and that nothing changed."""
    with pytest.raises(ERRORS.get(argument, memspan.InvalidArgumentError)) as caught:
        call()
    message = str(caught.value)
    assert message.startswith(argument), message
    assert "got " in message, message
    assert "accepted: " in message, message
    assert len(message) < 600, "the message repeats a huge value"
    message.encode()  # a message must be printable even when the value is not
    assert observe(UNCHANGED) == BEFORE


def parameters(table: dict[str, list[Any]]) -> list[Any]:
    return [
        pytest.param(argument, value, id=f"{argument}-{bad.label(value)}")
        for argument, value in bad.cases(**table)
    ]


@pytest.mark.parametrize(("argument", "value"), parameters(ADD))
def test_add(argument: str, value: Any) -> None:
    record: dict[str, Any] = {"user": "ana", "id": "camp", "at": 0, "text": "new", "tags": ["new"]}
    assert_refused(lambda: UNCHANGED.add(**record | {argument: value}), argument)


@pytest.mark.parametrize(("argument", "value"), parameters(SEARCH))
def test_search(argument: str, value: Any) -> None:
    query: dict[str, Any] = {"user": "ana", "text": "camping"}
    assert_refused(lambda: UNCHANGED.search(**query | {argument: value}), argument)


@pytest.mark.parametrize(
    ("argument", "value"), parameters({name: values[:3] for name, values in SEARCH.items()})
)
def test_search_many(argument: str, value: Any) -> None:
    query: dict[str, Any] = {"user": "ana", "text": "camping"}
    good = memspan.Query(user="ana", text="lake")
    with pytest.raises(memspan.InvalidArgumentError, match=argument):
        UNCHANGED.search_many([good, memspan.Query(**query | {argument: value})])
    assert observe(UNCHANGED) == BEFORE


@pytest.mark.parametrize("threads", [0, 1, 2])
@pytest.mark.parametrize(
    ("argument", "value", "named"),
    [
        ("where", {"price": {"$near": 3}}, "where.price.$near"),
        ("embedding", np.full(DIM, np.nan, np.float32), "embedding"),
        ("views", ["semantic"], "views"),
        ("user", "", "user"),
    ],
)
def test_the_first_query_that_is_refused_is_named(
    argument: str, value: Any, named: str, threads: int
) -> None:
    query: dict[str, Any] = {"user": "ana", "text": "camping"}
    queries = [memspan.Query(**query) for _ in range(40)]
    queries[23] = memspan.Query(**query | {argument: value})
    queries[31] = memspan.Query(user="ana", embedding=[1.0] * (DIM + 1))
    expected = ERRORS.get(argument, memspan.InvalidArgumentError)
    with pytest.raises(expected, match=rf"^queries\[23\]\.{re.escape(named)}: got .*accepted: "):
        UNCHANGED.search_many(queries, threads=threads)


@pytest.mark.parametrize(
    "queries",
    [
        None,
        0,
        "",
        5,
        "ana",
        [5],
        [None],
        {"user": "ana"},
        memspan.Query(user="ana"),
        np.array(5),
    ],
)
def test_what_is_no_list_of_queries(queries: Any) -> None:
    assert_refused(lambda: UNCHANGED.search_many(queries), "queries")


@pytest.mark.parametrize("threads", [-1, 1.5, "2", None, 2**40])
def test_threads(threads: Any) -> None:
    assert_refused(lambda: UNCHANGED.search_many([memspan.Query(user="ana")], threads=threads), "threads")


@pytest.mark.parametrize(
    ("method", "argument", "value"),
    [
        pytest.param(method, argument, value, id=f"{method}-{argument}-{bad.label(value)}")
        for method, (_, table) in OTHERS.items()
        for argument, value in bad.cases(**table)
    ],
)
def test_every_other_method(method: str, argument: str, value: Any) -> None:
    good, _ = OTHERS[method]
    good = {"user": "ana"} | good
    assert_refused(lambda: getattr(UNCHANGED, method)(**good | {argument: value}), argument)


@pytest.mark.parametrize(
    ("argument", "value"),
    parameters(
        {
            "dim": [0, 8193, *bad.COUNTS],
            "analyzer": [None, "", "klingon", 5],
            "k1": [-0.1, bad.NAN, bad.INF, "1", None, 10**400],
            "b": [-0.1, 1.1, bad.NAN, "1", None],
        }
    ),
)
def test_constructor(argument: str, value: Any) -> None:
    assert_refused(lambda: memspan.Index(**{"dim": 4} | {argument: value}), argument)


def test_a_validity_that_ends_before_it_begins() -> None:
    assert_refused(lambda: UNCHANGED.add(user="ana", id="new", at="2024-01-02", until="2024-01-01"), "until")


def test_search_of_a_view_without_its_query() -> None:
    assert_refused(lambda: UNCHANGED.search(user="ana", text="x", views=["semantic"]), "views")
    assert_refused(lambda: UNCHANGED.search(user="ana", embedding=vector(1), views=["lexical"]), "views")


def test_more_than_64_tags_are_fine_where_no_record_carries_them() -> None:
    names = [f"t{number}" for number in range(100)]
    assert UNCHANGED.expand(user="ana", tags=names) == []
    assert UNCHANGED.search(user="ana", require_tags=["lake"], exclude=names).ids == ["camp"]


def test_a_number_with_too_many_digits_to_show() -> None:
    assert_refused(lambda: UNCHANGED.search(user="ana", text="x", k=10**5000), "k")
    assert_refused(lambda: UNCHANGED.search(user="ana", text="x", recall=10**5000), "recall")


def test_long_embeddings_are_named_by_length() -> None:
    with pytest.raises(memspan.EmbeddingError, match=rf"embedding: got .*100000.*accepted: .*{DIM}"):
        UNCHANGED.add(user="ana", id="m", at=0, embedding=np.ones(100_000, np.float32))
