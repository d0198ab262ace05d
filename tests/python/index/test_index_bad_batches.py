"""`add_many` takes a batch whole or not at all, and says which item was wrong."""

from __future__ import annotations

from typing import Any

import bad_values as bad
import numpy as np
import pytest
from index_helpers import DIM, observe, small_index

import memspan

UNCHANGED = small_index()
BEFORE = observe(UNCHANGED)
COUNT = 4
LAST = COUNT - 1


def batch(**changed: Any) -> dict[str, Any]:
    """Good columns for four records that replace and add, with some columns changed."""
    columns: dict[str, Any] = {
        "users": ["ana", "ben", "ana", "cleo"],
        "ids": ["camp", "camp", "new", "new"],
        "ats": [0, 1, 2, 3],
        "texts": ["one", "two", "three", "four"],
        "embeddings": np.ones((COUNT, DIM), np.float32),
        "tags": [["one"], [], ["two"], ["lake"]],
    }
    return columns | changed


def last(good: Any, value: Any) -> list[Any]:
    """A column that is good but for its last item."""
    return [good] * LAST + [value]


def assert_refused(columns: dict[str, Any], argument: str, position: int | None = None) -> None:
    with pytest.raises(memspan.InvalidArgumentError) as caught:
        UNCHANGED.add_many(**columns)
    message = str(caught.value)
    assert message.startswith(argument if position is None else f"{argument}[{position}]"), message
    assert "got " in message, message
    assert "accepted: " in message, message
    assert len(message) < 600
    message.encode()
    assert observe(UNCHANGED) == BEFORE


ITEMS: dict[str, tuple[Any, list[Any]]] = {
    "users": ("ana", bad.NAMES),
    "ids": ("m", bad.NAMES),
    "ats": (0, [None, *bad.TIMES]),
    "texts": ("text", bad.TEXTS),
    "tags": (["a"], bad.TAG_LISTS),
    "kinds": ("episodic", bad.KINDS),
    "untils": (None, bad.TIMES),
    "recorded_ats": (None, bad.TIMES),
    "sessions": (None, bad.OPTIONAL_NAMES),
    "speakers": (None, bad.OPTIONAL_NAMES),
    "metadatas": (None, bad.METADATA),
    "importances": (0.5, bad.IMPORTANCES),
    "pins": (True, bad.FLAGS),
    "retired_ats": (None, bad.TIMES),
    "expires_ats": (None, bad.TIMES),
}


@pytest.mark.parametrize(
    ("column", "value"),
    [
        pytest.param(column, value, id=f"{column}-{bad.label(value)}")
        for column, (_, values) in ITEMS.items()
        for value in values
    ],
)
def test_one_bad_item(column: str, value: Any) -> None:
    good, _ = ITEMS[column]
    items = last(good, value)
    if column == "ids":
        items = ["m0", "m1", "m2", value]
    assert_refused(batch(**{column: items}), column, LAST)


@pytest.mark.parametrize(
    ("place", "value"),
    [((2, 1), bad.NAN), ((0, 0), bad.INF), ((LAST, DIM - 1), -bad.INF)],
    ids=["nan", "inf", "-inf"],
)
def test_a_bad_number_in_one_row(place: tuple[int, int], value: float) -> None:
    rows = np.ones((COUNT, DIM), np.float32)
    rows[place] = value
    assert_refused(batch(embeddings=rows), "embeddings", place[0])


def test_a_zero_row() -> None:
    rows = np.ones((COUNT, DIM), np.float32)
    rows[2] = 0
    assert_refused(batch(embeddings=rows), "embeddings", 2)
    assert_refused(batch(embeddings=np.zeros((COUNT, DIM), np.float32)), "embeddings", 0)


@pytest.mark.parametrize(
    "embeddings",
    [
        np.ones((COUNT, DIM + 1), np.float32),
        np.ones((COUNT, DIM - 1), np.float32),
        np.ones((COUNT - 1, DIM), np.float32),
        np.ones((COUNT + 1, DIM), np.float32),
        np.ones((COUNT, DIM, 1), np.float32),
        np.ones(COUNT * DIM, np.float32),
        np.ones((0, DIM), np.float32),
        np.full((COUNT, DIM), "a"),
        np.ones((COUNT, DIM), np.complex64),
        np.full((COUNT, DIM), 1e300),
        np.ma.masked_array(np.ones((COUNT, DIM)), mask=np.eye(COUNT, DIM)),
        [np.ma.masked_array(np.ones(DIM), mask=np.arange(DIM) == 1)] * COUNT,
        [np.ma.masked_array(np.ones(DIM, np.float32), mask=np.arange(DIM) == 1)] * COUNT,
        bad.Unreadable(),
        "abcd",
        5,
    ],
    ids=bad.label,
)
def test_embeddings_of_another_shape_or_type(embeddings: Any) -> None:
    with pytest.raises(memspan.InvalidArgumentError, match=r"^embeddings"):
        UNCHANGED.add_many(**batch(embeddings=embeddings))
    assert observe(UNCHANGED) == BEFORE


@pytest.mark.parametrize("column", ["ids", "ats", *ITEMS])
def test_columns_of_different_lengths(column: str) -> None:
    good, _ = ITEMS[column]
    for length in (0, COUNT - 1, COUNT + 1):
        items = [f"m{number}" for number in range(length)] if column == "ids" else [good] * length
        with pytest.raises(memspan.InvalidArgumentError, match=str(COUNT)):
            UNCHANGED.add_many(**batch(**{column: items}))
        assert observe(UNCHANGED) == BEFORE


@pytest.mark.parametrize("column", list(ITEMS))
@pytest.mark.parametrize("value", ["text", b"text", 5, object(), np.array(5), np.array("m")], ids=bad.label)
def test_what_is_no_column(column: str, value: Any) -> None:
    assert_refused(batch(**{column: value}), column)


def test_the_same_record_twice() -> None:
    with pytest.raises(memspan.InvalidArgumentError, match=r"ids\[3\].*new"):
        UNCHANGED.add_many(**batch(users=["ana", "ben", "ana", "ana"]))
    assert observe(UNCHANGED) == BEFORE


def test_user_and_users() -> None:
    with pytest.raises(memspan.InvalidArgumentError, match="user"):
        UNCHANGED.add_many(user="ana", **batch())
    with pytest.raises(memspan.InvalidArgumentError, match="user"):
        UNCHANGED.add_many(ids=["m"], ats=[0])
    assert observe(UNCHANGED) == BEFORE


def test_required_columns_cannot_be_none() -> None:
    assert_refused(batch(ids=None), "ids")
    assert_refused(batch(ats=None), "ats")
    assert_refused(batch(ats=np.ma.masked_array(np.arange(COUNT), mask=np.arange(COUNT) == 1)), "ats")
