"""What stands beside a record in its session."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from index_helpers import DAY, vector

import memspan
from memspan.errors import InvalidArgumentError


def filled(*turns: tuple[str, int, str | None]) -> memspan.Index:
    index = memspan.Index(4, analyzer="simple")
    for id_, day, session in turns:
        index.add(user="ana", id=id_, at=day * DAY, text="x", embedding=vector(1), session=session)
    return index


def test_before_and_after_by_time_then_id() -> None:
    index = filled(("c", 1, "s"), ("a", 2, "s"), ("b", 2, "s"), ("z", 1, "t"), ("alone", 1, None))
    assert index.beside(user="ana", ids=["b", "a", "c"]) == [("a", None), ("c", "b"), (None, "a")]
    assert index.beside(user="ana", ids=["z", "alone", "unknown"]) == [(None, None)] * 3
    assert index.beside(user="nobody", ids=["a"]) == [(None, None)]
    assert index.beside(user="ana", ids=[]) == []


def test_what_goes_leaves_no_trace() -> None:
    index = filled(("a", 1, "s"), ("b", 2, "s"), ("c", 3, "s"))
    index.remove(user="ana", ids=["b"])
    assert index.beside(user="ana", ids=["a", "b", "c"]) == [(None, "c"), (None, None), ("a", None)]


def test_what_has_expired_stands_beside_nobody() -> None:
    index = filled(("a", 1, "s"), ("d", 4, "s"))
    for id_, day in (("b", 2), ("c", 3), ("e", 5)):
        index.add(user="ana", id=id_, at=day * DAY, session="s", expires_at=6 * DAY)
    assert index.beside(user="ana", ids=["a", "d", "c"]) == [(None, "d"), ("a", None), ("a", "d")]


def test_other_kinds_are_passed_over_if_wanted() -> None:
    index = filled(("a", 1, "s"), ("b", 3, "s"))
    for id_, day in (("f", 1), ("g", 2), ("h", 4)):
        index.add(user="ana", id=id_, at=day * DAY, session="s", kind="semantic")
    ids = ["a", "b", "f", "h"]
    assert index.beside(user="ana", ids=ids) == [(None, "f"), ("g", "h"), ("a", "g"), ("b", None)]
    assert index.beside(user="ana", ids=ids, same_kind=True) == [
        (None, "b"), ("a", None), (None, "g"), ("g", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "named"),
    [({"user": 7}, "user"), ({"ids": "a"}, "ids"), ({"ids": [1]}, "ids"), ({"same_kind": 1}, "same_kind")],
)
def test_bad_arguments(arguments: dict[str, object], named: str) -> None:
    with pytest.raises(InvalidArgumentError, match=f"^{named}"):
        filled().beside(**{"user": "ana", "ids": ["a"], **arguments})  # type: ignore[arg-type]


@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=4),
        st.tuples(st.integers(0, 5), st.sampled_from(["s", "t", None])),
        max_size=25,
    )
)
def test_against_sorting(turns: dict[str, tuple[int, str | None]]) -> None:
    index = filled(*((id_, day, session) for id_, (day, session) in turns.items()))
    expected = dict.fromkeys(turns, (None, None))
    for session in ("s", "t"):
        ordered = sorted((day, len(id_.encode()), id_) for id_, (day, own) in turns.items() if own == session)
        names = [None, *(id_ for _, _, id_ in ordered), None]
        for place, (_, _, id_) in enumerate(ordered, 1):
            expected[id_] = (names[place - 1], names[place + 1])  # type: ignore[assignment]
    assert index.beside(user="ana", ids=list(turns)) == list(expected.values())
