"""Records in the common form are checked natively: with the same outcome as field by field in Python."""

from __future__ import annotations

import gc
import json
import random
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from memspan import HashEmbedder, InvalidArgumentError, Memory, Record, _core
from memspan.remember.input.checking import checked_record, checked_vector
from memspan.store.codec import encode_rows

DIM = 8
UTC = timezone.utc
OTHER = timezone(timedelta(hours=2))

PLAIN: dict[str, Any] = {
    "id": "m1",
    "user": "ana",
    "text": "I went to the market",
    "at": datetime(2024, 5, 8, 12, 30, 1, 5, tzinfo=UTC),
    "recorded_at": datetime(2024, 6, 1, tzinfo=UTC),
    "tags": ("market", "a_b"),
    "embedding": np.arange(1, DIM + 1, dtype=np.float32),
}

# Of each field: values that are fine as they are, that are converted, and that are refused.
VALUES: dict[str, list[Any]] = {
    "id": ["m1", "é", "x" * 512, "x" * 513, "", None, 3, "\ud800", "日本"],
    "user": ["ana", "b" * 513, "", 7],
    "text": ["text", "  ", "", " x", "日本語", "\u3000", "half \ud83d emoji", None, "x" * (4 << 20), "tab\tand\nmore"],
    "at": [
        datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 1), datetime(2024, 1, 1, tzinfo=OTHER), "2024-01-01",
        5, None, "never", datetime(1, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC, fold=1),
    ],
    "kind": ["episodic", "vault", "other", None, 1],
    "until": [None, datetime(2030, 1, 1, tzinfo=UTC), datetime(2000, 1, 1, tzinfo=UTC), "2031-01-01", "x"],
    "recorded_at": [datetime(2024, 6, 1, tzinfo=UTC), "2024-06-01T00:00:00Z", datetime(2024, 6, 1), 12, "x"],
    "session": [None, "s1", "", 5, "s" * 513],
    "speaker": [None, "Ana", "", "\udfff", ["Ana"]],
    "tags": [
        (), ("a", "b"), ["a", "b"], ("A b", "c"), ("a", "a"), ("a", "A"), ("",), ("straße",), ("ä",), "a", None,
        tuple(f"t{i}" for i in range(40)), tuple(f"t{i}" for i in range(65)), (3,), ("x" * 129,), ("a-b",), ("_",),
    ],
    "entities": [(), ("Oslo",), ["Oslo", "Oslo"], ("",), None, (None,)],
    "importance": [None, 0.5, 1, 0, 1.5, float("nan"), True, "much"],
    "provenance": [None, "file.md", "", "p" * 4097, 3],
    "fidelity": [1.0, 0.25, 1, 0.0, -1.0, float("nan"), None],
    "sources": [(), ("m0", "m9"), ["m0"], ("m0", "m0"), 5],
    "metadata": [
        {}, {"city": "Oslo", "n": 3, "x": 1.5, "ok": True, "none": None}, {"images": ["a cat"]}, {"a": {"b": [1, 2]}},
        {"n": 1 << 63}, {"x": float("inf")}, {3: 4}, {"half": "\ud800"}, None, [], {"long": "x" * 2000},
        {"a": (1, 2)}, {"a": object()}, {"images": "not a list"},
    ],
    "embedding": [
        None, np.ones(DIM, np.float32), np.ones(DIM), [1.0] * DIM, np.zeros(DIM, np.float32),
        np.full(DIM, np.nan, np.float32), np.full(DIM, np.inf, np.float32), np.ones(DIM + 1, np.float32), "x",
        np.ones((1, DIM), np.float32), np.ones(2 * DIM, np.float32)[::2], np.full(DIM, 1e-45, np.float32),
        np.full(DIM, 3e38, np.float32), np.ones(DIM, ">f4"), np.ones(DIM, np.int64),
    ],
}  # fmt: skip


def slowly(record: Record) -> Record:
    """What `checked_records` does where there is no native answer."""
    checked = checked_record(record, "record")
    if checked.embedding is None:
        return checked
    return replace(checked, embedding=checked_vector(checked.embedding, DIM, "record.embedding"))


def outcome(call: Callable[[], Record]) -> Any:
    try:
        return comparable(call())
    except InvalidArgumentError as error:
        return type(error), str(error)


def comparable(record: Record) -> dict[str, Any]:
    values = {field.name: getattr(record, field.name) for field in fields(Record)}
    if record.embedding is not None:
        assert not record.embedding.flags.writeable
        assert record.embedding.dtype == np.float32
        values["embedding"] = record.embedding.tobytes()
    values["metadata"] = json.dumps(record.metadata, sort_keys=True)
    values["types"] = [type(value) for value in values.values()]
    return values


def same(record: Record) -> bool:
    """Whether there was a native answer; if so, it is the slow one."""
    native = _core.normal_record(record, Record, DIM)
    if native is None:
        return False
    assert comparable(native) == outcome(lambda: slowly(record))
    assert native is not record
    assert native.metadata is not record.metadata
    if record.embedding is not None:
        assert not np.shares_memory(native.embedding, record.embedding)
    return True


def test_the_common_form_is_answered_natively() -> None:
    assert same(Record(**PLAIN))
    assert same(Record(**PLAIN | {"embedding": None, "recorded_at": None, "metadata": {"city": "Oslo"}}))
    assert same(
        Record(
            **PLAIN
            | {"session": "s", "speaker": "Ana", "until": PLAIN["at"], "kind": "vault", "text": "日本"}
        )
    )


@pytest.mark.parametrize("field", VALUES)
def test_each_field(field: str) -> None:
    answers = [same(Record(**PLAIN | {field: value})) for value in VALUES[field]]
    assert any(answers)
    assert not all(answers)


def test_fields_together() -> None:
    rng = random.Random(4)
    answered = 0
    for _ in range(3000):
        changed = rng.sample(sorted(VALUES), rng.randrange(6))
        answered += same(Record(**PLAIN | {field: rng.choice(VALUES[field][:3]) for field in changed}))
    assert answered > 300


def test_what_is_no_record() -> None:
    class Other(Record):
        pass

    for value in (None, {"id": "m1"}, Other(**PLAIN), "record"):
        assert _core.normal_record(value, Record, DIM) is None


def test_a_record_is_completed() -> None:
    record, moment, vector = Record(**PLAIN), datetime(2025, 1, 1, tzinfo=UTC), np.zeros(DIM, np.float32)
    expected = replace(record, recorded_at=moment, embedding=vector)
    _core.complete_record(record, moment, vector)
    for field in fields(Record):
        assert getattr(record, field.name) is getattr(expected, field.name)


def test_the_caller_s_records_stay_as_they_are(tmp_path: Path) -> None:
    record = Record(**PLAIN | {"recorded_at": None, "embedding": np.ones(DIM)})
    with Memory(tmp_path / "agent.memspan", HashEmbedder(DIM)) as memory:
        assert memory.add_records([record]) == 1
        stored = memory.get(user="ana", id="m1")
    assert record.recorded_at is None
    assert record.embedding.dtype == np.float64
    assert stored is not None
    assert stored.recorded_at is not None


def test_rows_are_the_same_as_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    odd = 'quote " slash \\ / line \n \x01 \x7f \u2028 é 日本 🎈'
    records = [
        Record(**PLAIN),
        Record(**PLAIN | {"until": PLAIN["at"], "session": "s", "importance": 0.1, "sources": ("m0", odd)}),
        Record(**PLAIN | {"tags": (), "entities": (odd,), "metadata": {odd: [1, 2.5, 1e300, {"a": None, "b": True}]}}),
        Record(**PLAIN | {"at": datetime(1, 1, 1, tzinfo=UTC), "recorded_at": datetime(9999, 12, 31, tzinfo=UTC)}),
        Record(**PLAIN | {"metadata": {"n": -(2**63), "m": 2**63 - 1, "x": -0.0}}),
    ]  # fmt: skip
    arguments = (records, {"ana": 3}, 17, 5)
    native = encode_rows(*arguments)
    assert native == _core.encode_rows(*arguments)
    monkeypatch.setattr(_core, "encode_rows", lambda records, *_: [None] * len(records))
    assert native == encode_rows(*arguments)
    for one, other in zip(native, encode_rows(*arguments), strict=True):
        assert [type(value) for value in one] == [type(value) for value in other]
        assert None not in one


def test_a_copy_costs_the_garbage_collector_nothing_and_sqlite_no_second_copy() -> None:
    copy = _core.normal_record(Record(**PLAIN), Record, DIM)
    assert copy is not None
    assert copy.embedding is not None
    assert not gc.is_tracked(copy)
    (row,) = encode_rows([copy], {"ana": 1}, 1, 1)
    assert row[3] is copy.embedding.base
    # Of a view only what it shows is written.
    part = replace(copy, embedding=copy.embedding[1:])
    (row,) = encode_rows([part], {"ana": 1}, 1, 1)
    assert row[3] == part.embedding.tobytes()
