"""Hypothesis strategies: few ids, words, tags and times, so that everything collides with everything.

Embeddings come from a pool whose cosines with every query vector differ by at least `COSINE_GAP`: float32 can
then never disagree with float64 about an order, and equal scores are equal because the vectors are.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from hypothesis import strategies as st
from oracle_views import Rec, Vector, unit

DIM = 8
COSINE_GAP = 2e-3
USERS = ("ana", "ben")
IDS = tuple(f"m{i}" for i in range(9))
TAGS = ("work", "home", "garden", "roses", "travel", "lisbon")
WORDS = ("kite", "lamp", "river", "stone", "violin", "window", "yellow", "zebra")
SESSIONS = ("s1", "s2")
KINDS = ("episodic", "semantic", "procedural", "resource", "vault")
HOUR = 3_600_000_000
START = 1_683_500_000_000_000
FIRST, LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
TIMES = (*(START + i * HOUR for i in range(7)), START + 1, FIRST, -1, 0, LAST)


def _pools(size: int, queries: int) -> tuple[tuple[Vector, ...], tuple[Vector, ...]]:
    """`size` record vectors and `queries` query vectors, float32 values, no two cosines within the gap."""
    rng = np.random.default_rng(20)

    def draw() -> Vector:
        return tuple(float(x) for x in rng.standard_normal(DIM).astype(np.float32))

    records = tuple(draw() for _ in range(size))
    directions = [unit(vector) for vector in records]
    found: list[Vector] = []
    while len(found) < queries:
        query = draw()
        cosines = sorted(sum(x * y for x, y in zip(unit(query), row, strict=True)) for row in directions)
        if all(high - low >= COSINE_GAP for low, high in itertools.pairwise(cosines)):
            found.append(query)
    return records, tuple(found)


VECTORS, QUERY_VECTORS = _pools(size=12, queries=6)

users = st.sampled_from(USERS)
ids = st.sampled_from(IDS)
tags = st.sampled_from(TAGS)
views = st.sampled_from(("semantic", "lexical", "symbolic"))
times = st.sampled_from(TIMES)
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
questions = st.lists(st.sampled_from((*WORDS, "unknown")), min_size=1, max_size=3).map(" ".join)
# Powers of two scale floats exactly, so a scaled copy must tie with its original.
vectors = st.builds(
    lambda vector, scale: tuple(x * scale for x in vector),
    st.sampled_from(VECTORS),
    st.sampled_from((1.0, 4.0, 0.25)),
)
query_vectors = st.sampled_from(QUERY_VECTORS)
tag_lists = st.lists(tags, max_size=4, unique=True).map(tuple)

scalars = st.sampled_from((0, 1, 1.0, 2, -1.5, True, False, "", "a", "ab", "zürich", None))
values = st.one_of(scalars, st.lists(scalars, max_size=3))
keys = st.sampled_from(("a", "b", "c"))
metadata = st.dictionaries(keys, st.one_of(values, st.dictionaries(keys, values, max_size=2)), max_size=3)
paths = st.one_of(keys, st.builds("{}.{}".format, keys, keys))


def _combined(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """$and, $or and $not over filters or, inside a field, over its conditions."""
    parts = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        st.builds(lambda operator, some: {operator: some}, st.sampled_from(("$and", "$or")), parts),
        st.builds(lambda one: {"$not": one}, inner),
    )


def _test(operators: str, operands: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.builds(lambda name, operand: {name: operand}, st.sampled_from(operators.split()), operands)


ordered = scalars.filter(lambda value: not isinstance(value, (bool, type(None))))
tests = st.one_of(
    values,
    _test("$eq $ne $contains", values),
    _test("$gt $gte $lt $lte", ordered),
    _test("$in $nin", st.lists(values, max_size=3)),
    _test("$exists", st.booleans()),
    st.builds(lambda low, high: {"$gte": low, "$lt": high}, ordered, ordered),
)
conditions = st.recursive(tests, _combined, max_leaves=3)
clauses = st.dictionaries(paths, conditions, min_size=1, max_size=2)
wheres = st.recursive(clauses, _combined, max_leaves=4)

_ENDINGS = tuple({"action": "retire", "until": time} for time in TIMES)
_ends = st.one_of(st.none(), times)
intervals = st.builds(
    lambda a, b: (b, a) if a is not None and b is not None and a > b else (a, b), _ends, _ends
)


@st.composite
def records(draw: st.DrawFn, key: st.SearchStrategy[str] = ids) -> Rec:
    at = draw(times)
    later = [time for time in TIMES if time > at]
    described = draw(metadata)
    retired_at = draw(st.sampled_from((None, None, None, *TIMES)))
    if retired_at is not None and draw(st.booleans()):
        described = {**described, "ended": draw(st.sampled_from((7, {}, {"until": "x"}, *_ENDINGS)))}
    return Rec(
        id=draw(key),
        at=at,
        text=draw(texts),
        embedding=draw(st.one_of(st.none(), vectors, vectors)),
        tags=draw(tag_lists),
        kind=draw(st.sampled_from((*KINDS, "episodic", "episodic"))),
        until=draw(st.one_of(st.none(), st.sampled_from(later))) if later else None,
        recorded_at=draw(st.one_of(st.none(), times)),
        session=draw(st.one_of(st.none(), st.sampled_from(SESSIONS), st.sampled_from(SESSIONS))),
        speaker=draw(st.sampled_from((None, "Ana", "Ben"))),
        metadata=described,
        retired_at=retired_at,
        expires_at=draw(st.sampled_from((None, None, None, START, LAST))),
    )


filters = st.fixed_dictionaries(
    {},
    optional={
        "between": st.lists(intervals, min_size=1, max_size=3),
        "kinds": st.lists(st.sampled_from(KINDS), min_size=1, max_size=3, unique=True),
        "require_tags": st.lists(tags, min_size=1, max_size=2, unique=True),
        "where": wheres,
        "exclude": st.lists(st.sampled_from((*IDS, "nobody")), max_size=3),
        "as_of": times,
        "valid_at": times,
    },
)


@st.composite
def queries(draw: st.DrawFn) -> dict[str, Any]:
    """Keyword arguments of `Index.search` without the user."""
    query: dict[str, Any] = {}
    given_views = draw(st.lists(views, max_size=3, unique=True))
    if "semantic" in given_views or draw(st.booleans()):
        query["embedding"] = draw(query_vectors)
    if "lexical" in given_views or draw(st.booleans()):
        query["text"] = draw(questions)
    if draw(st.booleans()):
        query["tags"] = draw(
            st.lists(st.sampled_from((*TAGS, "unheard_of")), min_size=1, max_size=3, unique=True)
        )
        query["tag_depth"] = draw(st.integers(0, 3))
    if given_views and (given_views == ["symbolic"] or "tags" in query or "symbolic" not in given_views):
        query["views"] = given_views
    if draw(st.booleans()):
        query |= draw(filters)
    query["fusion"] = draw(st.sampled_from(("rrf", "rrf", "union", "weighted")))
    if query["fusion"] != "union" and draw(st.booleans()):
        names = draw(st.lists(st.sampled_from(("semantic", "lexical", "symbolic")), min_size=1, unique=True))
        query["weights"] = {name: draw(st.sampled_from((0.5, 1.0, 2.0, 3.5))) for name in names}
    query["k"] = draw(st.sampled_from((1, 2, 5, 10, 100)))
    query["neighbors"] = draw(st.sampled_from((0, 0, 1, 2)))
    query["depth"] = draw(st.sampled_from((None, None, 1, 3)))
    query["exact"] = draw(st.booleans())
    return query
