"""Values that are read natively mean what the Python functions make of them, and others are left to Python."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis_profile import PROFILE
from native import arguments, fields
from oracle_views import Rec
from strategies import DIM, queries, records, users

import memspan
from memspan import _core
from memspan.arguments import as_json
from memspan.errors import InvalidArgumentError
from memspan.times import to_micros

HOUR = timedelta(hours=1)
zones = st.sampled_from(
    [None, timezone.utc, timezone(HOUR), timezone(-11.5 * HOUR), timezone(timedelta(seconds=61))]
)
moments = st.datetimes(timezones=zones)
written = st.builds(lambda moment, sep, spec: moment.isoformat(sep, spec), moments, st.sampled_from("T _"),
                    st.sampled_from(["auto", "minutes", "seconds", "milliseconds"]))  # fmt: skip
spoilt = st.builds(
    lambda text, place, with_: text[:place] + with_ + text[place + 1 :],
    written,
    st.integers(0, 30),
    st.sampled_from(["", "0", "9", "-", ":", "Z", "+", "T", ".", "é", " "]),
)


@settings(PROFILE, max_examples=1000)
@given(st.one_of(moments, written, spoilt, st.integers(), st.text(max_size=8), st.booleans(), st.floats()))
@example("2023-05-08T13:56:00Z")
@example("2023-02-29")
@example("0000-01-01")
@example("2023-05-08T24:00")
@example("2023-05-08T13:56:00.123456789")
@example("0001-01-01T00:00+01:00")
@example(datetime.max)
def test_times(value: Any) -> None:
    native = _core.copy_times([value], None)
    if native is not None:
        assert native.tolist() == [to_micros(value)]
    if isinstance(value, str) and len(value) == 20 and value.endswith("Z") and value == value.strip():
        try:
            expected = to_micros(value)
        except InvalidArgumentError:
            assert native is None
        else:
            assert native is not None or "T" not in value
            assert native is None or native.tolist() == [expected]


keys = st.text(max_size=3)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(2**63, 2**64 + 2), st.floats(), st.text(max_size=5),
    st.characters(max_codepoint=0x7F), st.binary(max_size=2),
)  # fmt: skip
trees = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.tuples(inner), st.dictionaries(keys, inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(PROFILE, max_examples=1000)
@given(st.dictionaries(st.one_of(keys, st.just("a\ud800")), trees, max_size=3))
@example({"a": 1e16, "b": 1e-7, "c": -0.0, "d": 123456789012345678})
@example({'\x00\x1f\x7f"\\/\b\f\n\r\t\u2028': "\x01"})
def test_json(value: dict[str, Any]) -> None:
    native = _core.copy_json_texts([value])
    try:
        text = as_json(value, "metadata")
    except InvalidArgumentError:
        assert native is None
    else:
        assert native == [text]


def test_json_of_many_levels() -> None:
    deep: Any = 1
    for levels in range(1, 40):
        deep = {"a": deep} if levels % 2 else [deep]
        value = {"top": deep}
        try:
            expected = [as_json(value, "metadata")]
        except InvalidArgumentError:
            expected = None
        assert _core.copy_json_texts([value]) == expected


class Untyped(list[Any]):
    """A list that only Python reads."""


@settings(PROFILE, max_examples=100)
@given(st.lists(st.tuples(users, records()), max_size=8, unique_by=lambda pair: (pair[0], pair[1].id)))
def test_columns(batch: list[tuple[str, Rec]]) -> None:
    def columns(pack: Any) -> dict[str, Any]:
        recs = [rec for _, rec in batch]
        return {
            "users": pack([user for user, _ in batch]),
            "ids": pack([rec.id for rec in recs]),
            "ats": pack([rec.at for rec in recs]),
            "texts": pack([rec.text for rec in recs]),
            "tags": pack([pack(rec.tags) for rec in recs]),
            "kinds": pack([rec.kind for rec in recs]),
            "untils": pack([rec.until for rec in recs]),
            "recorded_ats": pack([rec.recorded_at or 0 for rec in recs]),
            "retired_ats": pack([rec.retired_at for rec in recs]),
            "expires_ats": pack([rec.expires_at for rec in recs]),
            "sessions": pack([rec.session for rec in recs]),
            "speakers": pack([rec.speaker for rec in recs]),
            "metadatas": pack([dict(rec.metadata) for rec in recs]),
            "embeddings": pack([None if rec.embedding is None else np.array(rec.embedding) for rec in recs]),
        }

    fast, slow, single = (memspan.Index(DIM, analyzer="simple") for _ in range(3))
    fast.add_many(**columns(list))
    slow.add_many(**columns(Untyped))
    for user, rec in batch:
        single.add(user=user, **fields(rec) | {"recorded_at": rec.recorded_at or 0})
    for user in ("ana", "ben"):
        for query in ({"k": 100}, {"as_of": 0}, {"where": {"a": {"$exists": True}}}, {"kinds": ["vault"]}):
            answers = [index.search(user=user, **query) for index in (fast, slow, single)]
            assert answers[0].ids == answers[1].ids == answers[2].ids
        stats = [index.stats(user=user) for index in (fast, slow, single)]
        for figures in stats:
            figures.pop("bytes")
            figures.pop("mapped_bytes")
        assert stats[0] == stats[1] == stats[2]


class SlowQuery(memspan.Query):
    __slots__ = ()
    __init__ = memspan.Query.__init__.__wrapped__  # type: ignore[attr-defined]


@settings(PROFILE, max_examples=200)
@given(st.lists(st.tuples(users, records()), max_size=15), st.lists(queries(), min_size=1, max_size=6))
def test_searches(contents: list[tuple[str, Rec]], asked: list[dict[str, Any]]) -> None:
    index = memspan.Index(DIM, analyzer="simple")
    for user, rec in contents:
        index.add(user=user, **fields(rec))
    for query in asked:
        call = {"user": "ana", **arguments(query)}
        fast, slow = index.search(**call), index._native.search(SlowQuery(**call)._native)
        assert (fast.ids, fast.scores.tolist()) == (slow.ids, slow.scores.tolist())
        assert [hit.views for hit in fast] == [hit.views for hit in slow]
