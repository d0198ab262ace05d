"""Values that no argument of their sort may take, by sort."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import numpy as np
from index_helpers import DIM


class Unreadable:
    """As a tensor that needs a gradient: it has a shape, and numpy must not read it."""

    shape = (DIM,)

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
        raise RuntimeError("call detach() first")


class Unshaped:
    """As one on another device, of a library that tells no shape."""

    def __array__(self, dtype: object = None, copy: bool | None = None) -> np.ndarray:
        raise TypeError("call cpu() first")


NAN, INF = float("nan"), float("inf")
SURROGATE = "lone \ud800 surrogate"

NAMES: list[Any] = [None, 1, 1.5, b"ana", "", "x" * 513, "x\0" * 257, "é" * 257, SURROGATE, ["ana"], object()]
NO_TEXTS: list[Any] = [None, 1, 1.5, b"ana", SURROGATE, ["ana"], object()]
OPTIONAL_NAMES: list[Any] = [1, b"s1", "x" * 513, SURROGATE, ["s1"]]
TEXTS: list[Any] = [1, b"text", SURROGATE, ["text"], "x" * (4 * 2**20 + 1)]
TIMES: list[Any] = [
    True,
    1.5,
    NAN,
    "",
    "yesterday",
    "2023-13-01",
    "2023-02-30",
    "10000-01-01",
    10**18,
    -(10**18),
]
TIMES += [10**40, b"2023-01-01", [2023, 1, 1], np.float64(5.0), object(), SURROGATE, "2023-05-08T13:56:00Z\0"]
TIMES += [np.array(5.0), np.array([5.0]), np.array([1, 2])]
TAG_NAMES: list[Any] = [None, 1, b"tag", "", "   ", "\0", "x" * 129, "é" * 65, SURROGATE, ["tag"], object()]
TAG_LISTS: list[Any] = [
    0,
    "",
    False,
    "camping",
    b"camping",
    5,
    {"a": 1},
    object(),
    np.array(5),
    np.array("camping"),
    [["a"]],
    *([name] for name in TAG_NAMES),
]
TOO_MANY_TAGS = [f"t{number}" for number in range(65)]
KINDS: list[Any] = [None, "", "dream", "Episodic", 3, b"episodic", ["episodic"]]
COUNTS: list[Any] = [-1, 1.5, "3", None, True, np.True_, NAN, 2**32, 2**64, -(2**63), 10**30, [3]]
VECTORS: list[Any] = [
    [1.0] * (DIM - 1),
    [1.0] * (DIM + 1),
    [],
    [0.0] * DIM,
    [-0.0] * DIM,
    np.array([1e-60] * DIM),
]
VECTORS += [np.ma.masked_array([1.0] * DIM, mask=[True] + [False] * (DIM - 1)), Unreadable(), Unshaped()]
VECTORS += [[NAN, 1, 1, 1], [1, 1, 1, INF], [-INF, 1, 1, 1], [1e300] * DIM, 1e300, 5, np.array(5.0)]
VECTORS += [[[1.0] * DIM], [[1.0], [2.0], [3.0], [4.0]], [1.0, [1.0]] * 2, np.ones((0, DIM)), {"a": 1}]
VECTORS += ["abcd", b"abcd", ["a"] * DIM, ["1"] * DIM, [None] * DIM, [1j] * DIM, [object()] * DIM]
VECTORS += [np.array(["a"] * DIM), np.ones(DIM, dtype="datetime64[s]")]
METADATA: list[Any] = [5, "text", [1], {1: "a"}, {SURROGATE: 1}, {"a": SURROGATE}, {"a": NAN}, {"a": INF}]
METADATA += [{"a": {1, 2}}, {"a": object()}, {"a": b"bytes"}, {"a": datetime(2023, 1, 1)}, {"a": 10**400}]
METADATA += [{"a": "x" * (2**20 + 1)}]
INTERVALS: list[Any] = [
    [],
    "2023",
    5,
    [5],
    {"a": 1},
    object(),
    [(1, 2, 3)],
    [(1,)],
    [(1, 2), None],
    [(0, 1)] * 1025,
]
INTERVALS += [
    (2, 1),
    [(2, 1)],
    [(1, 2), (4, 3)],
    ("2024-01-01", "2023-01-01"),
    [("a", "b")],
    [(NAN, 1)],
    [(1.5, 2.5)],
]
ID_LISTS: list[Any] = [0, "", False, "m1", b"m1", 5, [5], [None], [b"m1"], [SURROGATE], {"m1": 1}, object()]
ID_LISTS += [np.array(5), np.array("m1")]
IMPORTANCES: list[Any] = [-0.1, -1, 1.0001, 2, NAN, INF, "1", True, [1], np.array(1.0), object(), 10**400]
FLAGS: list[Any] = [None, "yes", 2, 0.0, [], object()]


def nested(levels: int) -> dict[str, Any]:
    deep: dict[str, Any] = {"a": 1}
    for _ in range(levels):
        deep = {"a": deep}
    return deep


def nested_where(levels: int) -> dict[str, Any]:
    deep: dict[str, Any] = {"a": 1}
    for _ in range(levels):
        deep = {"$not": deep}
    return deep


def circular() -> dict[str, Any]:
    loop: dict[str, Any] = {}
    loop["loop"] = loop
    return loop


METADATA += [nested(40), nested(5000), nested(200_000), circular()]

WHERES: list[Any] = [5, "price = 10", [], [{"a": 1}], {1: 2}, {SURROGATE: 1}, circular()]
WHERES += [{"": 1}, {".a": 1}, {"a.": 1}, {"a..b": 1}, {"\0.": 1}]
WHERES += [{"$eq": 1}, {"$where": "1"}, {"$AND": [{"a": 1}]}, {"a": {"$near": 1}}]
WHERES += [{"$and": {"a": 1}}, {"$and": []}, {"$and": [5]}, {"$or": []}, {"$or": 5}, {"$or": [None]}]
WHERES += [{"$not": [{"a": 1}]}, {"$not": 5}, {"a": {"$and": {"$gt": 1}}}, {"a": {"$or": []}}]
WHERES += [{"a": {"$gt": None}}, {"a": {"$gte": True}}, {"a": {"$lt": [1]}}, {"a": {"$lte": {}}}]
WHERES += [{"a": {"$in": 1}}, {"a": {"$in": "abc"}}, {"a": {"$nin": None}}, {"a": {"$nin": {"b": 1}}}]
WHERES += [{"a": {"$exists": 1}}, {"a": {"$exists": "true"}}, {"a": {"$exists": None}}]
WHERES += [{"a": {"$gt": 1, "b": 2}}, {"a": {"b": 2, "$gt": 1}}]
WHERES += [{"a": NAN}, {"a": {"$gt": INF}}, {"a": {"$eq": {1, 2}}}, {"a": {"$in": [{1}]}}, {"a": object()}]
WHERES += [{"a": SURROGATE}, {"a": b"bytes"}, {"a": {"$in": ["x" * 1024] * 1100}}]
WHERES += [nested_where(33), nested_where(5000), nested_where(200_000)]


def cases(**values: list[Any]) -> Iterator[tuple[str, Any]]:
    """(argument, value) for every bad value of every argument."""
    for argument, bad in values.items():
        for value in bad:
            yield argument, value


def label(value: Any) -> str:
    """A short name for the id of a test, the same in every process; the value itself may be huge, or not printable."""
    try:
        text = re.sub(r" at 0x[0-9a-f]+", "", ascii(value))
    except RecursionError:
        text = "too deep to show"
    return text if len(text) <= 40 else text[:37] + "..."
